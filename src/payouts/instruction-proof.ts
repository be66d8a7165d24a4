// Proof that the server wrote what a transfer instructs the bank to pay: a keyed hash in its row, written when it is accepted.
import { createHash } from "node:crypto";
import { isSame } from "../platform/bytes.ts";
import type { Secrets } from "../platform/secrets/index.ts";
import type { NewTransfer } from "./transfer-store.ts";
import type { TransferIdentity } from "./transfer.ts";

/** What is proved of a transfer. Its payee is named by the beneficiary, whose account is bound to the beneficiary's row. */
export type ProvedInstruction = TransferIdentity &
  Pick<
    NewTransfer,
    | "kind"
    | "referenceId"
    | "beneficiaryId"
    | "franchiseId"
    | "mode"
    | "rail"
    | "railMode"
    | "amountPaise"
    | "narrative"
  >;

/** Every payout has one: half of the hash is enough. */
const PROOF_BYTES = 16;

/**
 * The proof of a transfer's instruction. One that waits for approval has another proof until it is approved, so that no change
 * of its state alone has it paid.
 */
export function proveInstruction(secrets: Secrets, transfer: ProvedInstruction, isAwaited: boolean): Buffer {
  const { bucket, merchantId, transferId, kind, referenceId, beneficiaryId, franchiseId } = transfer;
  const { mode, rail, railMode, amountPaise, narrative } = transfer;
  const ids = [bucket, merchantId, transferId, kind, referenceId, beneficiaryId, franchiseId];
  const said = [...ids, mode, rail, railMode, amountPaise, narrative, isAwaited ? "awaited" : "accepted"];
  const texts = said.map((value) => (value === null ? "" : String(value)));
  return secrets.mac("transfer.instruction", texts).subarray(0, PROOF_BYTES);
}

/**
 * The proof of a transfer that has ended, as SQL over the proof that it had while it was open. Nobody can compute that one from it, so
 * an ended transfer is not sent again, whatever state SQL gives it. Every statement that ends a transfer writes it.
 */
export const ENDED_PROOF = `substr(sha256(transfer.instruction_proof), 1, ${PROOF_BYTES})`;

/** The same of a proof that was computed. */
export function proveEnded(proof: Buffer): Buffer {
  return createHash("sha256").update(proof).digest().subarray(0, PROOF_BYTES);
}

/** The columns of `transfer` by which its proof is compared. */
export const INSTRUCTION_COLUMNS = `transfer.bucket, transfer.merchant_id, transfer.transfer_id, transfer.kind,
  transfer.reference_id, transfer.beneficiary_id, transfer.franchise_id, transfer.mode, transfer.rail, transfer.rail_mode,
  transfer.amount_paise, transfer.narrative, transfer.instruction_proof`;

/** A row with `INSTRUCTION_COLUMNS`. */
export type InstructionRow = {
  readonly bucket: number;
  readonly merchant_id: bigint;
  readonly transfer_id: bigint;
  readonly kind: NewTransfer["kind"];
  readonly reference_id: string | null;
  readonly beneficiary_id: bigint | null;
  readonly franchise_id: bigint | null;
  readonly mode: NewTransfer["mode"];
  readonly rail: string;
  readonly rail_mode: NewTransfer["railMode"];
  readonly amount_paise: bigint;
  readonly narrative: string;
  readonly instruction_proof: Buffer | null;
};

/** The instruction that a row has. */
export function instructionOf(row: InstructionRow): ProvedInstruction {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    transferId: row.transfer_id,
    kind: row.kind,
    referenceId: row.reference_id,
    beneficiaryId: row.beneficiary_id,
    franchiseId: row.franchise_id,
    mode: row.mode,
    rail: row.rail,
    railMode: row.rail_mode,
    amountPaise: row.amount_paise,
    narrative: row.narrative,
  };
}

/** Whether an open transfer's row is as the server wrote it: one that was accepted, or that waits for approval. */
export function isProvedInstruction(secrets: Secrets, row: InstructionRow, isAwaited = false): boolean {
  const { instruction_proof: proof } = row;
  return proof !== null && isSame(proveInstruction(secrets, instructionOf(row), isAwaited), proof);
}

/** The same for one that has ended. `isAwaited` says that it waited for approval until then. */
export function isProvedEnd(secrets: Secrets, row: InstructionRow, isAwaited = false): boolean {
  const { instruction_proof: proof } = row;
  return proof !== null && isSame(proveEnded(proveInstruction(secrets, instructionOf(row), isAwaited)), proof);
}
