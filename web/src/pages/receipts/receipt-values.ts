// What the forms of receipts hold, and how invoices share a receipt. Members are named as on the wire, so that errors find them.
import { shareInOrder, type Share } from "../../../../src/invoices/receipts/share-in-order.ts";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { formatPaise } from "../../../../src/platform/money.ts";
import { ApiError } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { toPaise } from "../../format/money.ts";

export type ReceiptRecord = Answer<"GET", "/receipts/:receipt_id">["receipt"];
export type Due = Answer<"GET", "/session/customers/:customer_id/dues">["invoices"][number];

/** A line of a bank statement, what is recorded of it already, and what may be. */
export type ReceiptLine = Answer<"GET", "/session/receipt-lines/:line_id">;
export type Suggestion = ReceiptLine["suggestions"][number];

/** What one invoice uses; empty for nothing. */
export type AllocationRow = { invoice_id: string; amount: string; tds_amount: string };

/** The GST in the rest of a receipt. */
export type AdvanceGst = { rate: string; description: string; place_of_supply: string };

/** What no invoice uses of a receipt; below 0 where they use more than there is. */
export function restOfRows(rows: readonly AllocationRow[], { moneyPaise, tdsPaise }: Share): bigint {
  const used = rows.reduce((sum, { amount, tds_amount }) => sum + paiseOf(amount) + paiseOf(tds_amount), 0n);
  return moneyPaise + tdsPaise - used;
}

/** What a change of a receipt may be seen in. */
export const CHANGES = ["/receipts", "/invoices", "/payments", "/customers", "/reports", "/reconciliation"];

/** The paise of what was typed; zero for what is no amount. */
export const paiseOf = (typed: string): bigint => toPaise(typed) ?? 0n;

const textOf = (paise: bigint): string => (paise === 0n ? "" : formatPaise(paise));

/** What each invoice uses, those due first in front, as the server shares a receipt. */
export function fillRows(dues: readonly Due[], available: Share): AllocationRow[] {
  const shares = shareInOrder(
    dues.map(({ due_amount }) => paiseOf(due_amount)),
    available,
  );
  return dues.map(({ invoice_id }, place) => {
    const { moneyPaise, tdsPaise } = shares[place]!;
    return { invoice_id, amount: textOf(moneyPaise), tds_amount: textOf(tdsPaise) };
  });
}

/** The open invoices with those that are suggested: the list has the first ones that are due, and they may be later. */
export function withSuggested(dues: readonly Due[], suggestion: Suggestion | null): readonly Due[] {
  const listed = new Set(dues.map(({ invoice_id }) => invoice_id));
  const others = (suggestion?.invoices ?? []).filter(({ invoice_id }) => !listed.has(invoice_id));
  return [...dues, ...others.map(({ amount: _amount, ...due }) => due)];
}

/** What each invoice uses, as a suggestion has it. */
export function suggestedRows(dues: readonly Due[], { invoices }: Suggestion): AllocationRow[] {
  const amounts = new Map(invoices.map(({ invoice_id, amount }) => [invoice_id, amount]));
  return dues.map(({ invoice_id }) => ({ invoice_id, amount: amounts.get(invoice_id) ?? "", tds_amount: "" }));
}

/** Whether rows are as they are filled: nobody has changed one. */
export function areFilled(rows: readonly AllocationRow[], dues: readonly Due[], available: Share): boolean {
  return fillRows(dues, available).every(
    ({ amount, tds_amount }, place) => rows[place]?.amount === amount && rows[place]?.tds_amount === tds_amount,
  );
}

/** What is left of a receipt: money and TDS that no invoice uses and nobody gave back. */
export function restOf({ amount, tds_amount, refunded_amount, allocations, status }: ReceiptRecord): Share {
  if (status === "Reversed") return { moneyPaise: 0n, tdsPaise: 0n };
  const used = allocations.filter((each) => each.status === "Recorded");
  const sum = (name: "amount" | "tds_amount") => used.reduce((total, each) => total + paiseOf(each[name]), 0n);
  return {
    moneyPaise: paiseOf(amount) - paiseOf(refunded_amount) - sum("amount"),
    tdsPaise: paiseOf(tds_amount) - sum("tds_amount"),
  };
}

const isUsed = ({ amount, tds_amount }: AllocationRow): boolean => amount.trim() !== "" || tds_amount.trim() !== "";

/** The rows that use something, for a request. */
export function toAllocations(rows: readonly AllocationRow[]) {
  return rows.filter(isUsed).map(({ invoice_id, amount, tds_amount }) => ({
    invoice_id,
    amount: typedAmount(amount),
    ...(tds_amount.trim() === "" ? {} : { tds_amount: typedAmount(tds_amount) }),
  }));
}

/** For a refusal of what `toAllocations` made: it names the rows of the form, which has some that use nothing. */
export function atRows(rows: readonly AllocationRow[]) {
  const places = rows.flatMap((row, place) => (isUsed(row) ? [place] : []));
  return (error: unknown): never => {
    if (!(error instanceof ApiError)) throw error;
    const fields = Object.entries(error.fields).map(([path, message]) => {
      const own = path.replace(/^allocations\[(\d+)\]\.(\w+)$/, (_, place: string, member: string) => {
        // The invoice of a row is no field: what is wrong with it is shown at its amount.
        return `allocations[${places[Number(place)]}].${member === "invoice_id" ? "amount" : member}`;
      });
      return { path: own, message: message.startsWith(path) ? own + message.slice(path.length) : message };
    });
    const request = error.requestId === null ? {} : { request_id: error.requestId };
    throw new ApiError(error.status, { message: error.message, code: error.code, fields, ...request });
  };
}
