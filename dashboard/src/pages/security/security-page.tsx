// One's own security on one page: second factor, password, sessions.
// What belongs here: the arrangement. Each part is a file beside this one.
import { Alert } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { keepCsrfToken } from "../../api/client.ts";
import { sessionQuery, useSession } from "../../api/session.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { security } from "../../strings/sign-in.ts";
import { PasswordForm } from "../../forms/password-form.tsx";
import { EmailPanel } from "./email-panel.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { SESSIONS_KEY, Sessions } from "./sessions.tsx";

/** Security and sessions. */
export function Page() {
  const { must_enrol } = useSession();
  const queries = useQueryClient();
  return (
    <Outline title={security.title}>
      {must_enrol && (
        <Alert role="status" color="yellow" variant="outline">
          {security.mustEnrol}
        </Alert>
      )}
      <SecondFactor />
      <EmailPanel />
      <Panel title={security.passwordTitle}>
        <PasswordForm
          onDone={async ({ csrf_token }) => {
            keepCsrfToken(csrf_token);
            notifications.show({ color: "green", message: security.passwordChanged });
            await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
            await queries.invalidateQueries({ queryKey: SESSIONS_KEY });
          }}
        />
      </Panel>
      <Sessions />
    </Outline>
  );
}
