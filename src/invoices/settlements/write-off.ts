// Use case: write off the small unpaid rest of an invoice.
import { findBookSetting } from "../../books/index.ts";
import { runIdempotently, todayOf, type Answered, type Context, type Merchant } from "../../merchants/index.ts";
import { fieldRefusal, type NodalError } from "../../platform/errors.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { dueOf } from "../invoice.ts";
import { WRITE_OFF } from "../settlement-store.ts";
import { lockInvoice, newSettlement, recordSettlement, type Settled } from "./settle-invoice.ts";

export type WriteOff = {
  readonly invoiceId: bigint;
  /** `null` for today. */
  readonly date: Temporal.PlainDate | null;
  readonly reason: string;
};

const NO_DETAILS = { bankName: "", bankRefNo: "", chequeNo: "", cashPaidTo: "", tdsPaise: 0n, tdsCode: "" };

/**
 * Writes off the whole due amount of an invoice: docs/rules/invoicing.md#write-offs. It can be reversed like a payment
 * (`reverseSettlement`).
 * @throws NodalError `invoice_not_found`, `invoice_cancelled`, `invoice_carried_forward`, `invoice_already_paid`, or
 * `write_off_exceeds_limit`
 */
export async function writeOffInvoice(
  { pool, ids, merchant, idempotency }: Context<Merchant>,
  { invoiceId, date, reason }: WriteOff,
): Promise<Answered<Settled>> {
  const settlementId = await ids.next();
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const before = await lockInvoice(connection, merchant, invoiceId);
    const amountPaise = dueOf(before);
    const { writeOffLimitPaise } = await findBookSetting(connection, merchant);
    if (amountPaise > writeOffLimitPaise) throw tooMuch(amountPaise, writeOffLimitPaise);
    const payment = { paidDate: date ?? todayOf(merchant), amountPaise, mode: WRITE_OFF, ...NO_DETAILS };
    const settlement = {
      ...newSettlement(before, settlementId, { ...payment, invoiceId, notify: false }),
      writeOffReason: reason,
    };
    return recordSettlement({ connection, ids, merchant }, before, settlement, false);
  });
}

function tooMuch(duePaise: bigint, limitPaise: bigint): NodalError {
  const problem = `Of an invoice at most ${formatRupees(limitPaise)} may be written off, and ${formatRupees(duePaise)} is due: record a payment or a credit note first, or raise the limit in the settings of the books.`;
  return fieldRefusal("write_off_exceeds_limit", "invoice_id", problem);
}
