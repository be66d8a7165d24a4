// SQL of payees' ids at providers. The account or handle is stored as a keyed hash.
import type { Queryable } from "../../platform/database/pool.ts";
import {
  readSecretRows,
  secretsOf,
  type RowPath,
  type Secrets,
  type SecretTable,
} from "../../platform/secrets/index.ts";
import type { PaidTo } from "./payment-id.ts";

/** Stores the ids of each merchant's payees at one provider account. */
export interface PayeeMemory {
  /** `null` if the payee has not been created there, as far as is known. */
  find(payee: PaidTo): Promise<string | null>;
  keep(payee: PaidTo, providerId: string): Promise<void>;
  /** The provider no longer knows the payee under this id. */
  forget(payee: PaidTo, providerId: string): Promise<void>;
}

/** Stores nothing: for accounts that are only tested. */
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
  // Bound to the payee, since a swapped provider id would pay somebody else.
  beside: { provider_id: ["payee_index"] },
};

/** The stored payees of an account. They are the merchant's rows, even over the installation's account. */
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
      // Another process may have created it again meanwhile.
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

/** The same for equal accounts and handles of a merchant, whatever the payee's name. */
function indexOf(secrets: Secrets, { bucket, merchantId, mode, payee }: PaidTo): Buffer {
  const { accountNumber, ifsc, upi } = payee;
  const paid = mode === "UPI" ? ["upi", upi?.toLowerCase() ?? null] : ["account", accountNumber, ifsc];
  const index = secrets.blindIndex("provider_payee.payee_index", [bucket, merchantId], paid);
  if (index === null) throw new Error("The payee has no account or handle.");
  return index;
}
