// The options of `nodal credit-note`: their meaning, and refused typos.
import { expect, test } from "vitest";
import type { NodalError } from "../platform/errors.ts";
import type { GivenOptions } from "./command.ts";
import { createCommand, payeeOf, refundCommand } from "./credit-note.ts";

const COMMON = { merchant: "1000001", invoice: "R000029148", reason: "Goods returned" };
const ACCOUNT = { account: "026291800001191", ifsc: "yesb0000262" };

function readCreateOptions(given: GivenOptions) {
  const options = createCommand.read(given);
  const { merchant, invoice: invoiceId, amount: amountPaise, reason, date: noteDate, refund } = options;
  return { merchant, invoiceId, amountPaise, reason, noteDate, payee: payeeOf(options), isRefunded: refund === true };
}

function readRefundOptions(given: GivenOptions) {
  const options = refundCommand.read(given);
  return { merchant: options.merchant, creditNoteId: options.creditNote, payee: payeeOf(options) };
}

/** The refused flags, in order. */
function refusals(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    return (error as NodalError).errors.map(({ field }) => field);
  }
}

test("all of them", () => {
  const given: GivenOptions = { ...COMMON, ...ACCOUNT, amount: "118", date: "2026-07-01", refund: true, name: "Asha" };
  expect(readCreateOptions(given)).toEqual({
    merchant: 1000001n,
    invoiceId: 29148n,
    amountPaise: 11_800n,
    reason: "Goods returned",
    noteDate: Temporal.PlainDate.from("2026-07-01"),
    payee: { name: "Asha", accountNumber: "026291800001191", ifsc: "YESB0000262", upi: null },
    isRefunded: true,
  });
});

test("the fewest", () => {
  const options = readCreateOptions({ ...COMMON, full: true });
  expect(options).toMatchObject({ amountPaise: null, noteDate: null, payee: null, isRefunded: false });
});

test("lines: pieces, and rupees without tax", () => {
  expect(createCommand.read({ ...COMMON, line: "1x2\n 3 = 5" })).toMatchObject({
    line: [
      { row: 1, quantity: 2000n, amount: null },
      { row: 3, quantity: null, amount: 500n },
    ],
  });
});

test("rows", () => {
  expect(createCommand.read({ ...COMMON, row: "1=1050.00\n 3 = 5" })).toMatchObject({
    amount: null,
    row: [
      { row: 1, amount: 105_000n },
      { row: 3, amount: 500n },
    ],
  });
});

test.each<[string, GivenOptions, string[]]>([
  ["a row and an amount", { amount: "1", row: "1=5" }, ["--amount"]],
  ["a row and all", { full: true, row: "1=5" }, ["--amount"]],
  ["a row without amount", { row: "1" }, ["--row"]],
  ["a line and a row", { line: "1x2", row: "1=5" }, ["--amount"]],
  ["a line without sign", { line: "1" }, ["--line"]],
  ["a line of a financial note", { line: "1x2", financial: true }, ["--financial"]],
  ["row 0", { row: "0=5" }, ["--row[0].row"]],
  ["nothing of a row", { row: "1=5\n2=0" }, ["--row[1].amount"]],
  ["no amount", {}, ["--amount"]],
  ["an amount and all", { amount: "1", full: true }, ["--amount"]],
  ["nothing", { amount: "0" }, ["--amount"]],
  ["an invoice's number", { full: true, invoice: "INV-2627-00001" }, ["--invoice"]],
  ["no reason", { full: true, reason: "" }, ["--reason"]],
  ["a date that is none", { full: true, date: "2026-02-30" }, ["--date"]],
  ["nowhere to refund to", { full: true, refund: true }, ["--account"]],
  ["an account without IFSC", { full: true, refund: true, account: "026291800001191" }, ["--ifsc"]],
  ["an IFSC without account", { full: true, refund: true, ifsc: "YESB0000262" }, ["--account"]],
  ["an account and a handle", { full: true, refund: true, ...ACCOUNT, upi: "asha@upi" }, ["--upi"]],
  ["an account and no refund", { full: true, ...ACCOUNT }, ["--refund"]],
])("%s is refused", (_, given, flags) => {
  expect(refusals(() => readCreateOptions({ ...COMMON, ...given }))).toEqual(flags);
});

test("a refund goes where the last one went, or to another account", () => {
  const common = { merchant: "1000001", creditNote: "1000412" };
  expect(readRefundOptions(common)).toEqual({ merchant: 1000001n, creditNoteId: 1000412n, payee: null });
  expect(readRefundOptions({ ...common, upi: "asha@upi" }).payee).toMatchObject({ upi: "asha@upi", name: null });
  expect(refusals(() => readRefundOptions({ ...common, name: "Asha" }))).toEqual(["--account"]);
});
