// Use cases: attach a file to a payout, and remove one. docs/rules/payouts.md#attachments
import { auditValues, recordEvents } from "../../ledger/index.ts";
import { lockMerchant, type ReadContext, type WriteContext } from "../../merchants/index.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../../platform/errors.ts";
import { requirePayout } from "../find-payout.ts";
import {
  countAttachments,
  deleteAttachment,
  insertAttachment,
  type Attachment,
  type AttachmentKey,
} from "./attachment-store.ts";
import { readAttachment } from "./file-kind.ts";

/** The most files of a payout. */
const MAX_FILES = 5n;
/** The most bytes of all files of a merchant. */
const MAX_MERCHANT_BYTES = 2n * 1024n * 1024n * 1024n;

export type AttachFile = {
  readonly transferId: bigint;
  readonly fileName: string;
  readonly bytes: Buffer;
  /** Who attaches it. */
  readonly actor: string;
};

/**
 * Attaches a file to a payout of any status, and returns it.
 * @throws NodalError `transfer_not_found`; `validation_failed` for a file of another type or size, or one too many
 */
export async function attachFile(
  { pool, ids, merchant: { bucket, merchantId } }: WriteContext,
  { transferId, fileName, bytes, actor }: AttachFile,
): Promise<Attachment> {
  const read = readAttachment(bytes, fileName);
  const attachment: Attachment = {
    bucket,
    merchantId,
    transferId,
    attachmentId: await ids.next(),
    ...read,
    sizeBytes: bytes.length,
    addedBy: actor,
    addedAt: Temporal.Now.instant(),
  };
  await inTransaction(pool, async (connection) => {
    const kind = await requirePayout(connection, attachment, transferId);
    // Before the lock, so that the merchant's other writers don't wait for the file.
    await insertAttachment(connection, attachment, bytes);
    await lockMerchant(connection, attachment);
    const { files, merchantBytes } = await countAttachments(connection, attachment);
    if (files > MAX_FILES) throw refused(`This payout has ${MAX_FILES} attachments already. Remove one first.`);
    if (merchantBytes > MAX_MERCHANT_BYTES) {
      throw refused("All attachments together may take 2 GB. Remove some that you no longer need first.");
    }
    await recordEvents(connection, attachment, [
      { type: `${kind}.attachment_added`, subjectId: transferId, after: describe(attachment) },
    ]);
  });
  return attachment;
}

/**
 * Removes a file from a payout, and its content for good.
 * @throws NodalError `transfer_not_found`, or `not_found` if the payout has no such file
 */
export async function removeAttachment(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  { transferId, attachmentId }: Pick<AttachmentKey, "transferId" | "attachmentId">,
): Promise<void> {
  const key = { bucket, merchantId, transferId, attachmentId };
  await inTransaction(pool, async (connection) => {
    const kind = await requirePayout(connection, key, transferId);
    const removed = await deleteAttachment(connection, key);
    if (!removed) throw attachmentNotFound();
    await recordEvents(connection, key, [
      { type: `${kind}.attachment_removed`, subjectId: transferId, before: describe(removed) },
    ]);
  });
}

/** The refusal for the id of no file of the payout. */
export function attachmentNotFound(): NodalError {
  return new NodalError("not_found", "Attachment not found. Look for it on the payout's page.");
}

function refused(problem: string): NodalError {
  return fieldRefusal("validation_failed", "file", problem);
}

/** A file as the audit log keeps it. */
function describe({ attachmentId, fileName, fileType, sizeBytes }: Attachment) {
  return auditValues({ attachmentId, fileName, fileType, sizeBytes });
}
