// All SQL of TDS claims.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import type { Quarter, TdsClaim, TdsClaimState, TdsClaimStatus } from "./tds-claim.ts";

type ClaimKey = MerchantKey & Pick<TdsClaimState, "claimId">;
const CLAIMS = table<TdsClaimState, ClaimKey>("tds_claim", ["bucket", "merchantId", "claimId"], {
  bucket: "smallint",
  merchantId: "bigint",
  claimId: "bigint",
  certificateNumber: "text",
  putBackAt: "timestamptz",
  putBackReason: "text",
});

/** The status of a claim; `null` for a new one. */
export function findClaimState(db: Queryable, key: ClaimKey): Promise<TdsClaimState | null> {
  return CLAIMS.find(db, key, true);
}

/** Saves the status of a claim, whose payment or receipt the caller has locked. */
export async function saveClaimState(connection: Connection, state: TdsClaimState): Promise<void> {
  const { bucket, merchantId, claimId, certificateNumber, putBackAt, putBackReason } = state;
  await connection.query(
    `insert into tds_claim (bucket, merchant_id, claim_id, certificate_number, put_back_at, put_back_reason)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (bucket, merchant_id, claim_id) do update set
       certificate_number = excluded.certificate_number, put_back_at = excluded.put_back_at,
       put_back_reason = excluded.put_back_reason`,
    [bucket, merchantId, claimId, certificateNumber, putBackAt?.toString() ?? null, putBackReason],
  );
}

/** Locks the payment or the receipt of a claim until the transaction ends. */
export async function lockClaim(connection: Connection, { bucket, merchantId, claimId }: ClaimKey): Promise<void> {
  const values = [bucket, merchantId, claimId];
  const lock = (name: string): string =>
    `select 1 from ${name} where bucket = $1 and merchant_id = $2 and ${name}_id = $3 for update`;
  await connection.query(lock("receipt"), values);
  await connection.query(lock("settlement"), values);
}

export type ClaimFilter = {
  /** `null` for all quarters. */
  readonly quarter: Quarter | null;
  /** `null` for all customers, statuses and claims. */
  readonly customerId: bigint | null;
  readonly status: TdsClaimStatus | null;
  readonly claimId: bigint | null;
};

/** The end of a page. */
export type ClaimPlace = Pick<TdsClaim, "customerId" | "claimId">;

const DEDUCTED = `
  select
    settlement.settlement_id as claim_id, settlement.invoice_id, invoice.invoice_number as document_number, invoice.customer_id,
    settlement.paid_date, settlement.amount_paise, settlement.tds_paise, settlement.tds_code, settlement.reversed_at
  from settlement
  join invoice on invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = settlement.invoice_id
  where settlement.bucket = $1 and settlement.merchant_id = $2 and settlement.tds_paise > 0 and settlement.receipt_id is null
    and settlement.via_settlement_id is null
    and ($3::date is null or settlement.paid_date between $3 and $4::date)
    and ($7::bigint is null or settlement.settlement_id = $7)
  union all
  select
    receipt_id, 0, receipt_number, customer_id, paid_date, amount_paise, tds_paise, tds_code, reversed_at
  from receipt
  where bucket = $1 and merchant_id = $2 and tds_paise > 0 and ($3::date is null or paid_date between $3 and $4::date)
    and ($7::bigint is null or receipt_id = $7)`;

/** A page of the tax that customers deducted, by customer. Of reversed payments, only those whose tax was put back are included. */
export async function pageClaims(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { quarter, customerId, status, claimId }: ClaimFilter,
  { after, limit }: { readonly after: ClaimPlace | null; readonly limit: number },
): Promise<TdsClaim[]> {
  const { rows } = await db.query<ClaimRow>(
    `with deducted as (${DEDUCTED}), claim as (
       select
         deducted.*, coalesce(known.certificate_number, '') as certificate_number, known.put_back_at, known.put_back_reason,
         case when known.put_back_at is not null then 'put_back' when coalesce(known.certificate_number, '') = '' then 'missing'
           else 'received' end as status
       from deducted
       left join tds_claim known on known.bucket = $1 and known.merchant_id = $2 and known.claim_id = deducted.claim_id
       where deducted.reversed_at is null or known.put_back_at is not null
     )
     select claim.*, customer.customer_code, customer.customer_name
     from claim
     join customer on customer.bucket = $1 and customer.merchant_id = $2 and customer.customer_id = claim.customer_id
     where ($5::bigint is null or claim.customer_id = $5) and ($6::text is null or claim.status = $6)
       and ($8::bigint is null or (claim.customer_id, claim.claim_id) > ($8, $9::bigint))
     order by claim.customer_id, claim.claim_id limit $10`,
    [
      bucket,
      merchantId,
      quarter?.from.toString() ?? null,
      quarter?.to.toString() ?? null,
      customerId,
      status,
      claimId,
      after?.customerId ?? null,
      after?.claimId ?? null,
      limit,
    ],
  );
  return rows.map((row) => ({ bucket, merchantId, ...toClaim(row) }));
}

/** A claim of a merchant; `null` where there is none. */
export async function findClaim(db: Queryable, merchant: MerchantKey, claimId: bigint): Promise<TdsClaim | null> {
  const filter = { quarter: null, customerId: null, status: null, claimId };
  return (await pageClaims(db, merchant, filter, { after: null, limit: 1 }))[0] ?? null;
}

type ClaimRow = {
  claim_id: bigint;
  invoice_id: bigint;
  document_number: string;
  customer_id: bigint;
  customer_code: string;
  customer_name: string;
  paid_date: Temporal.PlainDate;
  amount_paise: bigint;
  tds_paise: bigint;
  tds_code: string;
  certificate_number: string;
  put_back_at: Temporal.Instant | null;
  put_back_reason: string | null;
};

function toClaim(row: ClaimRow): Omit<TdsClaim, keyof MerchantKey> {
  return {
    claimId: row.claim_id,
    invoiceId: row.invoice_id,
    documentNumber: row.document_number,
    customerId: row.customer_id,
    customerCode: row.customer_code,
    customerName: row.customer_name,
    paidDate: row.paid_date,
    moneyPaise: row.amount_paise - row.tds_paise,
    tdsPaise: row.tds_paise,
    tdsCode: row.tds_code,
    certificateNumber: row.certificate_number,
    putBackAt: row.put_back_at,
    putBackReason: row.put_back_reason,
  };
}
