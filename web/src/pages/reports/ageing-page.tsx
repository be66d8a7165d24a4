// What customers owed on a day, by how long it was overdue.
import { NativeSelect, Text } from "@mantine/core";
import { Fragment } from "react";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { ListPanel } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { FirstLoad } from "../../components/page.tsx";
import { Money } from "../../components/values.tsx";
import { useList, type List } from "../../lists/use-list.ts";
import { invoices } from "../../strings/invoices.ts";
import { receipts } from "../../strings/receipts.ts";
import { reports as words } from "../../strings/reports.ts";
import { reportTitles } from "../../strings/titles.ts";
import { AsOfReport, useAsOf } from "./report.tsx";
import { WEIGHT } from "../../app/tokens.ts";

const PATH = "/reports/ageing";
type Row = Answer<"GET", typeof PATH>["customers"][number];
type Ages = { readonly [Name in keyof typeof words.ages]: string };
const AGES = Object.keys(words.ages) as (keyof Ages)[];

/** Receivables by age. */
export function Page() {
  const asOf = useAsOf();
  const maySettle = usePermissions()("invoices.settle");
  const list = useList({ path: PATH, rowsIn: "customers", filters: ["franchise"], fixed: asOf });
  // The first page has the totals of all.
  const first = useGet(PATH, { query: { ...list.query, limit: "1" }, enabled: list.hasPrevious });
  const totals = list.answer?.totals ?? (list.hasPrevious ? first.data?.totals : null) ?? null;
  const label = totals && (
    <>
      {words.owedBy(totals.customers)}
      <AgesBelow ages={totals} />
    </>
  );
  return (
    <AsOfReport
      name="ageing"
      actions={maySettle && <Action label={receipts.create} to="/receipts/new" />}
      fields={<FranchiseField list={list} />}
      filters={list.filters}
    >
      <ListPanel
        caption={reportTitles.ageing}
        list={list}
        columns={COLUMNS}
        rowKey="customer_id"
        empty={{ title: words.nothingOwed, hint: words.nothingOwedHint }}
        totals={totals ? { label, values: totals } : undefined}
      />
    </AsOfReport>
  );
}

/** Narrows the report down to the customers of a franchise, where the merchant has any. */
function FranchiseField({ list }: { readonly list: Pick<List<unknown>, "filter"> }) {
  const { data, isPending } = useGet("/session/invoices/choices");
  if (isPending) return <FirstLoad />;
  if (!data || data.franchises.length === 0) return null;
  return (
    <NativeSelect
      {...list.filter("franchise", invoices.franchise)}
      data={[
        { value: "", label: invoices.anyFranchise },
        ...data.franchises.map(({ franchise_id, name }) => ({ value: franchise_id, label: name })),
      ]}
    />
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "customer_name",
    title: words.customer,
    render: (row) => (
      <>
        <Customer row={row} />
        <AgesBelow ages={row} />
      </>
    ),
  },
  ...AGES.map((age): Column<Row> => ({ key: age, title: words.ages[age], as: "amount", hideBelow: "lg" })),
  { key: "total", title: words.owed, as: "amount" },
];

/** The name, which leads to the customer's statement. */
function Customer({ row }: { readonly row: Row }) {
  const may = usePermissions();
  if (!may("customers.view")) return row.customer_name;
  return <LinkTo label={row.customer_name} to={`/customers/${row.customer_id}`} search={{ tab: "statement" }} />;
}

/** The ages of what is owed, where there is no room for their columns. */
function AgesBelow({ ages }: { readonly ages: Ages }) {
  const shown = AGES.filter((age) => ages[age] !== "0.00");
  return (
    <Text component="div" size="sm" c="dimmed" hiddenFrom="lg" fw={WEIGHT.regular}>
      {shown.map((age, place) => (
        <Fragment key={age}>
          {place > 0 && " · "}
          {words.shortAges[age]} <Money amount={ages[age]} plain />
        </Fragment>
      ))}
    </Text>
  );
}
