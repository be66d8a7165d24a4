// Proof that the server wrote what a transfer instructs the bank to pay: a keyed hash in its row, written when it is accepted.
import { createHash } from "node:crypto";
import { isSame } from "../platform/bytes.ts";
import type { Secrets } from "../platform/secrets/index.ts";
import type { NewTransfer } from "./transfer-store.ts";
import type { TransferIdentity, TransferState } from "./transfer.ts";

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

/** The same of one that may have been sent. The length tells the two apart, so that SQL hashes none twice. */
const SENT_PROOF_BYTES = 20;

/**
 * What the proof of an open transfer says of it: it waits for approval; it was never sent (`RESERVED`); or it may have been sent. Nobody
 * without the key can compute an earlier form from a later one, so no change of its state alone has a transfer paid, or its money
 * given back.
 */
export type ProofForm = "awaited" | "unsent" | "sent";
export const PROOF_FORMS: readonly ProofForm[] = ["awaited", "unsent", "sent"];

/** The form of the proof of an open transfer in this state. */
export function formOf(state: TransferState): ProofForm {
  if (state === "AWAITING_APPROVAL") return "awaited";
  return state === "RESERVED" ? "unsent" : "sent";
}

/** The proof of a transfer's instruction. */
export function proveInstruction(secrets: Secrets, transfer: ProvedInstruction, form: ProofForm): Buffer {
  const { bucket, merchantId, transferId, kind, referenceId, beneficiaryId, franchiseId } = transfer;
  const { mode, rail, railMode, amountPaise, narrative } = transfer;
  const ids = [bucket, merchantId, transferId, kind, referenceId, beneficiaryId, franchiseId];
  const said = [...ids, mode, rail, railMode, amountPaise, narrative, form === "awaited" ? "awaited" : "accepted"];
  const texts = said.map((value) => (value === null ? "" : String(value)));
  const proof = secrets.mac("transfer.instruction", texts).subarray(0, PROOF_BYTES);
  return form === "sent" ? hashed(proof, SENT_PROOF_BYTES) : proof;
}

/**
 * The proof of a transfer that may have been sent, as SQL over the proof that it has. Every statement that takes one that was never sent
 * to the bank writes it.
 */
export const SENT_PROOF = `case when length(transfer.instruction_proof) = ${PROOF_BYTES}
  then substr(sha256(transfer.instruction_proof), 1, ${SENT_PROOF_BYTES}) else transfer.instruction_proof end`;

/**
 * The proof of a transfer that has ended, as SQL over the proof that it had while it was open. Nobody can compute that one from it, so
 * an ended transfer is not sent again, whatever state SQL gives it. Every statement that ends a transfer writes it.
 */
export const ENDED_PROOF = `substr(sha256(transfer.instruction_proof), 1, ${PROOF_BYTES})`;

/** The same of a proof that was computed. */
export function proveEnded(proof: Buffer): Buffer {
  return hashed(proof, PROOF_BYTES);
}

function hashed(proof: Buffer, bytes: number): Buffer {
  return createHash("sha256").update(proof).digest().subarray(0, bytes);
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

/** Whether an open transfer's row is as the server wrote it, with a proof of this form. */
export function isProvedInstruction(secrets: Secrets, row: InstructionRow, form: ProofForm): boolean {
  const { instruction_proof: proof } = row;
  return proof !== null && isSame(proveInstruction(secrets, instructionOf(row), form), proof);
}

/** The same for one that has ended, and whose proof had this form until then. */
export function isProvedEnd(secrets: Secrets, row: InstructionRow, form: ProofForm): boolean {
  const { instruction_proof: proof } = row;
  return proof !== null && isSame(proveEnded(proveInstruction(secrets, instructionOf(row), form)), proof);
}
