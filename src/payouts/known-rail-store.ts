// SQL that finds a transfer's rail even if its row was changed with SQL. Nodal books what the provider answers, so a changed row
// must not make it ask another account.
import { isEventProved } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { BucketPin } from "../platform/database/citus/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { joinBooked, type BookedRow } from "./booked-store.ts";
import { isGenuine, joinSteps, PROOF_COLUMNS, REROUTED, type ProofRow } from "./instruction-proof.ts";

/** The columns that `joinReroute` adds: the last entry that moved a transfer to another rail. Null for most transfers. */
export type RerouteRow = {
  readonly rerouted_at: Temporal.Instant | null;
  readonly rerouted_from: unknown;
  readonly rerouted_to: unknown;
  readonly reroute_proof: Buffer | null;
};

/** Joins the columns of a `RerouteRow` to rows of `transfer`: one index look-up for each row. */
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
 * The rail of a transfer: from the journal if it was moved to another one, otherwise from its row, if the server wrote that row.
 * `null` if neither can be trusted. The check uses the reserved amount, so a row with another amount keeps its rail.
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

/** Where to ask about a payment; `rail` is `null` if a change of its row has made it unknown. */
export type KnownRail = { readonly rail: string | null; readonly amountPaise: bigint };

/** The rails of a merchant's transfers, by id, and their reserved amounts. Ids that don't exist are left out. */
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

/** The reason for a transfer whose rail is unknown, so that no provider is asked about it. */
export const UNKNOWN_RAIL =
  "This transfer was changed in the database, so its payout account is not known: no provider was asked, and nothing was sent. `nodal verify` reports it.";
