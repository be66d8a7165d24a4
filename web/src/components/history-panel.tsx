// What was done to one thing, newest first, and by whom: an invoice with its payments and credit notes, a subscription.
// Earlier entries are added below, for pages that have a list in the address already.
import { Text } from "@mantine/core";
import type { Answer } from "../api/contract.ts";
import { usePages } from "../api/queries.ts";
import { useSession } from "../api/session.ts";
import { actorName } from "../format/actor.ts";
import { historyInWords } from "../format/event.ts";
import { rupees } from "../format/money.ts";
import { withoutPath } from "../format/refusal.ts";
import { history as words } from "../strings/history.ts";
import type { Column } from "./data-table.tsx";
import { TablePanel } from "./table-panel.tsx";

type HistoryEntry = Answer<"GET", "/invoices/:invoice_id/history">["history"][number];

const COLUMNS: readonly Column<HistoryEntry>[] = [
  { key: "at", title: words.when, as: "moment" },
  {
    key: "what",
    title: words.what,
    render: ({ type, amount, note }) => (
      <>
        {[historyInWords(type), ...(amount === "" ? [] : [rupees(amount)])].join(", ")}
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

type Props = {
  readonly title: string;
  /** Of the route that answers with it. */
  readonly path: `/invoices/${string}/history` | `/subscriptions/${string}/history`;
};

/** The panel; nothing for a franchise, whom the names of the merchant's people don't concern. */
export function HistoryPanel(props: Props) {
  const { kind } = useSession();
  return kind === "franchise" ? null : <HistoryTable {...props} />;
}

function HistoryTable({ title, path }: Props) {
  const { pages, ...found } = usePages(path);
  return (
    <TablePanel
      title={title}
      of={found}
      rows={pages?.flatMap(({ history }) => history)}
      columns={COLUMNS}
      rowKey="event_no"
      empty={words.empty}
      older={words.earlier}
    />
  );
}
