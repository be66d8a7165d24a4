// Mutants that no test notices, and why that is no gap. Most change nothing that can be seen.
// What belongs here: one entry for each survivor of `npm run mutate`, found by its text. What a test can notice gets a test.

export type Accepted = {
  readonly file: string;
  /** A part of the line that is mutated. */
  readonly line: string;
  /** A part of what takes its place. */
  readonly replacement: string;
  readonly reason: string;
};

/** Why `>` and `>=` are the same where one of two equal values is taken. */
const EQUAL = "where both are equal, it makes no difference which one is taken";
/** Why `<` and `<=` are the same where a sign is turned. */
const ZERO = "zero is its own negative: nothing changes";
/** Why the name of a prepared statement is not seen. */
const UNNAMED = "a statement without a name is parsed each time: slower, with the same answer";
/** Why it makes no difference whether a row is written as it was. */
const SAME = "what is written then is what stands there already: nothing changes, for the price of a write";

export const ACCEPTED: readonly Accepted[] = [
  { file: "src/platform/money.ts", line: "const digits = (paise < 0n", replacement: "paise <= 0n", reason: ZERO },
  { file: "src/platform/money.ts", line: "dividend < 0n", replacement: "dividend <= 0n", reason: ZERO },
  { file: "src/platform/indian-format.ts", line: "formatPaise(paise < 0n", replacement: "paise <= 0n", reason: ZERO },
  { file: "src/platform/amount-words.ts", line: "const size = paise < 0n", replacement: "paise <= 0n", reason: ZERO },
  {
    file: "src/invoices/credit-notes/credit-note.ts",
    line: "return owedPaise > 0n ? owedPaise : 0n;",
    replacement: "owedPaise >= 0n",
    reason: EQUAL,
  },
  {
    file: "src/invoices/credit-notes/credit-note.ts",
    line: "if (amount < least)",
    replacement: "amount <= least",
    reason: EQUAL,
  },
  {
    file: "src/invoices/credit-notes/credit-note.ts",
    line: "return amount > most",
    replacement: "amount >= most",
    reason: EQUAL,
  },
  {
    file: "src/merchants/merchant.ts",
    line: "compare(clockDate, real) > 0",
    replacement: "compare(clockDate, real) >= 0",
    reason: EQUAL,
  },
  {
    file: "src/invoices/dues/carry-dues.ts",
    line: "return paidPaise < carriedPaise ?",
    replacement: "paidPaise <= carriedPaise",
    reason: EQUAL,
  },
  {
    file: "src/invoices/dues/carry-dues.ts",
    line: "const wantedPaise = leftPaise <",
    replacement: "leftPaise <= before.carriedDuePaise",
    reason: EQUAL,
  },
  {
    file: "src/invoices/dues/carry-dues.ts",
    line: "const amountPaise = lacksPaise <",
    replacement: "lacksPaise <= freePaise",
    reason: EQUAL,
  },
  {
    file: "src/invoices/dues/carry-dues.ts",
    line: "a.invoiceId < b.invoiceId ? 1 : -1",
    replacement: "a.invoiceId <= b.invoiceId",
    reason: "two different invoices never have the same id",
  },
  {
    file: "src/invoices/credit-notes/credit-note-refund.ts",
    line: "if (after !== invoice) {",
    replacement: "true",
    reason: SAME,
  },
  {
    file: "src/invoices/credit-notes/credit-note-refund.ts",
    line: "if (beneficiaryId !== note.refundBeneficiaryId)",
    replacement: "true",
    reason: SAME,
  },
  {
    file: "src/invoices/credit-notes/credit-note-refund.ts",
    line: "const partPaise = owedPaise <",
    replacement: "owedPaise <= restPaise",
    reason: EQUAL,
  },
  {
    file: "src/invoices/credit-notes/credit-note-refund.ts",
    line: "if (partPaise === 0n)",
    replacement: "false",
    reason: SAME,
  },
  {
    file: "src/franchises/commission.ts",
    line: "const partPaise = restPaise <",
    replacement: "restPaise <= remainingPaise",
    reason: EQUAL,
  },
  { file: "src/franchises/commission.ts", line: "if (partPaise > 0n)", replacement: "true", reason: SAME },
  {
    file: "src/franchises/commission.ts",
    line: "if (partPaise > 0n)",
    replacement: "partPaise >= 0n",
    reason: SAME,
  },
  { file: "src/ledger/ledger-store.ts", line: 'name: "read-balances"', replacement: '""', reason: UNNAMED },
  {
    file: "src/ledger/journal-store.ts",
    line: '"record-postings" : "record-events"',
    replacement: '""',
    reason: UNNAMED,
  },
  {
    file: "src/ledger/journal-store.ts",
    line: "if (given.length === 0) return;",
    replacement: "false",
    reason: "nothing is written of nothing: only a statement more is sent",
  },
];
