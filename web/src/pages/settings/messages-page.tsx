// Messages to customers: which were sent, held or refused, and sending them again. And when and how they are sent.
import { Checkbox, Chip, Group, Stack, TextInput } from "@mantine/core";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { ListPanel } from "../../components/data-page.tsx";
import { MESSAGE_STATES, useMessages } from "../../components/messages.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { FirstLoad, Page as Outline, Panel } from "../../components/page.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { Form, useApiForm } from "../../forms/form.tsx";
import { messages } from "../../strings/messages.ts";
import { parts } from "../../strings/shell.ts";
import { statusChoices } from "../../strings/statuses.ts";
import { titles } from "../../strings/titles.ts";

/** Messages. */
export function Page() {
  const props = useMessages();
  return (
    <Outline title={titles.messages} hint={messages.hint}>
      <ListPanel
        caption={titles.messages}
        empty={{ title: messages.empty, hint: messages.emptyHint }}
        {...props}
        tabs={
          <FilterTabs
            label={messages.state}
            list={props.list}
            page="/settings/messages"
            filter="state"
            choices={statusChoices(parts.all, MESSAGE_STATES)}
          />
        }
      />
      <MessageSettings />
    </Outline>
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
      <Panel title={messages.settings} anchor="reminders">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data && <SettingsForm settings={data} isFixed={!may("notifications.manage")} />}
        {!data && !error && <FirstLoad />}
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
