// The results of the global search: each found record, page and action, as a line with an address. palette-dialog.tsx shows them
// and asks the server.
import type { Answer } from "../api/contract.ts";
import { day } from "../format/time.ts";
import { finding } from "../strings/finding.ts";
import { settings } from "../strings/settings.ts";
import { maySee, type AreaPage } from "./area.ts";
import type { Session } from "../api/session.ts";
import { invoicesFirst } from "./found-order.ts";
import { hasWords } from "./has-words.ts";
import { findSettings } from "./settings.ts";

type Result = Answer<"GET", "/search">;

export type FoundLine = {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly amount?: string;
  readonly status?: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** A part of the page. */
  readonly hash?: string;
};
export type FoundGroup = { readonly name: keyof typeof finding.groups; readonly lines: readonly FoundLine[] };

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== "").join(" · ");

/** The lines of the found records, by kind. */
export function linesOfRecords(found: Result, text: string): FoundGroup[] {
  const payouts: FoundGroup = { name: "payouts", lines: found.payouts.map(lineOfPayout) };
  const invoices: FoundGroup = { name: "invoices", lines: found.invoices.map(lineOfInvoice) };
  return [
    ...(invoicesFirst(found, text) ? [invoices, payouts] : [payouts, invoices]),
    { name: "payments", lines: found.payments.map(lineOfPayment) },
    { name: "credit_notes", lines: found.credit_notes.map(lineOfNote) },
    { name: "customers", lines: found.customers.map(lineOfCustomer) },
    { name: "beneficiaries", lines: found.beneficiaries.map(lineOfBeneficiary) },
    { name: "franchises", lines: found.franchises.map(lineOfFranchise) },
  ];
}

function lineOfPayout(each: Result["payouts"][number]): FoundLine {
  const base = each.kind === "withdrawal" ? "/withdrawals" : "/transfers";
  return {
    id: `payout-${each.transfer_id}`,
    label: each.payee_name,
    description: joined(each.reference_id, each.utr === "" ? "" : `UTR ${each.utr}`, day(each.added_at)),
    amount: each.amount,
    status: each.status,
    to: `${base}/${each.transfer_id}`,
  };
}

function lineOfInvoice(each: Result["invoices"][number]): FoundLine {
  return {
    id: `invoice-${each.invoice_id}`,
    label: each.invoice_number,
    description: joined(each.customer_name, day(each.bill_date)),
    amount: each.amount,
    status: each.status,
    to: `/invoices/${each.invoice_id}`,
  };
}

function lineOfPayment(each: Result["payments"][number]): FoundLine {
  return {
    id: `payment-${each.settlement_id}`,
    label: finding.paymentOf(each.invoice_number, each.customer_name),
    description: joined(each.bank_ref_no, day(each.paid_date)),
    amount: each.amount,
    to: `/invoices/${each.invoice_id}`,
  };
}

function lineOfNote(each: Result["credit_notes"][number]): FoundLine {
  return {
    id: `note-${each.credit_note_id}`,
    label: each.credit_note_number,
    description: finding.onInvoice(day(each.note_date)),
    amount: each.amount,
    to: `/invoices/${each.invoice_id}`,
  };
}

function lineOfCustomer(each: Result["customers"][number]): FoundLine {
  return {
    id: `customer-${each.customer_id}`,
    label: each.customer_name,
    description: joined(each.customer_code, each.mobile, each.email),
    to: `/customers/${each.customer_id}`,
  };
}

function lineOfBeneficiary(each: Result["beneficiaries"][number]): FoundLine {
  const account = each.account_number === "" ? each.upi : finding.account(each.account_number);
  return {
    id: `beneficiary-${each.beneficiary_id}`,
    label: each.name,
    description: joined(account, each.bank, each.mobile),
    to: `/beneficiaries/${each.beneficiary_id}`,
  };
}

function lineOfFranchise(each: Result["franchises"][number]): FoundLine {
  return {
    id: `franchise-${each.franchise_id}`,
    label: each.franchise_name,
    description: joined(each.franchise_code, each.contact_person_name),
    to: `/franchises/${each.franchise_id}`,
  };
}

/** The pages, settings and actions that match the words of a text and that the session may see. */
export function linesOfPages(session: Session, pages: readonly AreaPage[], text: string): FoundGroup[] {
  const seen = pages.filter((page) => maySee(session, page));
  const actions: Readonly<Record<string, string>> = finding.actions;
  const line = (label: string | undefined, path: string): FoundLine[] =>
    label !== undefined && hasWords([label], text) ? [{ id: `page-${path}`, label, description: "", to: path }] : [];
  const found = findSettings(session, pages, text);
  // A page that is a setting is listed once, with its description.
  const asSettings = new Set<string>(found.map(({ to }) => to));
  return [
    { name: "actions", lines: seen.flatMap(({ path }) => line(actions[path], path)) },
    {
      name: "pages",
      lines: seen.flatMap(({ path, entry }) => (asSettings.has(path) ? [] : line(entry?.label, path))),
    },
    {
      name: "settings",
      lines: found.map(({ name, label, to, hash }) => ({
        id: `setting-${name}`,
        label,
        description: settings.hints[name],
        to,
        hash,
      })),
    },
  ];
}

/** The lists that can be searched for the same text. */
export function linesOfLists(session: Session, pages: readonly AreaPage[], text: string): FoundGroup {
  const seen = new Set<string>(pages.filter((page) => maySee(session, page)).map(({ path }) => path));
  return {
    name: "further",
    lines: Object.entries(finding.all)
      .filter(([path]) => seen.has(path))
      .map(([path, label]) => ({
        id: `list-${path}`,
        label: label(text),
        description: "",
        to: path,
        search: { search: text },
      })),
  };
}
