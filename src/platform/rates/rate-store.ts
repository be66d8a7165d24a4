// SQL of the rate limits' counts, which all processes share. Times are the database's, so that the clocks of several
// machines don't matter.
import type { Queryable } from "../database/pool.ts";

/** A request to a limit: see `take_rate` in schema/02_installation.sql. */
export type RateAsk = {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  /** For waiting requests. */
  wanted: number;
  /** For requests to come within `leaseMs`. */
  readonly ahead: number;
  readonly leaseMs: number;
  /** Unneeded counts to give back, by the end of their grant. */
  readonly back: { readonly endMs: number; readonly count: number } | null;
};

/** The granted counts. Their ends identify them when they are given back. */
export type RateGrant = {
  readonly granted: number;
  readonly endMs: number;
  readonly ahead: number;
  readonly aheadEndMs: number;
  /** The rest of the limit after that. */
  readonly remaining: number;
  /** The time until one more may be taken; if one may be taken now, until the first count ends. */
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

/** Takes from many limits, and gives back, in one statement. The results are in the same order. */
export async function takeRates(db: Queryable, asks: readonly RateAsk[]): Promise<RateGrant[]> {
  // In a fixed order, to avoid deadlocks.
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

/** Deletes rows whose counts have all ended. */
export async function forgetRates(db: Queryable): Promise<void> {
  await db.query("delete from rate_count where last_end_ms < floor(extract(epoch from clock_timestamp()) * 1000)");
}
