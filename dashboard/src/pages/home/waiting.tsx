// What waits for somebody, each with the way there.
// What belongs here: the list.
import { Anchor, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { useNavigationEntries } from "../../app/area.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/page.tsx";
import { home } from "../../strings/home.ts";

type Answer = {
  readonly approvals: number;
  readonly returned_payouts: string;
  readonly parked_subscriptions: string;
  readonly stopped_webhooks: number;
};

/** What is to be looked at. */
export function Waiting() {
  const entries = useNavigationEntries();
  const { data, error, refetch } = useQuery({
    queryKey: ["/home/waiting"],
    queryFn: ({ signal }) => api<Answer>("GET", "/home/waiting", { signal }),
  });
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
    { count: data?.stopped_webhooks, words: home.webhooks(data?.stopped_webhooks ?? 0), to: "/webhooks" },
  ].filter(({ count }) => count);
  return (
    <Panel title={home.waiting}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && things.length === 0 && <Text c="dimmed">{home.nothingWaits}</Text>}
      <List>
        {things.map(({ words, to }) => (
          <List.Item key={to}>
            {entries.some((entry) => entry.to === to) ? (
              <Anchor component={Link} to={to}>
                {words}
              </Anchor>
            ) : (
              words
            )}
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}
