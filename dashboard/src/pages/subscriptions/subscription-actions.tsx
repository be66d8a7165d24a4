// Pausing, resuming and cancelling a subscription. Each asks first, and says what will happen.
// What belongs here: the buttons and their dialog.
import { Button, Checkbox, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { day } from "../../format/time.ts";
import { statuses } from "../../strings/statuses.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";
import { useAfterChange, type SubscriptionDetail } from "./subscription.ts";

type Deed = "pause" | "resume" | "cancel";
type Props = { readonly detail: SubscriptionDetail; readonly path: string };

const DEEDS_OF: Readonly<Record<string, readonly Deed[]>> = {
  Active: ["pause", "cancel"],
  Paused: ["resume", "cancel"],
};

/** What can be done in this state. */
export function SubscriptionActions({ detail, path }: Props) {
  const may = usePermissions();
  const changed = useAfterChange();
  const [asked, setAsked] = useState<Deed | null>(null);
  const [billsMissed, setBillsMissed] = useState(false);
  if (!may("subscriptions.manage")) return null;
  const confirm = async (deed: Deed): Promise<void> => {
    const body = deed === "resume" ? { bill_missed: billsMissed ? "1" : "0" } : undefined;
    try {
      const answer = await api<SubscriptionDetail>("POST", `${path}/${deed}`, { body });
      const word = statuses[answer.subscription.status]?.word ?? answer.subscription.status;
      notifications.show({ color: "green", message: words.changed(word) });
      setAsked(null);
    } finally {
      // Refused or not: somebody else may have changed it.
      await changed();
    }
  };
  return (
    <>
      {(DEEDS_OF[detail.subscription.status] ?? []).map((deed) => (
        <Button key={deed} variant="default" onClick={() => setAsked(deed)}>
          {words[deed]}
        </Button>
      ))}
      {asked && (
        <ConfirmDialog
          title={words[asked]}
          text={
            <Stack gap="sm">
              <Text>{textOf(asked, detail)}</Text>
              {asked === "resume" && detail.missed.count > 0 && (
                <Checkbox
                  label={words.billMissed}
                  checked={billsMissed}
                  onChange={({ currentTarget }) => setBillsMissed(currentTarget.checked)}
                />
              )}
            </Stack>
          }
          confirmLabel={words[asked]}
          danger={asked === "cancel"}
          onConfirm={() => confirm(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

function textOf(deed: Deed, { subscription, missed }: SubscriptionDetail): string {
  const next = day(subscription.next_invoice_date);
  if (deed === "pause") return words.pauseText(next);
  if (deed === "cancel") return words.cancelText(next);
  return missed.count === 0
    ? words.resumeText(next)
    : words.resumeMissedText(missed.count, day(missed.first), day(missed.last));
}
