// The address that one signs in with, and changing it with the password.
import { PasswordInput, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { Panel } from "../../components/page.tsx";
import { Form, useApiForm } from "../../forms/form.tsx";
import { security } from "../../strings/sign-in.ts";

/** The panel; nothing for a franchise, whose address is its merchant's to change. */
export function EmailPanel() {
  const { email, kind, merchant } = useSession();
  const [waiting, setWaiting] = useState<string | null>(null);
  const sent = useApiForm({
    initialValues: { email: "", password: "" },
    submit: async (body) => ({ ...(await api("POST", "/email/change", { body })), wanted: body.email }),
    changes: ["/session", "/sessions"],
    done: ({ state, wanted }) => {
      if (state === "sent") return null;
      return security.emailChanged(wanted, kind === "operator" ? null : (merchant?.sign_in_url ?? null));
    },
    onDone: ({ state, wanted }, form) => {
      form.reset();
      setWaiting(state === "sent" ? wanted : null);
    },
  });
  if (kind === "franchise") return null;
  const intro = (
    <>
      <Text c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {security.emailHint(email)}
      </Text>
      {waiting !== null && <Text role="status">{security.emailSent(waiting)}</Text>}
    </>
  );
  return (
    <Panel title={security.emailTitle}>
      <Form of={sent} label={security.changeEmail} maw={480} intro={intro} noValidate={false}>
        <TextInput {...sent.field("email", security.newEmail)} type="email" autoComplete="off" required />
        <PasswordInput {...sent.field("password", security.confirmPassword)} autoComplete="current-password" required />
      </Form>
    </Panel>
  );
}
