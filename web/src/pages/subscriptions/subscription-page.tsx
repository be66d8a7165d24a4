// One subscription: its plan, the reason if it is parked, and its future and past invoices.
import { Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { LinkTo, MenuButton } from "../../components/actions.tsx";
import { ListPanel } from "../../components/data-page.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { HistoryPanel } from "../../components/history-panel.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { lineColumns, placedLines } from "../../components/line-columns.tsx";
import { Facts, Money, StatusBadge, TotalsTable } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { withoutPath } from "../../format/refusal.ts";
import { day, moment } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";
import { StepDialog, type Step, useSubscriptionActions } from "./subscription-actions.tsx";
import type { SubscriptionDetail } from "./subscription-values.ts";

const DATES: readonly Column<SubscriptionDetail["dates"][number]>[] = [
  { key: "bill_date", title: words.billDate, as: "day" },
  { key: "due_date", title: words.dueDate, as: "day" },
];

/** A subscription. */
export function Page() {
  const { subscriptionId = "" } = useParams({ strict: false }) as { subscriptionId?: string };
  const path = `/subscriptions/${subscriptionId}` as const;
  const detail = useLoaded(path);
  const back = <LinkTo label={words.back} to="/subscriptions" />;
  const { subscription, each, dates } = detail;
  return (
    <Outline
      title={words.one(subscription.customer_name)}
      badge={<StatusBadge status={subscription.status} />}
      hint={back}
      actions={<SubscriptionActions detail={detail} />}
    >
      {subscription.parked && <ParkedNotice {...subscription.parked} />}
      <Panel>
        <SubscriptionFacts {...detail} />
      </Panel>
      <EachInvoice each={each} />
      <TablePanel title={words.upcoming} columns={DATES} rows={dates} rowKey="bill_date" empty={words.noUpcoming} />
      <SubscriptionHistory path={path} />
      <HistoryPanel title={words.changes} path={`${path}/history`} />
    </Outline>
  );
}

function ParkedNotice({ reason, attempts, retry_at }: NonNullable<SubscriptionDetail["subscription"]["parked"]>) {
  return (
    <Notice color="red" title={words.parkedTitle}>
      <Stack gap="xs">
        <Text size="sm">{withoutPath(reason)}</Text>
        <Text size="sm">{words.parkedHint(moment(retry_at), attempts)}</Text>
      </Stack>
    </Notice>
  );
}

function SubscriptionFacts({ subscription, each }: SubscriptionDetail) {
  const may = usePermissions();
  const { end_mode, end_date, occurences, customer_id, customer_name, customer_code } = subscription;
  const ends = end_mode === "Never" ? words.never : end_date ? words.onDate(day(end_date)) : words.after(occurences);
  const customer = `${customer_name} (${customer_code})`;
  const linked = <LinkTo label={customer} to={`/customers/${customer_id}`} />;
  return (
    <Facts
      facts={[
        { label: words.customer, value: may("customers.view") ? linked : customer },
        { label: words.each, value: each && <Money amount={each.amount} /> },
        { label: words.repeats, value: words.every(subscription.mode, subscription.repeat_every) },
        { label: words.started, value: day(subscription.start_date) },
        { label: words.ends, value: ends },
        { label: words.carries, value: subscription.carry_forword_dues === "1" ? words.carried : words.notCarried },
        { label: words.template, value: subscription.template_name },
        { label: words.created, value: moment(subscription.created_at) },
      ]}
    />
  );
}

type Each = NonNullable<SubscriptionDetail["each"]>;

/** The panel; it shows an error instead of amounts if the invoice can't be created. */
function EachInvoice({ each }: { readonly each: Each | null }) {
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
      <DataTable caption={words.each} columns={lineColumns(rows)} rows={placedLines(rows)} rowKey="place" />
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

type Occurrence = Answer<"GET", "/subscriptions/:subscription_id/occurrences">["occurrences"][number];

const OCCURRENCE_COLUMNS: readonly Column<Occurrence>[] = [
  { key: "occurrence", title: words.number, hideBelow: "sm" },
  { key: "bill_date", title: words.billDate, as: "day" },
  { key: "due_date", title: words.dueDate, hideBelow: "sm", as: "day" },
  { key: "status", title: words.status, as: "status" },
  {
    key: "invoice",
    title: words.invoice,
    render: ({ invoice_id }) =>
      invoice_id === "" ? "–" : <LinkTo label={invoice_id} to={`/invoices/${invoice_id}`} />,
  },
];

/** The panel of the history. */
function SubscriptionHistory({ path }: { readonly path: `/subscriptions/${string}` }) {
  const list = useList({ path: `${path}/occurrences`, rowsIn: "occurrences", filters: [] });
  return (
    <ListPanel
      title={words.history}
      list={list}
      columns={OCCURRENCE_COLUMNS}
      rowKey="occurrence"
      empty={{ title: words.noHistory, hint: words.noHistoryHint }}
    />
  );
}

/** The actions in the current state. */
function SubscriptionActions({ detail }: { readonly detail: SubscriptionDetail }) {
  const [step, setStep] = useState<Step | null>(null);
  const actions = useSubscriptionActions(detail, setStep);
  return (
    <>
      {actions.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={false} />
      ))}
      {step && <StepDialog detail={detail} step={step} onClose={() => setStep(null)} />}
    </>
  );
}
