// What `npm run mutate` mutates, and the tests that must notice each mutant. Groups are small and their tests fast: a mutant
// of a constant runs all tests of its group.

/** The environment variable that tells vitest.mutation.config.ts which test files to run, separated by commas. */
export const TESTS_VARIABLE = "NODAL_MUTATION_TESTS";

/** The lowest mutation score of a group that passes, in percent. */
export const LEAST_SCORE = 90;

export type Group = {
  readonly name: string;
  /** The files to mutate, each with what it decides. */
  readonly files: Readonly<Record<string, string>>;
  readonly tests: readonly string[];
};

export const GROUPS: readonly Group[] = [
  {
    name: "states",
    files: {
      "src/platform/indian-states.ts": "states by GSTIN and address: within one or between two decides the tax",
    },
    tests: ["src/platform/indian-states.test.ts", "src/invoices/saves/draft.test.ts"],
  },
  {
    name: "formats",
    files: {
      "src/platform/money.ts": "paise in and out, rounding",
      "src/platform/time.ts": "timestamps in a time zone",
      "src/platform/indian-format.ts": "amounts and dates for people",
      "src/platform/amount-words.ts": "amounts in words",
    },
    tests: [
      "src/platform/money.test.ts",
      "src/platform/time.test.ts",
      "src/platform/indian-format.test.ts",
      "src/platform/amount-words.test.ts",
    ],
  },
  {
    name: "terms",
    files: {
      "src/merchants/merchant.ts": "which day it is",
      "src/subscriptions/subscription.ts": "dates of occurrences, pauses between attempts",
      "src/payouts/transfer.ts": "the rail by amount, limits and windows by day",
    },
    tests: [
      "src/merchants/today.test.ts",
      "src/subscriptions/subscription.test.ts",
      "src/payouts/transfer.test.ts",
      "src/payouts/rails/bank-days.test.ts",
    ],
  },
  {
    name: "invoices",
    files: {
      "src/invoices/totals.ts":
        "which taxes are charged between two states, taxes and totals of an invoice, and what is refused",
      "src/invoices/saves/draft.ts": "place of supply, dates, the largest total",
      "src/invoices/numbers/number-series.ts": "financial years and numbers",
      "src/invoices/invoice.ts": "what is due, and the status",
      "src/invoices/credit-notes/credit-note.ts": "how a credit is shared out over rows and taxes",
      "src/documents/render-summary.ts": "the tax summary by HSN/SAC code",
    },
    tests: [
      "src/invoices/totals.test.ts",
      "src/invoices/saves/draft.test.ts",
      "src/invoices/numbers/number-series.test.ts",
      "src/invoices/invoice.test.ts",
      "src/invoices/credit-notes/credit-note.test.ts",
      "src/documents/render-summary.test.ts",
    ],
  },
  {
    name: "ledger",
    files: {
      "src/ledger/journal-store.ts": "the writer of the journal",
      "src/ledger/posting-rules.ts": "which accounts a posting moves money between",
      "src/ledger/fund.ts": "money in, once for a reference",
      "src/ledger/ledger-store.ts": "books, balances, postings",
      "src/ledger/verify-store.ts": "the ledger against itself",
    },
    tests: ["src/ledger/ledger.test.ts", "src/ledger/journal-store.test.ts", "src/payouts/verify/verify.test.ts"],
  },
  {
    name: "dues",
    files: {
      "src/invoices/dues/carry-dues.ts":
        "dues that move on, payments that are passed on, what follows on later invoices",
      "src/invoices/invoice-changes.ts": "what follows from a change, in order; an invoice as commission sees it",
      "src/invoices/credit-notes/credit-note-refund.ts": "what is owed back, paid out",
      "src/franchises/commission.ts": "what a franchise earns, and the commission that stands, posted",
    },
    tests: [
      "src/invoices/dues/carry-dues.test.ts",
      "src/invoices/credit-notes/issue-credit-note.test.ts",
      "src/invoices/commission-order.test.ts",
      "src/franchises/commission.test.ts",
      "src/franchises/commission-life.test.ts",
    ],
  },
];
