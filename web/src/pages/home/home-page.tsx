// A merchant's first page: what needs somebody, how much there is and is still to come, and how it has gone. A franchise has one
// of its own.
import { SimpleGrid, Stack, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { useMerchant, usePermissions, useSession } from "../../api/session.ts";
import { useNavigationEntries } from "../../app/area.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { day } from "../../format/time.ts";
import { home } from "../../strings/home.ts";
import { Attention } from "./attention.tsx";
import { BillingCharts, Figure, PayoutChart, Receivables } from "./billing.tsx";
import { FranchiseHome } from "./franchise-home.tsx";
import { Start, TestPayees } from "./start.tsx";

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
  const isAtWork = ["profile.manage", "templates.manage", "invoices.manage", "payouts.transfer"] as const;
  return (
    <Outline
      title={merchant.name}
      hint={home.today(day(merchant.today), merchant.time_zone)}
      actions={
        <>
          {may("invoices.manage") && <Action label={home.bill} primary={!may("payouts.transfer")} to="/invoices/new" />}
          {may("payouts.transfer") && <Action label={home.pay} primary to="/transfers/new" />}
        </>
      }
    >
      <Stack gap="lg">
        {kind !== "franchise" && <Attention />}
        {isAtWork.some(may) && <Start />}
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

const ASK_AGAIN_MS = 30_000;

/** Balances and the payouts of today. */
function Balances() {
  const { data, error, refetch } = useGet("/home/balances", { refetchInterval: ASK_AGAIN_MS });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const today = (name: keyof Answer<"GET", "/home/balances">["today"]) => ({
    amount: data?.today[name].amount ?? null,
    hint: data ? `${home.todays} · ${home.payouts(data.today[name].count)}` : home.todays,
  });
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        <Figure label={home.available} amount={data?.available ?? null} hint={home.availableHint} />
        <Figure label={home.held} amount={data?.held ?? null} hint={home.heldHint} />
        <Figure label={home.ledger} amount={data?.ledger ?? null} hint={home.ledgerHint} />
        <Figure label={home.accepted} {...today("accepted")} />
        <Figure label={home.paid} {...today("paid")} />
        <Figure label={home.returned} {...today("returned")} />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {home.todaysHint}
      </Text>
    </Stack>
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
