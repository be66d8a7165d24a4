// One's own security on one page: second factor, password, sessions.
import { notifications } from "@mantine/notifications";
import { keepCsrfToken } from "../../api/client.ts";
import { useChanged } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { PasswordForm } from "../../forms/password-form.tsx";
import { security } from "../../strings/sign-in.ts";
import { ApprovalMail } from "./approval-mail.tsx";
import { EmailPanel } from "./email-panel.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

/** Security and sessions. */
export function Page() {
  const { must_enrol } = useSession();
  const changed = useChanged();
  return (
    <Outline title={security.title}>
      {must_enrol && <Notice>{security.mustEnrol}</Notice>}
      <SecondFactor />
      <EmailPanel />
      <ApprovalMail />
      <Panel title={security.passwordTitle}>
        <PasswordForm
          onDone={async ({ csrf_token }) => {
            keepCsrfToken(csrf_token);
            notifications.show({ color: "green", message: security.passwordChanged });
            await changed("/session", "/sessions");
          }}
        />
      </Panel>
      <Sessions />
    </Outline>
  );
}
