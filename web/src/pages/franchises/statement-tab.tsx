// A franchise's statement: what was due to it, what it earned and was paid in a period, and what is due; as CSV and PDF too.
import { Group, Skeleton } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { apiUrl } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Below, type Fact, Facts, Money } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { PeriodFields, usePeriod } from "../../lists/period.tsx";
import { modeName } from "../../forms/payment-mode.tsx";
import { franchises as words } from "../../strings/franchises.ts";

const said = words.statement;
type Statement = Answer<"GET", "/franchises/:franchise_id/statement">;
/** With its place: two lines of a day may differ in nothing else. */
type Row = Statement["lines"][number] & { readonly place: number };

/** The statement of a franchise. */
export function FranchiseStatement({ franchiseId }: { readonly franchiseId: string }) {
  const period = usePeriod();
  const path = `/franchises/${franchiseId}/statement` as const;
  const found = useGet(path, { query: period, placeholderData: keepPreviousData });
  const { data } = found;
  const columns = useColumns();
  return (
    <>
      <Panel
        title={said.title}
        actions={
          <Group gap="xs">
            <Action label={said.csv} href={apiUrl(`${path}.csv`, period)} />
            <Action label={said.pdf} href={apiUrl(`${path}/pdf`, period)} newTab />
          </Group>
        }
      >
        <Group gap="sm" align="flex-start" mb="md">
          <PeriodFields />
        </Group>
        <Facts
          facts={[
            sum(`${said.opening} · ${day(data?.from_date ?? period.from_date)}`, data?.opening_balance),
            sum(words.earned, data?.earned),
            sum(words.paid, data?.paid),
            sum(`${said.closing} · ${day(data?.to_date ?? period.to_date)}`, data?.closing_balance),
          ]}
        />
      </Panel>
      <TablePanel
        caption={said.title}
        of={found}
        rows={data?.lines.map((line, place) => ({ ...line, place }))}
        columns={columns}
        rowKey="place"
        empty={{ title: said.empty, hint: said.emptyHint }}
      />
    </>
  );
}

const isEarning = ({ kind }: Row): boolean => kind === "earned" || kind === "earning_reversed";

/** A sum, with a placeholder while it loads. */
function sum(label: string, amount: string | undefined): Fact {
  return { label, value: amount === undefined ? <Skeleton height="1lh" width="6rem" /> : <Money amount={amount} /> };
}

function useColumns(): readonly Column<Row>[] {
  const may = usePermissions();
  const seesInvoices = may("invoices.view");
  const seesPayouts = may("payouts.view");
  const linkOf = ({ invoice_id: invoiceId, transfer_id: transferId }: Row): string | null => {
    if (invoiceId !== "") return seesInvoices ? `/invoices/${invoiceId}` : null;
    return transferId !== null && seesPayouts ? `/transfers/${transferId}` : null;
  };
  return [
    {
      key: "kind",
      title: said.entry,
      render: (row) => {
        const to = linkOf(row);
        const name = row.invoice_number || said.kinds[row.kind];
        const details = [row.invoice_number && said.kinds[row.kind], modeName(row.mode), row.reference].filter(Boolean);
        return (
          <>
            {to === null ? name : <LinkTo label={name} to={to} />}
            {details.length > 0 && <Below>{details.join(" · ")}</Below>}
            <Below onPhones>
              {day(row.date)} · {rupees(isEarning(row) ? row.earned : row.paid)}
            </Below>
          </>
        );
      },
    },
    { key: "date", title: said.date, as: "day", hideBelow: "sm" },
    { key: "earned", title: said.earned, as: "amount", hideBelow: "sm" },
    { key: "paid", title: said.paid, as: "amount", hideBelow: "sm" },
    { key: "balance", title: said.balance, as: "amount" },
  ];
}
