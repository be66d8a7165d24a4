// The route of the global search: a few matching records of each kind that the caller may see. The domains do the matching.
import { lookUpCustomers } from "../customers/index.ts";
import { pageFranchises } from "../franchises/index.ts";
import { formatInvoiceId, lookUpInvoices, shownStatus, toRecord } from "../invoices/index.ts";
import { franchiseOf, todayOf, type Permission } from "../merchants/index.ts";
import { lookUpTransfers, searchBeneficiaries } from "../payouts/index.ts";
import { phoneDigits, typedPaise } from "../platform/as-typed.ts";
import { requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { describeBeneficiary, describeTransfer } from "./shown.ts";

/** Records per kind; the list of that kind has the rest. */
const SHOWN = 5;
const TEXT_LENGTH = 100;

/** Adds the route of the search. */
export function registerSearchRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /search",
      summary: "Search payouts, beneficiaries, customers, invoices and franchises",
      permission: ["payouts.view", "beneficiaries.view", "customers.view", "invoices.view", "franchises.view"],
      narrowsToFranchise: true,
      query: { text: requiredText(TEXT_LENGTH) },
      // One after the other, so that a search only takes one connection.
      handler: async (call) => ({
        payouts: await findPayouts(call, call.query.text),
        beneficiaries: await findBeneficiaries(call, call.query.text),
        customers: await findCustomers(call, call.query.text),
        ...(await findBilling(call, call.query.text)),
        franchises: await findFranchises(call, call.query.text),
      }),
    }),
  ];
}

const may = ({ caller }: MerchantCall, permission: Permission): boolean => caller.permissions.has(permission);

async function findPayouts(call: MerchantCall, text: string) {
  if (!may(call, "payouts.view")) return [];
  const { db, merchant } = call;
  const found = await lookUpTransfers({ pool: db, merchant }, { text, amountPaise: typedPaise(text), limit: SHOWN });
  return found.map((each) => describeTransfer(each, merchant.timeZone));
}

async function findBeneficiaries(call: MerchantCall, text: string) {
  if (!may(call, "beneficiaries.view")) return [];
  const { db, merchant } = call;
  const page = { after: null, limit: SHOWN };
  const texts = new Set([text, phoneDigits(text) ?? text]);
  const found = new Map<bigint, ReturnType<typeof describeBeneficiary>>();
  for (const each of texts) {
    const { beneficiaries } = await searchBeneficiaries({ pool: db, merchant }, { text: each, ...page });
    for (const one of beneficiaries) found.set(one.beneficiaryId, describeBeneficiary(one, merchant.timeZone));
  }
  return [...found.values()].slice(0, SHOWN);
}

async function findCustomers(call: MerchantCall, text: string) {
  if (!may(call, "customers.view")) return [];
  const { db, merchant } = call;
  const found = await lookUpCustomers(db, merchant, { text, franchiseId: franchiseOf(call.caller), limit: SHOWN });
  return found.map(({ customerId, customerCode, customerName, mobile, email }) => ({
    customer_id: String(customerId),
    customer_code: customerCode,
    customer_name: customerName,
    mobile,
    email,
  }));
}

async function findBilling(call: MerchantCall, text: string) {
  if (!may(call, "invoices.view")) return { invoices: [], payments: [], credit_notes: [] };
  const { db, merchant } = call;
  const wanted = { text, amountPaise: typedPaise(text), franchiseId: franchiseOf(call.caller), limit: SHOWN };
  const { invoices, payments, creditNotes } = await lookUpInvoices({ pool: db, merchant }, wanted);
  const today = todayOf(merchant);
  return {
    invoices: invoices
      .map((record) => toRecord(record, merchant, today))
      .map((wire) => ({
        invoice_id: wire.invoice_id,
        invoice_number: wire.invoice_number,
        customer_name: wire.customer_name,
        amount: wire.amount,
        status: shownStatus(wire.status, wire.due),
        bill_date: wire.bill_date,
      })),
    payments: payments.map(({ payment, invoice }) => ({
      settlement_id: String(payment.settlementId),
      invoice_id: formatInvoiceId(invoice.invoice_id),
      invoice_number: invoice.invoice_number,
      customer_name: invoice.customer_name,
      amount: formatPaise(payment.amountPaise),
      paid_date: payment.paidDate.toString(),
      bank_ref_no: payment.bankRefNo,
    })),
    credit_notes: creditNotes.map((note) => ({
      credit_note_id: String(note.creditNoteId),
      credit_note_number: note.creditNoteNumber,
      invoice_id: formatInvoiceId(note.invoiceId),
      amount: formatPaise(note.amountPaise),
      note_date: note.noteDate.toString(),
    })),
  };
}

/** A franchise can't search franchises. */
async function findFranchises(call: MerchantCall, text: string) {
  if (!may(call, "franchises.view") || franchiseOf(call.caller) !== null) return [];
  const search = { text, status: "active" as const, after: null, limit: SHOWN };
  const found = await pageFranchises(call.db, call.merchant, search);
  return found.map(({ franchiseId, code, name, contactPersonName }) => ({
    franchise_id: String(franchiseId),
    franchise_code: code,
    franchise_name: name,
    contact_person_name: contactPersonName,
  }));
}
