// The actions on a subscription, on its page and in its row of the list.
import { Checkbox, Text } from "@mantine/core";
import { api } from "../../api/client.ts";
import { useChanged } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import type { MenuEntry } from "../../components/more-menu.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import { day } from "../../format/time.ts";
import { statuses } from "../../strings/statuses.ts";
import { subscriptions as words } from "../../strings/subscriptions.ts";
import { CHANGES, type SubscriptionDetail } from "./subscription-values.ts";

/** A change of state, which is asked about in a dialog. */
export type Step = "pause" | "resume" | "cancel";

const STEPS_IN: Readonly<Record<string, readonly Step[]>> = {
  Active: ["pause", "cancel"],
  Paused: ["resume", "cancel"],
};

/** What this user can do in this state. */
export function useSubscriptionActions(
  { subscription: { status } }: SubscriptionDetail,
  onChoose: (step: Step) => void,
): readonly MenuEntry[] {
  const may = usePermissions();
  if (!may("subscriptions.manage")) return [];
  return (STEPS_IN[status] ?? []).map((step) => ({
    label: words[step],
    onClick: () => onChoose(step),
    danger: step === "cancel",
  }));
}

type StepProps = { readonly detail: SubscriptionDetail; readonly step: Step; readonly onClose: () => void };

/** Asks before the step, with the next date. */
export function StepDialog({ detail, step, onClose }: StepProps) {
  const changed = useChanged();
  const hasMissed = step === "resume" && detail.missed.count > 0;
  return (
    <FormDialog
      title={words[step]}
      danger={step === "cancel"}
      intro={<Text>{textOf(step, detail)}</Text>}
      initialValues={{ bill_missed: false }}
      submit={async ({ bill_missed: isBilled }) => {
        const body = step === "resume" ? { bill_missed: isBilled ? "1" : "0" } : undefined;
        try {
          return await api("POST", `/subscriptions/${detail.subscription.subscription_id}/${step}`, { body });
        } finally {
          // Also after a refusal, since somebody else may have changed it.
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

function textOf(step: Step, { subscription, missed }: SubscriptionDetail): string {
  const next = day(subscription.next_invoice_date);
  if (step === "pause") return words.pauseText(next);
  if (step === "cancel") return words.cancelText(next);
  return missed.count === 0
    ? words.resumeText(next)
    : words.resumeMissedText(missed.count, day(missed.first), day(missed.last));
}
