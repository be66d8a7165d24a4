// A merchant's first page: how much there is, what happened today, what waits for somebody, and how it has gone.
import { List, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { useMerchant, usePermissions, useSession } from "../../api/session.ts";
import { useNavigationEntries } from "../../app/area.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { day } from "../../format/time.ts";
import { home } from "../../strings/home.ts";
import { BillingSums, Figure, PayoutChart } from "./billing.tsx";

/** Home. */
export function Page() {
  const merchant = useMerchant();
  const { kind } = useSession();
  const may = usePermissions();
  // A franchise sees its own part of the merchant, and none of these sums.
  const seesPayouts = kind !== "franchise" && may("payouts.view");
  const seesBilling = kind !== "franchise" && may("invoices.view");
  return (
    <Outline
      title={merchant.name}
      hint={home.today(day(merchant.today), merchant.time_zone)}
      actions={may("payouts.transfer") && <Action label={home.pay} primary to="/transfers/new" />}
    >
      <Stack gap="lg">
        {seesPayouts && <Balances />}
        {seesPayouts && (
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <PayoutChart />
            <Waiting />
          </SimpleGrid>
        )}
        {seesBilling && <BillingSums />}
        {!seesPayouts && !seesBilling && <Places />}
      </Stack>
    </Outline>
  );
}

const ASK_AGAIN_MS = 30_000;

/** Balances and the payouts of today. */
export function Balances() {
  const { data, error, refetch } = useGet("/home/balances", { refetchInterval: ASK_AGAIN_MS });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const today = (name: keyof Answer<"GET", "/home/balances">["today"]) => ({
    amount: data?.today[name].amount ?? null,
    hint: data ? `${home.todays} · ${home.payouts(data.today[name].count)}` : home.todays,
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
      <Figure label={home.available} amount={data?.available ?? null} hint={home.availableHint} />
      <Figure label={home.held} amount={data?.held ?? null} hint={home.heldHint} />
      <Figure label={home.ledger} amount={data?.ledger ?? null} hint={home.ledgerHint} />
      <Figure label={home.accepted} {...today("accepted")} />
      <Figure label={home.paid} {...today("paid")} />
      <Figure label={home.returned} {...today("returned")} />
    </SimpleGrid>
  );
}

/** The places that the session may see. */
export function Places() {
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

/** What is to be looked at. */
export function Waiting() {
  const entries = useNavigationEntries();
  const { data, error, refetch } = useGet("/home/waiting");
  const things = [
    { count: data?.approvals, words: home.approvals(data?.approvals ?? 0), to: "/approvals" },
    {
      count: Number(data?.returned_payouts),
      words: home.returnedPayouts(data?.returned_payouts ?? ""),
      to: "/transfers",
    },
    {
      count: Number(data?.parked_subscriptions),
      words: home.parked(data?.parked_subscriptions ?? ""),
      to: "/subscriptions",
    },
    { count: data?.stopped_webhooks, words: home.webhooks(data?.stopped_webhooks ?? 0), to: "/settings/webhooks" },
  ].filter(({ count }) => count);
  return (
    <Panel title={home.waiting}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && things.length === 0 && <Text c="dimmed">{home.nothingWaits}</Text>}
      <List>
        {things.map(({ words, to }) => (
          <List.Item key={to}>
            {entries.some((entry) => entry.to === to) ? <LinkTo label={words} to={to} /> : words}
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}
