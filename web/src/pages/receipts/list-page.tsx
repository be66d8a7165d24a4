// All receipts, the newest first: of one customer, those with an advance, and reversed ones.
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { useList } from "../../lists/use-list.ts";
import { CustomerFilter } from "./customer-filter.tsx";
import { ReceiptMenu } from "./receipt-actions.tsx";
import { modeName } from "../../forms/payment-mode.tsx";
import { parts } from "../../strings/shell.ts";
import { receipts as words, tdsClaims } from "../../strings/receipts.ts";
import { titles } from "../../strings/titles.ts";

type Row = Answer<"GET", "/receipts">["receipts"][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "receipt_number",
    title: words.number,
    as: "number",
    to: ({ receipt_id }) => `/receipts/${receipt_id}`,
  },
  { key: "customer_name", title: words.customer, isBelowFirst: true },
  { key: "date", title: words.date, hideBelow: "sm", as: "day" },
  { key: "mode", title: words.mode, hideBelow: "md", render: ({ mode }) => modeName(mode) },
  { key: "status", title: words.status, hideBelow: "sm", as: "status" },
  { key: "amount", title: words.amount, as: "amount" },
  { key: "advance_amount", title: words.advanceAmount, hideBelow: "sm", as: "amount" },
  menuColumn((row) => <ReceiptMenu of={row} />),
];

const TABS = [
  { value: "", label: parts.all },
  { value: "with_advance", label: words.withAdvance },
  { value: "reversed", label: words.reversed },
];

/** Receipts. */
export function Page() {
  const may = usePermissions();
  const maySettle = may("invoices.settle");
  const list = useList({ path: "/receipts", rowsIn: "receipts", filters: ["customer_id", "kind"] });
  const add = <Action label={words.create} primary to="/receipts/new" />;
  return (
    <DataPage
      title={titles.receipts}
      list={list}
      columns={COLUMNS}
      rowKey="receipt_id"
      tabs={<FilterTabs label={words.show} list={list} filter="kind" choices={TABS} />}
      filterFields={
        may("customers.view") && (
          <CustomerFilter
            customerId={list.filters["customer_id"] ?? ""}
            onChange={(id) => list.setFilters({ customer_id: id })}
          />
        )
      }
      empty={{ title: words.empty, hint: words.emptyHint, ...(maySettle ? { action: add } : {}) }}
      actions={
        <>
          <Action label={tdsClaims.title} to="/tds-claims" />
          {maySettle && <Action label={words.import} to="/receipts/import" />}
          {maySettle && add}
        </>
      }
    />
  );
}
