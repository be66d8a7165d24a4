// SQL of what payees are called at providers. The account or handle that is paid is kept as a keyed hash.
import type { Queryable } from "../../platform/database/pool.ts";
import {
  readSecretRows,
  secretsOf,
  type RowPath,
  type Secrets,
  type SecretTable,
} from "../../platform/secrets/index.ts";
import type { PaidTo } from "./payment-id.ts";

/** Remembers what an account at a provider calls the payees of each merchant that pays over it. */
export interface PayeeMemory {
  /** `null` where the payee has not been made there, as far as is known. */
  find(payee: PaidTo): Promise<string | null>;
  keep(payee: PaidTo, providerId: string): Promise<void>;
  /** The provider no longer knows the payee under this id. */
  forget(payee: PaidTo, providerId: string): Promise<void>;
}

/** Remembers nothing: for accounts that are only tried. */
export const NO_PAYEES: PayeeMemory = {
  find: () => Promise.resolve(null),
  keep: () => Promise.resolve(),
  forget: () => Promise.resolve(),
};

export const PAYEE_SECRETS: SecretTable = {
  table: "provider_payee",
  key: { bucket: "smallint", merchant_id: "bigint", account_id: "bigint", payee_index: "bytea" },
  path: ["bucket", "merchant_id", "account_id"],
  columns: ["provider_id"],
  indexes: [],
  // So that no payee's place there is another's: money goes to whom it names.
  beside: { provider_id: ["payee_index"] },
};

/** The memory of an account in the database. A merchant's payees are rows of the merchant, also over the installation's account. */
export function payeesOf(db: Queryable, accountId: bigint): PayeeMemory {
  const keyOf = ({ bucket, merchantId }: PaidTo): [number, bigint, bigint] => [bucket, merchantId, accountId];
  const find = async (payee: PaidTo): Promise<{ readonly providerId: string; readonly sealed: string } | null> => {
    const key = keyOf(payee);
    const index = indexOf(await secretsOf(db), payee);
    const { rows } = await db.query<{ provider_id: string }>({
      name: "find-provider-payee",
      text: `select provider_id from provider_payee
        where bucket = $1 and merchant_id = $2 and account_id = $3 and payee_index = $4`,
      values: [...key, index],
    });
    const found = await readSecretRows(db, rows, ({ provider_id: sealed }, secrets) => ({
      providerId: secrets.unseal(PLACE, key satisfies RowPath, sealed, [index.toString("hex")]),
      sealed,
    }));
    return found[0] ?? null;
  };
  return {
    find: async (payee) => (await find(payee))?.providerId ?? null,
    async keep(payee, providerId) {
      const [key, secrets] = [keyOf(payee), await secretsOf(db)];
      const index = indexOf(secrets, payee);
      await db.query({
        name: "keep-provider-payee",
        text: `insert into provider_payee (bucket, merchant_id, account_id, payee_index, provider_id, made_at)
          values ($1, $2, $3, $4, $5, now())
          on conflict (bucket, merchant_id, account_id, payee_index)
          do update set provider_id = excluded.provider_id, made_at = excluded.made_at`,
        values: [...key, index, secrets.seal(PLACE, key, providerId, [index.toString("hex")])],
      });
    },
    async forget(payee, providerId) {
      const found = await find(payee);
      // Another process may have had it made again meanwhile.
      if (found?.providerId !== providerId) return;
      await db.query({
        name: "forget-provider-payee",
        text: `delete from provider_payee
          where bucket = $1 and merchant_id = $2 and account_id = $3 and payee_index = $4 and provider_id = $5`,
        values: [...keyOf(payee), indexOf(await secretsOf(db), payee), found.sealed],
      });
    },
  };
}

const PLACE = "provider_payee.provider_id";

/** Equal accounts and handles of a merchant have the same, whatever the payee is called. */
function indexOf(secrets: Secrets, { bucket, merchantId, mode, payee }: PaidTo): Buffer {
  const { accountNumber, ifsc, upi } = payee;
  const paid = mode === "UPI" ? ["upi", upi?.toLowerCase() ?? null] : ["account", accountNumber, ifsc];
  const index = secrets.blindIndex("provider_payee.payee_index", [bucket, merchantId], paid);
  if (index === null) throw new Error("The payee has no account or handle.");
  return index;
}
