// SQL of transfers that were certainly never sent: finding those that have waited too long, and ending them, which releases
// their amounts.
import { isProvedPayerRow, PAYER_COLUMNS, recordEventsOfMany, type PayerRow } from "../../ledger/index.ts";
import type { MerchantKey, WhenDown } from "../../merchants/index.ts";
import { type Connection, type Queryable, together } from "../../platform/database/pool.ts";
import type { Origin } from "../../platform/origin.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import { toMicrosecond } from "../../platform/time.ts";
import { countDays } from "../batch/day-store.ts";
import type { TransferKind } from "../transfer.ts";
import { isPayable, joinBooked, type BookedRow } from "../booked-store.ts";
import { ENDED_PROOF, joinSteps, PROOF_COLUMNS, type ProofRow } from "../instruction-proof.ts";
import { proveUtr } from "../utr-proof.ts";

/** A merchant's settings for unsent payouts while a provider is down or its balance is short. */
export type WaitRule = {
  readonly whenDown: WhenDown;
  readonly giveUpMinutes: number | null;
  /** Whether it uses the installation's account: it never had its own, or an operator allowed it. */
  readonly sharesAccount: boolean;
};

/** The rule of an existing merchant; the safe one if the merchant was changed with SQL. */
export async function readWaitRule(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<WaitRule> {
  const { rows } = await db.query<PayerRow & { when_down: WhenDown }>({
    name: "read-wait-rule",
    text: `select ${PAYER_COLUMNS} from merchant where bucket = $1 and merchant_id = $2`,
    values: [bucket, merchantId],
  });
  const row = rows[0]!;
  // Everything waits until somebody has corrected it.
  if (!isProvedPayerRow(await secretsOf(db), row))
    return { whenDown: "wait", giveUpMinutes: null, sharesAccount: true };
  const { when_down: whenDown, give_up_minutes: giveUpMinutes } = row;
  return { whenDown, giveUpMinutes, sharesAccount: row.payout_rails === null };
}

/** A merchant's transfers that have waited for a provider since a time or longer, the oldest first. */
export async function listWaitingSince(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  since: Temporal.Instant,
  limit: number,
): Promise<bigint[]> {
  const { rows } = await db.query<{ transfer_id: bigint }>({
    name: "list-waiting-since",
    text: `select transfer_id from transfer_dispatch
      join transfer using (bucket, merchant_id, transfer_id)
      where bucket = $1 and merchant_id = $2 and due_at = 'infinity' and waits_since <= $3
      order by transfer_id limit $4`,
    values: [bucket, merchantId, since.toString(), limit],
  });
  return rows.map((row) => row.transfer_id);
}

/** How an unsent transfer ends. */
export type UnsentEnd = {
  readonly state: "FAILED" | "REJECTED";
  readonly reason: string;
  /** Who ends it; `null` for the transaction's actor. */
  readonly origin: Pick<Origin, "actor" | "address"> | null;
};

/**
 * Ends those of a merchant's transfers that wait and were never sent; releases their amounts and their part of the daily limit. Returns
 * which. The caller holds the book, so nobody claims one meanwhile. A transfer that was changed with SQL stays, so that never more than
 * the reserved amount is released.
 */
export async function endUnsent(
  connection: Connection,
  now: Temporal.Instant,
  { bucket, merchantId }: MerchantKey,
  asked: readonly bigint[],
  { state, reason, origin }: UnsentEnd,
): Promise<bigint[]> {
  const secrets = await secretsOf(connection);
  const found = await connection.query<ProofRow & BookedRow>({
    name: "read-unsent",
    text: `select ${PROOF_COLUMNS}, booked.* from transfer ${joinBooked()} ${joinSteps()}
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = any ($3)`,
    values: [bucket, merchantId, asked],
  });
  const sound = found.rows.filter((row) => isPayable(secrets, row, "unsent"));
  if (sound.length === 0) return [];
  const transferIds = sound.map((row) => row.transfer_id);
  const proofs = transferIds.map((transferId) => proveUtr(secrets, { bucket, merchantId, transferId }, null));
  const { rows } = await connection.query<{
    transfer_id: bigint;
    kind: TransferKind;
    amount_paise: bigint;
    counted_on: Temporal.PlainDate | null;
  }>({
    name: "end-unsent",
    text: `with gone as (
        delete from transfer_dispatch queued using transfer
        where queued.bucket = $1 and queued.merchant_id = $2 and queued.transfer_id = any ($3)
          and transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = queued.transfer_id
          and transfer.state = 'RESERVED' and transfer.claim_id is null
        returning queued.transfer_id
      )
      update transfer
      set
        state = $4, reason = $5, processed_at = $6, utr_proof = proved.utr_proof, instruction_proof = ${ENDED_PROOF}
      from gone join unnest($3::bigint[], $7::bytea[]) as proved (transfer_id, utr_proof) using (transfer_id)
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = gone.transfer_id
      returning transfer.transfer_id, kind, amount_paise, counted_on`,
    values: [bucket, merchantId, transferIds, state, reason, toMicrosecond(now).toString(), proofs],
  });
  if (rows.length === 0) return [];
  const events = rows.map((row) => ({
    bucket,
    merchantId,
    type: `${row.kind}.${state.toLowerCase()}`,
    subjectId: row.transfer_id,
    money: { kind: "failed" as const, amountPaise: row.amount_paise },
    origin,
  }));
  await recordEventsOfMany(connection, events, now);
  const days = rows.flatMap((row) =>
    row.counted_on ? [{ bucket, merchantId, day: row.counted_on, paise: -row.amount_paise }] : [],
  );
  await together(connection, ...countDays(connection, days));
  return rows.map((row) => row.transfer_id);
}
