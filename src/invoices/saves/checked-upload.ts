// Sorts the invoices of a file: saved before, possible duplicates, invalid, and still to be saved.
import type { Merchant } from "../../merchants/index.ts";
import { csvFile, type CsvRecord } from "../../platform/csv.ts";
import type { Connection } from "../../platform/database/pool.ts";
import type { JsonObject } from "../../platform/json.ts";
import { formatPaise } from "../../platform/money.ts";
import { formatInvoiceId } from "../invoice.ts";
import { findAlike } from "./alike-store.ts";
import type { SavedBatch } from "./saved-upload.ts";
import { isValid, problemsOf, warningsOfFile, type FileInvoice, type LineProblem } from "./upload-lines.ts";

/** Saved together, all or none. Batches have fixed lines, so that the same file uploaded again has the same batches. */
export const BATCH_SIZE = 500;
const MAX_PROBLEMS = 500;
const MAX_SAVED = 100;
const MAX_NEW = 500;

/** Some of the file's invoices, in the form of invoice/save. */
export type UploadBatch = {
  /** Names the batch. The same file and template give the same names; lines added later get another one. */
  readonly key: string;
  /** The line on which each invoice begins. */
  readonly lines: readonly number[];
  /** The last line of the batch. */
  readonly through: number;
  readonly invoices: readonly JsonObject[];
};

export type SavedBefore = {
  readonly lines: number;
  readonly invoices: number;
  /** The first ones. */
  readonly first: readonly {
    readonly line: number | null;
    readonly invoice_id: string;
    readonly invoice_number: string;
  }[];
};

/** Valid invoices with the same customer, bill date and amount as an existing one: they may be duplicates. */
export type AlikeInvoices = {
  /** The total of the other valid ones, in rupees. */
  readonly restTotal: string;
  /** Each by its first line, with the existing invoice. */
  readonly invoices: readonly {
    readonly line: number;
    readonly amount: string;
    readonly invoice_id: string;
    readonly invoice_number: string;
  }[];
};

/** The customers that the valid invoices create. */
export type NewCustomers = {
  readonly count: number;
  /** The first ones. */
  readonly first: readonly { readonly line: number; readonly customer_code: string; readonly customer_name: string }[];
};

export type CheckedUpload = {
  readonly lines: number;
  /** Valid lines that are not saved yet. */
  readonly good: number;
  /** Number of invoices in those lines. */
  readonly invoices: number;
  /** Their total with taxes and previous dues, in rupees. */
  readonly total: string;
  readonly newCustomers: NewCustomers;
  /** Lines that were saved before. They are in no batch, and count neither as valid nor as invalid. */
  readonly saved: SavedBefore;
  readonly alike: AlikeInvoices;
  readonly problems: readonly LineProblem[];
  /** How many more there are than are listed. */
  readonly furtherProblems: number;
  /** Valid lines that a person should check. */
  readonly warnings: readonly LineProblem[];
  readonly furtherWarnings: number;
  /** The lines of invoices with problems, with the headings, to be corrected and uploaded by themselves. */
  readonly badLines: string;
  readonly batches: readonly UploadBatch[];
};

/** The result for the invoices of a file, of which these batches were saved before. */
export async function describeUpload(
  connection: Connection,
  merchant: Merchant,
  head: CsvRecord,
  invoices: readonly FileInvoice[],
  saved: readonly SavedBatch[],
): Promise<CheckedUpload> {
  const divided = divideAll(invoices, saved);
  const good = divided.flatMap((each) => each.good);
  return { ...summarise(head, invoices, divided), alike: await findAlikeOf(connection, merchant, good, saved) };
}

/**
 * Which of the invoices seem to exist already, from another file or by hand: one for each existing invoice. Invoices saved from
 * this file match their own lines only.
 */
async function findAlikeOf(
  connection: Connection,
  merchant: Merchant,
  good: readonly FileInvoice[],
  saved: readonly SavedBatch[],
): Promise<AlikeInvoices> {
  const kinds = new Map<string, FileInvoice[]>();
  for (const invoice of good) {
    if (!invoice.bills) continue;
    const kind = `${invoice.bills.customerId} ${invoice.bills.billDate.toString()} ${invoice.amountPaise}`;
    kinds.getOrInsertComputed(kind, () => []).push(invoice);
  }
  const wanted = [...kinds.values()];
  const found = await findAlike(
    connection,
    merchant,
    wanted.map((some, place) => ({ ...some[0]!.bills!, place, amountPaise: some[0]!.amountPaise, count: some.length })),
    saved.flatMap(({ saved }) => saved.map(({ invoiceId }) => BigInt(invoiceId))),
  );
  const next = wanted.map((some) => some.values());
  const alike = found.map((one) => ({ ...one, invoice: next[one.place]!.next().value! }));
  const out = new Set(alike.map(({ invoice }) => invoice));
  return {
    restTotal: formatPaise(totalOf(good.filter((invoice) => !out.has(invoice)))),
    invoices: alike.map(({ invoice, invoiceId, invoiceNumber }) => ({
      line: invoice.lines[0].record.line,
      amount: formatPaise(invoice.amountPaise),
      invoice_id: formatInvoiceId(invoiceId),
      invoice_number: invoiceNumber,
    })),
  };
}

function totalOf(invoices: readonly FileInvoice[]): bigint {
  return invoices.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
}

/** The status of each invoice of a batch: saved before, to be saved, or invalid. */
function divide(all: readonly FileInvoice[], { byLine, isUnclear }: SavedBatch) {
  const isSaved = (invoice: FileInvoice): boolean =>
    byLine.has(invoice.lines[0].record.line) || (isUnclear && isValid(invoice));
  const rest = all.filter((invoice) => !isSaved(invoice));
  return { before: all.filter(isSaved), good: rest.filter(isValid), bad: rest.filter((invoice) => !isValid(invoice)) };
}

function newCustomersIn(invoices: readonly FileInvoice[]): NewCustomers {
  const all = invoices.flatMap(({ lines: [begin], makes }) =>
    makes === null
      ? []
      : [{ line: begin.record.line, customer_code: makes.customerCode, customer_name: makes.customerName }],
  );
  return { count: all.length, first: all.slice(0, MAX_NEW) };
}

function divideAll(invoices: readonly FileInvoice[], saved: readonly SavedBatch[]) {
  return saved.map((batch, place) => ({
    ...divide(invoices.slice(place * BATCH_SIZE, (place + 1) * BATCH_SIZE), batch),
    batch,
  }));
}

function summarise(
  head: CsvRecord,
  invoices: readonly FileInvoice[],
  divided: ReturnType<typeof divideAll>,
): Omit<CheckedUpload, "alike"> {
  const bad = divided.flatMap((each) => each.bad);
  const before = divided.flatMap((each) => each.before);
  const good = divided.flatMap((each) => each.good);
  const problems = bad.flatMap(problemsOf).toSorted((a, b) => a.line - b.line);
  const warnings = good.flatMap(warningsOfFile).toSorted((a, b) => a.line - b.line);
  const batches = divided.flatMap(({ good, batch }): UploadBatch[] =>
    good.length === 0
      ? []
      : [
          {
            key: batch.key,
            lines: good.map(({ lines: [begin] }) => begin.record.line),
            through: Math.max(...good.map(({ lines }) => lines.at(-1)!.record.line)),
            invoices: good.map(({ wire }) => wire),
          },
        ],
  );
  const saved = divided.flatMap(({ batch }) => batch.saved);
  const count = (of: readonly FileInvoice[]): number => of.reduce((sum, { lines }) => sum + lines.length, 0);
  const badRecords = bad.flatMap(({ lines }) => lines.map(({ record }) => record));
  badRecords.sort((a, b) => a.line - b.line);
  return {
    lines: count(invoices),
    good: count(good),
    invoices: good.length,
    total: formatPaise(totalOf(good)),
    newCustomers: newCustomersIn(good),
    saved: {
      lines: count(before),
      invoices: saved.length,
      first: saved.slice(0, MAX_SAVED).map(({ line, invoiceId, invoiceNumber }) => ({
        line: line ?? null,
        invoice_id: formatInvoiceId(BigInt(invoiceId)),
        invoice_number: invoiceNumber,
      })),
    },
    problems: problems.slice(0, MAX_PROBLEMS),
    furtherProblems: Math.max(0, problems.length - MAX_PROBLEMS),
    warnings: warnings.slice(0, MAX_PROBLEMS),
    furtherWarnings: Math.max(0, warnings.length - MAX_PROBLEMS),
    badLines: bad.length === 0 ? "" : csvFile([head, ...badRecords].map(({ cells }) => cells)),
    batches,
  };
}
