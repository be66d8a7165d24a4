// The log of attempts at an endpoint with the answers, and its retrying and abandoned events.
// The address has the event that it is filtered by.
import { Code, Group, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useChanged } from "../../api/queries.ts";
import { Action } from "../../components/actions.tsx";
import { ListPanel } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { eventInWords } from "../../format/event.ts";
import { moment } from "../../format/time.ts";
import { Dialog } from "../../forms/dialogs.tsx";
import { useList } from "../../lists/use-list.ts";
import { parts } from "../../strings/shell.ts";
import { webhooks } from "../../strings/webhooks.ts";

/** The log's text for a test event, which has no number. */
const TEST = "test";

const RESULTS = [
  { value: "", label: parts.all },
  { value: "taken", label: webhooks.taken },
  { value: "not_taken", label: webhooks.notTaken },
];

type Attempt = Answer<"GET", "/webhooks/:endpoint_id/attempts">["attempts"][number];

type Props = {
  readonly path: `/webhooks/${string}`;
  readonly isEnabled: boolean;
};

/** The panel of the log. */
export function WebhookLog({ path, isEnabled }: Props) {
  const list = useList({ path: `${path}/attempts`, rowsIn: "attempts", filters: ["event", "status"] });
  const [shown, setShown] = useState<Attempt | null>(null);
  return (
    <ListPanel
      title={webhooks.log}
      actions={<Action label={webhooks.refresh} onClick={list.reload} />}
      list={list}
      columns={columnsOf({ path, isEnabled }, setShown)}
      rowKey={({ attempted_at, seq, duration_ms }) => `${attempted_at} ${seq} ${duration_ms}`}
      tabs={
        <FilterTabs label={webhooks.result} list={list} page={`/settings${path}`} filter="status" choices={RESULTS} />
      }
      filterFields={
        <>
          <Text c="dimmed" flex="1 1 14rem">
            {webhooks.logHint}
          </Text>
          <TextInput
            {...list.filter("event", webhooks.filterEvent)}
            inputMode="numeric"
            onChange={({ currentTarget }) => list.setFilters({ event: currentTarget.value.replaceAll(/\D/g, "") })}
          />
        </>
      }
      empty={{ title: webhooks.logEmpty, hint: webhooks.logEmptyHint }}
    >
      {shown && (
        <Dialog title={webhooks.answerOf(shown.seq)} size="lg" onClose={() => setShown(null)}>
          {shown.error !== "" && <Text mb="sm">{shown.error}</Text>}
          <Code block tabIndex={0}>
            {shown.answer || webhooks.noAnswer}
          </Code>
        </Dialog>
      )}
    </ListPanel>
  );
}

function columnsOf({ path, isEnabled }: Props, onShow: (attempt: Attempt) => void): Column<Attempt>[] {
  return [
    { key: "attempted_at", title: webhooks.at, hideBelow: "sm", as: "moment" },
    {
      key: "seq",
      title: webhooks.event,
      render: ({ seq, type }) => (
        <>
          {seq === TEST ? webhooks.testEvent : `${seq} · ${eventInWords(type)}`}
          <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }} visibleFrom="sm">
            {type}
          </Text>
        </>
      ),
    },
    {
      key: "result",
      title: webhooks.result,
      render: ({ succeeded, http_status, duration_ms }) => (
        <Group gap="xs">
          <StatusBadge
            status={succeeded ? webhooks.taken : webhooks.notTaken}
            tone={succeeded ? "success" : "danger"}
          />
          <Text size="sm" visibleFrom="sm">
            {[http_status, webhooks.took(duration_ms)].filter((part) => part !== null).join(" · ")}
          </Text>
        </Group>
      ),
    },
    {
      key: "answer",
      title: webhooks.answer,
      render: (attempt) => (
        <Action
          label={webhooks.answer}
          size="compact-sm"
          variant="subtle"
          aria-label={webhooks.answerOf(attempt.seq)}
          onClick={() => onShow(attempt)}
        />
      ),
    },
    {
      key: "again",
      title: webhooks.redeliver,
      align: "right",
      isButtons: true,
      hideBelow: "sm",
      render: ({ seq }) => seq !== TEST && <RedeliverButton seq={seq} path={path} isEnabled={isEnabled} />,
    },
  ];
}

export type Delivery = Answer<"GET", "/webhooks/:endpoint_id">["deliveries"][number];

type WebhookDeliveriesProps = {
  readonly path: `/webhooks/${string}`;
  readonly isEnabled: boolean;
};

type ListProps = WebhookDeliveriesProps & {
  readonly deliveries: readonly Delivery[];
  /** How many there are, shown or not. */
  readonly total: number;
};

/** The panel; nothing if every event was delivered. */
export function WebhookDeliveries({ deliveries, total, ...rest }: ListProps) {
  if (deliveries.length === 0) return null;
  const columns: Column<Delivery>[] = [
    { key: "seq", title: webhooks.event },
    {
      key: "status",
      title: webhooks.status,
      render: ({ status }) =>
        status === "Failed" ? <StatusBadge status={status} word={webhooks.failed} /> : <StatusBadge status={status} />,
    },
    { key: "tries", title: webhooks.tries, align: "right", hideBelow: "sm" },
    {
      key: "first",
      title: webhooks.first,
      hideBelow: "md",
      render: ({ first_attempt_at: at }) => (at === null ? "–" : moment(at)),
    },
    {
      key: "next",
      title: webhooks.next,
      hideBelow: "md",
      render: ({ next_attempt_at: at }) => (at === null ? "–" : moment(at)),
    },
    {
      key: "again",
      title: webhooks.redeliver,
      align: "right",
      isButtons: true,
      render: ({ seq }) => <RedeliverButton seq={seq} {...rest} />,
    },
  ];
  return (
    <TablePanel title={webhooks.deliveries} columns={columns} rows={deliveries} rowKey="seq">
      {total > deliveries.length && (
        <Text c="dimmed" p="md">
          {webhooks.moreDeliveries(total - deliveries.length)}
        </Text>
      )}
    </TablePanel>
  );
}

/** Sends one event again. A disabled endpoint is sent nothing. */
function RedeliverButton({ seq, path, isEnabled }: WebhookDeliveriesProps & { readonly seq: string }) {
  const changed = useChanged();
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    try {
      await api("POST", `${path}/redeliver`, { body: { event: seq } });
      notifications.show({ color: "green", message: webhooks.redelivered(seq) });
      await changed("/webhooks");
    } catch (thrown) {
      notifications.show({ color: "red", message: (thrown as Error).message });
    } finally {
      setSending(false);
    }
  };
  return (
    <Action
      label={webhooks.redeliver}
      size="compact-sm"
      disabled={!isEnabled}
      loading={isSending}
      aria-label={webhooks.redeliverOf(seq)}
      onClick={() => void send()}
    />
  );
}
