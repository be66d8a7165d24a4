// Messages, as the page of all and the page of a customer list them: their columns, reading one and sending it again.
import { Code, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { isMessageUnderWay } from "../api/ask-again.ts";
import { api } from "../api/client.ts";
import type { Answer } from "../api/contract.ts";
import { useGet } from "../api/queries.ts";
import { usePermissions } from "../api/session.ts";
import { Dialog } from "../forms/dialogs.tsx";
import { useList } from "../lists/use-list.ts";
import { messages } from "../strings/messages.ts";
import { Action } from "./actions.tsx";
import type { Column } from "./data-table.tsx";
import { ErrorNotice } from "./notices.tsx";

type Message = Answer<"GET", "/messages">["messages"][number];

/** The states that the list is filtered by. */
export const MESSAGE_STATES = ["Queued", "Sending", "Sent", "Held", "Failed", "Suppressed"];
/** The statuses that the server allows to retry. */
const RETRIED = new Set(["Held", "Failed", "Suppressed"]);
const titleOf = ({ subject, kind }: Message): string => subject || messages.kinds[kind];

/** The props of the list of all messages, or of one customer's. */
export function useMessages(fixed: { readonly customer_id?: string } = {}) {
  const may = usePermissions();
  const list = useList({
    path: "/messages",
    rowsIn: "messages",
    filters: ["state"],
    fixed,
    isUnderWay: isMessageUnderWay,
  });
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
  return {
    list,
    columns: columnsOf(setShown, may("notifications.manage") ? (message) => void retry(message) : null),
    rowKey: "message_id",
    children: shown && <MessageDialog message={shown} onClose={() => setShown(null)} />,
  } as const;
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
    { key: "created_at", title: messages.created, hideBelow: "md", as: "moment" },
    { key: "state", title: messages.state, isBelowFirst: true, as: "status" },
    {
      key: "actions",
      title: messages.read,
      align: "right",
      isButtons: true,
      render: (message) => (
        <Group gap="xs" justify="flex-end">
          <Action
            label={messages.read}
            size="compact-sm"
            aria-label={messages.readOf(titleOf(message))}
            onClick={() => onShow(message)}
          />
          {onRetry && RETRIED.has(message.state) && (
            <Action
              label={messages.retry}
              size="compact-sm"
              aria-label={messages.retryOf(titleOf(message))}
              onClick={() => onRetry(message)}
            />
          )}
        </Group>
      ),
    },
  ];
}

function MessageDialog({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  const { data, error } = useGet(`/messages/${message.message_id}`);
  return (
    <Dialog title={titleOf(message)} size="lg" onClose={onClose}>
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
    </Dialog>
  );
}
