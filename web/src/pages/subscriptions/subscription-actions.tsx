// Pausing, resuming and cancelling a subscription. Each asks first, and says what will happen.
import { Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useChanged } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { day } from "../../format/time.ts";
import { FormDialog } from "../../forms/dialogs.tsx";
import { statuses } from "../../strings/statuses.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";
import { CHANGES, type SubscriptionDetail } from "./subscription-values.ts";

type Step = "pause" | "resume" | "cancel";
type Props = { readonly detail: SubscriptionDetail; readonly path: `/subscriptions/${string}` };

const ACTIONS_IN: Readonly<Record<string, readonly Step[]>> = {
  Active: ["pause", "cancel"],
  Paused: ["resume", "cancel"],
};

/** What can be done in this state. */
export function SubscriptionActions({ detail, path }: Props) {
  const may = usePermissions();
  const [asked, setAsked] = useState<Step | null>(null);
  if (!may("subscriptions.manage")) return null;
  return (
    <>
      {(ACTIONS_IN[detail.subscription.status] ?? []).map((action) => (
        <Action key={action} label={words[action]} onClick={() => setAsked(action)} />
      ))}
      {asked && <AskDialog action={asked} detail={detail} path={path} onClose={() => setAsked(null)} />}
    </>
  );
}

type AskProps = Props & { readonly action: Step; readonly onClose: () => void };

function AskDialog({ action, detail, path, onClose }: AskProps) {
  const changed = useChanged();
  const hasMissed = action === "resume" && detail.missed.count > 0;
  return (
    <FormDialog
      title={words[action]}
      danger={action === "cancel"}
      intro={<Text>{textOf(action, detail)}</Text>}
      initialValues={{ bill_missed: false }}
      submit={async ({ bill_missed: isBilled }) => {
        const body = action === "resume" ? { bill_missed: isBilled ? "1" : "0" } : undefined;
        try {
          return await api("POST", `${path}/${action}`, { body });
        } finally {
          // Refused or not: somebody else may have changed it.
          await changed(...CHANGES);
        }
      }}
      done={({ subscription: { status } }) => words.changed(statuses[status]?.word ?? status)}
      onClose={onClose}
    >
      {hasMissed ? ({ check }) => <Checkbox {...check("bill_missed", words.billMissed)} /> : undefined}
    </FormDialog>
  );
}

function textOf(action: Step, { subscription, missed }: SubscriptionDetail): string {
  const next = day(subscription.next_invoice_date);
  if (action === "pause") return words.pauseText(next);
  if (action === "cancel") return words.cancelText(next);
  return missed.count === 0
    ? words.resumeText(next)
    : words.resumeMissedText(missed.count, day(missed.first), day(missed.last));
}
