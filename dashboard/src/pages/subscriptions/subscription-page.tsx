// One subscription: its plan, why it is parked if it is, the invoices to come and those that were made.
// What belongs here: showing it. What can be done with it is subscription-actions.tsx.
import { Alert, Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { HistoryPanel } from "../../components/history-panel.tsx";
import { AlertIcon } from "../../components/icons.tsx";
import { Money } from "../../components/money.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { withoutPath } from "../../format/refusal.ts";
import { day, moment } from "../../format/time.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";
import { EachInvoice } from "./each-invoice.tsx";
import type { Parked, SubscriptionDetail } from "./subscription.ts";
import { SubscriptionActions } from "./subscription-actions.tsx";
import { SubscriptionHistory } from "./subscription-history.tsx";

const DATES: readonly Column<SubscriptionDetail["dates"][number]>[] = [
  { key: "bill", title: words.billDate, render: ({ bill_date }) => day(bill_date) },
  { key: "due", title: words.dueDate, render: ({ due_date }) => day(due_date) },
];

/** A subscription. */
export function Page() {
  const { subscriptionId = "" } = useParams({ strict: false }) as { subscriptionId?: string };
  const path = `/subscriptions/${subscriptionId}`;
  const { data, error, refetch } = useQuery({
    queryKey: ["/subscriptions", subscriptionId],
    queryFn: ({ signal }) => api<SubscriptionDetail>("GET", path, { signal }),
  });
  const back = (
    <Anchor component={Link} to="/subscriptions">
      {words.back}
    </Anchor>
  );
  if (!data) {
    return (
      <Outline title={words.title} hint={back}>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      </Outline>
    );
  }
  const { subscription, each, dates } = data;
  return (
    <Outline
      title={words.one(subscription.customer_name)}
      badge={<StatusBadge status={subscription.status} />}
      hint={back}
      actions={<SubscriptionActions detail={data} path={path} />}
    >
      {subscription.parked && <ParkedNotice {...subscription.parked} />}
      <Panel>
        <SubscriptionFacts {...data} />
      </Panel>
      <EachInvoice each={each} />
      <Panel title={words.upcoming} flush>
        {dates.length === 0 ? (
          <Text c="dimmed" p="md">
            {words.noUpcoming}
          </Text>
        ) : (
          <DataTable caption={words.upcoming} columns={DATES} rows={dates} rowKey={({ bill_date }) => bill_date} />
        )}
      </Panel>
      <SubscriptionHistory path={path} />
      <HistoryPanel title={words.changes} path={`${path}/history`} />
    </Outline>
  );
}

function ParkedNotice({ reason, attempts, retry_at }: Parked) {
  return (
    <Alert color="red" variant="outline" icon={<AlertIcon />} title={words.parkedTitle} role="status">
      <Stack gap="xs">
        <Text size="sm">{withoutPath(reason)}</Text>
        <Text size="sm">{words.parkedHint(moment(retry_at), attempts)}</Text>
      </Stack>
    </Alert>
  );
}

function SubscriptionFacts({ subscription, each }: SubscriptionDetail) {
  const may = usePermissions();
  const { end_mode, end_date, occurences, customer_id, customer_name, customer_code } = subscription;
  const ends = end_mode === "Never" ? words.never : end_date ? words.onDate(day(end_date)) : words.after(occurences);
  const customer = `${customer_name} (${customer_code})`;
  const linked = (
    <Anchor component={Link} to={`/customers/${customer_id}`}>
      {customer}
    </Anchor>
  );
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
