// `nodal key`: a merchant's access keys, and the installation's master key.
import {
  addressRange,
  describeKey,
  issueAccessKey,
  KEY_SCOPES,
  keyFields,
  listAccessKeys,
  MAX_ADDRESSES,
  OPERATOR_KEY_SCOPES,
  OPERATORS,
  readKeyTerms,
  revokeKey,
  type MerchantKey,
} from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { ifSent, oneOf, requiredText } from "../platform/http/fields.ts";
import { rotateMaster, secretsOf } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { SECRET_TABLES } from "../secret-tables.ts";
import { commaList, group, installationCommand, merchantCommand, option } from "./command.ts";
import { listAnswer, recordAnswer, type Answer } from "./output.ts";

/** Operators belong to no merchant, and so have no time zone. */
const OPERATORS_TIME_ZONE = "UTC";
const KEEP_SECRET = "Save the secret: it is shown only once.";

/** The terms of both merchants' and operators' keys. */
const termOptions = {
  name: option("<text>", "what people call the key", keyFields.name),
  expiresOn: option("<date>", "the last day on which it works; default: no end", keyFields.expires_on),
  allowFrom: option(
    "<list>",
    "the IP addresses and CIDR ranges it works from, with commas between; default: any",
    ifSent(commaList(addressRange(), MAX_ADDRESSES)),
  ),
};
const keyOption = option("<id>", "the access key's id", requiredText(64));

const create = merchantCommand({
  description: "create another access key; its secret is shown only once",
  example:
    '--name "Payroll" --scopes payouts.transfer,payouts.view --expires-on 2027-03-31 --allow-from 203.0.113.0/24',
  options: {
    ...termOptions,
    scopes: option(
      "<list>",
      "what it may do, with commas between; default: all that /api/v1 to /api/v3 have",
      ifSent(commaList(oneOf(KEY_SCOPES), KEY_SCOPES.length)),
    ),
  },
  async run({ pool, merchant }, { name, scopes, expiresOn, allowFrom }) {
    const sent = { name, scopes, expires_on: expiresOn, allowed_addresses: allowFrom };
    const terms = readKeyTerms(merchant, sent);
    const { accessKeyId, secret, createdAt } = await issueAccessKey({ pool, merchant }, null, terms);
    return recordAnswer(
      {
        merchant_id: String(merchant.merchantId),
        access_key_id: accessKeyId,
        secret_access_key: secret,
        created_at: formatTimestamp(createdAt, merchant.timeZone),
      },
      KEEP_SECRET,
    );
  },
});

const revoke = merchantCommand({
  description: "revoke an access key and its tokens permanently",
  example: "--key nk_5_1000001_0123456789ab",
  options: { key: keyOption },
  async run(scope, { key }) {
    await revokeKey(scope, key);
    const json = { merchant_id: String(scope.merchant.merchantId), access_key_id: key, revoked: true };
    return { json, text: `The access key ${key} is revoked.` };
  },
});

const list = merchantCommand({
  description: "list a merchant's access keys, oldest first",
  run: ({ pool, merchant }) => listKeys(pool, merchant, merchant.timeZone, "This merchant has no access keys."),
});

async function listKeys(pool: Pool, owner: MerchantKey, timeZone: string, whenEmpty: string): Promise<Answer> {
  const keys = (await listAccessKeys(pool, owner)).map((key) => {
    const { scopes, allowed_addresses: addresses, ...shown } = describeKey(key, timeZone);
    return { ...shown, scopes: scopes.join(","), allowed_addresses: addresses.join(",") };
  });
  return listAnswer(keys, whenEmpty, ["access_key_id", "name", "expires_on", "last_used_at", "revoked_at"]);
}

/** `nodal operator key`: keys of programs that work for the whole installation. */
export const operatorKeyCommands = group("access keys of programs that manage merchants", {
  create: installationCommand({
    description: "create an operator's access key; its secret is shown only once",
    example:
      "nodal operator key create --name Onboarding --scopes merchants.view,merchants.create --allow-from 203.0.113.0/24",
    options: {
      ...termOptions,
      scopes: option(
        "<list>",
        "what it may do for every merchant, with commas between",
        commaList(oneOf(OPERATOR_KEY_SCOPES), OPERATOR_KEY_SCOPES.length),
      ),
    },
    async run({ pool }, { name, scopes, expiresOn, allowFrom }) {
      const sent = { name, scopes, expires_on: expiresOn, allowed_addresses: allowFrom };
      const terms = readKeyTerms({ timeZone: OPERATORS_TIME_ZONE }, sent);
      const owner = { ...OPERATORS, live: false };
      const { accessKeyId, secret, createdAt } = await issueAccessKey({ pool, merchant: owner }, null, terms);
      return recordAnswer(
        {
          access_key_id: accessKeyId,
          secret_access_key: secret,
          created_at: formatTimestamp(createdAt, OPERATORS_TIME_ZONE),
        },
        KEEP_SECRET,
      );
    },
  }),
  revoke: installationCommand({
    description: "revoke an operator's access key permanently",
    example: "nodal operator key revoke --key nk_operator_0123456789ab",
    options: { key: keyOption },
    async run({ pool }, { key }) {
      await revokeKey({ pool, merchant: OPERATORS }, key);
      return { json: { access_key_id: key, revoked: true }, text: `The access key ${key} is revoked.` };
    },
  }),
  list: installationCommand({
    description: "list operators' access keys, oldest first",
    example: "nodal operator key list",
    run: ({ pool }) => listKeys(pool, OPERATORS, OPERATORS_TIME_ZONE, "There are no operators' access keys."),
  }),
});

/** Rows between progress messages of a rotation. */
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
