// SQL of accounts whose statements are imported, and of imports. Their lines are statement-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { ColumnMapping, DateOrder } from "./reading/statement.ts";

/** An account whose statements are imported. */
export type StatementAccount = MerchantKey & {
  readonly accountId: bigint;
  readonly name: string;
  /** Of CSV: which column is what, as somebody has said. */
  readonly mapping: ColumnMapping | null;
  /** Of CSV: the order of its dates, once a file or somebody has told it. */
  readonly dateOrder: DateOrder | null;
  readonly createdAt: Temporal.Instant;
};

export type StatementImport = MerchantKey & {
  readonly importId: bigint;
  readonly accountId: bigint;
  readonly fileName: string;
  readonly format: string;
  readonly fromOn: Temporal.PlainDate | null;
  readonly toOn: Temporal.PlainDate | null;
  readonly openingPaise: bigint | null;
  readonly closingPaise: bigint | null;
  readonly lineCount: number;
  readonly newCount: number;
  readonly importedAt: Temporal.Instant;
};

const ACCOUNTS = table<StatementAccount, MerchantKey & Pick<StatementAccount, "accountId">>(
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
  },
);

const IMPORTS = table<StatementImport, MerchantKey & Pick<StatementImport, "importId">>(
  "statement_import",
  ["bucket", "merchantId", "importId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    importId: "bigint",
    accountId: "bigint",
    fileName: "text",
    format: "text",
    fromOn: "date",
    toOn: "date",
    openingPaise: "bigint",
    closingPaise: "bigint",
    lineCount: "integer",
    newCount: "integer",
    importedAt: "timestamptz",
  },
);

/** Makes the account of a name, or finds it. */
export async function openStatementAccount(
  connection: Connection,
  account: StatementAccount,
): Promise<StatementAccount> {
  await ACCOUNTS.insert(connection, account, "on conflict do nothing");
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

/** Keeps what is known of an account's files. */
export async function rememberFiles(
  connection: Connection,
  { bucket, merchantId, accountId }: StatementAccount,
  known: Partial<Pick<StatementAccount, "mapping" | "dateOrder">>,
): Promise<void> {
  await ACCOUNTS.update(connection, { bucket, merchantId, accountId, ...known });
}

export async function insertImport(connection: Connection, made: StatementImport): Promise<void> {
  await IMPORTS.insert(connection, made);
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
