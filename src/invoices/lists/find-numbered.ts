// Finds invoices by numbers from elsewhere, such as the narration of a bank's line.
import { todayOf, type Merchant } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { Invoice } from "../invoice.ts";
import { findInvoices } from "../invoice-store.ts";
import { findIdsByNumbers, yearsSearched } from "./invoice-list-store.ts";
import { listEndings } from "./read-invoice-filter.ts";

/** The most times that dues are followed from invoice to later invoice. */
const MAX_CARRIED = 12;

/** Numbers to find. `endings` are the ends of numbers in the merchant's series, such as 17 for INV-2627-00017. */
export type WantedNumbers = { readonly numbers: readonly string[]; readonly endings: readonly string[] };

/**
 * The invoices with one of these numbers, each with the one that has its dues now.
 * @returns by the invoice's id; the invoice to pay is the same unless dues were carried forward
 */
export async function findInvoicesNumbered(
  db: Queryable,
  merchant: Merchant,
  { numbers, endings }: WantedNumbers,
): Promise<readonly { readonly named: Invoice; readonly payable: Invoice }[]> {
  const today = todayOf(merchant);
  const years = yearsSearched(today);
  const ended: string[] = [];
  for (const ending of endings) ended.push(...(await listEndings(db, merchant, ending, years)));
  const wanted = [...new Set([...numbers, ...ended])];
  if (wanted.length === 0) return [];
  const named = await findInvoices(db, merchant, await findIdsByNumbers(db, merchant, wanted, today));
  const payable = await followCarried(db, merchant, named);
  return named.map((invoice, place) => ({ named: invoice, payable: payable[place]! }));
}

/** The invoices that have the dues of these: the last ones that they were carried to. */
async function followCarried(db: Queryable, merchant: Merchant, named: readonly Invoice[]): Promise<Invoice[]> {
  let now = [...named];
  for (let step = 0; step < MAX_CARRIED; step += 1) {
    const next = now.flatMap(({ carriedTo }) => (carriedTo === null ? [] : [carriedTo]));
    if (next.length === 0) break;
    const later = new Map((await findInvoices(db, merchant, [...new Set(next)])).map((each) => [each.invoiceId, each]));
    now = now.map((invoice) => later.get(invoice.carriedTo ?? 0n) ?? invoice);
  }
  return now;
}
