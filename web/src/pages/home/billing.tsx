// Sums and charts of the first page: what is still to be paid to the merchant, and how the last days and months went.
import { Group, Paper, SimpleGrid, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useGet } from "../../api/queries.ts";
import { ChartPanel } from "../../components/charts.tsx";
import { InfoTip } from "../../components/info-tip.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Money } from "../../components/values.tsx";
import { day, month } from "../../format/time.ts";
import { home } from "../../strings/home.ts";
import { WEIGHT } from "../../app/tokens.ts";

/** As high as a line of text. */
const NOTHING_YET = "\u00a0";
const DAY_SERIES = [{ key: "collected", label: home.collected }];
const MONTH_SERIES = [
  { key: "billed", label: home.billed },
  { key: "collected", label: home.collected },
];
const PAYOUT_SERIES = [
  { key: "paid", label: home.paid },
  { key: "returned", label: home.returned },
];

/** What customers owe: in all, of it what is not due yet and what is overdue; and what they paid today. */
export function Receivables() {
  const { data, error, refetch } = useGet("/session/home/billing");
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const collected = data?.collected_today;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Figure label={home.receivable} amount={data?.receivable ?? null} hint={home.receivableHint} />
      <Figure
        label={home.current}
        amount={data?.due.amount ?? null}
        hint={data ? home.currentHint(data.due.count) : NOTHING_YET}
      />
      <Figure
        label={home.overdue}
        amount={data?.overdue.amount ?? null}
        hint={data ? home.open(data.overdue.count) : NOTHING_YET}
      />
      <Figure
        label={home.collected}
        amount={collected?.amount ?? null}
        hint={collected ? `${home.todays} · ${home.payments(collected.count)}` : home.todays}
      />
    </SimpleGrid>
  );
}

/** What was collected by day, and billed and collected by month. */
export function BillingCharts() {
  const { data } = useGet("/session/home/billing");
  // Why there is no answer is said where the sums would be.
  if (!data) return null;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <ChartPanel
        title={home.collectionChart}
        unit="days"
        series={DAY_SERIES}
        asOf={data.as_of}
        points={data.days.map(({ collected, ...each }) => ({ label: dayOf(each.day), amounts: { collected } }))}
      />
      <ChartPanel
        title={home.billingChart}
        unit="months"
        series={MONTH_SERIES}
        asOf={data.as_of}
        points={data.months.map(({ billed, collected, ...each }) => ({
          label: month(each.month),
          amounts: { billed, collected },
        }))}
      />
    </SimpleGrid>
  );
}

/** What the bank paid, and what came back, by day. */
export function PayoutChart() {
  const { data, error, refetch } = useGet("/session/home/payout-chart");
  return (
    <ChartPanel
      title={home.payoutChart}
      unit="days"
      series={PAYOUT_SERIES}
      asOf={data?.as_of}
      error={error}
      onRetry={() => void refetch()}
      points={data?.days.map(({ paid, returned, ...each }) => ({
        label: dayOf(each.day),
        amounts: { paid, returned },
      }))}
    />
  );
}

/** Without the year. */
function dayOf(date: string): string {
  return day(date).slice(0, -5);
}

type Props = {
  readonly label: string;
  /** A wire amount; `null` while it is not known yet. */
  readonly amount: string | null;
  readonly hint: ReactNode;
  /** What the amount includes, in a tooltip. */
  readonly info?: string;
};

/** An amount with its label. */
export function Figure({ label, amount, hint, info }: Props) {
  return (
    <Paper withBorder p="md">
      <Group gap={2} wrap="nowrap">
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        {info !== undefined && <InfoTip about={label} text={info} />}
      </Group>
      {amount === null ? (
        <Skeleton h="calc(var(--nodal-size-xl) * var(--mantine-line-height-xl))" w="70%" />
      ) : (
        <Text size="xl" fw={WEIGHT.strong}>
          <Money amount={amount} />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    </Paper>
  );
}
