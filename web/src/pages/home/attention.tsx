// What is to be looked at, each with the way there. What somebody may not see is not counted for him.
import { List, Text } from "@mantine/core";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { LinkTo } from "../../components/actions.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { rupees } from "../../format/money.ts";
import { home } from "../../strings/home.ts";

type Thing = {
  /** Nothing is said of none, and of what is not known. */
  readonly count: number | string | undefined;
  readonly words: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
};

/** What needs attention; nothing for who could do nothing about any of it. */
export function Attention() {
  const may = usePermissions();
  const seesBilling = may("invoices.view");
  const seesOthers = may("payouts.view") || may("subscriptions.view") || may("webhooks.manage");
  const waiting = useGet("/home/waiting", { enabled: seesOthers });
  const billing = useGet("/home/billing", { enabled: seesBilling });
  if (!seesBilling && !seesOthers) return null;
  const failed = [waiting, billing].find(({ error, data }) => error && !data);
  const isKnown = (waiting.data || !seesOthers) && (billing.data || !seesBilling);
  const things = thingsOf(waiting.data, billing.data?.overdue);
  return (
    <Panel title={home.waiting}>
      {failed?.error && <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />}
      {isKnown && things.length === 0 && <Text c="dimmed">{home.nothingWaits}</Text>}
      <List>
        {things.map(({ words, to, search = {} }) => (
          <List.Item key={words}>
            <LinkTo label={words} to={to} search={search} />
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}

type Waiting = NonNullable<ReturnType<typeof useGet<"/home/waiting">>["data"]>;
type Overdue = { readonly count: string; readonly amount: string };

function thingsOf(waiting: Waiting | undefined, overdue: Overdue | undefined): Thing[] {
  const things: Thing[] = [
    { count: waiting?.approvals, words: home.approvals(waiting?.approvals ?? 0), to: "/approvals" },
    { count: waiting?.stuck_payouts, words: home.stuck(waiting?.stuck_payouts ?? 0), to: "/transfers/attention" },
    {
      count: waiting?.returned_payouts,
      words: home.returnedPayouts(waiting?.returned_payouts ?? ""),
      to: "/transfers",
    },
    {
      count: overdue?.count,
      words: home.overdueInvoices(overdue?.count ?? "", rupees(overdue?.amount ?? "")),
      to: "/invoices",
      search: { status: "Overdue" },
    },
    {
      count: waiting?.parked_subscriptions,
      words: home.parked(waiting?.parked_subscriptions ?? ""),
      to: "/subscriptions",
    },
    {
      count: waiting?.stopped_webhooks,
      words: home.webhooks(waiting?.stopped_webhooks ?? 0),
      to: "/settings/webhooks",
    },
  ];
  return things.filter(({ count }) => Number(count));
}
