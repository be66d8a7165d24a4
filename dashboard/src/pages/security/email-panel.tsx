// The address that one signs in with, and changing it with the password.
// What belongs here: that panel.
import { PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { sessionQuery, useSession } from "../../api/session.ts";
import { Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { security } from "../../strings/sign-in.ts";
import { SESSIONS_KEY } from "./sessions.tsx";

/** The panel; nothing for a franchise, whose address is its merchant's to change. */
export function EmailPanel() {
  const { email, kind, merchant } = useSession();
  const queries = useQueryClient();
  const [waiting, setWaiting] = useState<string | null>(null);
  const sent = useApiForm({
    initialValues: { email: "", password: "" },
    submit: (body) => namingFields(() => api<{ state: "changed" | "sent" }>("POST", "/email/change", { body })),
    onDone: async ({ state }, form) => {
      const { email: wanted } = form.getValues();
      form.reset();
      setWaiting(state === "sent" ? wanted : null);
      if (state === "sent") return;
      notifications.show({
        color: "green",
        message: security.emailChanged(wanted, kind === "operator" ? null : (merchant?.sign_in_url ?? null)),
      });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      await queries.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  if (kind === "franchise") return null;
  const { form } = sent;
  return (
    <Panel title={security.emailTitle}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md" maw={480}>
          <Text c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {security.emailHint(email)}
          </Text>
          {waiting !== null && <Text role="status">{security.emailSent(waiting)}</Text>}
          <FormError error={sent.error} />
          <TextInput
            label={security.newEmail}
            type="email"
            autoComplete="off"
            required
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label={security.confirmPassword}
            autoComplete="current-password"
            required
            {...form.getInputProps("password")}
          />
          <SubmitRow of={sent} label={security.changeEmail} />
        </Stack>
      </form>
    </Panel>
  );
}
