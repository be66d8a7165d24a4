// All SQL of receipts and their refunds. settlement-store.ts has their settlements.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { Receipt, ReceiptKey, ReceiptRefund } from "./receipt.ts";

const RECEIPTS = table<Receipt, ReceiptKey>("receipt", ["bucket", "merchantId", "receiptId"], {
  bucket: "smallint",
  merchantId: "bigint",
  receiptId: "bigint",
  seriesId: "bigint",
  financialYear: "smallint",
  receiptNumber: "text",
  customerId: "bigint",
  paidDate: "date",
  amountPaise: "bigint",
  mode: "text",
  bankName: "text",
  bankRefNo: "text",
  chequeNo: "text",
  cashPaidTo: "text",
  tdsPaise: "bigint",
  tdsCode: "text",
  reference: "text",
  statementLineId: "bigint",
  importKey: "text",
  usedPaise: "bigint",
  usedTdsPaise: "bigint",
  refundedPaise: "bigint",
  createdAt: "timestamptz",
  reversedAt: "timestamptz",
  reversalReason: "text",
});

type RefundKey = MerchantKey & Pick<ReceiptRefund, "refundId">;
const REFUNDS = table<ReceiptRefund, RefundKey>("receipt_refund", ["bucket", "merchantId", "refundId"], {
  bucket: "smallint",
  merchantId: "bigint",
  refundId: "bigint",
  receiptId: "bigint",
  paidDate: "date",
  amountPaise: "bigint",
  mode: "text",
  bankName: "text",
  bankRefNo: "text",
  chequeNo: "text",
  cashPaidTo: "text",
  reference: "text",
  createdAt: "timestamptz",
});

export async function insertReceipt(connection: Connection, receipt: Receipt): Promise<void> {
  await RECEIPTS.insertAll(connection, [receipt]);
}

/** Saves the used and refunded amounts of a receipt that the caller has locked, and whether it was reversed. */
export async function updateReceipt(connection: Connection, receipt: Receipt): Promise<void> {
  const { bucket, merchantId, receiptId, usedPaise, usedTdsPaise, refundedPaise, reversedAt, reversalReason } = receipt;
  const used = { usedPaise, usedTdsPaise, refundedPaise, reversedAt, reversalReason };
  await RECEIPTS.update(connection, { bucket, merchantId, receiptId, ...used });
}

/** A merchant's receipt; `null` if there is none. `lock` locks it until the transaction ends. */
export function findReceipt(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  receiptId: bigint,
  lock = false,
): Promise<Receipt | null> {
  return RECEIPTS.find(db, { bucket, merchantId, receiptId }, lock);
}

/** The receipts with these ids. */
export function findReceipts(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  receiptIds: readonly bigint[],
): Promise<Receipt[]> {
  return RECEIPTS.select(db, {
    name: "find-receipts",
    text: "select * from receipt where bucket = $1 and merchant_id = $2 and receipt_id = any ($3)",
    values: [bucket, merchantId, receiptIds],
  });
}

/** The refunds with these ids. */
export function findReceiptRefunds(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  refundIds: readonly bigint[],
): Promise<ReceiptRefund[]> {
  return REFUNDS.select(db, {
    name: "find-receipt-refunds",
    text: "select * from receipt_refund where bucket = $1 and merchant_id = $2 and refund_id = any ($3)",
    values: [bucket, merchantId, refundIds],
  });
}

/** The receipts recorded from these bank statement lines, without reversed ones. */
export function findReceiptsOfLines(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  lineIds: readonly bigint[],
): Promise<Receipt[]> {
  return RECEIPTS.select(db, {
    name: "find-receipts-of-lines",
    text: `select * from receipt
      where bucket = $1 and merchant_id = $2 and statement_line_id = any ($3) and reversed_at is null
      order by receipt_id`,
    values: [bucket, merchantId, lineIds],
  });
}

/** The receipts that were imported under these keys and are not reversed, by key. */
export async function findImportedReceipts(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  importKeys: readonly string[],
): Promise<ReadonlyMap<string, Receipt>> {
  const found = await RECEIPTS.select(db, {
    name: "find-imported-receipts",
    text: `select * from receipt
      where bucket = $1 and merchant_id = $2 and import_key = any ($3) and reversed_at is null`,
    values: [bucket, merchantId, importKeys],
  });
  return new Map(found.map((receipt) => [receipt.importKey!, receipt]));
}

/** Parts of the list of receipts, with their conditions, each of which has an index. */
const CONDITION_OF = {
  with_advance: "reversed_at is null and amount_paise > used_paise + refunded_paise",
  reversed: "reversed_at is not null",
} as const;
type ReceiptKind = keyof typeof CONDITION_OF;

export const RECEIPT_KINDS = Object.keys(CONDITION_OF) as readonly ReceiptKind[];

export type ReceiptFilter = {
  /** `null` for all customers. */
  readonly customerId: bigint | null;
  /** Only those with an unused rest, or only reversed ones; `null` for all. */
  readonly kind: ReceiptKind | null;
};

/** A customer's advance from all receipts, in paise. */
export async function sumAdvance(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  customerId: bigint,
): Promise<bigint> {
  const { rows } = await db.query<{ advance: bigint }>({
    name: "sum-advance",
    text: `select coalesce(sum(amount_paise - used_paise - refunded_paise), 0)::bigint as advance from receipt
      where bucket = $1 and merchant_id = $2 and customer_id = $3 and reversed_at is null`,
    values: [bucket, merchantId, customerId],
  });
  return rows[0]!.advance;
}

/** A page of a merchant's receipts, the newest first, after the one with the id `after`. */
export function pageReceipts(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { customerId, kind }: ReceiptFilter,
  { after, limit }: { readonly after: bigint | null; readonly limit: number },
): Promise<Receipt[]> {
  return RECEIPTS.select(db, {
    name: `page-receipts-${kind ?? "all"}`,
    text: `select * from receipt
      where bucket = $1 and merchant_id = $2 and ($3::bigint is null or receipt_id < $3)
        and ($4::bigint is null or customer_id = $4) and ${kind === null ? "true" : CONDITION_OF[kind]}
      order by receipt_id desc limit $5`,
    values: [bucket, merchantId, after, customerId, limit],
  });
}

export async function insertReceiptRefund(connection: Connection, refund: ReceiptRefund): Promise<void> {
  await REFUNDS.insertAll(connection, [refund]);
}

/** The refunds of a receipt, in the order in which they were recorded. */
export function listReceiptRefunds(
  db: Queryable,
  { bucket, merchantId, receiptId }: ReceiptKey,
): Promise<ReceiptRefund[]> {
  return REFUNDS.select(db, {
    name: "list-receipt-refunds",
    text: `select * from receipt_refund where bucket = $1 and merchant_id = $2 and receipt_id = $3
      order by created_at, refund_id`,
    values: [bucket, merchantId, receiptId],
  });
}
