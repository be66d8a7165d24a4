// When customers are reminded, and on which channels they are written to; and addresses that are alive after all.
// What belongs here: those two panels.
import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { messages } from "../../strings/messages.ts";

type Channel = "mail" | "sms" | "whatsapp";
type Settings = {
  readonly reminder_days: readonly number[];
  readonly channels: readonly Channel[];
  readonly available: readonly { readonly channel: Channel; readonly configured: boolean }[];
};

const KEY = ["/notification-settings"];
const DAYS = /^\s*(-?[0-9]{1,3}\s*(,\s*-?[0-9]{1,3}\s*)*)?$/;

/** The panels of the settings. */
export function MessageSettings() {
  const may = usePermissions();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api<Settings>("GET", "/notification-settings", { signal }),
  });
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

function SettingsForm({ settings, isFixed }: { readonly settings: Settings; readonly isFixed: boolean }) {
  const queries = useQueryClient();
  const sent = useApiForm({
    initialValues: { reminder_days: settings.reminder_days.join(", "), channels: [...settings.channels] },
    validate: { reminder_days: (text) => (DAYS.test(text) ? null : messages.daysWrong) },
    submit: ({ reminder_days, channels }) => {
      const days = reminder_days.split(",").map((each) => each.trim());
      return api("PUT", "/notification-settings", {
        body: { reminder_days: days.filter((each) => each !== ""), channels },
      });
    },
    onDone: () => {
      notifications.show({ color: "green", message: messages.saved });
      return queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const { form } = sent;
  return (
    <form onSubmit={sent.onSubmit}>
      <Stack gap="md" maw={560}>
        <FormError error={sent.error} />
        <TextInput
          label={messages.days}
          description={messages.daysHint}
          disabled={isFixed}
          {...form.getInputProps("reminder_days")}
        />
        <Checkbox.Group label={messages.channels} {...form.getInputProps("channels")}>
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
        {!isFixed && <SubmitRow of={sent} label={messages.save} />}
      </Stack>
    </form>
  );
}

function ReviveForm() {
  const sent = useApiForm({
    initialValues: { address: "" },
    submit: (body) => api("POST", "/messages/revive", { body }),
    onDone: (_answer, form) => {
      notifications.show({ color: "green", message: messages.revived });
      form.reset();
    },
  });
  return (
    <Panel title={messages.revive}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md" maw={560}>
          <Text c="dimmed">{messages.reviveHint}</Text>
          <FormError error={sent.error} />
          <TextInput label={messages.address} type="email" required {...sent.form.getInputProps("address")} />
          <SubmitRow of={sent} label={messages.revive} />
        </Stack>
      </form>
    </Panel>
  );
}
