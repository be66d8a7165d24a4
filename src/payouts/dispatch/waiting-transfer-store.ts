// SQL that applies the decision on transfers that wait for approval. payouts/batch creates them.
import { lockBook, recordEvents } from "../../ledger/index.ts";
import { type Connection, together } from "../../platform/database/pool.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import { toMicrosecond } from "../../platform/time.ts";
import { refusalOf, payoutRefusal, refusalOfBeneficiary } from "../make-payout.ts";
import { findBeneficiaries } from "../beneficiaries/beneficiary-store.ts";
import { countDays } from "../batch/day-store.ts";
import { readPayers } from "../batch/facts-store.ts";
import type { TransferIdentity, TransferKind } from "../transfer.ts";
import { heldPaise, isPayable, joinBooked, type BookedRow } from "../booked-store.ts";
import {
  ENDED_PROOF,
  formOf,
  isProvedInstruction,
  joinSteps,
  PROOF_COLUMNS,
  proveInstruction,
  type ProofRow,
} from "../instruction-proof.ts";
import { instructionOf } from "../transfer-row.ts";
import { NodalError } from "../../platform/errors.ts";
import { proveUtr } from "../utr-proof.ts";

/** A transfer that waits for approval. The caller has locked the open approval. */
export type WaitingTransfer = TransferIdentity & {
  readonly kind: TransferKind;
  /** Whether it is from a restored backup, so that the bank may have paid it since. */
  readonly isRestored: boolean;
};

/**
 * Releases a waiting transfer like one that was just accepted: any process may send it. For a restored one, the bank is asked first.
 * Takes the book.
 * @throws NodalError `access_denied` or `no_payout_provider` if its merchant may not pay over its rail;
 * `beneficiary_not_approved` if its payee was deactivated or changed with SQL since
 */
export async function releaseTransfer(
  connection: Connection,
  now: Temporal.Instant,
  { bucket, merchantId, transferId, kind, isRestored }: WaitingTransfer,
): Promise<void> {
  await lockBook(connection, bucket, merchantId);
  // With the book held, nobody suspends the merchant, takes it live or deactivates its payee meanwhile.
  const secrets = await secretsOf(connection);
  const { rows } = await connection.query<ProofRow & BookedRow>(
    `select ${PROOF_COLUMNS}, booked.*
     from transfer
     ${joinBooked()}
     ${joinSteps()}
     where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = $3`,
    [bucket, merchantId, transferId],
  );
  const [payer] = await readPayers(connection, [{ bucket, merchantId }]);
  const refusal = rows[0] ? payoutRefusal(payer!, rows[0].rail) : null;
  if (refusal) throw refusalOf({ outcome: refusal, transferId });
  const beneficiaryId = rows[0]?.beneficiary_id ?? null;
  const [payee] =
    beneficiaryId === null ? [] : await findBeneficiaries(connection, [{ bucket, merchantId, beneficiaryId }]);
  const payeeRefusal = payee ? refusalOfBeneficiary(payee) : null;
  if (payeeRefusal) throw payeeRefusal;
  const row = rows[0];
  if (!row || !isPayable(secrets, row, "awaited")) throw notWaiting(transferId);
  const state = isRestored ? "UNKNOWN" : "RESERVED";
  // The entry of its acceptance, below, is a step.
  const proof = proveInstruction(secrets, instructionOf(row), formOf(state), row.steps + 1);
  const { rowCount } = await connection.query(
    `with released as (
       update transfer set state = $5, instruction_proof = $6
       where bucket = $1 and merchant_id = $2 and transfer_id = $3 and state = 'AWAITING_APPROVAL'
       returning bucket, merchant_id, transfer_id
     )
     insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at)
     select bucket, merchant_id, transfer_id, $4::timestamptz from released
     returning 1`,
    [bucket, merchantId, transferId, now.toString(), state, proof],
  );
  if (rowCount !== 1) throw notWaiting(transferId);
  await recordEvents(connection, { bucket, merchantId }, [{ type: `${kind}.accepted`, subjectId: transferId }]);
}

/** The refusal for a waiting transfer that was changed with SQL. */
function notWaiting(transferId: bigint): NodalError {
  return new NodalError(
    "approval_not_allowed",
    `Transfer ${transferId} was changed in the database since it was requested, and can't be decided: ask the operator to run \`nodal verify\`.`,
  );
}

/**
 * Releases the reserved amount of a waiting transfer and its part of the daily limit, even if its row has another amount. Takes the
 * book. @throws NodalError `approval_not_allowed` if it does not wait, by its row or its proof, or nothing is reserved
 */
export async function refuseTransfer(
  connection: Connection,
  now: Temporal.Instant,
  { bucket, merchantId, transferId, kind }: WaitingTransfer,
  reason: string,
): Promise<void> {
  await lockBook(connection, bucket, merchantId);
  const secrets = await secretsOf(connection);
  const found = await connection.query<ProofRow & BookedRow>(
    `select ${PROOF_COLUMNS}, booked.* from transfer ${joinBooked()} ${joinSteps()}
     where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = $3`,
    [bucket, merchantId, transferId],
  );
  const amountPaise = found.rows[0] ? heldPaise(found.rows[0]) : null;
  if (amountPaise === null) throw notWaiting(transferId);
  // A transfer that was sent may have been paid, even if its state was changed with SQL.
  if (!isProvedInstruction(secrets, { ...found.rows[0]!, amount_paise: amountPaise }, "awaited"))
    throw notWaiting(transferId);
  const proof = proveUtr(secrets, { bucket, merchantId, transferId }, null);
  const { rows } = await connection.query<{ counted_on: Temporal.PlainDate | null }>(
    `update transfer set state = 'REJECTED', reason = $4, processed_at = $5, utr_proof = $6, instruction_proof = ${ENDED_PROOF}
     where bucket = $1 and merchant_id = $2 and transfer_id = $3 and state = 'AWAITING_APPROVAL'
     returning counted_on`,
    [bucket, merchantId, transferId, reason, toMicrosecond(now).toString(), proof],
  );
  if (!rows[0]) throw notWaiting(transferId);
  const rejected = { type: `${kind}.rejected`, subjectId: transferId, money: { kind: "failed" as const, amountPaise } };
  await recordEvents(connection, { bucket, merchantId }, [rejected], now);
  const { counted_on: day } = rows[0];
  if (day) await together(connection, ...countDays(connection, [{ bucket, merchantId, day, paise: -amountPaise }]));
}
