// SQL that finds the rail over which a transfer leaves or left, although SQL may have changed its row. Whom Nodal asks about a
// payment decides what it books, so a row that says another account must not have that one asked.
import { isEventProved } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { BucketPin } from "../platform/database/citus/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { joinBooked, type BookedRow } from "./booked-store.ts";
import { isGenuine, joinSteps, PROOF_COLUMNS, REROUTED, type ProofRow } from "./instruction-proof.ts";

/** The columns that `joinReroute` adds: the last entry that put a transfer on another rail. All are null for most. */
export type RerouteRow = {
  readonly rerouted_at: Temporal.Instant | null;
  readonly rerouted_from: unknown;
  readonly rerouted_to: unknown;
  readonly reroute_proof: Buffer | null;
};

/** Joins the columns of a `RerouteRow` to rows of `transfer`: one search in an index for each. */
export function joinReroute(pin: Pick<BucketPin, "of"> = { of: () => "" }): string {
  const last = (column: string): string => `(array_agg(reroute.${column} order by reroute.entry_no desc))[1]`;
  // One row even where there is no entry. Citus takes no outer join from a role with row-level security.
  return `cross join lateral (
    select
      ${last("created_at")} as rerouted_at, ${last("before")} as rerouted_from, ${last("after")} as rerouted_to,
      ${last("proof")} as reroute_proof
    from journal reroute
    where reroute.subject_id = transfer.transfer_id and reroute.bucket = transfer.bucket
      and reroute.merchant_id = transfer.merchant_id and reroute.kind is null and reroute.type = '${REROUTED}'${pin.of("reroute")}
  ) as rerouted`;
}

/**
 * The rail of a transfer: by the journal where it was put on another one, otherwise by its row, if the server wrote that row.
 * `null` if neither can be trusted. The amount is the one that was set aside, so a row with another amount keeps its rail.
 */
export function knownRailOf(secrets: Secrets, row: ProofRow & BookedRow & RerouteRow): string | null {
  const { bucket, merchant_id: merchantId, transfer_id: subjectId, rerouted_at: createdAt } = row;
  if (createdAt === null)
    return isGenuine(secrets, { ...row, amount_paise: row.reserved_paise ?? row.amount_paise }) ? row.rail : null;
  const { rerouted_from: before, rerouted_to: after } = row;
  const entry = { bucket, merchantId, type: REROUTED, subjectId, createdAt, before, after };
  if (!isEventProved(secrets, entry, row.reroute_proof)) return null;
  return (after as { readonly rail: string }).rail;
}

/** Where to ask about a payment: `rail` is `null` if its row was changed so that nobody can tell. */
export type KnownRail = { readonly rail: string | null; readonly amountPaise: bigint };

/** The rails of a merchant's transfers, by id, and the amounts that were set aside. One that does not exist is left out. */
export async function findKnownRails(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<Map<bigint, KnownRail>> {
  const { rows } = await db.query<ProofRow & BookedRow & RerouteRow>({
    name: "find-known-rails",
    text: `select ${PROOF_COLUMNS}, booked.*, rerouted.* from transfer ${joinBooked()} ${joinSteps()} ${joinReroute()}
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = any ($3)`,
    values: [bucket, merchantId, transferIds],
  });
  const secrets = await secretsOf(db);
  return new Map(
    rows.map((row) => {
      const amountPaise = row.reserved_paise ?? row.amount_paise;
      return [row.transfer_id, { rail: knownRailOf(secrets, row), amountPaise }];
    }),
  );
}

/** Why nobody is asked about a transfer without a known rail. */
export const UNKNOWN_RAIL =
  "This transfer was changed in the database, so its payout account is not known: no provider was asked, and nothing was sent. `nodal verify` reports it.";
