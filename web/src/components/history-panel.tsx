// The history of one record, newest first, with actors: an invoice with its payments and credit notes, or a subscription. A button adds earlier
// entries below, since the address may already have another list's page.
import { Group, Skeleton, Text } from "@mantine/core";
import type { Answer } from "../api/contract.ts";
import { usePages } from "../api/queries.ts";
import { useSession } from "../api/session.ts";
import { actorName } from "../format/actor.ts";
import { historyInWords } from "../format/event.ts";
import { rupees } from "../format/money.ts";
import { withoutPath } from "../format/refusal.ts";
import { history as words } from "../strings/history.ts";
import type { Tone } from "../strings/statuses.ts";
import { Action } from "./actions.tsx";
import { ErrorNotice } from "./notices.tsx";
import { Panel } from "./page.tsx";
import { Timeline, type TimelineEntry } from "./timeline.tsx";

type HistoryEntry = Answer<"GET", "/invoices/:invoice_id/history">["history"][number];

/** The colours of good and bad outcomes; the rest is neutral. */
const TONES: Readonly<Record<string, Tone>> = {
  "invoice.sent": "info",
  "invoice.paid": "success",
  "invoice.cancelled": "danger",
  "invoice.reopened": "warning",
  "settlement.recorded": "success",
  "settlement.reversed": "danger",
  "credit_note.issued": "warning",
  "subscription.completed": "success",
  "subscription.cancelled": "danger",
  "subscription.parked": "danger",
};

type Props = {
  readonly title: string;
  /** The route of the history. */
  readonly path: `/invoices/${string}/history` | `/subscriptions/${string}/history`;
};

/** The panel; nothing for a franchise, whom the names of the merchant's people don't concern. */
export function HistoryPanel(props: Props) {
  const { kind } = useSession();
  return kind === "franchise" ? null : <HistoryList {...props} />;
}

function HistoryList({ title, path }: Props) {
  const { pages, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = usePages(path);
  const entries = pages?.flatMap(({ history }) => history) ?? [];
  return (
    <Panel title={title}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton height="8rem" />}
      {pages && entries.length === 0 && <Text c="dimmed">{words.empty}</Text>}
      {entries.length > 0 && <Timeline label={title} entries={entries.map(toEntry)} />}
      {hasNextPage && (
        <Group mt="md">
          <Action label={words.earlier} loading={isFetchingNextPage} onClick={() => void fetchNextPage()} />
        </Group>
      )}
    </Panel>
  );
}

function toEntry({ event_no, type, amount, note, at, actor, actor_name, address }: HistoryEntry): TimelineEntry {
  return {
    key: event_no,
    what: [historyInWords(type), ...(amount === "" ? [] : [rupees(amount)])].join(", "),
    at,
    who: [actorName(actor, actor_name), address].filter((part) => part !== "").join(" · "),
    note: withoutPath(note),
    tone: TONES[type] ?? "neutral",
  };
}
