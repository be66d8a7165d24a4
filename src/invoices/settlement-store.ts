// SQL of settlements: payments of invoices that were recorded, and those that were reversed.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { InvoiceKey } from "./invoice.ts";

/** How an invoice was paid. Texts that were not given are empty. */
export type PaymentDetails = {
  readonly paidDate: Temporal.PlainDate;
  readonly amountPaise: bigint;
  readonly mode: string;
  readonly bankName: string;
  readonly bankRefNo: string;
  readonly chequeNo: string;
  readonly cashPaidTo: string;
};

export type SettlementKey = MerchantKey & { readonly settlementId: bigint };

export type Settlement = SettlementKey &
  PaymentDetails & {
    readonly invoiceId: bigint;
    /** The payment of a later invoice that this is a part of; `null` for a payment of its own. */
    readonly viaSettlementId: bigint | null;
    readonly reversedAt: Temporal.Instant | null;
    /** Why it was reversed; `null` while it stands. */
    readonly reversalReason: string | null;
  };

type SettlementRow = {
  bucket: number;
  merchant_id: bigint;
  settlement_id: bigint;
  invoice_id: bigint;
  paid_date: Temporal.PlainDate;
  amount_paise: bigint;
  mode: string;
  bank_name: string;
  bank_ref_no: string;
  cheque_no: string;
  cash_paid_to: string;
  via_settlement_id: bigint | null;
  reversed_at: Temporal.Instant | null;
  reversal_reason: string | null;
};

function fromRow(row: SettlementRow): Settlement {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    settlementId: row.settlement_id,
    invoiceId: row.invoice_id,
    paidDate: row.paid_date,
    amountPaise: row.amount_paise,
    mode: row.mode,
    bankName: row.bank_name,
    bankRefNo: row.bank_ref_no,
    chequeNo: row.cheque_no,
    cashPaidTo: row.cash_paid_to,
    viaSettlementId: row.via_settlement_id,
    reversedAt: row.reversed_at,
    reversalReason: row.reversal_reason,
  };
}

/** Records a payment. The caller holds the invoice. */
export async function insertSettlement(
  connection: Connection,
  settlement: Settlement,
  now: Temporal.Instant,
): Promise<void> {
  await connection.query({
    name: "insert-settlement",
    text: `insert into settlement (
        bucket, merchant_id, settlement_id, invoice_id, paid_date, amount_paise, mode, bank_name, bank_ref_no,
        cheque_no, cash_paid_to, created_at, via_settlement_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    values: [
      settlement.bucket,
      settlement.merchantId,
      settlement.settlementId,
      settlement.invoiceId,
      settlement.paidDate.toString(),
      settlement.amountPaise,
      settlement.mode,
      settlement.bankName,
      settlement.bankRefNo,
      settlement.chequeNo,
      settlement.cashPaidTo,
      now.toString(),
      settlement.viaSettlementId,
    ],
  });
}

/** Finds a merchant's settlement. */
export async function findSettlement(db: Queryable, key: SettlementKey): Promise<Settlement | null> {
  const { rows } = await db.query<SettlementRow>({
    name: "find-settlement",
    text: "select * from settlement where bucket = $1 and merchant_id = $2 and settlement_id = $3",
    values: [key.bucket, key.merchantId, key.settlementId],
  });
  return rows[0] ? fromRow(rows[0]) : null;
}

/** The settlements of an invoice, the reversed ones included, in the order in which they were recorded. */
export async function listSettlements(
  db: Queryable,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<Settlement[]> {
  const { rows } = await db.query<SettlementRow>({
    name: "list-settlements",
    text: `select * from settlement where bucket = $1 and merchant_id = $2 and invoice_id = $3
      order by settlement_id`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows.map(fromRow);
}

/** What stands of these payments of an invoice on the earlier invoices whose dues it carries. */
export async function listPassedOn(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  payments: readonly Settlement[],
): Promise<Settlement[]> {
  const { rows } = await connection.query<SettlementRow>({
    name: "list-passed-on",
    text: `select * from settlement
      where bucket = $1 and merchant_id = $2 and via_settlement_id = any ($3::bigint[]) and reversed_at is null
      order by settlement_id`,
    values: [bucket, merchantId, payments.map(({ settlementId }) => settlementId)],
  });
  return rows.map(fromRow);
}

/** Marks a settlement as reversed. The caller holds its invoice. */
export async function markReversed(
  connection: Connection,
  key: SettlementKey,
  reason: string,
  now: Temporal.Instant,
): Promise<void> {
  await connection.query(
    `update settlement set reversed_at = $4, reversal_reason = $5
     where bucket = $1 and merchant_id = $2 and settlement_id = $3`,
    [key.bucket, key.merchantId, key.settlementId, now.toString(), reason],
  );
}

/** The latest date of the settlements that stand on an invoice; `null` where none does. */
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
  const { rows } = await db.query<SettlementRow>({
    name: "find-settlements",
    text: "select * from settlement where bucket = $1 and merchant_id = $2 and settlement_id = any ($3)",
    values: [bucket, merchantId, settlementIds],
  });
  return rows.map(fromRow);
}
