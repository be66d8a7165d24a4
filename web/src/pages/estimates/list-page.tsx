// All estimates: found by number and customer, and filtered by status.
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { StatusTabs } from "../../components/view-tabs.tsx";
import { useList } from "../../lists/use-list.ts";
import { estimates as words } from "../../strings/estimates.ts";
import { EstimateRowMenu } from "./estimate-actions.tsx";
import { titles } from "../../strings/titles.ts";

type Row = Answer<"GET", "/estimates">["estimates"][number];

const STATUSES: readonly Row["status"][] = ["Open", "Accepted", "Declined", "Expired"];

const COLUMNS: readonly Column<Row>[] = [
  { key: "estimate_number", title: words.number, to: ({ estimate_id }) => `/estimates/${estimate_id}` },
  { key: "customer_name", title: words.customer, hideBelow: "sm" },
  { key: "estimate_date", title: words.date, hideBelow: "md", as: "day" },
  { key: "valid_until", title: words.validUntil, hideBelow: "md", as: "day" },
  { key: "status", title: words.status, isBelowFirst: true, as: "status" },
  { key: "amount", title: words.amount, as: "amount" },
  menuColumn((row) => <EstimateRowMenu estimate={row} />),
];

/** Estimates. */
export function Page() {
  const mayMake = usePermissions()("invoices.manage");
  const list = useList({ path: "/estimates", rowsIn: "estimates", filters: ["search", "status"] });
  const add = <Action label={words.create} primary to="/estimates/new" />;
  return (
    <DataPage
      title={titles.estimates}
      list={list}
      columns={COLUMNS}
      rowKey="estimate_id"
      search={{ filter: "search", placeholder: words.search }}
      tabs={<StatusTabs label={words.status} list={list} statuses={STATUSES} />}
      empty={{ title: words.empty, hint: words.emptyHint, ...(mayMake ? { action: add } : {}) }}
      actions={mayMake && add}
    />
  );
}
