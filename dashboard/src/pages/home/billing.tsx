// Invoices in sums: due, overdue, collected, and how the last days and months went.
// What belongs here: those figures and charts.
import { SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { BarChart } from "../../components/charts.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/page.tsx";
import { day, moment, month } from "../../format/time.ts";
import { home } from "../../strings/home.ts";
import { Figure } from "./figure.tsx";

type Sum = { readonly count: string; readonly amount: string };
type Answer = {
  readonly as_of: string;
  readonly due: Sum;
  readonly overdue: Sum;
  readonly collected_today: Sum;
  readonly days: readonly { readonly day: string; readonly collected: string }[];
  readonly months: readonly { readonly month: string; readonly billed: string; readonly collected: string }[];
};

const HEIGHT = 220;
const DAY_SERIES = [{ key: "collected", label: home.collected }];
const MONTH_SERIES = [
  { key: "billed", label: home.billed },
  { key: "collected", label: home.collected },
];

/** Due, overdue and collected, in figures and charts. */
export function BillingSums() {
  const { data, error, refetch } = useQuery({
    queryKey: ["/home/billing"],
    queryFn: ({ signal }) => api<Answer>("GET", "/home/billing", { signal }),
  });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const collected = data?.collected_today;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        <Figure label={home.due} amount={data?.due.amount ?? null} hint={home.open(data?.due.count ?? "0")} />
        <Figure
          label={home.overdue}
          amount={data?.overdue.amount ?? null}
          hint={home.open(data?.overdue.count ?? "0")}
        />
        <Figure
          label={home.collected}
          amount={collected?.amount ?? null}
          hint={`${home.todays} · ${home.payments(collected?.count ?? "0")}`}
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
