// The data that a voucher of an advance is printed from.
import type { Merchant } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { HEAD_OF_TAX, TAXES_OF_SUPPLY } from "../gst-row.ts";
import { findReceipt, listReceiptRefunds } from "../receipt-store.ts";
import type { Receipt, ReceiptRefund } from "../receipt.ts";
import type { Tax } from "../totals.ts";
import type { AdvanceVoucher } from "./advance-gst.ts";
import { findVoucher } from "./advance-store.ts";

export type VoucherPapers = {
  readonly voucher: AdvanceVoucher;
  /** The receipt voucher: the voucher itself where it is one. */
  readonly original: AdvanceVoucher;
  readonly receipt: Receipt;
  /** Of a refund voucher; `null` of a receipt voucher. */
  readonly refund: ReceiptRefund | null;
};

/** A voucher of a receipt, with the data for printing it. @throws NodalError `receipt_not_found` */
export async function requireVoucher(
  db: Queryable,
  merchant: Merchant,
  { receiptId, voucherId }: Pick<AdvanceVoucher, "receiptId" | "voucherId">,
): Promise<VoucherPapers> {
  const [voucher, original, receipt] = await Promise.all([
    findVoucher(db, merchant, voucherId),
    findVoucher(db, merchant, receiptId),
    findReceipt(db, merchant, receiptId),
  ]);
  if (!original || !receipt || voucher?.receiptId !== receiptId) {
    throw new NodalError("receipt_not_found", "Voucher not found: use a voucher_id of the receipt.");
  }
  const refunds = voucher.kind === "refund_voucher" ? await listReceiptRefunds(db, receipt) : [];
  return { voucher, original, receipt, refund: refunds.find(({ refundId }) => refundId === voucherId) ?? null };
}

/** The taxes of a voucher, as they are printed. */
export function taxesOfVoucher(voucher: AdvanceVoucher): Pick<Tax, "name" | "percentThousandths" | "amountPaise">[] {
  const names = TAXES_OF_SUPPLY[voucher.supply];
  return names.map((name) => ({
    name,
    percentThousandths: voucher.rateThousandths / BigInt(names.length),
    amountPaise: voucher[HEAD_OF_TAX[name]],
  }));
}
