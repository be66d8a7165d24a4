// The payouts of the last 30 days.
// What belongs here: that chart.
import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { BarChart } from "../../components/charts.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/page.tsx";
import { day, moment } from "../../format/time.ts";
import { home } from "../../strings/home.ts";

type Answer = {
  readonly as_of: string;
  readonly days: readonly { readonly day: string; readonly paid: string; readonly returned: string }[];
};

const HEIGHT = 220;
const SERIES = [
  { key: "paid", label: home.paid },
  { key: "returned", label: home.returned },
];

/** Bars of what the bank paid, and of what came back. */
export function PayoutChart() {
  const { data, error, refetch } = useQuery({
    queryKey: ["/home/payout-chart"],
    queryFn: ({ signal }) => api<Answer>("GET", "/home/payout-chart", { signal }),
  });
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
