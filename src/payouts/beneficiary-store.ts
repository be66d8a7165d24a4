// All SQL of beneficiaries.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { Beneficiary } from "./beneficiary.ts";

type BeneficiaryRow = {
  bucket: number;
  merchant_id: bigint;
  beneficiary_id: bigint;
  type: string;
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

function fromRow(row: BeneficiaryRow): Beneficiary {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    beneficiaryId: row.beneficiary_id,
    type: row.type,
    name: row.name,
    emailId: row.email_id,
    mobile: row.mobile,
    accountNumber: row.account_number,
    ifsc: row.ifsc,
    upi: row.upi,
    address: row.address,
    city: row.city,
    state: row.state,
    zipcode: row.zipcode,
    createdAt: row.created_at,
  };
}

/** Inserts beneficiaries; one whose account or handle is saved already is left out. Answers how many went in. */
export async function insertBeneficiaries(db: Queryable, beneficiaries: readonly Beneficiary[]): Promise<number> {
  const column = <T>(read: (beneficiary: Beneficiary) => T): T[] => beneficiaries.map(read);
  const { rowCount } = await db.query(
    `insert into beneficiary (
       bucket, merchant_id, beneficiary_id, type, name, email_id, mobile, account_number, ifsc, upi, address, city,
       state, zipcode, created_at)
     select * from unnest(
       $1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::timestamptz[])
     on conflict do nothing`,
    [
      column((item) => item.bucket),
      column((item) => item.merchantId),
      column((item) => item.beneficiaryId),
      column((item) => item.type),
      column((item) => item.name),
      column((item) => item.emailId),
      column((item) => item.mobile),
      column((item) => item.accountNumber),
      column((item) => item.ifsc),
      column((item) => item.upi),
      column((item) => item.address),
      column((item) => item.city),
      column((item) => item.state),
      column((item) => item.zipcode),
      column((item) => item.createdAt.toString()),
    ],
  );
  return rowCount ?? 0;
}

/** The beneficiary that has this account or this handle already. */
export async function findSameAccount(
  connection: Connection,
  { bucket, merchantId, accountNumber, ifsc, upi }: Beneficiary,
): Promise<Beneficiary | null> {
  const { rows } = await connection.query<BeneficiaryRow>(
    `select * from beneficiary
     where bucket = $1 and merchant_id = $2 and ((account_number = $3 and ifsc = $4) or upi = $5)
     order by beneficiary_id limit 1`,
    [bucket, merchantId, accountNumber, ifsc, upi],
  );
  return rows[0] ? fromRow(rows[0]) : null;
}

/** Finds a merchant's beneficiary by bank account. */
export async function findByBankAccount(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  accountNumber: string,
  ifsc: string,
): Promise<Beneficiary | null> {
  const { rows } = await db.query<BeneficiaryRow>({
    name: "find-beneficiary-by-account",
    text: `select * from beneficiary
      where bucket = $1 and merchant_id = $2 and account_number = $3 and ifsc = $4`,
    values: [bucket, merchantId, accountNumber, ifsc],
  });
  return rows[0] ? fromRow(rows[0]) : null;
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
  for (const row of rows) found[Number(row.place) - 1] = fromRow(row);
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
  return { beneficiaries: rows.map(fromRow), totalRecords: Number(counted.rows[0]!.total) };
}
