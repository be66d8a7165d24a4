// `nodal key`: a merchant's access keys, and the installation's master key.
import { issueAccessKey, listAccessKeys, revokeKey } from "../merchants/index.ts";
import { requiredText } from "../platform/http/fields.ts";
import { rotateMaster, secretsOf } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { SECRET_TABLES } from "../secret-tables.ts";
import { group, installationCommand, merchantCommand, option } from "./command.ts";
import { listAnswer, recordAnswer } from "./output.ts";

const create = merchantCommand({
  description: "create another access key; its secret is shown only once",
  async run({ pool, merchant }) {
    const { accessKeyId, secret, createdAt } = await issueAccessKey({ pool, merchant }, null);
    return recordAnswer(
      {
        merchant_id: String(merchant.merchantId),
        access_key_id: accessKeyId,
        secret_access_key: secret,
        created_at: formatTimestamp(createdAt, merchant.timeZone),
      },
      "Save the secret: it is shown only once.",
    );
  },
});

const revoke = merchantCommand({
  description: "revoke an access key and its tokens permanently",
  example: "--key nk_5_1000001_0123456789ab",
  options: { key: option("<id>", "the access key's id", requiredText(64)) },
  async run(scope, { key }) {
    await revokeKey(scope, key);
    const json = { merchant_id: String(scope.merchant.merchantId), access_key_id: key, revoked: true };
    return { json, text: `The access key ${key} is revoked.` };
  },
});

const list = merchantCommand({
  description: "list a merchant's access keys, oldest first",
  async run({ pool, merchant }) {
    const keys = (await listAccessKeys(pool, merchant)).map(({ accessKeyId, createdAt, revokedAt }) => ({
      access_key_id: accessKeyId,
      created_at: formatTimestamp(createdAt, merchant.timeZone),
      revoked_at: formatTimestamp(revokedAt, merchant.timeZone),
    }));
    return listAnswer(keys, "This merchant has no access keys.");
  },
});

/** How often the progress of a rotation is said, in rows. */
const PROGRESS_ROWS = 10_000;

const rotate = installationCommand({
  description:
    "replace the master key with NODAL_MASTER_KEY_NEW, or a new key file, and re-encrypt everything; servers keep running",
  example: 'NODAL_MASTER_KEY_NEW="$(openssl rand -base64 32)" nodal key rotate-master',
  async run({ ownerPool }) {
    let rows = 0;
    const rotated = await rotateMaster(ownerPool, await secretsOf(ownerPool), SECRET_TABLES, (table, count) => {
      const before = rows;
      rows += count;
      if (Math.floor(rows / PROGRESS_ROWS) > Math.floor(before / PROGRESS_ROWS) || before === 0) {
        console.error(`nodal: ${rows} rows re-encrypted, now in ${table}`);
      }
    });
    return recordAnswer(
      {
        master_key_id: rotated.masterKeyId,
        data_key_id: rotated.dataKeyId,
        rows: rotated.rows,
        left_under_earlier_keys: 0,
        earlier_key_file: rotated.earlierKeyFile,
      },
      rotated.earlierKeyFile
        ? "Keep the earlier key for as long as you keep backups from before, and let running servers go on as they are."
        : "Set NODAL_MASTER_KEY to the new key now, before a server is started again. Keep the earlier one for as long as you keep " +
            "backups from before.",
    );
  },
});

export const keyCommands = group("create, revoke and list access keys; rotate the master key", {
  create,
  revoke,
  list,
  "rotate-master": rotate,
});
