// The customer's open invoices with what each of them uses of a receipt, and what is left as an advance.
import { Text, TextInput } from "@mantine/core";
import type { Share } from "../../../../src/invoices/receipts/share-in-order.ts";
import { formatPaise } from "../../../../src/platform/money.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { TotalsTable } from "../../components/values.tsx";
import { formatRupees } from "../../format/money.ts";
import type { ApiForm } from "../../forms/form.tsx";
import { receiptForm as words } from "../../strings/receipts.ts";
import { type AllocationRow, areFilled, type Due, fillRows, restOfRows } from "./receipt-values.ts";

type Values = { allocations: AllocationRow[] };
type Row = Due & { readonly place: number };

type Props = {
  readonly dues: readonly Due[];
  readonly rows: readonly AllocationRow[];
  /** What the invoices can use. */
  readonly available: Share;
  readonly field: ApiForm<Values>["field"];
  readonly onFill: (rows: AllocationRow[]) => void;
};

/** What each invoice uses, and what is left. */
export function AllocationFields({ dues, rows, available, field, onFill }: Props) {
  const input = (path: `allocations.${string}`, label: string) => {
    const { label: _label, ...props } = field(path, label);
    return <TextInput aria-label={label} inputMode="decimal" autoComplete="off" size="sm" w="7.5rem" {...props} />;
  };
  const columns: readonly Column<Row>[] = [
    { key: "invoice_number", title: words.invoice, as: "number" },
    { key: "due_date", title: words.dueDate, hideBelow: "md", as: "day" },
    { key: "due_amount", title: words.due, isBelowFirst: true, as: "money" },
    {
      key: "amount",
      title: words.use,
      render: ({ place, invoice_number }) => input(`allocations.${place}.amount`, words.useOf(invoice_number)),
    },
    ...(available.tdsPaise === 0n
      ? []
      : [
          {
            key: "tds",
            title: words.useTds,
            render: ({ place, invoice_number }: Row) =>
              input(`allocations.${place}.tds_amount`, words.useTdsOf(invoice_number)),
          },
        ]),
  ];
  return (
    <TablePanel
      title={words.invoices}
      actions={
        !areFilled(rows, dues, available) && (
          <Action label={words.fill} onClick={() => onFill(fillRows(dues, available))} />
        )
      }
      columns={columns}
      rows={dues.map((due, place) => ({ ...due, place }))}
      rowKey="invoice_id"
      empty={words.noInvoices}
    >
      <Rest rows={rows} available={available} />
    </TablePanel>
  );
}

function Rest({ rows, available }: Pick<Props, "rows" | "available">) {
  const wholePaise = available.moneyPaise + available.tdsPaise;
  const restPaise = restOfRows(rows, available);
  return (
    <>
      <TotalsTable
        label={words.totals}
        lines={[
          { label: words.available, amount: formatPaise(wholePaise) },
          { label: words.used, amount: formatPaise(wholePaise - restPaise) },
        ]}
        total={{ label: words.rest, amount: formatPaise(restPaise < 0n ? 0n : restPaise) }}
      />
      {restPaise < 0n && (
        <Text c="red.9" p="md" role="alert">
          {words.tooMuch(formatRupees(-restPaise))}
        </Text>
      )}
    </>
  );
}
