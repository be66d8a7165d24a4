// Proof that the server wrote what a transfer instructs the bank to pay: a keyed hash in its row, written when it is accepted.
import { createHash } from "node:crypto";
import { isSame } from "../platform/bytes.ts";
import type { BucketPin } from "../platform/database/citus/index.ts";
import type { Secrets } from "../platform/secrets/index.ts";
import { INSTRUCTION_COLUMNS, instructionOf, type Instruction, type InstructionRow } from "./transfer-row.ts";
import type { TransferState } from "./transfer.ts";

/** Every payout has one: half of the hash is enough. */
const PROOF_BYTES = 16;

/** For a transfer that may have been sent. The different length keeps SQL from hashing a proof twice. */
const SENT_PROOF_BYTES = 20;

/**
 * What the proof of an open transfer certifies: it waits for approval, it was never sent (`RESERVED`), or it may have been sent.
 * Nobody can compute an earlier form from a later one without the key, so changing the state alone neither pays a transfer nor
 * releases its money.
 */
export type ProofForm = "awaited" | "unsent" | "sent";
export const PROOF_FORMS: readonly ProofForm[] = ["sent", "unsent", "awaited"];

/** The form of the proof of an open transfer in this state. */
export function formOf(state: TransferState): ProofForm {
  if (state === "AWAITING_APPROVAL") return "awaited";
  return state === "RESERVED" ? "unsent" : "sent";
}

/**
 * The proof of a transfer's instruction.
 * @param steps the number of its steps in the journal: see `joinSteps`
 */
export function proveInstruction(secrets: Secrets, transfer: Instruction, form: ProofForm, steps: number): Buffer {
  const { bucket, merchantId, transferId, kind, referenceId, beneficiaryId, franchiseId } = transfer;
  const { mode, rail, railMode, amountPaise, narrative } = transfer;
  const ids = [bucket, merchantId, transferId, kind, referenceId, beneficiaryId, franchiseId];
  const stage = form === "awaited" ? "awaited" : "accepted";
  const said = [...ids, mode, rail, railMode, amountPaise, narrative, stage, steps];
  const texts = said.map((value) => (value === null ? "" : String(value)));
  const proof = secrets.mac("transfer.instruction", texts).subarray(0, PROOF_BYTES);
  return form === "sent" ? hashed(proof, SENT_PROOF_BYTES) : proof;
}

/**
 * SQL that computes the "may have been sent" proof from the current one. Statements that claim an unsent transfer without adding a
 * step to its journal write it.
 */
export const SENT_PROOF = `case when length(transfer.instruction_proof) = ${PROOF_BYTES}
  then substr(sha256(transfer.instruction_proof), 1, ${SENT_PROOF_BYTES}) else transfer.instruction_proof end`;

/**
 * SQL that computes the proof of an ended transfer from the one it had while open. It can't be reversed, so an ended transfer is not
 * sent again even if somebody changes its state with SQL. Every statement that ends a transfer writes it.
 */
export const ENDED_PROOF = `substr(sha256(transfer.instruction_proof), 1, ${PROOF_BYTES})`;

/** `ENDED_PROOF`, computed here. */
export function proveEnded(proof: Buffer): Buffer {
  return hashed(proof, PROOF_BYTES);
}

function hashed(proof: Buffer, bytes: number): Buffer {
  return createHash("sha256").update(proof).digest().subarray(0, bytes);
}

/** The columns of `transfer` needed to check its proof; `joinSteps` adds the last one. */
export const PROOF_COLUMNS = `${INSTRUCTION_COLUMNS}, transfer.instruction_proof, stepped.steps`;

/** A row with `PROOF_COLUMNS`. */
export type ProofRow = InstructionRow & {
  readonly instruction_proof: Buffer | null;
  /** The number of its steps in the journal. */
  readonly steps: number;
};

/** Entry: a transfer was taken from the queue, and may have been sent since. */
export const SENDING = "transfer.sending";
/** Entry: an unsent transfer was moved to another rail. */
export const REROUTED = "transfer.rerouted";

/**
 * The steps of a transfer: entries after which it gets a new proof, without a posting. Approval is one. The proof includes their
 * number, so an earlier row that is restored with SQL, including its proof, has too small a number.
 */
const STEPS = ["transfer.accepted", "withdrawal.accepted", "commission.accepted", SENDING, REROUTED];

/** Joins `steps` to rows of `transfer`: one index look-up for each row. */
export function joinSteps(pin: Pick<BucketPin, "of"> = { of: () => "" }): string {
  // Not an outer join: Citus refuses those for a role with row-level security.
  return `cross join lateral (
    select count(*)::integer as steps
    from journal step
    where step.subject_id = transfer.transfer_id and step.bucket = transfer.bucket
      and step.merchant_id = transfer.merchant_id and step.kind is null
      and step.type in (${STEPS.map((type) => `'${type}'`).join(", ")})${pin.of("step")}
  ) as stepped`;
}

/** Whether an open transfer's row is the last one that the server wrote, with a proof of this form. */
export function isProvedInstruction(secrets: Secrets, row: ProofRow, form: ProofForm): boolean {
  const { instruction_proof: proof, steps } = row;
  return proof !== null && isSame(proveInstruction(secrets, instructionOf(row), form, steps), proof);
}

/** The same for an ended transfer whose proof had this form before. */
export function isProvedEnd(secrets: Secrets, row: ProofRow, form: ProofForm): boolean {
  const { instruction_proof: proof, steps } = row;
  return proof !== null && isSame(proveEnded(proveInstruction(secrets, instructionOf(row), form, steps)), proof);
}

/** Whether the server wrote the row at this or an earlier step, open or ended. */
export function isGenuine(secrets: Secrets, row: ProofRow): boolean {
  for (let { steps } = row; steps >= 0; steps -= 1)
    for (const form of PROOF_FORMS)
      if (isProvedInstruction(secrets, { ...row, steps }, form) || isProvedEnd(secrets, { ...row, steps }, form))
        return true;
  return false;
}
