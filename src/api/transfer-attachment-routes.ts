// Routes of the files that are attached to payouts, such as bills.
import { readActorNames } from "../merchants/index.ts";
import {
  attachFile,
  attachmentNotFound,
  listAttachments,
  MAX_ATTACHMENT_BYTES,
  readContent,
  removeAttachment,
  requirePayout,
  type Attachment,
} from "../payouts/index.ts";
import { digitsOrNumber, requiredText } from "../platform/http/fields.ts";
import { formatInstant } from "../platform/time.ts";
import { fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { sendFile } from "./list-routes.ts";

const NAME_LENGTH = 100;
const ofPayout = { transfer_id: digitsOrNumber(16) };
const ofFile = { ...ofPayout, attachment_id: digitsOrNumber(16) };

/** Adds the routes of attachments. Who sees a payout sees its files; who may make transfers adds and removes them. */
export function registerTransferAttachmentRoutes(scope: DashboardScope) {
  const { ids, pool } = scope.parts;
  const describe = async ({ db, merchant }: MerchantCall, attachments: readonly Attachment[]) => {
    const actors = attachments.map(({ addedBy }) => addedBy);
    const names = await readActorNames({ db, pool }, merchant, actors);
    return attachments.map(({ attachmentId, fileName, fileType, sizeBytes, addedBy, addedAt }) => ({
      attachment_id: String(attachmentId),
      file_name: fileName,
      file_type: fileType,
      size_bytes: sizeBytes,
      added_by: addedBy,
      added_by_name: names.get(addedBy) ?? null,
      added_at: formatInstant(addedAt, merchant.timeZone),
    }));
  };
  return [
    dashboardRoute(scope, {
      route: "GET /transfers/:transfer_id/attachments",
      summary: "List the attachments of a transfer or withdrawal",
      permission: "payouts.view",
      params: ofPayout,
      handler: async (call) => {
        const transferId = BigInt(call.params.transfer_id);
        await requirePayout(call.db, call.merchant, transferId);
        const attachments = await listAttachments(call.db, { ...call.merchant, transferId });
        return { attachments: await describe(call, attachments) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /transfers/:transfer_id/attachments",
      summary: "Attach a PDF, JPEG or PNG file to a transfer or withdrawal",
      permission: "payouts.transfer",
      params: ofPayout,
      query: { file_name: requiredText(NAME_LENGTH) },
      bodyLimitBytes: MAX_ATTACHMENT_BYTES,
      takesFile: true,
      handler: async (call) => {
        const { db, merchant, origin, params, query } = call;
        const attached = await attachFile(
          { pool: db, ids, merchant },
          {
            transferId: BigInt(params.transfer_id),
            fileName: query.file_name,
            bytes: fileOf(call.request.body),
            actor: origin.actor,
          },
        );
        const [attachment] = await describe(call, [attached]);
        return { attachment: attachment! };
      },
    }),
    ...registerFileRoutes(scope),
  ];
}

function registerFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /transfers/:transfer_id/attachments/:attachment_id",
      summary: "Download an attachment of a transfer or withdrawal",
      permission: "payouts.view",
      params: ofFile,
      handler: async ({ db, merchant, params, reply }) => {
        const transferId = BigInt(params.transfer_id);
        const attachmentId = BigInt(params.attachment_id);
        const attachments = await listAttachments(db, { ...merchant, transferId });
        const found = attachments.find((each) => each.attachmentId === attachmentId);
        if (!found) throw attachmentNotFound();
        const pieces = async function* (): AsyncGenerator<Uint8Array> {
          const content = await readContent(db, found);
          if (content) yield content;
        };
        return sendFile(reply, { name: found.fileName, type: found.fileType, pieces: pieces() });
      },
    }),
    dashboardRoute(scope, {
      route: "DELETE /transfers/:transfer_id/attachments/:attachment_id",
      summary: "Remove an attachment of a transfer or withdrawal",
      permission: "payouts.transfer",
      params: ofFile,
      handler: async ({ db, merchant, params }) => {
        const key = { transferId: BigInt(params.transfer_id), attachmentId: BigInt(params.attachment_id) };
        await removeAttachment({ pool: db, merchant }, key);
        return { attachment_id: params.attachment_id };
      },
    }),
  ];
}
