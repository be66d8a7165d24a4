// All SQL of beneficiaries.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table, type Row } from "../../platform/database/table.ts";
import { readSecretRows, secretsOf, SecretsError, whereItOpens, type Secrets } from "../../platform/secrets/index.ts";
import { toMicrosecond } from "../../platform/time.ts";
import { isProved, proveBeneficiary, type ProvedRow } from "./beneficiary-proof.ts";
import {
  beneficiaryChanged,
  beneficiaryRecord,
  isUnreadable,
  type Beneficiary,
  type BeneficiaryContact,
} from "./beneficiary.ts";

export type BeneficiaryName = MerchantKey & { readonly beneficiaryId: bigint };

/** Name and IFSC are bound to the account number, so that a beneficiary changed with SQL is not paid. */
const BENEFICIARIES = table<Beneficiary, BeneficiaryName>(
  "beneficiary",
  ["bucket", "merchantId", "beneficiaryId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    beneficiaryId: "bigint",
    type: "text",
    approval: "text",
    ...beneficiaryRecord.columns,
    createdAt: "timestamptz",
    verification: {
      state: "verification text",
      at: "verified_at timestamptz",
      nameAtBank: "text",
      branch: "bank_branch text",
      utr: "verification_utr text",
      reference: "verification_reference text",
    },
  },
  { accountNumber: ["name", "ifsc"], upi: ["name"] },
);

/**
 * Reads a beneficiary. If its account or handle can't be decrypted or its proof is wrong, it has neither and can't be paid. That is no
 * error, since others are read with it.
 */
function readBeneficiary(row: Row, secrets: Secrets): Beneficiary {
  const unreadable = (): Beneficiary => BENEFICIARIES.read({ ...row, account_number: null, upi: null }, secrets);
  return whereItOpens(() => {
    const beneficiary = BENEFICIARIES.read(row, secrets);
    return isProved(secrets, row as ProvedRow) ? beneficiary : unreadable();
  }, unreadable);
}

/**
 * The beneficiary that an index found by an account or handle, or `null`.
 * @throws SecretsError if it has another one: its index was changed with SQL
 */
function foundBy(
  found: Beneficiary | null,
  { accountNumber, ifsc, upi }: Partial<Pick<Beneficiary, "accountNumber" | "ifsc" | "upi">>,
): Beneficiary | null {
  if (found === null || isUnreadable(found)) return found;
  const hasAccount = typeof accountNumber === "string" && found.accountNumber === accountNumber && found.ifsc === ifsc;
  if (hasAccount || (typeof upi === "string" && found.upi === upi)) return found;
  throw new SecretsError(
    `The beneficiary ${found.beneficiaryId} of the merchant ${found.merchantId} is listed under an account that it does not have. \`nodal verify --deep\` lists all such rows.`,
  );
}

/** Beneficiaries that can be paid, or may be approved. The others can't be found by account or handle. */
const IS_USABLE = "approval in ('pending', 'approved')";

export const BENEFICIARY_SECRETS = BENEFICIARIES.secretTable([
  { column: "account_index", of: ["account_number", "ifsc"] },
  { column: "upi_index", of: ["upi"] },
]);

/** The blind index of an account. */
function accountIndex(secrets: Secrets, owner: MerchantKey, accountNumber: string | null, ifsc: string | null) {
  return secrets.blindIndex("beneficiary.account_index", [owner.bucket, owner.merchantId], [accountNumber, ifsc]);
}

/** The blind index of a handle. */
function upiIndex(secrets: Secrets, owner: MerchantKey, upi: string | null) {
  return secrets.blindIndex("beneficiary.upi_index", [owner.bucket, owner.merchantId], [upi]);
}

/** Inserts beneficiaries; one whose account or handle is saved already is left out. Returns the ids of those that went in. */
export async function insertBeneficiaries(db: Queryable, given: readonly Beneficiary[]): Promise<ReadonlySet<bigint>> {
  const secrets = await secretsOf(db);
  // The database's precision, so that row and proof have the same time.
  const beneficiaries = given.map((item) => ({ ...item, createdAt: toMicrosecond(item.createdAt) }));
  const { columns, arrays, values } = BENEFICIARIES.arrays(beneficiaries, { from: 4, secrets });
  const { rows } = await db.query<{ beneficiary_id: bigint }>(
    `insert into beneficiary (account_index, upi_index, proof, ${columns})
     select * from unnest($1::bytea[], $2::bytea[], $3::bytea[], ${arrays})
     on conflict do nothing
     returning beneficiary_id`,
    [
      beneficiaries.map((item) => accountIndex(secrets, item, item.accountNumber, item.ifsc)),
      beneficiaries.map((item) => upiIndex(secrets, item, item.upi)),
      beneficiaries.map((item) => proveBeneficiary(secrets, item)),
      ...values,
    ],
  );
  return new Set(rows.map((row) => row.beneficiary_id));
}

/**
 * The beneficiary that already has this account or handle, unless it was rejected or deactivated. It can't be deactivated until the
 * transaction ends.
 */
export async function findSameAccount(connection: Connection, beneficiary: Beneficiary): Promise<Beneficiary | null> {
  const { bucket, merchantId, accountNumber, ifsc, upi } = beneficiary;
  const secrets = await secretsOf(connection);
  const { rows } = await connection.query<Row>(
    `select * from beneficiary
     where bucket = $1 and merchant_id = $2 and (account_index = $3 or upi_index = $4) and ${IS_USABLE}
     order by beneficiary_id limit 1 for share`,
    [bucket, merchantId, accountIndex(secrets, beneficiary, accountNumber, ifsc), upiIndex(secrets, beneficiary, upi)],
  );
  return foundBy((await readSecretRows(connection, rows, readBeneficiary))[0] ?? null, beneficiary);
}

/** The beneficiaries that already have these accounts or handles, in their order; `null` for none. */
export async function findSavedAccounts(
  db: Queryable,
  owner: MerchantKey,
  accounts: readonly Pick<Beneficiary, "accountNumber" | "ifsc" | "upi">[],
): Promise<(Beneficiary | null)[]> {
  const secrets = await secretsOf(db);
  const { rows } = await db.query<Row & { place: bigint }>(
    `select wanted.place, beneficiary.*
     from unnest($3::bytea[], $4::bytea[]) with ordinality as wanted (account_index, upi_index, place)
     join beneficiary on beneficiary.bucket = $1 and beneficiary.merchant_id = $2 and approval in ('pending', 'approved')
       and (beneficiary.account_index = wanted.account_index or beneficiary.upi_index = wanted.upi_index)
     order by wanted.place, beneficiary.beneficiary_id desc`,
    [
      owner.bucket,
      owner.merchantId,
      accounts.map(({ accountNumber, ifsc }) => accountIndex(secrets, owner, accountNumber, ifsc)),
      accounts.map(({ upi }) => upiIndex(secrets, owner, upi)),
    ],
  );
  const found: (Beneficiary | null)[] = accounts.map(() => null);
  const beneficiaries = await readSecretRows(db, rows, readBeneficiary);
  for (const [index, row] of rows.entries()) {
    const place = Number(row.place) - 1;
    found[place] = foundBy(beneficiaries[index]!, accounts[place]!);
  }
  return found;
}

/** Finds a merchant's beneficiary by bank account; one that was rejected or deactivated is not found. */
export async function findByBankAccount(
  db: Queryable,
  owner: MerchantKey,
  accountNumber: string,
  ifsc: string,
): Promise<Beneficiary | null> {
  const secrets = await secretsOf(db);
  const { rows } = await db.query<Row>({
    name: "find-beneficiary-by-account",
    text: `select * from beneficiary
      where bucket = $1 and merchant_id = $2 and account_index = $3 and ${IS_USABLE}`,
    values: [owner.bucket, owner.merchantId, accountIndex(secrets, owner, accountNumber, ifsc)],
  });
  return foundBy((await readSecretRows(db, rows, readBeneficiary))[0] ?? null, { accountNumber, ifsc });
}

/** One page of a merchant's beneficiaries at a branch, the newest first, from the one after `after` on. */
export async function findByIfsc(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  ifsc: string,
  { after, limit }: { readonly after: bigint | null; readonly limit: number },
): Promise<Beneficiary[]> {
  const { rows } = await db.query<Row>({
    name: "find-beneficiaries-by-ifsc",
    text: `select * from beneficiary
      where bucket = $1 and merchant_id = $2 and ifsc = $3 and beneficiary_id < coalesce($4, 9223372036854775807)
      order by beneficiary_id desc limit $5`,
    values: [bucket, merchantId, ifsc, after, limit],
  });
  return readSecretRows(db, rows, readBeneficiary);
}

/** The most IFSCs that an account number is tried with. */
const MAX_IFSCS = 20_000;

/**
 * Finds a merchant's beneficiaries by account number, at any bank. The blind index covers the IFSC too, so the number is looked up
 * with each IFSC among the merchant's beneficiaries, which are read from an index.
 */
export async function findByAccountNumber(
  db: Queryable,
  owner: MerchantKey,
  accountNumber: string,
): Promise<Beneficiary[]> {
  const secrets = await secretsOf(db);
  const { rows: codes } = await db.query<{ ifsc: string }>({
    name: "list-ifscs-of-beneficiaries",
    text: `with recursive code as (
        (select ifsc from beneficiary
         where bucket = $1 and merchant_id = $2 and ifsc is not null order by ifsc limit 1)
        union all
        select (
          select following.ifsc from beneficiary following
          where following.bucket = $1 and following.merchant_id = $2 and following.ifsc > code.ifsc
          order by following.ifsc limit 1)
        from code where code.ifsc is not null
      )
      select ifsc from code where ifsc is not null limit $3`,
    values: [owner.bucket, owner.merchantId, MAX_IFSCS],
  });
  const { rows } = await db.query<Row>({
    name: "find-beneficiaries-by-account-number",
    text: `select * from beneficiary
      where bucket = $1 and merchant_id = $2 and account_index = any ($3::bytea[]) and ${IS_USABLE}
      order by beneficiary_id desc`,
    values: [
      owner.bucket,
      owner.merchantId,
      codes.map(({ ifsc }) => accountIndex(secrets, owner, accountNumber, ifsc)),
    ],
  });
  return readSecretRows(db, rows, readBeneficiary);
}

/**
 * Writes a second person's decision on a pending beneficiary.
 * @throws NodalError `beneficiary_not_approved` for the approval of one that was changed with SQL
 */
export async function decideBeneficiary(
  connection: Connection,
  name: BeneficiaryName,
  approval: "approved" | "rejected",
): Promise<void> {
  const before = await holdBeneficiary(connection, name);
  if (before?.approval !== "pending") return;
  if (approval === "approved" && isUnreadable(before)) throw beneficiaryChanged("Nothing was approved.");
  await updateBeneficiary(connection, before, { approval });
}

/** Finds a merchant's beneficiary and locks it until the transaction ends. */
export async function holdBeneficiary(
  connection: Connection,
  { bucket, merchantId, beneficiaryId }: BeneficiaryName,
): Promise<Beneficiary | null> {
  const { rows } = await connection.query<Row>({
    name: "hold-beneficiary",
    text: `select * from beneficiary where bucket = $1 and merchant_id = $2 and beneficiary_id = $3 for no key update`,
    values: [bucket, merchantId, beneficiaryId],
  });
  return (await readSecretRows(connection, rows, readBeneficiary))[0] ?? null;
}

/** Writes the changeable members of a beneficiary that the caller has locked. One that was changed with SQL gets no new proof. */
export async function updateBeneficiary(
  connection: Connection,
  before: Beneficiary,
  changes: Partial<BeneficiaryContact> | Pick<Beneficiary, "approval"> | Pick<Beneficiary, "verification">,
): Promise<void> {
  const { bucket, merchantId, beneficiaryId } = before;
  const proof = isUnreadable(before) ? null : proveBeneficiary(await secretsOf(connection), { ...before, ...changes });
  const { assignments, values } = BENEFICIARIES.assign({ bucket, merchantId, beneficiaryId, ...changes }, { from: 5 });
  await connection.query(
    `update beneficiary set ${assignments.join(", ")}, proof = coalesce($4, proof)
     where bucket = $1 and merchant_id = $2 and beneficiary_id = $3`,
    [bucket, merchantId, beneficiaryId, proof, ...values],
  );
}

/** Looks many beneficiaries up in one statement; `null` if the merchant has no such beneficiary. */
export async function findBeneficiaries(
  db: Queryable,
  names: readonly BeneficiaryName[],
): Promise<(Beneficiary | null)[]> {
  const { rows } = await db.query<Row & { place: bigint }>({
    name: "find-beneficiaries",
    text: `select wanted.place, beneficiary.*
      from unnest($1::smallint[], $2::bigint[], $3::bigint[]) with ordinality
        as wanted (bucket, merchant_id, beneficiary_id, place)
      join beneficiary using (bucket, merchant_id, beneficiary_id)`,
    values: [
      names.map((name) => name.bucket),
      names.map((name) => name.merchantId),
      names.map((name) => name.beneficiaryId),
    ],
  });
  const found: (Beneficiary | null)[] = names.map(() => null);
  const beneficiaries = await readSecretRows(db, rows, readBeneficiary);
  for (const [index, row] of rows.entries()) found[Number(row.place) - 1] = beneficiaries[index]!;
  return found;
}

/** One page of a merchant's beneficiaries in id order, and how many there are in all. */
export async function listBeneficiaries(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  page: { readonly page: number; readonly limit: number },
): Promise<{ beneficiaries: Beneficiary[]; totalRecords: number }> {
  const counted = await db.query<{ total: bigint }>({
    name: "count-beneficiaries",
    text: "select count(*) as total from beneficiary where bucket = $1 and merchant_id = $2",
    values: [bucket, merchantId],
  });
  // The key's index alone finds the page, so only its rows are read.
  const { rows } = await db.query<Row>({
    name: "list-beneficiaries",
    text: `select beneficiary.*
      from (
        select beneficiary_id from beneficiary where bucket = $1 and merchant_id = $2
        order by beneficiary_id limit $3 offset $4
      ) as page
      cross join lateral (
        select * from beneficiary
        where bucket = $1 and merchant_id = $2 and beneficiary.beneficiary_id = page.beneficiary_id
        limit 1
      ) as beneficiary
      order by beneficiary.beneficiary_id`,
    values: [bucket, merchantId, page.limit, (page.page - 1) * page.limit],
  });
  return {
    beneficiaries: await readSecretRows(db, rows, readBeneficiary),
    totalRecords: Number(counted.rows[0]!.total),
  };
}

/** Finds a merchant's beneficiary by UPI handle, in lower case. */
export async function findByHandle(db: Queryable, owner: MerchantKey, upi: string): Promise<Beneficiary | null> {
  const secrets = await secretsOf(db);
  const { rows } = await db.query<Row>({
    name: "find-beneficiary-by-handle",
    text: `select * from beneficiary
      where bucket = $1 and merchant_id = $2 and upi_index = $3 and ${IS_USABLE}`,
    values: [owner.bucket, owner.merchantId, upiIndex(secrets, owner, upi)],
  });
  return foundBy((await readSecretRows(db, rows, readBeneficiary))[0] ?? null, { upi });
}

/**
 * Searches a merchant's beneficiaries from the newest, or after `after`, for a number of steps. Returns those whose name, mobile number
 * or e-mail address contains the text (all for `null`), at most `limit`, and the last one that was searched, or `null` at the end.
 */
export async function walkBeneficiaries(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { after, steps }: { readonly after: bigint | null; readonly steps: number },
  text: string | null,
  limit: number | null,
): Promise<{ beneficiaries: Beneficiary[]; last: bigint | null }> {
  const before = "bucket = $1 and merchant_id = $2 and ($3::bigint is null or beneficiary_id < $3)";
  const ends = await db.query<{ beneficiary_id: bigint }>(
    `select beneficiary_id from beneficiary where ${before} order by beneficiary_id desc limit 2 offset $4`,
    [bucket, merchantId, after, steps - 1],
  );
  const last = ends.rows.length === 2 ? ends.rows[0]!.beneficiary_id : null;
  const { rows } = await db.query<Row>(
    `select * from beneficiary
     where ${before} and ($4::bigint is null or beneficiary_id >= $4)
       and ($5::text is null or strpos(lower(name), $5) > 0 or strpos(mobile, $5) > 0
         or strpos(lower(email_id), $5) > 0)
     order by beneficiary_id desc limit $6`,
    [bucket, merchantId, after, last, text?.toLowerCase() ?? null, limit],
  );
  return { beneficiaries: await readSecretRows(db, rows, readBeneficiary), last };
}

/** How many days before and after the bank's answer a bank statement may list the cost of a verification. */
const AROUND_DAYS = 5;

/** The UTRs of account verifications around some days. */
export async function listVerifications(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { from, to }: { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate },
): Promise<{ readonly beneficiaryId: bigint; readonly utr: string }[]> {
  const { rows } = await db.query<{ beneficiary_id: bigint; verification_utr: string }>(
    `select beneficiary_id, verification_utr from beneficiary
     where bucket = $1 and merchant_id = $2 and verification_utr <> ''
       and verified_at >= $3::date - $5::integer and verified_at < $4::date + $5::integer`,
    [bucket, merchantId, from.toString(), to.toString(), AROUND_DAYS],
  );
  return rows.map((row) => ({ beneficiaryId: row.beneficiary_id, utr: row.verification_utr }));
}
