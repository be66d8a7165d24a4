// The columns of a payout's entries in the ledger, on its own page and below its line of the statement.
import type { Answer } from "../../api/contract.ts";
import type { Column } from "../../components/data-table.tsx";
import { transferDetail, transfers } from "../../strings/payouts.ts";

type Entry = Answer<"GET", "/transfers/:transfer_id">["entries"][number];

const accountName = (account: string): string => transferDetail.accounts[account] ?? account;

export const ENTRY_COLUMNS: readonly Column<Entry>[] = [
  { key: "posted_at", title: transfers.added, as: "moment" },
  {
    key: "kind",
    title: transferDetail.entry,
    isBelowFirst: true,
    render: ({ kind }) => transferDetail.kinds[kind] ?? kind,
  },
  { key: "debit", title: transferDetail.debit, render: (row) => accountName(row.debit_account), hideBelow: "sm" },
  { key: "credit", title: transferDetail.credit, render: (row) => accountName(row.credit_account), hideBelow: "sm" },
  { key: "amount", title: transfers.amount, as: "money" },
];
