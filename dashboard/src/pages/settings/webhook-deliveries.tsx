// Events that an endpoint did not take in order: set aside and tried again, or given up.
// What belongs here: that panel, and sending one of them again.
import { Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { moment } from "../../format/time.ts";
import { webhooks } from "../../strings/webhooks.ts";

export type Delivery = {
  readonly seq: string;
  readonly status: "Failed" | "Waiting";
  readonly tries: number;
  readonly first_attempt_at: string | null;
  readonly next_attempt_at: string | null;
};

type Props = {
  readonly path: string;
  readonly isEnabled: boolean;
  readonly onChanged: () => Promise<void>;
};

type ListProps = Props & {
  readonly deliveries: readonly Delivery[];
  /** How many there are, shown or not. */
  readonly total: number;
};

/** The panel; nothing where every event was taken. */
export function WebhookDeliveries({ deliveries, total, ...rest }: ListProps) {
  if (deliveries.length === 0) return null;
  const columns: Column<Delivery>[] = [
    { key: "seq", title: webhooks.event, render: ({ seq }) => seq },
    {
      key: "status",
      title: webhooks.status,
      render: ({ status }) =>
        status === "Failed" ? <StatusBadge status={status} word={webhooks.failed} /> : <StatusBadge status={status} />,
    },
    { key: "tries", title: webhooks.tries, align: "right", hideBelow: "sm", render: ({ tries }) => tries },
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
      render: ({ seq }) => <RedeliverButton seq={seq} {...rest} />,
    },
  ];
  return (
    <Panel title={webhooks.deliveries} flush>
      <DataTable caption={webhooks.deliveries} columns={columns} rows={deliveries} rowKey={({ seq }) => seq} />
      {total > deliveries.length && (
        <Text c="dimmed" p="md">
          {webhooks.moreDeliveries(total - deliveries.length)}
        </Text>
      )}
    </Panel>
  );
}

/** Sends one event again. A disabled endpoint is sent nothing. */
export function RedeliverButton({ seq, path, isEnabled, onChanged }: Props & { readonly seq: string }) {
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    try {
      await api("POST", `${path}/redeliver`, { body: { event: seq } });
      notifications.show({ color: "green", message: webhooks.redelivered(seq) });
      await onChanged();
    } catch (thrown) {
      notifications.show({ color: "red", message: (thrown as Error).message });
    } finally {
      setSending(false);
    }
  };
  return (
    <Button
      size="compact-sm"
      variant="default"
      disabled={!isEnabled}
      loading={isSending}
      aria-label={webhooks.redeliverOf(seq)}
      onClick={() => void send()}
    >
      {webhooks.redeliver}
    </Button>
  );
}
