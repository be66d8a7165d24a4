// All SQL of the vouchers of advances and of their tax.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import type { AdvanceTaxEntry, AdvanceVoucher } from "./advance-gst.ts";

type VoucherKey = MerchantKey & Pick<AdvanceVoucher, "voucherId">;
const VOUCHERS = table<AdvanceVoucher, VoucherKey>("advance_voucher", ["bucket", "merchantId", "voucherId"], {
  bucket: "smallint",
  merchantId: "bigint",
  voucherId: "bigint",
  kind: "text",
  receiptId: "bigint",
  seriesId: "bigint",
  financialYear: "smallint",
  voucherNumber: "text",
  voucherDate: "date",
  amountPaise: "bigint",
  rateThousandths: "bigint",
  supply: "text",
  placeOfSupply: "text",
  igstPaise: "bigint",
  cgstPaise: "bigint",
  sgstPaise: "bigint",
  content: "jsonb",
  createdAt: "timestamptz",
});

type EntryKey = MerchantKey & Pick<AdvanceTaxEntry, "entryId">;
const ENTRIES = table<AdvanceTaxEntry, EntryKey>("advance_tax", ["bucket", "merchantId", "entryId"], {
  bucket: "smallint",
  merchantId: "bigint",
  entryId: "bigint",
  receiptId: "bigint",
  entryDate: "date",
  cause: "text",
  amountPaise: "bigint",
  igstPaise: "bigint",
  cgstPaise: "bigint",
  sgstPaise: "bigint",
  createdAt: "timestamptz",
});

export async function insertVoucher(connection: Connection, voucher: AdvanceVoucher): Promise<void> {
  await VOUCHERS.insertAll(connection, [voucher]);
}

export async function insertAdvanceTax(connection: Connection, entry: AdvanceTaxEntry): Promise<void> {
  await ENTRIES.insertAll(connection, [entry]);
}

/** A merchant's voucher, by the id of its receipt or refund; `null` where there is none. */
export function findVoucher(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  voucherId: bigint,
): Promise<AdvanceVoucher | null> {
  return VOUCHERS.find(db, { bucket, merchantId, voucherId });
}

/** The vouchers of a receipt: of its advance, and of its refunds. */
export function listVouchers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  receiptId: bigint,
): Promise<AdvanceVoucher[]> {
  return VOUCHERS.select(db, {
    name: "list-advance-vouchers",
    text: `select * from advance_voucher where bucket = $1 and merchant_id = $2 and receipt_id = $3
      order by kind, created_at, voucher_id`,
    values: [bucket, merchantId, receiptId],
  });
}
