// SQL that reads rows of reconciliation to compare them with their proofs.
import type { MerchantKey } from "../merchants/index.ts";
import { isSame } from "../platform/bytes.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { Row } from "../platform/database/table.ts";
import { readSecretRows, whereItOpens, type Secrets } from "../platform/secrets/index.ts";
import { ITEMS } from "./clearing-store.ts";
import { ACCOUNTS, IMPORTS } from "./import-store.ts";
import { isOfAnotherMerchant } from "./line-keys.ts";
import { isProvedItem, proveAccount, proveImport } from "./proofs.ts";
import { mayBeVerification } from "./reconcile.ts";
import { isProvedLine, LINES } from "./statement-store.ts";

/** A table whose rows have proofs. */
export type ProvedTable = {
  /** The check that reports a row. */
  readonly check: string;
  readonly table: string;
  /** The name of a row in findings. */
  readonly what: string;
  /** The columns of its key after bucket and merchant, with their types; the first is the subject of a finding. */
  readonly key: Readonly<Record<string, "bigint" | "text">>;
  /** The audit log's name for a row that can be set aside; `null` if its log entries don't matter. */
  readonly loggedAs?: (row: ProofRow) => string | null;
  /** Whether a row is as the server wrote it. `isSetAside`: according to the log, somebody has set it aside. */
  readonly isSound: (row: ProofRow, secrets: Secrets, isSetAside: boolean) => boolean;
};

type ProofRow = Row & { readonly bucket: number; readonly merchant_id: bigint; readonly proof: Buffer | null };

const isProof = ({ proof }: ProofRow, expected: Buffer): boolean => proof !== null && isSame(proof, expected);

export const PROVED_TABLES: readonly ProvedTable[] = [
  {
    check: "statement_account_proof",
    table: "statement_account",
    what: "account of statements",
    key: { account_id: "bigint" },
    isSound: (row, secrets) => isProof(row, proveAccount(secrets, ACCOUNTS.read(row))),
  },
  {
    check: "statement_import_proof",
    table: "statement_import",
    what: "import of a statement",
    key: { import_id: "bigint" },
    isSound: (row, secrets) => isProof(row, proveImport(secrets, IMPORTS.read(row))),
  },
  {
    check: "statement_line_proof",
    table: "statement_line",
    what: "line of a statement",
    key: { line_id: "bigint" },
    loggedAs: (row) => (row["state"] === "matched" ? null : "line"),
    isSound: (row, secrets, isSetAside) => {
      const line = LINES.read(row, secrets);
      return isProvedLine(secrets, row, line) && isExplained(line, isSetAside);
    },
  },
  {
    check: "clearing_item_proof",
    table: "clearing_item",
    what: "item that statements have to show",
    key: { subject_id: "bigint", kind: "text" },
    loggedAs: (row) => (row["note"] === null ? null : (row["kind"] as string)),
    isSound: (row, secrets, isSetAside) => {
      const item = ITEMS.read(row);
      return isProvedItem(secrets, item) && (item.note === null || isSetAside);
    },
  },
];

/**
 * Whether the log agrees that a line is set aside, or open. The server itself sets aside lines of other merchants and the cost of
 * account verifications.
 */
function isExplained(line: ReturnType<typeof LINES.read>, isSetAside: boolean): boolean {
  const { state, difference, note } = line;
  if (state !== "noted") return state === "matched" || difference === "undone" || !isSetAside;
  if (isSetAside || isOfAnotherMerchant(line)) return true;
  return mayBeVerification(line) && note !== null && /^Verification of beneficiary \d+$/.test(note);
}

/** A row of a table, by its key. */
export type ProvedRow = MerchantKey & {
  readonly key: readonly (bigint | string)[];
  /** Whether it is as the server wrote it. */
  readonly isSound: boolean;
};

/**
 * The next rows of a table in key order, of one merchant or of all.
 * @throws SecretsError where their proofs can't be computed
 */
export async function listProvedRows(
  db: Queryable,
  proved: ProvedTable,
  scope: MerchantKey | null,
  after: ProvedRow | null,
  limit: number,
): Promise<ProvedRow[]> {
  const { table, key, isSound, loggedAs = () => null } = proved;
  const columns = Object.keys(key);
  const place = Object.values(key).map((type, index) => `$${index + 5}::${type}`);
  const all = `bucket, merchant_id, ${columns.join(", ")}`;
  const text = `select * from ${table}
    where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
      and (${all}) > ($3::smallint, $4::bigint, ${place.join(", ")})
    order by ${all} limit $${columns.length + 5}`;
  const first = Object.values(key).map((type) => (type === "bigint" ? 0n : ""));
  const { rows } = await db.query<ProofRow>(text, [
    scope?.bucket ?? null,
    scope?.merchantId ?? null,
    after?.bucket ?? -1,
    after?.merchantId ?? 0n,
    ...(after?.key ?? first),
    limit,
  ]);
  const nameOf = (row: ProofRow): string => `${row.merchant_id} ${String(row[columns[0]!])} ${loggedAs(row)}`;
  const logged = rows.filter((row) => loggedAs(row) !== null);
  const setAside = new Set<string>();
  for (const of of Map.groupBy(logged, (row) => row.merchant_id).values()) {
    const { bucket, merchant_id: merchantId } = of[0]!;
    const ids = of.map((row) => row[columns[0]!] as bigint);
    for (const { subjectId, what } of await listSetAside(db, { bucket, merchantId }, ids))
      setAside.add(`${merchantId} ${subjectId} ${what}`);
  }
  return readSecretRows(db, rows, (row, secrets) => ({
    bucket: row.bucket,
    merchantId: row.merchant_id,
    key: columns.map((column) => row[column] as bigint | string),
    isSound: whereItOpens(
      () => isSound(row, secrets, setAside.has(nameOf(row))),
      () => false,
    ),
  }));
}

/** Those of these lines and items that, according to the log, were set aside and not reopened since. */
async function listSetAside(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subjectIds: readonly bigint[],
): Promise<{ readonly subjectId: bigint; readonly what: string }[]> {
  const { rows } = await db.query<{ subject_id: bigint; what: string; type: string }>(
    // The first condition must equal that of the subject index word for word.
    `select distinct on (subject_id, after ->> 'what') subject_id, after ->> 'what' as what, type
     from journal
     where type not like 'transfer.%' and bucket = $1 and merchant_id = $2 and subject_id = any ($3)
       and type in ('statement.set_aside', 'statement.taken_up')
     order by subject_id, after ->> 'what', entry_no desc`,
    [bucket, merchantId, subjectIds],
  );
  return rows
    .filter(({ type }) => type === "statement.set_aside")
    .map((row) => ({ subjectId: row.subject_id, what: row.what }));
}
