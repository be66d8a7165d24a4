// Invoices in sums: due, overdue, collected, and how the last days and months went.
import { Paper, SimpleGrid, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useGet } from "../../api/queries.ts";
import { BarChart } from "../../components/charts.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { Money } from "../../components/values.tsx";
import { day, moment, month } from "../../format/time.ts";
import { home } from "../../strings/home.ts";

const HEIGHT = 220;
const DAY_SERIES = [{ key: "collected", label: home.collected }];
const MONTH_SERIES = [
  { key: "billed", label: home.billed },
  { key: "collected", label: home.collected },
];

/** Due, overdue and collected, in figures and charts. */
export function BillingSums() {
  const { data, error, refetch } = useGet("/home/billing");
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const collected = data?.collected_today;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        <Figure label={home.due} amount={data?.due.amount ?? null} hint={data ? home.open(data.due.count) : ""} />
        <Figure
          label={home.overdue}
          amount={data?.overdue.amount ?? null}
          hint={data ? home.open(data.overdue.count) : ""}
        />
        <Figure
          label={home.collected}
          amount={collected?.amount ?? null}
          hint={collected ? `${home.todays} · ${home.payments(collected.count)}` : home.todays}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Panel title={home.collectionChart}>
          {data ? (
            <BarChart
              caption={home.collectionChart}
              series={DAY_SERIES}
              points={data.days.map((each) => ({
                label: day(each.day).slice(0, -5),
                amounts: { collected: each.collected },
              }))}
            />
          ) : (
            <Skeleton height={HEIGHT} />
          )}
        </Panel>
        <Panel title={home.billingChart}>
          {data ? (
            <BarChart
              caption={home.billingChart}
              series={MONTH_SERIES}
              points={data.months.map((each) => ({
                label: month(each.month),
                amounts: { billed: each.billed, collected: each.collected },
              }))}
            />
          ) : (
            <Skeleton height={HEIGHT} />
          )}
        </Panel>
      </SimpleGrid>
      {data && (
        <Text size="sm" c="dimmed">
          {home.asOf(moment(data.as_of))}
        </Text>
      )}
    </>
  );
}

type Props = {
  readonly label: string;
  /** A wire amount; `null` while it is not known yet. */
  readonly amount: string | null;
  readonly hint: ReactNode;
};

/** An amount with its label. */
export function Figure({ label, amount, hint }: Props) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {amount === null ? (
        <Skeleton height={28} my={4} w="70%" />
      ) : (
        <Text fz={22} fw={650} lh={1.4}>
          <Money amount={amount} />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    </Paper>
  );
}

const SERIES = [
  { key: "paid", label: home.paid },
  { key: "returned", label: home.returned },
];

/** Bars of what the bank paid, and of what came back. */
export function PayoutChart() {
  const { data, error, refetch } = useGet("/home/payout-chart");
  const points = (data?.days ?? []).map(({ paid, returned, ...each }) => ({
    label: day(each.day).slice(0, -5),
    amounts: { paid, returned },
  }));
  return (
    <Panel title={home.payoutChart}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={HEIGHT} />}
      {data && <BarChart caption={home.payoutChart} series={SERIES} points={points} />}
      {data && (
        <Text size="sm" c="dimmed" mt="xs">
          {home.asOf(moment(data.as_of))}
        </Text>
      )}
    </Panel>
  );
}
