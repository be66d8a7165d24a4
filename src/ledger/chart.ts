/** An account of a merchant's ledger. Its balance is credits minus debits, in paise. */
type ChartEntry = {
  readonly name: string;
  /**
   * The operator's book is what the operator holds for the merchant. The merchant's book is the merchant's own accounts.
   * A posting stays within one book, so each book adds up to zero.
   */
  readonly book: "operator" | "merchant";
  /** Does each owner, such as a franchise, have one? Otherwise the merchant has one, with the owner 0. */
  readonly owned: boolean;
  /** If false, the database refuses a balance below zero. */
  readonly mayBeNegative: boolean;
  /** Is it a column of `ledger_book`, because payouts move it all the time? All others are rows of `ledger_account`. */
  readonly hot: boolean;
};

/**
 * The chart of accounts. A new account is one line here: its row is opened by its first posting. `nodal verify` reads
 * the chart, and chart.test.ts compares it with the database's constraints.
 */
export const CHART = [
  { name: "nodal_bank", book: "operator", owned: false, mayBeNegative: true, hot: true },
  { name: "available", book: "operator", owned: false, mayBeNegative: false, hot: true },
  { name: "held", book: "operator", owned: false, mayBeNegative: false, hot: true },
  { name: "payout_clearing", book: "operator", owned: false, mayBeNegative: true, hot: true },
  // Zero or below: docs/rules/payouts.md#owed-by-the-merchant.
  { name: "owed_by_merchant", book: "operator", owned: false, mayBeNegative: true, hot: true },
  { name: "fee_expense", book: "operator", owned: false, mayBeNegative: true, hot: true },
  { name: "commission_expense", book: "merchant", owned: false, mayBeNegative: true, hot: false },
  // Below zero if a franchise was paid too much.
  { name: "commission_payable", book: "merchant", owned: true, mayBeNegative: true, hot: false },
  { name: "commission_settled", book: "merchant", owned: true, mayBeNegative: true, hot: false },
] as const satisfies readonly ChartEntry[];

type Entry = (typeof CHART)[number];
export type Account = Entry["name"];
/** The accounts of one book. */
export type AccountOf<Book extends ChartEntry["book"]> = Extract<Entry, { book: Book }>["name"];
/** An account that is a column of `ledger_book`. */
export type HotAccount = Extract<Entry, { hot: true }>["name"];

const entries: readonly (ChartEntry & { readonly name: Account })[] = CHART;

/** The accounts that are columns of `ledger_book`, each as its name followed by `_paise`. */
export const HOT_ACCOUNTS = entries.filter(({ hot }) => hot).map(({ name }) => name as HotAccount);

const HOT: ReadonlySet<string> = new Set(HOT_ACCOUNTS);
const OWNED: ReadonlySet<string> = new Set(entries.filter(({ owned }) => owned).map(({ name }) => name));

/** Is the account a column of `ledger_book`? */
export function isHot(account: Account): account is HotAccount {
  return HOT.has(account);
}

/** Does each owner, such as a franchise, have an account of this name? */
export function isOwned(account: Account): boolean {
  return OWNED.has(account);
}
