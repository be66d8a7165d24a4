// All SQL of beneficiaries.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { readSecretRows, secretsOf, type RowPath, type Secrets, type SecretTable } from "../platform/secrets/index.ts";
import type { Beneficiary, BeneficiaryApproval } from "./beneficiary.ts";

export const BENEFICIARY_SECRETS: SecretTable = {
  table: "beneficiary",
  key: { bucket: "smallint", merchant_id: "bigint", beneficiary_id: "bigint" },
  path: ["bucket", "merchant_id", "beneficiary_id"],
  columns: ["account_number", "upi"],
  indexes: [
    { column: "account_index", of: ["account_number", "ifsc"] },
    { column: "upi_index", of: ["upi"] },
  ],
};

type BeneficiaryRow = {
  bucket: number;
  merchant_id: bigint;
  beneficiary_id: bigint;
  type: string;
  approval: BeneficiaryApproval;
  name: string;
  email_id: string;
  mobile: string;
  account_number: string | null;
  ifsc: string | null;
  upi: string | null;
  address: string;
  city: string;
  state: string;
  zipcode: string;
  created_at: Temporal.Instant;
};

function fromRow(row: BeneficiaryRow, secrets: Secrets): Beneficiary {
  const path: RowPath = [row.bucket, row.merchant_id, row.beneficiary_id];
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    beneficiaryId: row.beneficiary_id,
    type: row.type,
    approval: row.approval,
    name: row.name,
    emailId: row.email_id,
    mobile: row.mobile,
    accountNumber: secrets.unseal("beneficiary.account_number", path, row.account_number),
    ifsc: row.ifsc,
    upi: secrets.unseal("beneficiary.upi", path, row.upi),
    address: row.address,
    city: row.city,
    state: row.state,
    zipcode: row.zipcode,
    createdAt: row.created_at,
  };
}

function pathOf({ bucket, merchantId, beneficiaryId }: BeneficiaryName): RowPath {
  return [bucket, merchantId, beneficiaryId];
}

/** What look-ups by account compare. */
function accountIndex(secrets: Secrets, owner: MerchantKey, accountNumber: string | null, ifsc: string | null) {
  return secrets.blindIndex("beneficiary.account_index", [owner.bucket, owner.merchantId], [accountNumber, ifsc]);
}

/** What look-ups by handle compare. */
function upiIndex(secrets: Secrets, owner: MerchantKey, upi: string | null) {
  return secrets.blindIndex("beneficiary.upi_index", [owner.bucket, owner.merchantId], [upi]);
}

/** Inserts beneficiaries; one whose account or handle is saved already is left out. Answers how many went in. */
export async function insertBeneficiaries(db: Queryable, beneficiaries: readonly Beneficiary[]): Promise<number> {
  const secrets = await secretsOf(db);
  const column = <T>(read: (beneficiary: Beneficiary) => T): T[] => beneficiaries.map(read);
  const { rowCount } = await db.query(
    `insert into beneficiary (
       bucket, merchant_id, beneficiary_id, type, name, email_id, mobile, account_number, ifsc, upi, address, city,
       state, zipcode, created_at, account_index, upi_index, approval)
     select * from unnest(
       $1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::timestamptz[], $16::bytea[],
       $17::bytea[], $18::text[])
     on conflict do nothing`,
    [
      column((item) => item.bucket),
      column((item) => item.merchantId),
      column((item) => item.beneficiaryId),
      column((item) => item.type),
      column((item) => item.name),
      column((item) => item.emailId),
      column((item) => item.mobile),
      column((item) => secrets.seal("beneficiary.account_number", pathOf(item), item.accountNumber)),
      column((item) => item.ifsc),
      column((item) => secrets.seal("beneficiary.upi", pathOf(item), item.upi)),
      column((item) => item.address),
      column((item) => item.city),
      column((item) => item.state),
      column((item) => item.zipcode),
      column((item) => item.createdAt.toString()),
      column((item) => accountIndex(secrets, item, item.accountNumber, item.ifsc)),
      column((item) => upiIndex(secrets, item, item.upi)),
      column((item) => item.approval),
    ],
  );
  return rowCount ?? 0;
}

/** The beneficiary that has this account or this handle already; one that was rejected has none. */
export async function findSameAccount(connection: Connection, beneficiary: Beneficiary): Promise<Beneficiary | null> {
  const { bucket, merchantId, accountNumber, ifsc, upi } = beneficiary;
  const secrets = await secretsOf(connection);
  const { rows } = await connection.query<BeneficiaryRow>(
    `select * from beneficiary
     where bucket = $1 and merchant_id = $2 and (account_index = $3 or upi_index = $4) and approval <> 'rejected'
     order by beneficiary_id limit 1`,
    [bucket, merchantId, accountIndex(secrets, beneficiary, accountNumber, ifsc), upiIndex(secrets, beneficiary, upi)],
  );
  return (await readSecretRows(connection, rows, fromRow))[0] ?? null;
}

/** Finds a merchant's beneficiary by bank account; one that was rejected is not found. */
export async function findByBankAccount(
  db: Queryable,
  owner: MerchantKey,
  accountNumber: string,
  ifsc: string,
): Promise<Beneficiary | null> {
  const secrets = await secretsOf(db);
  const { rows } = await db.query<BeneficiaryRow>({
    name: "find-beneficiary-by-account",
    text: `select * from beneficiary
      where bucket = $1 and merchant_id = $2 and account_index = $3 and approval <> 'rejected'`,
    values: [owner.bucket, owner.merchantId, accountIndex(secrets, owner, accountNumber, ifsc)],
  });
  return (await readSecretRows(db, rows, fromRow))[0] ?? null;
}

/** Writes what a second person decided on a beneficiary that waits for it. */
export async function decideBeneficiary(
  connection: Connection,
  { bucket, merchantId, beneficiaryId }: BeneficiaryName,
  approval: "approved" | "rejected",
): Promise<void> {
  await connection.query(
    `update beneficiary set approval = $4
     where bucket = $1 and merchant_id = $2 and beneficiary_id = $3 and approval = 'pending'`,
    [bucket, merchantId, beneficiaryId, approval],
  );
}

export type BeneficiaryName = MerchantKey & { readonly beneficiaryId: bigint };

/** Looks many beneficiaries up in one statement; `null` where the merchant has no such beneficiary. */
export async function findBeneficiaries(
  db: Queryable,
  names: readonly BeneficiaryName[],
): Promise<(Beneficiary | null)[]> {
  const { rows } = await db.query<BeneficiaryRow & { place: bigint }>({
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
  const beneficiaries = await readSecretRows(db, rows, fromRow);
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
  // The page is found in the key's index alone; only its own rows are read.
  const { rows } = await db.query<BeneficiaryRow>({
    name: "list-beneficiaries",
    text: `select beneficiary.*
      from (
        select beneficiary_id from beneficiary where bucket = $1 and merchant_id = $2
        order by beneficiary_id limit $3 offset $4
      ) as page
      join beneficiary on bucket = $1 and merchant_id = $2 and beneficiary.beneficiary_id = page.beneficiary_id
      order by beneficiary.beneficiary_id`,
    values: [bucket, merchantId, page.limit, (page.page - 1) * page.limit],
  });
  return { beneficiaries: await readSecretRows(db, rows, fromRow), totalRecords: Number(counted.rows[0]!.total) };
}

/** Finds a merchant's beneficiary by UPI handle, in lower case. */
export async function findByHandle(db: Queryable, owner: MerchantKey, upi: string): Promise<Beneficiary | null> {
  const secrets = await secretsOf(db);
  const { rows } = await db.query<BeneficiaryRow>({
    name: "find-beneficiary-by-handle",
    text: "select * from beneficiary where bucket = $1 and merchant_id = $2 and upi_index = $3",
    values: [owner.bucket, owner.merchantId, upiIndex(secrets, owner, upi)],
  });
  return (await readSecretRows(db, rows, fromRow))[0] ?? null;
}

/**
 * Walks through a merchant's beneficiaries from the newest, or from the one after `after`, for so many steps. Answers
 * those whose name, mobile number or e-mail address has the text in it (all for `null`), at most `limit`, and the last
 * one that was looked at, or `null` where there are no further ones.
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
  const { rows } = await db.query<BeneficiaryRow>(
    `select * from beneficiary
     where ${before} and ($4::bigint is null or beneficiary_id >= $4)
       and ($5::text is null or strpos(lower(name), $5) > 0 or strpos(mobile, $5) > 0
         or strpos(lower(email_id), $5) > 0)
     order by beneficiary_id desc limit $6`,
    [bucket, merchantId, after, last, text?.toLowerCase() ?? null, limit],
  );
  return { beneficiaries: await readSecretRows(db, rows, fromRow), last };
}
