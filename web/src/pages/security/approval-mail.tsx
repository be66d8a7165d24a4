// Whether one gets e-mail about what waits for one's own decision.
import { Switch } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useChanged } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { Panel } from "../../components/page.tsx";
import { security } from "../../strings/sign-in.ts";

/** The panel; nothing for who decides no approvals. */
export function ApprovalMail() {
  const { approval_mail: isOn } = useSession();
  const changed = useChanged();
  const [isSending, setSending] = useState(false);
  if (isOn === null) return null;
  const change = async (on: boolean): Promise<void> => {
    setSending(true);
    try {
      await api("PUT", "/approval-mail", { body: { on: on ? 1 : 0 } });
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
