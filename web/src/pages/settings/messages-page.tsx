// Messages to customers: which were sent, held or refused, and sending them again. And when and how they are sent.
import { Checkbox, Chip, Code, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { isMessageUnderWay } from "../../api/ask-again.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { Dialog } from "../../forms/dialogs.tsx";
import { Form, useApiForm } from "../../forms/form.tsx";
import { useList } from "../../lists/use-list.ts";
import { messages } from "../../strings/messages.ts";
import { statusChoices } from "../../strings/statuses.ts";

type Message = Answer<"GET", "/messages">["messages"][number];

const STATES = ["Queued", "Sending", "Sent", "Held", "Failed", "Suppressed"];
/** What the server lets be sent again. */
const RETRIED = new Set(["Held", "Failed", "Suppressed"]);
const titleOf = ({ subject, kind }: Message): string => subject || messages.kinds[kind];

/** Messages. */
export function Page() {
  const may = usePermissions();
  const list = useList({ path: "/messages", rowsIn: "messages", filters: ["state"], isUnderWay: isMessageUnderWay });
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
        rowKey="message_id"
        filterFields={
          <NativeSelect {...list.filter("state", messages.state)} data={statusChoices(messages.all, STATES)} />
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
    { key: "created_at", title: messages.created, hideBelow: "md", as: "moment" },
    { key: "state", title: messages.state, isBelowFirst: true, as: "status" },
    {
      key: "actions",
      title: messages.read,
      align: "right",
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

type Settings = Answer<"GET", "/notification-settings">;

const DAYS = /^\s*(-?[0-9]{1,3}\s*(,\s*-?[0-9]{1,3}\s*)*)?$/;

/** The panels of the settings. */
function MessageSettings() {
  const may = usePermissions();
  const { data, error, refetch } = useGet("/notification-settings");
  return (
    <>
      <Panel title={messages.settings}>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data && <SettingsForm settings={data} isFixed={!may("notifications.manage")} />}
      </Panel>
      {may("notifications.manage") && <ReviveForm />}
    </>
  );
}

/** Days that are offered as chips, beside those that are typed. */
const USUAL_DAYS = [-7, -3, -1, 0, 1, 3, 7, 15, 30];

/** The typed reminder days; `null` if they can't be read. */
function daysOf(typed: string): number[] | null {
  if (!DAYS.test(typed)) return null;
  return [
    ...new Set(
      typed
        .split(",")
        .filter((each) => each.trim() !== "")
        .map(Number),
    ),
  ];
}

function inOrder(days: readonly number[]): number[] {
  return days.toSorted((one, other) => one - other);
}

/** The typed reminder days in words, and the usual ones: a click adds or removes one. */
function DayChips({ typed, onChange, isFixed }: DayChipsProps) {
  const days = daysOf(typed);
  return (
    <Chip.Group
      multiple
      value={(days ?? []).map(String)}
      onChange={(chosen) => onChange(inOrder(chosen.map(Number)).join(", "))}
    >
      <Group gap="xs" mt="xs">
        {inOrder([...new Set([...USUAL_DAYS, ...(days ?? [])])]).map((day) => (
          <Chip key={day} value={String(day)} disabled={isFixed || days === null} variant="outline">
            {messages.day(day)}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

type DayChipsProps = {
  readonly typed: string;
  readonly onChange: (typed: string) => void;
  readonly isFixed: boolean;
};

function SettingsForm({ settings, isFixed }: { readonly settings: Settings; readonly isFixed: boolean }) {
  const sent = useApiForm({
    initialValues: { reminder_days: settings.reminder_days.join(", "), channels: [...settings.channels] },
    validate: { reminder_days: (text) => (DAYS.test(text) ? null : messages.daysWrong) },
    submit: ({ reminder_days, channels }) => {
      const days = daysOf(reminder_days) ?? [];
      return api("PUT", "/notification-settings", { body: { reminder_days: days.map(String), channels } });
    },
    changes: ["/notification-settings"],
    done: messages.saved,
  });
  return (
    <Form of={sent} label={isFixed ? null : messages.save} maw={560}>
      <div>
        <TextInput {...sent.field("reminder_days", messages.days, messages.daysHint)} disabled={isFixed} />
        <DayChips
          typed={sent.form.values.reminder_days}
          onChange={(typed) => sent.form.setFieldValue("reminder_days", typed)}
          isFixed={isFixed}
        />
      </div>
      <Checkbox.Group {...sent.field("channels", messages.channels)}>
        <Stack gap="xs" mt="xs">
          {settings.available.map(({ channel, configured }) => (
            <Checkbox
              key={channel}
              value={channel}
              label={messages.channelNames[channel]}
              description={configured ? messages.configured : messages.notConfigured}
              disabled={isFixed}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </Form>
  );
}

function ReviveForm() {
  const sent = useApiForm({
    initialValues: { address: "" },
    submit: (body) => api("POST", "/messages/revive", { body }),
    done: messages.revived,
    onDone: (_answer, form) => form.reset(),
  });
  return (
    <Panel title={messages.revive}>
      <Form of={sent} label={messages.revive} maw={560} hint={messages.reviveHint} noValidate={false}>
        <TextInput {...sent.field("address", messages.address)} type="email" required />
      </Form>
    </Panel>
  );
}
