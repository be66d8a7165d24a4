// Two use cases: record a customer's money as a receipt, and let later invoices use the rest of one.
import { findCustomers } from "../../customers/index.ts";
import type { NewEvent } from "../../ledger/index.ts";
import {
  runIdempotently,
  type Answered,
  type Context,
  type Merchant,
  type TransactionContext,
} from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError, validationError } from "../../platform/errors.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { decideTerms, type AskedGst } from "./decide-terms.ts";
import { adjustAdvanceTax, issueReceiptVoucher, NOTHING_BESIDE, type VoucherTerms } from "../advances/issue-voucher.ts";
import { postingsOfMoney } from "../invoice-postings.ts";
import { requireTemplate } from "../invoice-references.ts";
import { takeNumbers } from "../numbers/number-counter-store.ts";
import { financialYearOf, writeNumber } from "../numbers/number-series.ts";
import type { InTurn } from "../saves/invoice-saves.ts";
import type { PaymentDetails } from "../settlement-store.ts";
import { findReceipt, insertReceipt, updateReceipt } from "../receipt-store.ts";
import {
  receiptNotFound,
  receiptPosting,
  receiptRecorded,
  refuseIfReceiptReversed,
  type Receipt,
  type ReceiptKey,
} from "../receipt.ts";
import { useReceipt, type Allocation, type ReceiptWrites, type UseReceipt } from "./use-receipt.ts";

/** Bank statement lines, which belong to another domain. Both methods run in the transaction of a receipt. */
export type BankLines = {
  /**
   * Takes an open line of incoming money for a receipt of this number.
   * @throws NodalError `not_found`, `validation_failed` for any other line, or one that is matched or set aside
   */
  readonly take: (
    connection: Connection,
    merchant: Merchant,
    line: { readonly lineId: bigint; readonly receiptNumber: string },
  ) => Promise<{ readonly amountPaise: bigint; readonly bookedOn: Temporal.PlainDate; readonly event: NewEvent }>;
  /** Reopens the line of a reversed receipt. */
  readonly release: (connection: Connection, merchant: Merchant, lineId: bigint) => Promise<NewEvent>;
};

export type ReceiptContext = Context<Merchant> & {
  readonly bankLines: BankLines;
  /** Waits for the merchant's turn among the saves of this process. */
  readonly inTurn: InTurn;
};

export type NewReceipt = {
  readonly customerId: bigint;
  readonly payment: PaymentDetails & Pick<Receipt, "reference" | "statementLineId" | "importKey">;
  readonly allocations: UseReceipt["allocations"];
  /** The GST in the advance; `null` for none. */
  readonly advanceGst: AskedGst | null;
  readonly among?: UseReceipt["among"];
  readonly notify: boolean;
};

/**
 * Records a customer's money, with its use by invoices, and returns the receipt's id. docs/rules/receipts.md
 * @throws NodalError `customer_not_found`, `validation_failed` for a code without TDS or an invoice that is named twice, and as
 * `useReceipt`
 */
export async function recordReceipt(
  { pool, ids, merchant, idempotency, inTurn, bankLines }: ReceiptContext,
  { customerId, payment, allocations, among, advanceGst, notify }: NewReceipt,
): Promise<Answered<string>> {
  const receiptId = await ids.next();
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      if (payment.tdsCode !== "" && payment.tdsPaise === 0n) {
        const problem = "is required beside tds_code: the tax that the customer deducted.";
        throw validationError([{ field: "tds_amount", code: "required", problem }]);
      }
      refuseTwice(allocations);
      const customer = (await findCustomers(connection, merchant, [customerId])).get(customerId);
      if (!customer) {
        const problem = ": there is no such customer. Use a customer_id from GET /api/v4/customers.";
        throw fieldRefusal("customer_not_found", "customer_id", problem);
      }
      const date = payment.paidDate;
      const terms = advanceGst && (await decideTerms(connection, merchant, customer, advanceGst, date));
      const use = { allocations, among: among ?? null, date, notify };
      const numbered = { receiptId, ...(await numberReceipt(connection, merchant, payment)) };
      await insertNewReceipt({ connection, ids, merchant }, { customerId, ...payment, ...numbered }, use, {
        bankLines,
        events: [],
        voucher: terms && { ...terms, date },
      });
      return String(receiptId);
    }),
  );
}

type ReceiptNumber = Pick<Receipt, "seriesId" | "financialYear" | "receiptNumber">;

/** Takes the number of a new receipt: before any invoice is locked, since other holders of the counter wait for invoices. */
export async function numberReceipt(
  connection: Connection,
  merchant: Merchant,
  { paidDate }: Pick<PaymentDetails, "paidDate">,
): Promise<ReceiptNumber> {
  const series = (await requireTemplate(connection, merchant, null)).series.receipt;
  const financialYear = financialYearOf(paidDate);
  const counter = await takeNumbers(connection, merchant, series, financialYear, 1);
  const receiptNumber = writeNumber(series, financialYear, counter);
  if (receiptNumber === null) throw noNumbersLeft();
  return { seriesId: series.seriesId, financialYear, receiptNumber };
}

type NewReceiptParts = {
  readonly bankLines: BankLines;
  readonly events: readonly NewEvent[];
  /** The number of the voucher for the rest; `null` for none. */
  readonly voucher: VoucherTerms | null;
};

/**
 * Saves a new receipt with its use, and records it after `events`: the last step of a transaction.
 * @throws NodalError as `useReceipt` does
 */
export async function insertNewReceipt(
  { connection, ids, merchant }: TransactionContext<Merchant>,
  payment: NewReceipt["payment"] & ReceiptNumber & Pick<Receipt, "receiptId" | "customerId">,
  use: UseReceipt,
  { bankLines, events, voucher }: NewReceiptParts,
): Promise<void> {
  const { bucket, merchantId } = merchant;
  const receipt: Receipt = {
    ...payment,
    bucket,
    merchantId,
    usedPaise: 0n,
    usedTdsPaise: 0n,
    refundedPaise: 0n,
    createdAt: Temporal.Now.instant(),
    reversedAt: null,
    reversalReason: null,
  };
  const lineEvents = await takeLine(connection, merchant, bankLines, receipt);
  const subject = { kind: "receipt", id: receipt.receiptId, date: use.postedOn ?? receipt.paidDate } as const;
  const writes: ReceiptWrites = {
    write: (used) => insertReceipt(connection, used),
    tax: async (used) => (voucher ? issueReceiptVoucher(connection, merchant, used, voucher) : NOTHING_BESIDE),
  };
  await useReceipt({ connection, ids, merchant }, receipt, use, writes, {
    events: [...events, ...lineEvents, receiptRecorded(receipt)],
    postings: [receiptPosting(receipt, subject, postingsOfMoney(receipt))],
  });
}

/**
 * Lets further invoices use the rest of a receipt, and returns its id.
 * @throws NodalError `receipt_not_found`, `receipt_reversed`, `receipt_exceeded` if nothing is left, `validation_failed` for a day
 * before the receipt's or an invoice that is named twice, and as `useReceipt`
 */
export async function allocateReceipt(
  { pool, ids, merchant, idempotency, inTurn }: ReceiptContext,
  { receiptId, ...request }: Pick<ReceiptKey, "receiptId"> & UseReceipt,
): Promise<Answered<string>> {
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      refuseTwice(request.allocations);
      const receipt = await findReceipt(connection, merchant, receiptId, true);
      if (!receipt) throw receiptNotFound();
      refuseIfReceiptReversed(receipt);
      refuseBefore(request.date, receipt);
      const date = request.postedOn ?? request.date;
      const writes: ReceiptWrites = {
        write: (used) => updateReceipt(connection, used),
        tax: (used) => adjustAdvanceTax({ connection, ids }, { before: receipt, after: used, cause: "used", date }),
      };
      const used = await useReceipt({ connection, ids, merchant }, receipt, request, writes, NOTHING_BESIDE);
      if (used.usedPaise === receipt.usedPaise) throw nothingUsed(receipt);
      return String(receiptId);
    }),
  );
}

/** Takes the line that a receipt is recorded from. @throws NodalError as `BankLines`, and if amount or day differ from it */
async function takeLine(
  connection: Connection,
  merchant: Merchant,
  bankLines: BankLines,
  { statementLineId: lineId, receiptNumber, amountPaise, tdsPaise, paidDate }: Receipt,
): Promise<NewEvent[]> {
  if (lineId === null) return [];
  const line = await bankLines.take(connection, merchant, { lineId, receiptNumber });
  if (amountPaise - tdsPaise !== line.amountPaise) {
    const problem = `must be ${formatRupees(line.amountPaise)}, which came in by line ${lineId}.`;
    throw fieldRefusal("validation_failed", "amount", problem);
  }
  if (!paidDate.equals(line.bookedOn)) {
    const problem = `must be ${line.bookedOn.toString()}, the date of line ${lineId}.`;
    throw fieldRefusal("validation_failed", "date", problem);
  }
  return [line.event];
}

/** @throws NodalError `validation_failed` for a day before the money came in */
export function refuseBefore(date: Temporal.PlainDate, { paidDate, receiptNumber }: Receipt): void {
  if (Temporal.PlainDate.compare(date, paidDate) >= 0) return;
  const problem = `must not be before ${paidDate.toString()}, the date of the receipt ${receiptNumber}.`;
  throw fieldRefusal("validation_failed", "date", problem);
}

function refuseTwice(allocations: readonly Allocation[] | null): void {
  const seen = new Set<bigint>();
  for (const [place, { invoiceId }] of (allocations ?? []).entries()) {
    if (seen.has(invoiceId)) {
      const problem = "is named before: give each invoice once, with the whole amount.";
      throw fieldRefusal("validation_failed", `allocations[${place}].invoice_id`, problem);
    }
    seen.add(invoiceId);
  }
}

function nothingUsed({ receiptNumber }: Receipt): NodalError {
  const message = `Nothing was used: nothing is left of ${receiptNumber}, or nothing is due from its customer.`;
  return new NodalError("receipt_exceeded", message);
}

function noNumbersLeft(): NodalError {
  const message = "The series of receipts has no numbers of 16 characters left: make another template the default.";
  return new NodalError("invoice_number_exists", message);
}
