// All receipts, the newest first: of one customer, and of those with an advance.
import { NativeSelect } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { useList } from "../../lists/use-list.ts";
import { CustomerFilter } from "./customer-filter.tsx";
import { receipts as words, tdsClaims } from "../../strings/receipts.ts";

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
  { key: "mode", title: words.mode, hideBelow: "md" },
  { key: "status", title: words.status, hideBelow: "sm", as: "status" },
  { key: "amount", title: words.amount, as: "amount" },
  { key: "advance_amount", title: words.advanceAmount, hideBelow: "sm", as: "amount" },
];

/** Receipts. */
export function Page() {
  const may = usePermissions();
  const maySettle = may("invoices.settle");
  const list = useList({ path: "/receipts", rowsIn: "receipts", filters: ["customer_id", "has_advance"] });
  const add = <Action label={words.create} primary to="/receipts/new" />;
  return (
    <DataPage
      title={words.title}
      list={list}
      columns={COLUMNS}
      rowKey="receipt_id"
      filterFields={
        <>
          {may("customers.view") && (
            <CustomerFilter
              customerId={list.filters["customer_id"] ?? ""}
              onChange={(id) => list.setFilters({ customer_id: id })}
            />
          )}
          <NativeSelect
            {...list.filter("has_advance", words.show)}
            data={[
              { value: "", label: words.all },
              { value: "1", label: words.withAdvance },
            ]}
          />
        </>
      }
      empty={{ title: words.empty, hint: words.emptyHint, ...(maySettle ? { action: add } : {}) }}
      actions={
        <>
          <Action label={tdsClaims.title} variant="subtle" to="/tds-claims" />
          {maySettle && <Action label={words.import} variant="subtle" to="/receipts/import" />}
          {maySettle && add}
        </>
      }
    />
  );
}
