// SQL of settlements: recorded payments of invoices, and reversed ones.
import type pg from "pg";
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { InvoiceKey } from "./invoice.ts";

/** How an invoice was paid. Missing texts are empty. */
export type PaymentDetails = {
  readonly paidDate: Temporal.PlainDate;
  /** The settled amount: money and TDS. */
  readonly amountPaise: bigint;
  readonly mode: string;
  readonly bankName: string;
  readonly bankRefNo: string;
  readonly chequeNo: string;
  readonly cashPaidTo: string;
  /** The part of the amount that is tax deducted by the customer. 0 if none. */
  readonly tdsPaise: bigint;
  /** The payment code of the deduction; empty if not given. */
  readonly tdsCode: string;
};

/** The mode of a settlement without money. No payment request can have it. */
export const WRITE_OFF = "Write-off";

export type SettlementKey = MerchantKey & { readonly settlementId: bigint };

export type Settlement = SettlementKey &
  PaymentDetails & {
    readonly invoiceId: bigint;
    /** The later invoice's payment that this is a part of; `null` for a separate payment. */
    readonly viaSettlementId: bigint | null;
    /** The receipt whose money it uses; `null` for a separate payment and for a part of another one. */
    readonly receiptId: bigint | null;
    /** Why it was written off; `null` for a payment. */
    readonly writeOffReason: string | null;
    readonly reversedAt: Temporal.Instant | null;
    /** Why it was reversed; `null` if it was not. */
    readonly reversalReason: string | null;
  };

const SETTLEMENTS = table<Settlement, SettlementKey>("settlement", ["bucket", "merchantId", "settlementId"], {
  bucket: "smallint",
  merchantId: "bigint",
  settlementId: "bigint",
  invoiceId: "bigint",
  paidDate: "date",
  amountPaise: "bigint",
  mode: "text",
  bankName: "text",
  bankRefNo: "text",
  chequeNo: "text",
  cashPaidTo: "text",
  tdsPaise: "bigint",
  tdsCode: "text",
  viaSettlementId: "bigint",
  receiptId: "bigint",
  writeOffReason: "text",
  reversedAt: "timestamptz",
  reversalReason: "text",
});

/** Records payments, of one merchant or of several. The caller has locked the invoices. */
export async function insertSettlements(
  connection: Connection,
  settlements: readonly Settlement[],
  now: Temporal.Instant,
): Promise<void> {
  await connection.query(insertStatement(settlements, now));
}

/** The statement that does so. */
export function insertStatement(settlements: readonly Settlement[], now: Temporal.Instant): pg.QueryConfig {
  const { columns, arrays, values } = SETTLEMENTS.arrays(settlements, { from: 2 });
  return {
    name: "insert-settlements",
    text: `insert into settlement (created_at, ${columns}) select $1::timestamptz, * from unnest(${arrays}) returning 1`,
    values: [now.toString(), ...values],
  };
}

/** Finds a merchant's settlement. */
export function findSettlement(db: Queryable, key: SettlementKey): Promise<Settlement | null> {
  return SETTLEMENTS.find(db, key);
}

/** The settlements of an invoice, including reversed ones, in the order in which they were recorded. */
export async function listSettlements(
  db: Queryable,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<Settlement[]> {
  return SETTLEMENTS.select(db, {
    name: "list-settlements",
    text: `select * from settlement where bucket = $1 and merchant_id = $2 and invoice_id = $3
      order by created_at, settlement_id`,
    values: [bucket, merchantId, invoiceId],
  });
}

/** The settlements that use a receipt, including reversed ones, in the order in which they were recorded. */
export async function listSettlementsOfReceipt(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  receiptId: bigint,
): Promise<Settlement[]> {
  return SETTLEMENTS.select(db, {
    name: "list-settlements-of-receipt",
    text: `select * from settlement where bucket = $1 and merchant_id = $2 and receipt_id = $3
      order by created_at, settlement_id`,
    values: [bucket, merchantId, receiptId],
  });
}

/** The parts of these payments that are on the earlier invoices whose dues the invoice carries, without reversed ones. */
export async function listPassedOn(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  payments: readonly Settlement[],
): Promise<Settlement[]> {
  return SETTLEMENTS.select(connection, {
    name: "list-passed-on",
    text: `select * from settlement
      where bucket = $1 and merchant_id = $2 and via_settlement_id = any ($3::bigint[]) and reversed_at is null
      order by created_at, settlement_id`,
    values: [bucket, merchantId, payments.map(({ settlementId }) => settlementId)],
  });
}

/** Marks a settlement as reversed. The caller has locked its invoice. */
export async function markReversed(
  connection: Connection,
  key: SettlementKey,
  reason: string,
  now: Temporal.Instant,
): Promise<void> {
  const { bucket, merchantId, settlementId } = key;
  await SETTLEMENTS.update(connection, { bucket, merchantId, settlementId, reversedAt: now, reversalReason: reason });
}

/** The latest date of an invoice's settlements, without reversed ones; `null` if there are none. */
export async function lastPaidDate(
  connection: Connection,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<Temporal.PlainDate | null> {
  const { rows } = await connection.query<{ paid_date: Temporal.PlainDate | null }>(
    `select max(paid_date) as paid_date from settlement
     where bucket = $1 and merchant_id = $2 and invoice_id = $3 and reversed_at is null`,
    [bucket, merchantId, invoiceId],
  );
  return rows[0]!.paid_date;
}

/** A merchant's settlements by their ids, reversed or not. */
export async function findSettlements(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  settlementIds: readonly bigint[],
): Promise<Settlement[]> {
  return SETTLEMENTS.select(db, {
    name: "find-settlements",
    text: "select * from settlement where bucket = $1 and merchant_id = $2 and settlement_id = any ($3)",
    values: [bucket, merchantId, settlementIds],
  });
}

/**
 * The write-offs of an invoice, in paise, without reversed ones and without what they settled of the earlier dues that it carries.
 * The caller has locked the invoice.
 */
export async function sumWrittenOff(
  connection: Connection,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<bigint> {
  const { rows } = await connection.query<{ paise: string }>({
    name: "sum-written-off",
    text: `select coalesce(sum(paise), 0)::text as paise
      from (
        select amount_paise as paise from settlement
        where bucket = $1 and merchant_id = $2 and invoice_id = $3 and mode = '${WRITE_OFF}' and reversed_at is null
        union all
        select -part.amount_paise
        from settlement payment
        join settlement part on part.bucket = payment.bucket and part.merchant_id = payment.merchant_id
          and part.via_settlement_id = payment.settlement_id
        where payment.bucket = $1 and payment.merchant_id = $2 and payment.invoice_id = $3 and payment.mode = '${WRITE_OFF}'
          and part.bucket = $1 and part.merchant_id = $2 and part.reversed_at is null
      ) as written_off`,
    values: [bucket, merchantId, invoiceId],
  });
  return BigInt(rows[0]!.paise);
}
