// All SQL of the files that are attached to payouts.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import { openFile, sealFile } from "../../platform/secrets/index.ts";
import type { TransferIdentity } from "../transfer.ts";
import type { FileType } from "./file-kind.ts";

/** Names a file of a payout. */
export type AttachmentKey = TransferIdentity & { readonly attachmentId: bigint };

/** A file that is attached to a payout, without its content. */
export type Attachment = AttachmentKey & {
  readonly fileName: string;
  readonly fileType: FileType;
  readonly sizeBytes: number;
  readonly addedBy: string;
  readonly addedAt: Temporal.Instant;
};

type Stored = Attachment & { readonly fileKey: string; readonly content: Uint8Array };

const KEY = ["bucket", "merchantId", "transferId", "attachmentId"] as const;
const ATTACHMENTS = table<Stored, AttachmentKey>("transfer_attachment", [...KEY], {
  bucket: "smallint",
  merchantId: "bigint",
  transferId: "bigint",
  attachmentId: "bigint",
  fileName: "text",
  fileType: "text",
  sizeBytes: "integer",
  addedBy: "text",
  addedAt: "timestamptz",
  fileKey: "text sealed",
  content: "bytea",
});
/** The content is large, and only downloads need it. */
const LISTED = ATTACHMENTS.without("fileKey", "content");

/** The encrypted columns: the keys of the files. */
export const ATTACHMENT_SECRETS = ATTACHMENTS.secretTable();

/** The columns that the content is bound to. */
function boundTo({ bucket, merchantId, transferId, attachmentId }: AttachmentKey): string {
  return `transfer_attachment.content/${bucket}/${merchantId}/${transferId}/${attachmentId}`;
}

/** Encrypts and stores a file. */
export async function insertAttachment(connection: Connection, attachment: Attachment, bytes: Buffer): Promise<void> {
  await ATTACHMENTS.insert(connection, { ...attachment, ...sealFile(bytes, boundTo(attachment)) });
}

/** The files of a payout, oldest first. */
export function listAttachments(
  db: Queryable,
  { bucket, merchantId, transferId }: TransferIdentity,
): Promise<Attachment[]> {
  return LISTED.select(
    db,
    `select ${LISTED.columns} from transfer_attachment
     where bucket = $1 and merchant_id = $2 and transfer_id = $3
     order by attachment_id`,
    [bucket, merchantId, transferId],
  );
}

/** How many files a payout has, and how many bytes all files of its merchant. */
export async function countAttachments(
  connection: Connection,
  { bucket, merchantId, transferId }: TransferIdentity,
): Promise<{ readonly files: bigint; readonly merchantBytes: bigint }> {
  const { rows } = await connection.query<{ files: bigint; bytes: bigint }>({
    name: "count-attachments",
    text: `select count(*) filter (where transfer_id = $3) as files, coalesce(sum(size_bytes), 0)::bigint as bytes
      from transfer_attachment
      where bucket = $1 and merchant_id = $2`,
    values: [bucket, merchantId, transferId],
  });
  return { files: rows[0]!.files, merchantBytes: rows[0]!.bytes };
}

/**
 * The content of a file, or `null` if the payout has no such file.
 * @throws SecretsError if it was changed with SQL
 */
export async function readContent(db: Queryable, key: AttachmentKey): Promise<Buffer | null> {
  const stored = await ATTACHMENTS.find(db, key);
  if (!stored) return null;
  const { fileKey, content } = stored;
  const opened = openFile({ fileKey, content: Buffer.from(content) }, boundTo(key));
  if (!opened) throw new Error(`${boundTo(key)} can't be decrypted: it was changed`);
  return opened;
}

/** Removes a file. Returns it as it was, or `null` if the payout has no such file. */
export async function deleteAttachment(
  connection: Connection,
  { bucket, merchantId, transferId, attachmentId }: AttachmentKey,
): Promise<Attachment | null> {
  const removed = await LISTED.select(
    connection,
    `delete from transfer_attachment
     where bucket = $1 and merchant_id = $2 and transfer_id = $3 and attachment_id = $4
     returning ${LISTED.columns}`,
    [bucket, merchantId, transferId, attachmentId],
  );
  return removed[0] ?? null;
}
