// Messages to customers: which were sent, held or refused, and sending them again. Settings are message-settings.tsx.
// What belongs here: the list and reading one message.
import { Button, Code, Group, Modal, NativeSelect, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import type { Column } from "../../components/data-table.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { moment } from "../../format/time.ts";
import { useList } from "../../lists/use-list.ts";
import { messages } from "../../strings/messages.ts";
import { parts } from "../../strings/shell.ts";
import { MessageSettings } from "./message-settings.tsx";

type Message = {
  readonly message_id: string;
  readonly kind: "invoice" | "receipt" | "reminder";
  readonly channel: "mail" | "sms" | "whatsapp";
  readonly state: string;
  readonly reason: string;
  readonly recipient: string;
  readonly subject: string;
  readonly created_at: string;
  readonly sent_at: string | null;
};

const STATES = ["Queued", "Sending", "Sent", "Held", "Failed", "Suppressed"];
/** What the server lets be sent again. */
const RETRIED = new Set(["Held", "Failed", "Suppressed"]);
const titleOf = ({ subject, kind }: Message): string => subject || messages.kinds[kind];

/** Messages. */
export function Page() {
  const may = usePermissions();
  const list = useList<Message>({ path: "/messages", rowsIn: "messages", filters: ["state"] });
  const [shown, setShown] = useState<Message | null>(null);
  const retry = async ({ message_id }: Message): Promise<void> => {
    try {
      await api("POST", `/messages/${message_id}/retry`);
      notifications.show({ color: "green", message: messages.retried });
    } catch (thrown) {
      notifications.show({ color: "red", message: (thrown as Error).message });
    }
    list.reload();
  };
  return (
    <Stack gap="lg">
      <DataPage
        title={messages.title}
        hint={messages.hint}
        list={list}
        columns={columnsOf(setShown, may("notifications.manage") ? (message) => void retry(message) : null)}
        rowKey={({ message_id }) => message_id}
        filterFields={
          <NativeSelect
            label={messages.state}
            data={[{ value: "", label: messages.all }, ...STATES]}
            value={list.filters["state"] ?? ""}
            onChange={({ currentTarget }) => list.setFilters({ state: currentTarget.value })}
          />
        }
        empty={{ title: messages.empty, hint: messages.emptyHint }}
      />
      <MessageSettings />
      {shown && <MessageDialog message={shown} onClose={() => setShown(null)} />}
    </Stack>
  );
}

function columnsOf(
  onShow: (message: Message) => void,
  onRetry: ((message: Message) => void) | null,
): Column<Message>[] {
  return [
    { key: "subject", title: messages.subject, render: titleOf },
    {
      key: "recipient",
      title: messages.recipient,
      hideBelow: "sm",
      render: ({ recipient, channel }) => recipient || messages.channelNames[channel],
    },
    { key: "created", title: messages.created, hideBelow: "md", render: ({ created_at }) => moment(created_at) },
    { key: "state", title: messages.state, render: ({ state }) => <StatusBadge status={state} /> },
    {
      key: "actions",
      title: messages.read,
      align: "right",
      render: (message) => (
        <Group gap="xs" justify="flex-end">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={messages.readOf(titleOf(message))}
            onClick={() => onShow(message)}
          >
            {messages.read}
          </Button>
          {onRetry && RETRIED.has(message.state) && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={messages.retryOf(titleOf(message))}
              onClick={() => onRetry(message)}
            >
              {messages.retry}
            </Button>
          )}
        </Group>
      ),
    },
  ];
}

function MessageDialog({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  const path = `/messages/${message.message_id}`;
  const { data, error } = useQuery({
    queryKey: ["/messages", message.message_id],
    queryFn: ({ signal }) => api<{ text: string | null }>("GET", path, { signal }),
  });
  return (
    <Modal opened onClose={onClose} title={titleOf(message)} size="lg" closeButtonProps={{ "aria-label": parts.close }}>
      {error && <ErrorNotice error={error} />}
      {message.reason !== "" && (
        <Text mb="sm">
          {messages.reason}: {message.reason}
        </Text>
      )}
      {data && (
        <Code block tabIndex={0} style={{ whiteSpace: "pre-wrap" }}>
          {data.text ?? messages.noText}
        </Code>
      )}
    </Modal>
  );
}
