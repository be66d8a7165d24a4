// What must hold of franchises and customers after a crash, by the journal of the load.
import { describeEntry, expectSame } from "./expectations.ts";
import type { Entry, Kind } from "./journal.ts";
import type { CrashSite } from "./site.ts";
import { ofWhole } from "./whole-tables.ts";

/** Checks franchises and customers against the journal. */
export async function expectPartiesKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  await expectFranchisesKept(site, entries);
  await expectCustomersKept(site, entries);
  await expectCommissionEarned(site);
}

/** The acknowledged changes of an entry's work, in their order. */
export function changesOf(entries: readonly Entry[], subject: Entry, kind: Kind): Entry[] {
  return entries
    .filter((entry) => entry.subject === subject && entry.kind === kind && entry.outcome === "acknowledged")
    .toSorted((a, b) => a.acknowledgedAs - b.acknowledgedAs);
}

/** The acknowledged entries of a kind. */
export function acknowledged(entries: readonly Entry[], kind: Kind): Entry[] {
  return entries.filter((entry) => entry.kind === kind && entry.outcome === "acknowledged");
}

async function expectFranchisesKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const { rows } = await site.pool.query<{ code: string }>(
    `select merchant_id, franchise_code as code, franchise_id::text as id, franchise_name as name,
       deleted_at is not null as deleted
     from franchise order by franchise_id`,
  );
  const byCode = Map.groupBy(rows, ({ code }) => code);
  const saved = acknowledged(entries, "franchise");
  expectSame(rows.length, saved.length, "franchises");
  for (const entry of saved) {
    const wanted = {
      merchant_id: entry.merchant.merchantId,
      code: entry.name,
      id: [...entry.ids].join(),
      name: (changesOf(entries, entry, "franchise update").at(-1) ?? entry).name,
      deleted: changesOf(entries, entry, "franchise deletion").length > 0,
    };
    expectSame(byCode.get(entry.name), [wanted], describeEntry(entry));
  }
}

type SentCustomers = { readonly customer: readonly { readonly customer_code: string }[] };
type SentBill = { readonly new_customer?: { readonly customer_code: string } };

async function expectCustomersKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const { rows } = await site.pool.query<{ code: string }>(
    "select merchant_id, customer_code as code, customer_id::text as id, city from customer order by customer_id",
  );
  const byCode = Map.groupBy(rows, ({ code }) => code);
  const saved = acknowledged(entries, "customer");
  for (const entry of saved) {
    const ids = [...entry.ids].join().split(" ");
    for (const [index, { customer_code: code }] of (entry.body as SentCustomers).customer.entries()) {
      const last = index === 0 ? changesOf(entries, entry, "customer update").at(-1) : undefined;
      const wanted = { merchant_id: entry.merchant.merchantId, code, id: ids[index], city: (last ?? entry).name };
      expectSame(byCode.get(code), [wanted], describeEntry(entry));
    }
  }
  const bills = [
    ...acknowledged(entries, "invoice").flatMap(({ body }) => (body as { invoice: SentBill[] }).invoice),
    ...acknowledged(entries, "subscription").map(({ body }) => (body as { invoice: SentBill }).invoice),
  ];
  const codes = [
    ...saved.flatMap(({ body }) => (body as SentCustomers).customer.map((customer) => customer.customer_code)),
    ...bills.flatMap((bill) => bill.new_customer?.customer_code ?? []),
  ];
  expectSame(rows.map(({ code }) => code).toSorted(), codes.toSorted(), "customers, each of them once");
}

/** What stands as earned by each franchise follows from how its invoices stand, whatever happened on the way. */
async function expectCommissionEarned(site: CrashSite): Promise<void> {
  const { rows } = await site.pool.query<{ franchise_code: string; earned: bigint; posted: bigint }>(
    ofWhole(
      ["invoice", "credit_note", "franchise", "journal"],
      `with standing as (
       select bucket, merchant_id, franchise_id, sub_total_paise, amount_paise, paid_paise, credited_paise,
         coalesce((select sum(refund_paise) from credit_note note where note.bucket = invoice.bucket
           and note.merchant_id = invoice.merchant_id and note.invoice_id = invoice.invoice_id), 0) as back_paise
       from invoice where franchise_id <> 0
     ), earning as (
       select bucket, merchant_id, franchise_id, sum(case
         when commission_type = 'Percentage' then
           round(greatest(paid_paise - back_paise, 0)::numeric * sub_total_paise * commission_hundredths
             / (amount_paise * 10000::numeric))
         when paid_paise > 0 and paid_paise + credited_paise >= amount_paise then
           round(commission_hundredths::numeric * (amount_paise - credited_paise - back_paise) / amount_paise)
         else 0 end) as paise
       from standing join franchise using (bucket, merchant_id, franchise_id)
       group by bucket, merchant_id, franchise_id
     )
     select franchise_code, coalesce(paise, 0)::bigint as earned, coalesce((
       select sum(case kind when 'commission_accrued' then amount_paise else -amount_paise end)
       from journal posting
       where posting.bucket = franchise.bucket and posting.merchant_id = franchise.merchant_id
         and (kind = 'commission_accrued' and credit_owner_id = franchise_id
           or kind = 'commission_reversed' and debit_owner_id = franchise_id)), 0)::bigint as posted
     from franchise left join earning using (bucket, merchant_id, franchise_id)`,
    ),
  );
  for (const { franchise_code: code, earned, posted } of rows) {
    expectSame(posted, earned, `the commission of the franchise ${code}`);
  }
}
