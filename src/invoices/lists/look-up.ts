// One use case: a few invoices, payments and credit notes that a text may mean, for a search over everything. The number of a merchant's records
// doesn't slow it down: look-up-store.ts.
import { todayOf, type Merchant, type ReadContext } from "../../merchants/index.ts";
import { findCreditNotes } from "../credit-notes/credit-note-store.ts";
import type { CreditNote } from "../credit-notes/credit-note.ts";
import { parseInvoiceId } from "../invoice.ts";
import { findSettlements, type Settlement } from "../settlement-store.ts";
import { findIdsByNumbers, readRecords, yearsSearched, type InvoiceRecord } from "./invoice-list-store.ts";
import {
  findIdsByBeginning,
  findInvoicesAmongNewest,
  findNotesByNumbers,
  findPaymentsAmongNewest,
} from "./look-up-store.ts";
import { listEndings, SHORTEST_PART } from "./read-invoice-filter.ts";

/** How many of the newest records are read for searches without an index. */
const QUICK_STEPS = 2_000;
/** Beginnings are searched in the preceding years too, but not in all of them. */
const YEARS_OF_BEGINNINGS = 4;

/** The search. A franchise finds only its own invoices. */
export type LookUp = {
  readonly text: string;
  /** The text as an amount; `null` if it is not one. */
  readonly amountPaise: bigint | null;
  readonly franchiseId: bigint | null;
  readonly limit: number;
};

/** The results: payments include the invoices that they pay. */
export type LookedUp = {
  readonly invoices: readonly InvoiceRecord[];
  readonly payments: readonly { readonly payment: Settlement; readonly invoice: InvoiceRecord }[];
  readonly creditNotes: readonly CreditNote[];
};

/**
 * Finds invoices by id, by the whole number, its end (`00006`) or its beginning; and among the newest by a part of the
 * number or by the amount. Payments by the bank's reference, cheque or amount. Credit notes by number.
 */
export async function lookUpInvoices(context: ReadContext<Merchant>, wanted: LookUp): Promise<LookedUp> {
  const { pool: db, merchant } = context;
  const { text, limit, franchiseId } = wanted;
  const years = yearsSearched(todayOf(merchant));
  const endings = await listEndings(db, merchant, text, years);
  const isPart = text.length >= SHORTEST_PART || wanted.amountPaise !== null;
  const bounds = { steps: QUICK_STEPS, limit };
  const ids = await findInvoiceIds(context, wanted, { years, endings, isPart });
  const settlementIds = isPart ? await findPaymentsAmongNewest(db, merchant, wanted, bounds) : [];
  const payments = await findSettlements(db, merchant, settlementIds);
  const paidIds = payments.map(({ invoiceId }) => invoiceId);
  const all = await readRecords(db, merchant, [...new Set([...ids, ...paidIds])]);
  const records = new Map(
    all
      .filter(({ franchise_id: owner }) => franchiseId === null || owner === franchiseId)
      .map((record) => [record.invoice_id, record]),
  );
  const noteIds = await findNotesByNumbers(db, merchant, [text, text.toUpperCase(), ...endings], years);
  // Only for the merchant's own people: a note doesn't name its franchise.
  const creditNotes = franchiseId === null ? await findCreditNotes(db, merchant, noteIds.slice(0, limit)) : [];
  return {
    invoices: ids.flatMap((id) => records.get(id) ?? []).slice(0, limit),
    payments: payments.flatMap((payment) => {
      const invoice = records.get(payment.invoiceId);
      return invoice ? [{ payment, invoice }] : [];
    }),
    creditNotes,
  };
}

type Places = { readonly years: readonly number[]; readonly endings: readonly string[]; readonly isPart: boolean };

async function findInvoiceIds(
  { pool: db, merchant }: ReadContext<Merchant>,
  wanted: LookUp,
  { years, endings, isPart }: Places,
): Promise<bigint[]> {
  const { text, limit } = wanted;
  const byId = parseInvoiceId(text.toUpperCase());
  const ids = [
    ...(byId === null ? [] : [byId]),
    ...(await findIdsByNumbers(db, merchant, [text, ...endings], todayOf(merchant))),
  ];
  if (isPart && ids.length < limit) {
    ids.push(...(await findIdsByBeginning(db, merchant, text, years.slice(0, YEARS_OF_BEGINNINGS), limit)));
    ids.push(...(await findInvoicesAmongNewest(db, merchant, wanted, { steps: QUICK_STEPS, limit })));
  }
  return [...new Set(ids)];
}
