// What must hold of invoices after a crash, by the journal of the load.
import { parsePaise } from "../../src/platform/money.ts";
import { describeEntry, expectHolds, expectSame } from "./expectations.ts";
import type { Entry } from "./journal.ts";
import { acknowledged, changesOf } from "./party-books.ts";
import type { CrashSite } from "./site.ts";
import { ofWhole } from "./whole-tables.ts";

type InvoiceRow = {
  readonly id: string;
  readonly number: string;
  readonly cycle_name: string;
  readonly revision: number;
  readonly status: string;
  readonly sub_total: bigint;
  readonly is_billed: boolean;
};

/** Checks invoices and what was done to them against the journal. */
export async function expectBillingKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  await expectInvoicesKept(site, entries);
  await expectNumbersWithoutGap(site);
  await expectSettlementsKept(site, entries);
  await expectCreditNotesKept(site, entries);
  await expectOccurrencesBilled(site, entries);
}

async function expectInvoicesKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const { rows } = await site.pool.query<InvoiceRow>(
    `select 'R' || lpad(invoice_id::text, 9, '0') as id, invoice_number as number, cycle_name, revision, status,
       sub_total_paise as sub_total, occurrence.invoice_id is not null as is_billed
     from invoice left join subscription_occurrence occurrence using (bucket, merchant_id, invoice_id)`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  let saved = 0;
  for (const entry of acknowledged(entries, "invoice")) {
    const words = [...entry.ids].join(" and ").split(" ");
    const updates = changesOf(entries, entry, "invoice update");
    for (let index = 0; index < words.length; index += 2) {
      saved += 1;
      const row = byId.get(words[index]!);
      const applied = index === 0 ? updates : [];
      const last = applied.at(-1) ?? entry;
      expectSame(
        row && { number: row.number, cycle: row.cycle_name, revision: row.revision, sub_total: row.sub_total },
        { number: words[index + 1], cycle: last.name, revision: 1 + applied.length, sub_total: last.amountPaise },
        describeEntry(entry),
      );
      const isCancelled = index === 0 && changesOf(entries, entry, "cancellation").length > 0;
      if (isCancelled) expectSame(row!.status, "Cancelled", describeEntry(entry));
    }
  }
  expectSame(rows.filter((row) => !row.is_billed).length, saved, "invoices that were saved");
}

/** Each series counts from 1 in each financial year, and its counter stands at the last number. */
async function expectNumbersWithoutGap(site: CrashSite): Promise<void> {
  for (const [table, number] of [
    ["invoice", "invoice_number"],
    ["credit_note", "credit_note_number"],
  ]) {
    const { rows } = await site.pool.query<{ numbers: string[]; last_number: bigint }>(
      `select array_agg(${number} order by ${number}) as numbers, last_number
       from ${table} join number_counter using (bucket, merchant_id, series_id, financial_year)
       group by bucket, merchant_id, series_id, financial_year, last_number`,
    );
    for (const { numbers, last_number: last } of rows) {
      const prefix = numbers[0]!.replace(/\d+$/, "");
      const counted = numbers.map((_, index) => `${prefix}${String(index + 1).padStart(5, "0")}`);
      expectSame(numbers, counted, `numbers of a series in ${table}`);
      expectSame(last, BigInt(numbers.length), `the counter of ${prefix}`);
    }
    const { rows: loose } = await site.pool.query(`select from ${table} where series_id is null`);
    expectSame(loose.length, 0, `rows of ${table} outside of a series`);
  }
}

async function expectSettlementsKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const { rows } = await site.pool.query<{ reference: string }>(
    `select bank_ref_no as reference, settlement_id::text as id, 'R' || lpad(invoice_id::text, 9, '0') as invoice_id,
       amount_paise, reversal_reason
     from settlement where via_settlement_id is null order by settlement_id`,
  );
  const byReference = Map.groupBy(rows, ({ reference }) => reference);
  const recorded = acknowledged(entries, "settlement");
  expectSame(rows.length, recorded.length, "settlements");
  for (const entry of recorded) {
    const { amount, invoice_id: invoiceId } = entry.body as { amount: string; invoice_id: string };
    const wanted = {
      reference: entry.name,
      id: [...entry.ids].join(),
      invoice_id: invoiceId,
      amount_paise: parsePaise(amount)!,
      reversal_reason: changesOf(entries, entry, "reversal")[0]?.name ?? null,
    };
    expectSame(byReference.get(entry.name), [wanted], describeEntry(entry));
  }
  const { rows: unequal } = await site.pool.query(
    ofWhole(
      ["invoice", "settlement"],
      `select invoice_id, paid_paise from invoice where paid_paise <> coalesce((
       select sum(amount_paise) from settlement paid where paid.bucket = invoice.bucket
         and paid.merchant_id = invoice.merchant_id and paid.invoice_id = invoice.invoice_id and reversed_at is null), 0)`,
    ),
  );
  expectSame(unequal, [], "invoices whose payments do not add up");
}

async function expectCreditNotesKept(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const { rows } = await site.pool.query(
    "select reason, credit_note_id::text as id, amount_paise from credit_note order by reason",
  );
  const issued = acknowledged(entries, "credit note")
    .map((entry) => ({ reason: entry.name, id: [...entry.ids].join(), amount_paise: entry.amountPaise }))
    .toSorted((a, b) => (a.reason < b.reason ? -1 : 1));
  expectSame(rows, issued, "credit notes, each of them once");
}

type SentSubscription = { readonly mode: string; readonly start_date: string; readonly occurences: number };

/** Each subscription has billed each date up to the merchant's day once. */
async function expectOccurrencesBilled(site: CrashSite, entries: readonly Entry[]): Promise<void> {
  const { rows } = await site.pool.query<{ id: string; today: Temporal.PlainDate; bill_dates: string[] }>(
    ofWhole(
      ["subscription", "merchant", "subscription_occurrence", "invoice"],
      `select subscription_id::text as id, coalesce(clock_date, (now() at time zone time_zone)::date) as today, array(
       select bill_date::text from subscription_occurrence occurrence
       join invoice using (bucket, merchant_id, invoice_id, bill_date)
       where occurrence.bucket = subscription.bucket and occurrence.merchant_id = subscription.merchant_id
         and occurrence.subscription_id = subscription.subscription_id
       order by occurrence_no) as bill_dates
     from subscription join merchant using (bucket, merchant_id)`,
    ),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const saved = acknowledged(entries, "subscription");
  expectSame(rows.length, saved.length, "subscriptions");
  for (const entry of saved) {
    const row = byId.get([...entry.ids].join());
    expectHolds(row !== undefined, `there is a subscription for ${describeEntry(entry)}`);
    const { mode, start_date: start, occurences } = entry.body as SentSubscription;
    const dates = Array.from({ length: occurences }, (_, index) =>
      Temporal.PlainDate.from(start).add(mode === "Daily" ? { days: index } : { weeks: index }),
    ).filter((date) => Temporal.PlainDate.compare(date, row!.today) <= 0);
    expectSame(row!.bill_dates, dates.map(String), describeEntry(entry));
  }
}
