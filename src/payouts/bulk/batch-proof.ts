// Proof that the server wrote a batch: keyed hashes over the batch and each of its lines. They may be paid long after they were
// requested or approved, so the proofs are checked before each payment.
import { isSame } from "../../platform/bytes.ts";
import type { Secrets } from "../../platform/secrets/index.ts";
import type { PayoutBatch, PayoutLine } from "./payout-batch.ts";

/** The proof of a batch: its contents, requester, status and approval. */
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

/** The proof of a line that waits or is being requested. An ended line has none, so it can't be reopened. */
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
