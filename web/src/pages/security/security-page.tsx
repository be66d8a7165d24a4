// One's own security on one page: e-mail, second factor, password, sessions.
import { notifications } from "@mantine/notifications";
import { api, keepCsrfToken } from "../../api/client.ts";
import { useChanged } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { PasswordForm } from "../../forms/password-form.tsx";
import { security } from "../../strings/sign-in.ts";
import { titles } from "../../strings/titles.ts";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";
import { PasswordInput, Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Form, useApiForm } from "../../forms/form.tsx";

/** Security and sessions. */
export function Page() {
  const { must_enrol } = useSession();
  const changed = useChanged();
  return (
    <Outline title={titles.security}>
      {must_enrol && <Notice>{security.mustEnrol}</Notice>}
      <SecondFactor />
      <EmailPanel />
      <ApprovalMail />
      <Panel title={security.passwordTitle} anchor="password">
        <PasswordForm
          onDone={async ({ csrf_token }) => {
            keepCsrfToken(csrf_token);
            notifications.show({ color: "green", message: security.passwordChanged });
            await changed("/session", "/session/sessions");
          }}
        />
      </Panel>
      <Sessions />
    </Outline>
  );
}

/** The panel; nothing for who decides no approvals. */
function ApprovalMail() {
  const { approval_mail: isOn } = useSession();
  const changed = useChanged();
  const [isSending, setSending] = useState(false);
  if (isOn === null) return null;
  const change = async (on: boolean): Promise<void> => {
    setSending(true);
    try {
      await api("PUT", "/session/approval-mail", { body: { on: on ? 1 : 0 } });
      await changed("/session");
      notifications.show({ color: "green", message: on ? security.approvalMailOn : security.approvalMailOff });
    } catch (thrown) {
      notifications.show({ color: "red", message: (thrown as Error).message });
    }
    setSending(false);
  };
  return (
    <Panel title={security.mailTitle}>
      <Switch
        label={security.approvalMail}
        description={security.approvalMailHint}
        checked={isOn}
        disabled={isSending}
        onChange={({ currentTarget }) => void change(currentTarget.checked)}
      />
    </Panel>
  );
}

/** The panel; nothing for a franchise, whose address is its merchant's to change. */
function EmailPanel() {
  const { email, kind, merchant } = useSession();
  const [waiting, setWaiting] = useState<string | null>(null);
  const sent = useApiForm({
    initialValues: { email: "", password: "" },
    submit: async (body) => ({ ...(await api("POST", "/session/email/change", { body })), wanted: body.email }),
    changes: ["/session", "/session/sessions"],
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
