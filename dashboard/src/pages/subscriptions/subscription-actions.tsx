// Pausing, resuming and cancelling a subscription. Each asks first, and says what will happen.
// What belongs here: the buttons and their dialog.
import { Button, Checkbox, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { statuses } from "../../strings/statuses.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";

type Deed = "pause" | "resume" | "cancel";
type Props = { readonly status: string; readonly path: string; readonly onChanged: () => Promise<void> };

const DEEDS_OF: Readonly<Record<string, readonly Deed[]>> = {
  Active: ["pause", "cancel"],
  Paused: ["resume", "cancel"],
};

/** What can be done in this state. */
export function SubscriptionActions({ status, path, onChanged }: Props) {
  const may = usePermissions();
  const [asked, setAsked] = useState<Deed | null>(null);
  const [billsMissed, setBillsMissed] = useState(false);
  if (!may("subscriptions.manage")) return null;
  const confirm = async (deed: Deed): Promise<void> => {
    const body = deed === "resume" ? { bill_missed: billsMissed ? "1" : "0" } : undefined;
    const answer = await api<{ subscription: { status: string } }>("POST", `${path}/${deed}`, { body });
    const word = statuses[answer.subscription.status]?.word ?? answer.subscription.status;
    notifications.show({ color: "green", message: words.changed(word) });
    setAsked(null);
    await onChanged();
  };
  const text =
    asked === "resume" ? (
      <Stack gap="sm">
        <Text>{words.resumeText}</Text>
        <Checkbox
          label={words.billMissed}
          checked={billsMissed}
          onChange={({ currentTarget }) => setBillsMissed(currentTarget.checked)}
        />
      </Stack>
    ) : asked === "pause" ? (
      words.pauseText
    ) : (
      words.cancelText
    );
  return (
    <>
      {(DEEDS_OF[status] ?? []).map((deed) => (
        <Button key={deed} variant="default" onClick={() => setAsked(deed)}>
          {words[deed]}
        </Button>
      ))}
      {asked && (
        <ConfirmDialog
          title={words[asked]}
          text={text}
          confirmLabel={words[asked]}
          danger={asked === "cancel"}
          onConfirm={() => confirm(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
