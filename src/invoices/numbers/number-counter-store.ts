// All SQL of the counters of number series. template-store.ts has the series.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { byBucket } from "../../platform/database/buckets.ts";
import type { NumberSeries } from "./number-series.ts";

/** The last number taken from a merchant's series in a financial year, by series; unused ones are left out. */
export async function readLastNumbers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  financialYear: number,
): Promise<Map<bigint, bigint>> {
  const { rows } = await db.query<{ series_id: bigint; last_number: bigint }>({
    name: "read-last-numbers",
    text: `select series_id, last_number
      from number_counter
      join number_series using (bucket, merchant_id, series_id)
      where bucket = $1 and merchant_id = $2 and financial_year = case when yearly then $3::smallint else 0 end`,
    values: [bucket, merchantId, financialYear],
  });
  return new Map(rows.map((row) => [row.series_id, row.last_number]));
}

/** A series with a year in which numbers were taken (0 if it never resets), and the last of them. */
export type SeriesCounter = NumberSeries & { readonly financialYear: number; readonly lastNumber: bigint };

/** The counters of a merchant's series, those of the newest years first, at most `limit`. */
export async function listCounters(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  limit: number,
): Promise<SeriesCounter[]> {
  const { rows } = await db.query<{
    series_id: bigint;
    prefix: string;
    width: number;
    yearly: boolean;
    financial_year: number;
    last_number: bigint;
  }>({
    name: "list-counters",
    text: `select series_id, prefix, width, yearly, financial_year, last_number
      from number_counter
      join number_series using (bucket, merchant_id, series_id)
      where bucket = $1 and merchant_id = $2
      order by financial_year desc, series_id
      limit $3`,
    values: [bucket, merchantId, limit],
  });
  return rows.map((row) => ({
    seriesId: row.series_id,
    prefix: row.prefix,
    width: row.width,
    yearly: row.yearly,
    financialYear: row.financial_year,
    lastNumber: row.last_number,
  }));
}

/** Numbers to take from a series: `financialYear` is 0 for one that never resets. */
export type WantedNumbers = MerchantKey & {
  readonly seriesId: bigint;
  readonly financialYear: number;
  readonly count: number;
};

/** A counter's name, unique within a merchant. */
export function counterOf({ seriesId, yearly }: NumberSeries, financialYear: number) {
  return { seriesId, financialYear: yearly ? financialYear : 0 };
}

/**
 * Takes `count` consecutive numbers (at least 1) of a series in a financial year and returns the first. A rollback returns them, so
 * the numbers have no gaps; in exchange, concurrent callers wait for the transaction to end.
 */
export async function takeNumbers(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  series: NumberSeries,
  financialYear: number,
  count: number,
): Promise<bigint> {
  const [first] = await takeNumbersOfMany(connection, [
    { bucket, merchantId, ...counterOf(series, financialYear), count },
  ]);
  return first!;
}

/**
 * The same for several counters, none of them twice: returns the first number of each, in the given order. The caller sorts them by
 * merchant, series and year, the order of locking.
 */
export async function takeNumbersOfMany(connection: Connection, wanted: readonly WantedNumbers[]): Promise<bigint[]> {
  const wrong = wanted.find(({ count }) => count < 1);
  if (wrong) throw new RangeError(`${wrong.count} numbers can't be taken`);
  const { rows } = await connection.query<{ series_id: bigint; financial_year: number; last_number: bigint }>({
    name: "take-numbers",
    text: `insert into number_counter as counter (bucket, merchant_id, series_id, financial_year, last_number)
      select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::bigint[])
      on conflict (bucket, merchant_id, series_id, financial_year)
      do update set last_number = counter.last_number + excluded.last_number
      returning series_id, financial_year, last_number`,
    values: [
      wanted.map(({ bucket }) => bucket),
      wanted.map(({ merchantId }) => merchantId),
      wanted.map(({ seriesId }) => seriesId),
      wanted.map(({ financialYear }) => financialYear),
      wanted.map(({ count }) => count),
    ],
  });
  const nameOf = (seriesId: bigint, financialYear: number): string => `${seriesId} ${financialYear}`;
  const last = new Map(rows.map((row) => [nameOf(row.series_id, row.financial_year), row.last_number]));
  return wanted.map(
    ({ seriesId, financialYear, count }) => last.get(nameOf(seriesId, financialYear))! - BigInt(count) + 1n,
  );
}

/** Those of these merchants without a locked counter, by id. Waits for no lock. */
export async function findFreeCounters(db: Queryable, merchants: readonly MerchantKey[]): Promise<Set<string>> {
  const free = new Set<string>();
  for (const [bucket, some] of byBucket(merchants)) {
    const { rows } = await db.query<{ merchant_id: bigint }>({
      name: "find-free-counters",
      text: `with free as materialized (
          select merchant_id from number_counter where bucket = $1 and merchant_id = any ($2) for update skip locked
        )
        select merchant_id from unnest($2) as asked (merchant_id)
        where (select count(*) from number_counter counter
            where counter.bucket = $1 and counter.merchant_id = asked.merchant_id)
          = (select count(*) from free where free.merchant_id = asked.merchant_id)`,
      values: [bucket, some.map(({ merchantId }) => merchantId)],
    });
    for (const { merchant_id: merchantId } of rows) free.add(String(merchantId));
  }
  return free;
}
