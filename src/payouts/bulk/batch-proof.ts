// Proof that the server wrote what a batch asks for: keyed hashes over the batch and over each of its lines. Money leaves for
// these rows long after somebody has asked for them or approved them, so they are compared before each payment.
import { isSame } from "../../platform/bytes.ts";
import type { Secrets } from "../../platform/secrets/index.ts";
import type { PayoutBatch, PayoutLine } from "./payout-batch.ts";

/** The proof of a batch: what it asks for, in whose name, how it stands, and whether somebody has approved it. */
export function proveBatch(secrets: Secrets, batch: PayoutBatch): Buffer {
  const { bucket, merchantId, batchId, kind, lineCount, totalPaise, status, isApproved } = batch;
  const { requestedBy, requestedFrom, addedAt } = batch;
  const said = [bucket, merchantId, batchId, kind, lineCount, totalPaise, status, isApproved, requestedBy];
  return secrets.mac("payout_batch.proof", [...said.map(String), requestedFrom ?? "", String(addedAt)]);
}

/** Whether a batch is as the server wrote it. */
export function isBatchProved(secrets: Secrets, batch: PayoutBatch & { readonly proof: Uint8Array | null }): boolean {
  return isProof(batch.proof, proveBatch(secrets, batch));
}

/** The proof of a line that waits or is being requested. One that has ended has none, so that it can't be opened again. */
export function proveLine(secrets: Secrets, line: PayoutLine): Buffer {
  const { bucket, merchantId, batchId, lineNo, transferId, referenceId, beneficiaryId, payeeName } = line;
  const { accountNumber, ifsc, upi, mode, amountPaise, narrative, scheduledFor } = line;
  const ids = [bucket, merchantId, batchId, lineNo, transferId, referenceId, beneficiaryId, amountPaise];
  const texts = [payeeName, accountNumber, ifsc, upi, mode, narrative, scheduledFor];
  return secrets.mac(
    "payout_batch_line.proof",
    [...ids, ...texts].map((value) => (value === null ? "" : String(value))),
  );
}

/** Whether a line is as the server wrote it. */
export function isLineProved(secrets: Secrets, line: PayoutLine & { readonly proof: Uint8Array | null }): boolean {
  return isProof(line.proof, proveLine(secrets, line));
}

function isProof(found: Uint8Array | null, expected: Buffer): boolean {
  return found !== null && isSame(Buffer.from(found), expected);
}
