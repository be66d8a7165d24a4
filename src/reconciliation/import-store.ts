// SQL of accounts whose statements are imported, and of imports. statement-store.ts has their lines.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { isSame } from "../platform/bytes.ts";
import { table } from "../platform/database/table.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { proveAccount, proveImport } from "./proofs.ts";
import type { StatementAccount, StatementImport } from "./statement-import.ts";

type Stored<T> = T & { readonly proof: Uint8Array | null };

export const ACCOUNTS = table<Stored<StatementAccount>, MerchantKey & Pick<StatementAccount, "accountId">>(
  "statement_account",
  ["bucket", "merchantId", "accountId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    accountId: "bigint",
    name: "text",
    mapping: "jsonb",
    dateOrder: "text",
    createdAt: "timestamptz",
    proof: "bytea",
  },
);

export const IMPORTS = table<Stored<StatementImport>, MerchantKey & Pick<StatementImport, "importId">>(
  "statement_import",
  ["bucket", "merchantId", "importId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    importId: "bigint",
    accountId: "bigint",
    fileName: "text",
    format: "text",
    layout: "text",
    fromOn: "date",
    toOn: "date",
    openingPaise: "bigint",
    closingPaise: "bigint",
    lineCount: "integer",
    newCount: "integer",
    importedAt: "timestamptz",
    proof: "bytea",
  },
);

/** Finds the account with a name, or creates it. */
export async function openStatementAccount(
  connection: Connection,
  account: StatementAccount,
): Promise<StatementAccount> {
  const proof = proveAccount(await secretsOf(connection), account);
  await ACCOUNTS.insert(connection, { ...account, proof }, "on conflict do nothing");
  return (await findStatementAccount(connection, account, account.name))!;
}

export async function findStatementAccount(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  name: string,
): Promise<StatementAccount | null> {
  const text = "select * from statement_account where bucket = $1 and merchant_id = $2 and name = $3";
  return (await ACCOUNTS.select(db, text, [bucket, merchantId, name]))[0] ?? null;
}

/** A merchant's accounts, by name. */
export function listStatementAccounts(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<StatementAccount[]> {
  const text = "select * from statement_account where bucket = $1 and merchant_id = $2 order by name";
  return ACCOUNTS.select(db, text, [bucket, merchantId]);
}

/** Saves how an account's files are read. Its proof is renewed only if it was valid before. */
export async function rememberFiles(
  connection: Connection,
  key: MerchantKey & Pick<StatementAccount, "accountId">,
  known: Partial<Pick<StatementAccount, "mapping" | "dateOrder">>,
): Promise<void> {
  const before = (await ACCOUNTS.find(connection, key, true))!;
  const secrets = await secretsOf(connection);
  const isProved = before.proof !== null && isSame(Buffer.from(before.proof), proveAccount(secrets, before));
  const proof = isProved ? proveAccount(secrets, { ...before, ...known }) : before.proof;
  const { bucket, merchantId, accountId } = key;
  await ACCOUNTS.update(connection, { bucket, merchantId, accountId, ...known, proof });
}

export async function insertImport(connection: Connection, made: StatementImport): Promise<void> {
  await IMPORTS.insert(connection, { ...made, proof: proveImport(await secretsOf(connection), made) });
}

/** A merchant's last imports, the newest first. */
export function listImports(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  limit: number,
): Promise<StatementImport[]> {
  const text = `select * from statement_import where bucket = $1 and merchant_id = $2
    order by import_id desc limit $3`;
  return IMPORTS.select(db, text, [bucket, merchantId, limit]);
}
