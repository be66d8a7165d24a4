// The drafts of invoices that a merchant's people share.
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { useList } from "../../lists/use-list.ts";
import { invoiceDrafts as words } from "../../strings/invoice-drafts.ts";
import { invoices } from "../../strings/invoices.ts";
import { InvoiceTabs } from "./invoice-tabs.tsx";

type Row = Answer<"GET", "/invoice-drafts">["drafts"][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "customer",
    title: words.customer,
    render: ({ draft_id: id, customer_name: name, customer_code: code }) => (
      <LinkTo label={name || code || words.noCustomer} to={`/invoices/drafts/${id}`} />
    ),
  },
  { key: "title", title: words.name, hideBelow: "md" },
  { key: "updated_by_name", title: words.savedBy, hideBelow: "sm", render: ({ updated_by_name: name }) => name ?? "" },
  { key: "updated_at", title: words.savedAt, hideBelow: "sm", as: "moment" },
  { key: "amount", title: words.amount, as: "amount" },
];

/** Drafts of invoices. */
export function Page() {
  const mayMake = usePermissions()("invoices.manage");
  const list = useList({ path: "/invoice-drafts", rowsIn: "drafts", filters: ["search"] });
  return (
    <DataPage
      title={words.title}
      hint={words.hint}
      list={list}
      tabs={<InvoiceTabs current="drafts" />}
      columns={COLUMNS}
      rowKey="draft_id"
      search={{ filter: "search", placeholder: words.search }}
      empty={{ title: words.empty, hint: words.emptyHint }}
      actions={mayMake && <Action label={invoices.create} primary to="/invoices/new" />}
    />
  );
}
