// What each invoice of a subscription bills: its rows, and what they come to with the taxes of now.
// What belongs here: that panel.
import { Text } from "@mantine/core";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/page.tsx";
import { TotalsTable } from "../../components/totals-table.tsx";
import { rupees } from "../../format/money.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";
import type { Each } from "./subscription.ts";

type Row = Each["rows"][number] & { readonly place: number };

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "item",
    title: words.item,
    render: ({ item, description }) => (
      <>
        {item}
        {description !== "" && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
      </>
    ),
  },
  { key: "code", title: words.code, hideBelow: "sm", render: ({ sac_code }) => sac_code },
  {
    key: "amount",
    title: words.amount,
    align: "right",
    render: ({ total_amount }) => <Money amount={total_amount} plain />,
  },
];

/** The panel; what is wrong in place of amounts where the invoice could not be made. */
export function EachInvoice({ each }: { readonly each: Each | null }) {
  if (each === null) {
    return (
      <Panel title={words.each}>
        <Text>{words.notMakeable}</Text>
      </Panel>
    );
  }
  const { rows, sub_total, taxes, amount } = each;
  return (
    <Panel title={words.each} flush>
      <DataTable
        caption={words.each}
        columns={COLUMNS}
        rows={rows.map((row, place) => ({ ...row, place }))}
        rowKey={({ place }) => String(place)}
      />
      <TotalsTable
        label={words.totals}
        lines={[
          { label: words.subTotal, amount: sub_total },
          ...taxes.map((tax) => ({
            label: words.tax(tax.name, tax.percentage, rupees(tax.applicable_on)),
            amount: tax.amount,
          })),
        ]}
        total={{ label: words.total, amount }}
      />
      <Text size="sm" c="dimmed" p="md">
        {words.eachHint}
      </Text>
    </Panel>
  );
}
