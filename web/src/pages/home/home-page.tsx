// A merchant's first page: what needs somebody, how much there is and is still to come, and how it has gone. A franchise has one
// of its own.
import { Group, List, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { useMerchant, usePermissions, useSession } from "../../api/session.ts";
import { useNavigationEntries } from "../../app/area.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { dayOfWeek } from "../../format/time.ts";
import { home, start, testPayees } from "../../strings/home.ts";
import { BillingCharts, Figure, PayoutChart, Receivables } from "./billing.tsx";
import { FranchiseHome } from "./franchise-home.tsx";
import { rupees } from "../../format/money.ts";
import { useLocalStorage } from "@mantine/hooks";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { WEIGHT } from "../../app/tokens.ts";

/** Home. */
export function Page() {
  const { kind, permissions } = useSession();
  return kind === "franchise" && permissions.includes("franchises.view") ? <FranchiseHome /> : <MerchantHome />;
}

function MerchantHome() {
  const merchant = useMerchant();
  const { kind } = useSession();
  const may = usePermissions();
  // A franchise sees its own part of the merchant, and none of these sums.
  const seesPayouts = kind !== "franchise" && may("payouts.view");
  const seesBilling = kind !== "franchise" && may("invoices.view");
  const isAtWork = AT_WORK.some(may);
  const isKnown = useAreSumsKnown(seesPayouts, seesBilling);
  return (
    <Outline
      title={merchant.name}
      hint={dayOfWeek(merchant.today)}
      actions={
        <>
          {may("invoices.manage") && <Action label={home.bill} primary={!may("payouts.transfer")} to="/invoices/new" />}
          {may("payouts.transfer") && <Action label={home.pay} primary to="/transfers/new" />}
        </>
      }
    >
      {!isKnown && <Skeleton height="50vh" />}
      <Stack gap="lg" display={isKnown ? "flex" : "none"}>
        {kind !== "franchise" && <Attention />}
        {isAtWork && <Start />}
        {seesPayouts && <Balances />}
        {seesBilling && <Receivables />}
        {seesPayouts && <PayoutChart />}
        {seesBilling && <BillingCharts />}
        {may("payouts.transfer") && !merchant.live && <TestPayees />}
        {!seesPayouts && !seesBilling && <Places />}
      </Stack>
    </Outline>
  );
}

const AT_WORK = ["profile.manage", "templates.manage", "invoices.manage", "payouts.transfer"] as const;

/** Whether each sum of the page has come, or can't be had: shown one after the other, they would push each other down. */
function useAreSumsKnown(seesPayouts: boolean, seesBilling: boolean): boolean {
  const sums = [
    useGet("/session/home/waiting", { enabled: false }),
    useGet("/session/home/start", { enabled: false }),
    useGet("/session/home/balances", { enabled: seesPayouts }),
    useGet("/session/home/payout-chart", { enabled: seesPayouts }),
    useGet("/session/home/billing", { enabled: seesBilling }),
  ];
  return sums.every(({ isLoading, failureCount }) => !isLoading || failureCount > 0);
}

const ASK_AGAIN_MS = 30_000;

/** Balances and the payouts of today. */
function Balances() {
  const { data, error, refetch } = useGet("/session/home/balances", { refetchInterval: ASK_AGAIN_MS });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const today = (name: keyof Answer<"GET", "/session/home/balances">["today"]) => ({
    amount: data?.today[name].amount ?? null,
    hint: data ? `${home.todays} · ${home.payouts(data.today[name].count)}` : home.todays,
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
      <Figure label={home.available} amount={data?.available ?? null} hint={home.availableHint} />
      <Figure label={home.held} amount={data?.held ?? null} hint={home.heldHint} />
      <Figure label={home.ledger} amount={data?.ledger ?? null} hint={home.ledgerHint} />
      <Figure label={home.accepted} {...today("accepted")} />
      <Figure label={home.paid} {...today("paid")} info={home.todaysHint} />
      <Figure label={home.returned} {...today("returned")} info={home.todaysHint} />
    </SimpleGrid>
  );
}

/** The places that the session may see, for who sees none of the sums. */
function Places() {
  const places = useNavigationEntries().filter(({ to }) => to !== "/");
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {places.map(({ label, to }) => (
        <Panel key={to}>
          <LinkTo label={label} to={to} />
        </Panel>
      ))}
    </SimpleGrid>
  );
}

type Thing = {
  /** Nothing is said of none, and of what is not known. */
  readonly count: number | string | undefined;
  readonly words: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
};

/** What needs attention; nothing for who could do nothing about any of it. */
function Attention() {
  const may = usePermissions();
  const seesBilling = may("invoices.view");
  const seesOthers = may("payouts.view") || may("subscriptions.view") || may("webhooks.manage");
  const waiting = useGet("/session/home/waiting", { enabled: seesOthers });
  const billing = useGet("/session/home/billing", { enabled: seesBilling });
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

type Waiting = NonNullable<ReturnType<typeof useGet<"/session/home/waiting">>["data"]>;
type Overdue = { readonly count: string; readonly amount: string };

function thingsOf(waiting: Waiting | undefined, overdue: Overdue | undefined): Thing[] {
  const things: Thing[] = [
    { count: waiting?.approvals, words: home.approvals(waiting?.approvals ?? 0), to: "/approvals" },
    { count: waiting?.stuck_payouts, words: home.stuck(waiting?.stuck_payouts ?? 0), to: "/transfers/attention" },
    {
      count: waiting?.returned_payouts,
      words: home.returnedPayouts(waiting?.returned_payouts ?? ""),
      to: "/transfers",
      search: { status: "FAILED_OR_REVERSED" },
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
      search: { status: "Parked" },
    },
    {
      count: waiting?.stopped_webhooks,
      words: home.webhooks(waiting?.stopped_webhooks ?? 0),
      to: "/settings/webhooks",
    },
  ];
  return things.filter(({ count }) => Number(count));
}

type Started = Answer<"GET", "/session/home/start">;

const PLACES: Readonly<Record<Started["steps"][number]["name"], string>> = {
  company: "/settings/company",
  bank: "/settings/company",
  provider: "/settings/payout-accounts",
  template: "/templates",
  invoice: "/invoices/new",
  second_factor: "/security",
};

/** The first steps. Each is read from what is there; that somebody has dismissed them is kept in this browser. */
function Start() {
  const { kind, id, merchant } = useSession();
  const [dismissed, setDismissed] = useLocalStorage({
    key: `nodal-start:${kind}-${id}:${merchant?.id ?? ""}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { data } = useGet("/session/home/start", { enabled: !dismissed });
  const steps = data?.steps ?? [];
  const done = steps.filter((step) => step.done).length;
  if (dismissed || done === steps.length) return null;
  return (
    <Panel
      title={start.title}
      actions={
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {start.progress(done, steps.length)}
          </Text>
          <Action label={start.dismiss} size="compact-sm" onClick={() => setDismissed(true)} />
        </Group>
      }
    >
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
        {steps.map((step) => (
          <Step key={step.name} {...step} />
        ))}
      </Stack>
    </Panel>
  );
}

function Step({ name, done }: Started["steps"][number]) {
  const { name: title, hint, link } = start.steps[name];
  return (
    <li>
      <Group gap="xs">
        <Text fw={WEIGHT.strong}>{title}</Text>
        {done && <StatusBadge status={start.done} tone="success" />}
      </Group>
      {!done && (
        <Text size="sm" c="dimmed">
          {hint} <LinkTo label={link} to={PLACES[name]} size="sm" underline="always" />
        </Text>
      )}
    </li>
  );
}

type Payee = Started["test_payees"][number];

const COLUMNS: readonly Column<Payee>[] = [
  { key: "outcome", title: testPayees.outcome, render: ({ outcome }) => testPayees.outcomes[outcome] },
  {
    key: "account_number",
    title: testPayees.account,
    render: ({ account_number: number, ifsc, upi }) => (
      <>
        {number || upi}
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {ifsc}
        </Text>
      </>
    ),
  },
  { key: "ifsc", title: testPayees.ifsc, hideBelow: "sm" },
];

/** The accounts of the simulated bank, with what each of them shows. */
function TestPayees() {
  const may = usePermissions();
  const found = useGet("/session/home/start");
  return (
    <TablePanel
      title={testPayees.title}
      hint={testPayees.hint}
      actions={may("beneficiaries.manage") && <Action label={testPayees.add} to="/beneficiaries/new" />}
      of={found}
      rows={found.data?.test_payees}
      columns={COLUMNS}
      rowKey={({ account_number, upi }) => account_number || upi}
    />
  );
}
