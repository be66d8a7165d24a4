// SQL of the counts behind limits, which all processes share. Times are the database's, so that the clocks of several
// machines don't matter.
import type { Queryable } from "../database/pool.ts";

/** What is asked of a limit: see `take_rate` in schema/02_installation.sql. */
export type RateAsk = {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  /** For requests that wait. */
  wanted: number;
  /** For requests to come within `leaseMs`. */
  readonly ahead: number;
  readonly leaseMs: number;
  /** What was taken and is not needed, by the end that it was given with. */
  readonly back: { readonly endMs: number; readonly count: number } | null;
};

/** What was given. The ends name it, where it is given back. */
export type RateGrant = {
  readonly granted: number;
  readonly endMs: number;
  readonly ahead: number;
  readonly aheadEndMs: number;
  /** What is left after that. */
  readonly remaining: number;
  /** Until one more may be taken; where it may, until the first count leaves the window. */
  readonly resetMs: number;
};

type Row = {
  granted: number;
  end_ms: bigint;
  granted_ahead: number;
  ahead_end_ms: bigint;
  remaining: number;
  reset_ms: bigint;
};

/** Takes from many limits in one statement, and gives back. Answers in their order. */
export async function takeRates(db: Queryable, asks: readonly RateAsk[]): Promise<RateGrant[]> {
  // Those who take from several lock them in one order.
  const order = asks.map((_, index) => index).toSorted((a, b) => compare(asks[a]!.key, asks[b]!.key));
  const sorted = order.map((index) => asks[index]!);
  const { rows } = await db.query<Row>({
    name: "take-rates",
    text: `select taken.* from unnest(
        $1::text[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::bigint[], $7::bigint[], $8::integer[]
      ) with ordinality as asked (key, window_ms, most, wanted, ahead, lease_ms, back_end_ms, back_count, place),
      lateral take_rate(
        key, floor(extract(epoch from clock_timestamp()) * 1000)::bigint, window_ms, most, wanted, ahead, lease_ms,
        back_end_ms, back_count
      ) as taken order by place`,
    values: [
      sorted.map(({ key }) => key),
      sorted.map(({ windowMs }) => windowMs),
      sorted.map(({ limit }) => limit),
      sorted.map(({ wanted }) => wanted),
      sorted.map(({ ahead }) => ahead),
      sorted.map(({ leaseMs }) => leaseMs),
      sorted.map(({ back }) => back?.endMs ?? 0),
      sorted.map(({ back }) => back?.count ?? 0),
    ],
  });
  const grants: RateGrant[] = [];
  order.forEach((index, place) => {
    grants[index] = fromRow(rows[place]!);
  });
  return grants;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function fromRow(row: Row): RateGrant {
  return {
    granted: row.granted,
    endMs: Number(row.end_ms),
    ahead: row.granted_ahead,
    aheadEndMs: Number(row.ahead_end_ms),
    remaining: row.remaining,
    resetMs: Number(row.reset_ms),
  };
}

/** Forgets counts that have all left their windows. */
export async function forgetRates(db: Queryable): Promise<void> {
  await db.query("delete from rate_count where last_end_ms < floor(extract(epoch from clock_timestamp()) * 1000)");
}
