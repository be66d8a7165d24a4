// `nodal key`: create, revoke, list, rotate-master.
// What belongs here: options and what is printed. The work is done in merchants/ and platform/secrets.
import type { Command } from "commander";
import { issueAccessKey, listAccessKeys, requireMerchant, revokeKey } from "../merchants/index.ts";
import { requiredText } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { rotateMaster, secretsOf } from "../platform/secrets/index.ts";
import { SECRET_TABLES } from "../secret-tables.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type MerchantOption } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

/** Adds `key` and its subcommands. */
export function registerKey(program: Command): void {
  const key = program.command("key").description("create, revoke and list access keys; rotate the master key");

  key
    .command("create")
    .description("issue a further access key, whose secret is shown only now")
    .option("--merchant <id>", "the merchant's id")
    .addHelpText("after", example("nodal key create --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), createKey));

  key
    .command("revoke")
    .description("end an access key and its tokens for good")
    .option("--merchant <id>", "the merchant's id")
    .option("--key <id>", "the access key's id")
    .addHelpText("after", example("nodal key revoke --merchant 1000001 --key nk_5_1000001_0123456789ab"))
    .action(onInstallation(optionsOf({ merchant: merchantId(), key: requiredText(64) }), endKey));

  key
    .command("list")
    .description("list a merchant's access keys, oldest first")
    .option("--merchant <id>", "the merchant's id")
    .addHelpText("after", example("nodal key list --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), listKeys));

  key
    .command("rotate-master")
    .description(
      "let the master key in NODAL_MASTER_KEY_NEW, or a new file, take over, and encrypt everything again; servers go on meanwhile",
    )
    .addHelpText("after", example('NODAL_MASTER_KEY_NEW="$(openssl rand -base64 32)" nodal key rotate-master'))
    .action(onInstallation(optionsOf({}), rotate));
}

async function createKey({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const { accessKeyId, secret, createdAt } = await issueAccessKey(pool, merchant, null);
  const json = {
    merchant_id: String(merchant.merchantId),
    access_key_id: accessKeyId,
    secret_access_key: secret,
    created_at: formatTimestamp(createdAt, merchant.timeZone),
  };
  return { json, text: `${formatRecord(json)}\n\nThe secret is shown only now: keep it.` };
}

async function endKey({ pool }: Installation, options: MerchantOption & { key: string }): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  await revokeKey(pool, merchant, options.key);
  const json = { merchant_id: String(merchant.merchantId), access_key_id: options.key, revoked: true };
  return { json, text: `The access key ${options.key} is revoked.` };
}

async function listKeys({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const keys = (await listAccessKeys(pool, merchant)).map(({ accessKeyId, createdAt, revokedAt }) => ({
    access_key_id: accessKeyId,
    created_at: formatTimestamp(createdAt, merchant.timeZone),
    revoked_at: revokedAt && formatTimestamp(revokedAt, merchant.timeZone),
  }));
  return { json: keys, text: formatTable(keys, "This merchant has no access key.") };
}

/** How often the progress of a rotation is told, in rows. */
const TOLD_ROWS = 10_000;

async function rotate({ ownerPool }: Installation): Promise<Answer> {
  let rows = 0;
  const rotated = await rotateMaster(ownerPool, await secretsOf(ownerPool), SECRET_TABLES, (table, count) => {
    const before = rows;
    rows += count;
    if (Math.floor(rows / TOLD_ROWS) > Math.floor(before / TOLD_ROWS) || before === 0) {
      console.error(`nodal: ${rows} rows are encrypted again, now in ${table}`);
    }
  });
  const json = {
    master_key_id: rotated.masterKeyId,
    data_key_id: rotated.dataKeyId,
    rows: rotated.rows,
    left_under_earlier_keys: 0,
    earlier_key_file: rotated.earlierKeyFile,
  };
  const advice = rotated.earlierKeyFile
    ? "Keep the earlier key for as long as you keep backups from before, and let running servers go on as they are."
    : "Set NODAL_MASTER_KEY to the new key now, before a server is started again. Keep the earlier one for as long as you keep " +
      "backups from before.";
  return { json, text: `${formatRecord(json)}\n\n${advice}` };
}
