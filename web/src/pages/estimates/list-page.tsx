// All estimates: found by number and customer, and filtered by status.
import { NativeSelect } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { useList } from "../../lists/use-list.ts";
import { estimates as words } from "../../strings/estimates.ts";
import { statusChoices } from "../../strings/statuses.ts";

type Row = Answer<"GET", "/estimates">["estimates"][number];

const STATUSES: readonly Row["status"][] = ["Open", "Accepted", "Declined", "Expired"];

const COLUMNS: readonly Column<Row>[] = [
  { key: "estimate_number", title: words.number, to: ({ estimate_id }) => `/estimates/${estimate_id}` },
  { key: "customer_name", title: words.customer, hideBelow: "sm" },
  { key: "estimate_date", title: words.date, hideBelow: "md", as: "day" },
  { key: "valid_until", title: words.validUntil, hideBelow: "md", as: "day" },
  { key: "status", title: words.status, as: "status" },
  { key: "amount", title: words.amount, as: "amount" },
];

/** Estimates. */
export function Page() {
  const mayMake = usePermissions()("invoices.manage");
  const list = useList({ path: "/estimates", rowsIn: "estimates", filters: ["search", "status"] });
  const add = <Action label={words.create} primary to="/estimates/new" />;
  return (
    <DataPage
      title={words.title}
      list={list}
      columns={COLUMNS}
      rowKey="estimate_id"
      search={{ filter: "search", placeholder: words.search }}
      filterFields={
        <NativeSelect {...list.filter("status", words.status)} data={statusChoices(words.anyStatus, STATUSES)} />
      }
      empty={{ title: words.empty, hint: words.emptyHint, ...(mayMake ? { action: add } : {}) }}
      actions={mayMake && add}
    />
  );
}
