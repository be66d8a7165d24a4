// All SQL of franchises. Their commission is in commission-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { readSecretRows, secretsOf, type RowPath, type Secrets, type SecretTable } from "../platform/secrets/index.ts";
import type { Franchise, FranchiseContact, FranchiseKey, FranchiseTerms } from "./franchise.ts";

export const FRANCHISE_SECRETS: SecretTable = {
  table: "franchise",
  key: { bucket: "smallint", merchant_id: "bigint", franchise_id: "bigint" },
  path: ["bucket", "merchant_id", "franchise_id"],
  columns: ["pan_number", "aadhar_number", "account_number"],
  indexes: [],
};

export type FranchiseRow = {
  bucket: number;
  merchant_id: bigint;
  franchise_id: bigint;
  franchise_code: string;
  franchise_name: string;
  contact_person_name: string;
  email_id: string;
  mobile: string;
  pan_number: string;
  aadhar_number: string;
  gst_number: string;
  address: string;
  city: string;
  state: string;
  zipcode: string;
  online_settlement: boolean;
  commission_type: Franchise["commissionType"];
  commission_hundredths: bigint;
  settlement_type: Franchise["settlementType"];
  bank_holder_name: string;
  account_number: string;
  bank_name: string;
  account_type: Franchise["account"]["accountType"];
  ifsc: string;
  beneficiary_id: bigint | null;
  login_email: string | null;
  role_name: string | null;
  next_payout_at: Temporal.Instant;
  created_at: Temporal.Instant;
  deleted_at: Temporal.Instant | null;
};

/** A franchise as its row has it. */
export function fromRow(row: FranchiseRow, secrets: Secrets): Franchise {
  const path: RowPath = [row.bucket, row.merchant_id, row.franchise_id];
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    franchiseId: row.franchise_id,
    code: row.franchise_code,
    name: row.franchise_name,
    contactPersonName: row.contact_person_name,
    emailId: row.email_id,
    mobile: row.mobile,
    panNumber: secrets.unseal("franchise.pan_number", path, row.pan_number),
    aadharNumber: secrets.unseal("franchise.aadhar_number", path, row.aadhar_number),
    gstNumber: row.gst_number,
    address: row.address,
    city: row.city,
    state: row.state,
    zipcode: row.zipcode,
    onlineSettlement: row.online_settlement,
    commissionType: row.commission_type,
    commissionHundredths: row.commission_hundredths,
    settlementType: row.settlement_type,
    account: {
      holderName: row.bank_holder_name,
      accountNumber: secrets.unseal("franchise.account_number", path, row.account_number),
      bankName: row.bank_name,
      accountType: row.account_type,
      ifsc: row.ifsc,
    },
    beneficiaryId: row.beneficiary_id,
    loginEmail: row.login_email,
    roleName: row.role_name,
    nextPayoutAt: row.next_payout_at,
    createdAt: row.created_at,
    deletedAt: row.deleted_at,
  };
}

/** Inserts a franchise. Answers false where a live one has its code; waits for another that is just being saved. */
export async function insertFranchise(connection: Connection, franchise: Franchise): Promise<boolean> {
  const secrets = await secretsOf(connection);
  const path: RowPath = [franchise.bucket, franchise.merchantId, franchise.franchiseId];
  const { rowCount } = await connection.query(
    `insert into franchise (
       bucket, merchant_id, franchise_id, franchise_code, franchise_name, contact_person_name, email_id, mobile,
       pan_number, aadhar_number, gst_number, address, city, state, zipcode, online_settlement, commission_type,
       commission_hundredths, settlement_type, bank_holder_name, account_number, bank_name, account_type, ifsc,
       beneficiary_id, login_email, role_name, next_payout_at, created_at, updated_at)
     values (
       $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
       $25, $26, $27, $28, $29, $29)
     on conflict (bucket, merchant_id, franchise_code) where deleted_at is null do nothing`,
    [
      franchise.bucket,
      franchise.merchantId,
      franchise.franchiseId,
      franchise.code,
      franchise.name,
      franchise.contactPersonName,
      franchise.emailId,
      franchise.mobile,
      secrets.seal("franchise.pan_number", path, franchise.panNumber),
      secrets.seal("franchise.aadhar_number", path, franchise.aadharNumber),
      franchise.gstNumber,
      franchise.address,
      franchise.city,
      franchise.state,
      franchise.zipcode,
      franchise.onlineSettlement,
      franchise.commissionType,
      franchise.commissionHundredths,
      franchise.settlementType,
      franchise.account.holderName,
      secrets.seal("franchise.account_number", path, franchise.account.accountNumber),
      franchise.account.bankName,
      franchise.account.accountType,
      franchise.account.ifsc,
      franchise.beneficiaryId,
      franchise.loginEmail,
      franchise.roleName,
      franchise.nextPayoutAt.toString(),
      franchise.createdAt.toString(),
    ],
  );
  return rowCount === 1;
}

const COLUMN_OF_CONTACT: Readonly<Record<keyof FranchiseContact, string>> = {
  name: "franchise_name",
  contactPersonName: "contact_person_name",
  emailId: "email_id",
  mobile: "mobile",
  panNumber: "pan_number",
  aadharNumber: "aadhar_number",
  gstNumber: "gst_number",
  address: "address",
  city: "city",
  state: "state",
  zipcode: "zipcode",
};

const ENCRYPTED_CONTACT: ReadonlySet<keyof FranchiseContact> = new Set(["panNumber", "aadharNumber"] as const);

/** Changes what is given of a franchise that the caller holds. */
export async function updateContact(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  now: Temporal.Instant,
  changes: Partial<FranchiseContact>,
): Promise<void> {
  const secrets = await secretsOf(connection);
  const names = Object.keys(changes) as (keyof FranchiseContact)[];
  const values = names.map((name) =>
    ENCRYPTED_CONTACT.has(name)
      ? secrets.seal(`franchise.${COLUMN_OF_CONTACT[name]}`, [bucket, merchantId, franchiseId], changes[name]!)
      : changes[name],
  );
  const assignments = names.map((name, index) => `, ${COLUMN_OF_CONTACT[name]} = $${index + 5}`).join("");
  await connection.query(
    `update franchise set updated_at = $4${assignments} where bucket = $1 and merchant_id = $2 and franchise_id = $3`,
    [bucket, merchantId, franchiseId, now.toString(), ...values],
  );
}

/** Gives a franchise that the caller holds other terms, and says when its next automatic payout is due. */
export async function updateTerms(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  now: Temporal.Instant,
  terms: FranchiseTerms & Pick<Franchise, "nextPayoutAt">,
): Promise<void> {
  await connection.query(
    `update franchise
     set updated_at = $4, online_settlement = $5, commission_type = $6, commission_hundredths = $7, settlement_type = $8,
       next_payout_at = $9
     where bucket = $1 and merchant_id = $2 and franchise_id = $3`,
    [
      bucket,
      merchantId,
      franchiseId,
      now.toString(),
      terms.onlineSettlement,
      terms.commissionType,
      terms.commissionHundredths,
      terms.settlementType,
      terms.nextPayoutAt.toString(),
    ],
  );
}

/** Writes the bank account of a franchise that the caller holds, and the beneficiary that has it. */
export async function updateAccount(
  connection: Connection,
  { bucket, merchantId, franchiseId, account, beneficiaryId }: Franchise,
  now: Temporal.Instant,
): Promise<void> {
  const sealed = (await secretsOf(connection)).seal(
    "franchise.account_number",
    [bucket, merchantId, franchiseId],
    account.accountNumber,
  );
  await connection.query(
    `update franchise
     set updated_at = $4, bank_holder_name = $5, account_number = $6, bank_name = $7, account_type = $8, ifsc = $9,
       beneficiary_id = $10
     where bucket = $1 and merchant_id = $2 and franchise_id = $3`,
    [
      bucket,
      merchantId,
      franchiseId,
      now.toString(),
      account.holderName,
      sealed,
      account.bankName,
      account.accountType,
      account.ifsc,
      beneficiaryId,
    ],
  );
}

/** Writes with which address and role a franchise that the caller holds signs in. */
export async function updateLoginOf(
  connection: Connection,
  { bucket, merchantId, franchiseId, loginEmail, roleName }: Franchise,
  now: Temporal.Instant,
): Promise<void> {
  await connection.query(
    `update franchise set updated_at = $4, login_email = $5, role_name = $6
     where bucket = $1 and merchant_id = $2 and franchise_id = $3`,
    [bucket, merchantId, franchiseId, now.toString(), loginEmail, roleName],
  );
}

/** Marks a franchise that the caller holds as deleted, and forgets its login. */
export async function markDeleted(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  now: Temporal.Instant,
): Promise<void> {
  await connection.query(
    `update franchise
     set deleted_at = $4, updated_at = $4, login_email = null, role_name = null
     where bucket = $1 and merchant_id = $2 and franchise_id = $3`,
    [bucket, merchantId, franchiseId, now.toString()],
  );
}

/** Finds a merchant's franchise, deleted or not. */
export async function findFranchise(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  lock = false,
): Promise<Franchise | null> {
  const { rows } = await db.query<FranchiseRow>({
    name: lock ? "lock-franchise" : "find-franchise",
    text: `select * from franchise where bucket = $1 and merchant_id = $2 and franchise_id = $3${lock ? " for update" : ""}`,
    values: [bucket, merchantId, franchiseId],
  });
  return (await readSecretRows(db, rows, fromRow))[0] ?? null;
}

/** The merchant's live franchises among the given ones, by id. */
export async function findFranchises(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  franchiseIds: readonly bigint[],
): Promise<Map<bigint, Franchise>> {
  const { rows } = await db.query<FranchiseRow>({
    name: "find-franchises",
    text: `select * from franchise
      where bucket = $1 and merchant_id = $2 and franchise_id = any ($3) and deleted_at is null`,
    values: [bucket, merchantId, franchiseIds],
  });
  const franchises = await readSecretRows(db, rows, fromRow);
  return new Map(franchises.map((franchise) => [franchise.franchiseId, franchise]));
}

/** The merchant's franchises in id order, deleted ones too. */
export async function listFranchises(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<Franchise[]> {
  const { rows } = await db.query<FranchiseRow>(
    "select * from franchise where bucket = $1 and merchant_id = $2 order by franchise_id",
    [bucket, merchantId],
  );
  return readSecretRows(db, rows, fromRow);
}

export type FranchiseSearch = {
  /** A part of the name, or of the code, in any case; `null` for all. */
  readonly text: string | null;
  readonly status: "active" | "deleted" | null;
  /** The franchise after which the page begins. */
  readonly after: bigint | null;
  readonly limit: number;
};

/** One page of a merchant's franchises, newest first. */
export async function pageFranchises(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { text, status, after, limit }: FranchiseSearch,
): Promise<Franchise[]> {
  const { rows } = await db.query<FranchiseRow>(
    `select * from franchise
     where bucket = $1 and merchant_id = $2 and ($3::bigint is null or franchise_id < $3)
       and ($4::text is null or strpos(lower(franchise_name), lower($4)) > 0
         or strpos(lower(franchise_code), lower($4)) > 0)
       and ($5::text is null or (deleted_at is not null) = ($5 = 'deleted'))
     order by franchise_id desc
     limit $6`,
    [bucket, merchantId, after, text, status, limit],
  );
  return readSecretRows(db, rows, fromRow);
}
