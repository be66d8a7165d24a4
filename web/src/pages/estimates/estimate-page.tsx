// One estimate, and its actions.
import { Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { apiUrl } from "../../api/client.ts";
import { useGet, useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo, MenuButton } from "../../components/actions.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { FramedPage } from "../../components/framed-page.tsx";
import { lineColumns, placedLines } from "../../components/line-columns.tsx";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { type Fact, Facts, StatusBadge, TotalsTable } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { day, moment } from "../../format/time.ts";
import { estimate as words } from "../../strings/estimates.ts";
import { invoiceForm } from "../../strings/invoice-form.ts";
import { DeclineDialog, useEstimateActions } from "./estimate-actions.tsx";
import type { EstimateRecord } from "./estimate-values.ts";

type Props = { readonly estimate: EstimateRecord };

/** The estimate that the address names. */
export function Page() {
  const { estimateId = "" }: { estimateId?: string } = useParams({ strict: false });
  const { estimate } = useLoaded(`/estimates/${estimateId}`);
  return (
    <Outline
      title={words.title(estimate.estimate_number)}
      badge={<StatusBadge status={estimate.status} />}
      actions={<Actions estimate={estimate} />}
    >
      {estimate.status === "Expired" && <Notice>{words.expired(day(estimate.valid_until))}</Notice>}
      <Summary estimate={estimate} />
      <Rows estimate={estimate} />
      <PrintedPage estimate={estimate} />
    </Outline>
  );
}

function Actions({ estimate }: Props) {
  const [isDeclining, setDeclining] = useState(false);
  const actions = useEstimateActions(estimate, () => setDeclining(true));
  return (
    <>
      {actions.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={entry.label === words.make} />
      ))}
      {isDeclining && <DeclineDialog estimate={estimate} onClose={() => setDeclining(false)} />}
    </>
  );
}

function Summary({ estimate }: Props) {
  const may = usePermissions();
  const { customer_id, customer_name, customer_code, invoice_id, reason } = estimate;
  const customer = `${customer_name} (${customer_code})`;
  const linked = <LinkTo label={customer} to={`/customers/${customer_id}`} />;
  const invoice: Fact = { label: words.invoice, value: <LinkTo label={invoice_id} to={`/invoices/${invoice_id}`} /> };
  return (
    <Panel
      title={words.summary}
      actions={<Action label={words.pdf} href={apiUrl(`/estimates/${estimate.estimate_id}/pdf`)} newTab />}
    >
      <Facts
        facts={[
          { label: words.customer, value: may("customers.view") ? linked : customer },
          { label: words.date, value: day(estimate.estimate_date) },
          { label: words.validUntil, value: day(estimate.valid_until) },
          { label: words.dueDays, value: words.days(estimate.due_days) },
          ...(invoice_id === "" ? [] : [invoice]),
          ...(reason === "" ? [] : [{ label: words.reason, value: reason }]),
          { label: words.created, value: moment(estimate.created_at) },
        ]}
      />
    </Panel>
  );
}

function Rows({ estimate: { rows, taxes, sub_total, amount } }: Props) {
  return (
    <Panel title={invoiceForm.rows} flush>
      <DataTable caption={invoiceForm.rows} columns={lineColumns(rows)} rows={placedLines(rows)} rowKey="place" />
      <TotalsTable
        label={invoiceForm.totals}
        lines={[
          { label: invoiceForm.subTotal, amount: sub_total },
          ...taxes.map((tax) => ({
            label: words.tax(tax.name, tax.percentage, rupees(tax.applicable_on)),
            amount: tax.amount,
          })),
        ]}
        total={{ label: invoiceForm.total, amount }}
      />
    </Panel>
  );
}

/** The estimate as its customer sees it, on demand. */
function PrintedPage({ estimate }: Props) {
  const [isOpen, { open }] = useDisclosure(false);
  const { data, error, refetch } = useGet(`/estimates/${estimate.estimate_id}/page`, { enabled: isOpen });
  return (
    <Panel title={words.page}>
      <Stack gap="sm" align="stretch">
        <Text c="dimmed">{words.pageHint}</Text>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data && <FramedPage html={data.html} title={words.pageTitle} />}
        {!isOpen && (
          <div>
            <Action label={words.showPage} onClick={open} />
          </div>
        )}
      </Stack>
    </Panel>
  );
}
