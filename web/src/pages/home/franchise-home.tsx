// A franchise's first page: what it earned, what it was paid and what is due to it, and which of its invoices are unpaid.
import { SimpleGrid, Stack } from "@mantine/core";
import { isCommissionUnderWay, whileUnderWay } from "../../api/ask-again.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet, useLoaded } from "../../api/queries.ts";
import { useMerchant, usePermissions, useSession } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { dayOfWeek } from "../../format/time.ts";
import { franchiseHome as words } from "../../strings/home.ts";
import { invoices } from "../../strings/invoices.ts";
import { Figure } from "./figure.tsx";

/** A franchise's home. */
export function FranchiseHome() {
  const merchant = useMerchant();
  const { franchise_id: franchiseId } = useSession();
  const may = usePermissions();
  const { franchise } = useLoaded(`/franchises/${franchiseId}`, {
    refetchInterval: whileUnderWay(isCommissionUnderWay),
  });
  const isUnderWay = (toPaise(franchise.under_way) ?? 0n) > 0n;
  return (
    <Outline
      title={franchise.franchise_name}
      hint={`${words.hint(merchant.name)} · ${dayOfWeek(merchant.today)}`}
      actions={<Action label={words.commission} to={`/franchises/${franchiseId}`} />}
    >
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
          <Figure
            label={words.due}
            amount={franchise.commission_due}
            hint={isUnderWay ? words.underWay(rupees(franchise.under_way)) : words.notUnderWay}
          />
          <Figure label={words.earned} amount={franchise.commission_accrued} hint={words.soFar} />
          <Figure label={words.paid} amount={franchise.commission_paid} hint={words.soFar} />
        </SimpleGrid>
        {may("invoices.view") && <UnpaidInvoices />}
      </Stack>
    </Outline>
  );
}

type Row = Answer<"GET", "/invoices">["invoices"][number];

const COLUMNS: readonly Column<Row>[] = [
  { key: "invoice_number", title: invoices.number, as: "number", to: ({ invoice_id }) => `/invoices/${invoice_id}` },
  { key: "customer_name", title: invoices.customer, hideBelow: "sm" },
  { key: "due_date", title: invoices.dueDate, isBelowFirst: true, as: "day" },
  { key: "status", title: invoices.status, hideBelow: "sm", as: "status" },
  { key: "due_amount", title: invoices.due, as: "amount" },
];
const SHOWN = 20;

/** Its invoices that are still to be paid, those that have been due for longest first. */
function UnpaidInvoices() {
  const unpaid = useGet("/invoices", { query: { status: "Unpaid", sort: "due_date" } });
  const partly = useGet("/invoices", { query: { status: "Partially paid", sort: "due_date" } });
  const rows =
    unpaid.data && partly.data
      ? [...unpaid.data.invoices, ...partly.data.invoices]
          .toSorted((a, b) => a.due_date.localeCompare(b.due_date))
          .slice(0, SHOWN)
      : undefined;
  return (
    <TablePanel
      title={words.unpaid}
      actions={<Action label={words.all} to="/invoices" />}
      of={unpaid.error ? unpaid : partly}
      rows={rows}
      columns={COLUMNS}
      rowKey="invoice_id"
      empty={words.noUnpaid}
    />
  );
}
