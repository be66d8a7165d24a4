// The accounts of the merchant's books of billing. Each is a column of `book_entry` and `book_day`.

/** The type of an account: its section in a balance, and the side on which it grows. */
export type AccountKind = "asset" | "liability" | "income" | "expense" | "equity";

type ChartEntry = { readonly name: string; readonly code: string; readonly title: string; readonly kind: AccountKind };

/** docs/accounts.md#accounts */
export const BOOK_CHART = [
  { name: "receivable", code: "1100", title: "Customer receivables", kind: "asset" },
  { name: "bank", code: "1200", title: "Bank", kind: "asset" },
  { name: "cash", code: "1210", title: "Cash", kind: "asset" },
  { name: "tds_receivable", code: "1300", title: "TDS receivable", kind: "asset" },
  { name: "advance_tax", code: "1400", title: "GST on advances", kind: "asset" },
  { name: "advances", code: "2100", title: "Customer advances", kind: "liability" },
  { name: "refunds_payable", code: "2200", title: "Refunds payable", kind: "liability" },
  { name: "output_cgst", code: "2310", title: "Output CGST", kind: "liability" },
  { name: "output_sgst", code: "2320", title: "Output SGST", kind: "liability" },
  { name: "output_utgst", code: "2330", title: "Output UTGST", kind: "liability" },
  { name: "output_igst", code: "2340", title: "Output IGST", kind: "liability" },
  { name: "output_cess", code: "2350", title: "Output cess", kind: "liability" },
  { name: "output_other", code: "2390", title: "Other taxes charged", kind: "liability" },
  { name: "opening_balances", code: "3100", title: "Opening balances", kind: "equity" },
  { name: "revenue", code: "4100", title: "Revenue", kind: "income" },
  { name: "rounding", code: "4900", title: "Round-off", kind: "income" },
  { name: "written_off", code: "5100", title: "Written off", kind: "expense" },
] as const satisfies readonly ChartEntry[];

export type BookAccount = (typeof BOOK_CHART)[number]["name"];
export const BOOK_ACCOUNTS: readonly BookAccount[] = BOOK_CHART.map(({ name }) => name);

/** The account's column in `book_entry` and `book_day`. */
export function columnOf(account: BookAccount): `${BookAccount}_paise` {
  return `${account}_paise`;
}

/** Amounts by account, in paise: a positive one debits the account, a negative one credits it. */
export type Amounts = ReadonlyMap<BookAccount, bigint>;
