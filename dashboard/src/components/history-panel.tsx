// What was done to one thing, newest first, and by whom: an invoice with its payments and credit notes, a subscription.
// What belongs here: that panel. Earlier entries are added below, for pages that have a list in the address already.
import { Button, Group, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import { actorName } from "../format/actor.ts";
import { rupees } from "../format/money.ts";
import { withoutPath } from "../format/refusal.ts";
import { moment } from "../format/time.ts";
import { happenings, history as words } from "../strings/history.ts";
import { DataTable, type Column } from "./data-table.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { Panel } from "./page.tsx";

type Happening = {
  readonly event_no: string;
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  /** Of people who can still be found. */
  readonly actor_name: string | null;
  /** Empty for who may not see it. */
  readonly address: string;
  readonly amount: string;
  readonly note: string;
};

const COLUMNS: readonly Column<Happening>[] = [
  { key: "at", title: words.when, render: ({ at }) => moment(at) },
  {
    key: "what",
    title: words.what,
    render: ({ type, amount, note }) => (
      <>
        {[happenings[type] ?? type, ...(amount === "" ? [] : [rupees(amount)])].join(", ")}
        {note !== "" && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {withoutPath(note)}
          </Text>
        )}
      </>
    ),
  },
  {
    key: "who",
    title: words.who,
    hideBelow: "sm",
    render: ({ actor, actor_name, address }) => (
      <>
        {actorName(actor, actor_name)}
        {address !== "" && (
          <Text size="sm" c="dimmed">
            {address}
          </Text>
        )}
      </>
    ),
  },
];

type Answer = { readonly history: readonly Happening[]; readonly next: string | null };

type Props = {
  readonly title: string;
  /** Of the route that answers with it. */
  readonly path: string;
};

/** The panel; nothing for a franchise, whom the names of the merchant's people don't concern. */
export function HistoryPanel(props: Props) {
  const { kind } = useSession();
  return kind === "franchise" ? null : <Happenings {...props} />;
}

function Happenings({ title, path }: Props) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [path],
    queryFn: ({ pageParam, signal }) => api<Answer>("GET", path, { query: { after: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
  const rows = data?.pages.flatMap((page) => page.history) ?? [];
  return (
    <Panel title={title} flush>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
      {data && rows.length === 0 ? (
        <Text px="md" pb="md" c="dimmed">
          {words.empty}
        </Text>
      ) : (
        <DataTable
          caption={title}
          columns={COLUMNS}
          rows={rows}
          rowKey={({ event_no }) => event_no}
          isLoading={isPending}
        />
      )}
      {hasNextPage && (
        <Group justify="flex-end" p="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {words.earlier}
          </Button>
        </Group>
      )}
    </Panel>
  );
}
