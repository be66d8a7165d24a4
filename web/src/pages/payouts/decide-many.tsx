// Deciding several approvals at once: their total, the reason, and those that were not decided.
import { Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { EVERYTHING, makeRequestKey } from "../../api/queries.ts";
import { RefusedNotice } from "../../components/notices.tsx";
import { Facts } from "../../components/values.tsx";
import { toPaise } from "../../format/money.ts";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { approvals } from "../../strings/approvals.ts";
import { attention } from "../../strings/payouts.ts";
import type { Approval } from "./policy-facts.ts";
import { formatPaise } from "../../../../src/platform/money.ts";

export const LONGEST_NOTE = 500;

/** What a form that rejects is checked with. */
export const reasonGiven = {
  note: (note: string) => (note.trim() === "" ? approvals.reasonMissing : null),
};

type Outcome = Answer<"POST", "/approvals/decide">["outcomes"][number];

/** What a request is called in a list of them. */
export function nameOf({ kind, subject }: Approval): string {
  return [approvals.kinds[kind] ?? kind, payeeOf(subject)].filter(Boolean).join(", ");
}

/** Whom or what a request is about, where that has a name. */
export function payeeOf(subject: Approval["subject"]): string {
  return subject.payee_name ?? subject.franchise_name ?? subject.batch_name ?? "";
}

type Props = {
  readonly decision: "approve" | "reject";
  readonly chosen: readonly Approval[];
  readonly onDone: (refused: readonly Outcome[]) => void;
  readonly onClose: () => void;
};

/** Confirms once for all of them. Each has its own key, so that a retry after a lost answer decides nothing twice. */
export function DecideMany({ decision, chosen, onDone, onClose }: Props) {
  const [requests] = useState(() => chosen.map(({ approval_id }) => ({ approval_id, request_key: makeRequestKey() })));
  const isRejection = decision === "reject";
  return (
    <FormDialog
      title={approvals.manyTitle(decision, chosen.length)}
      label={approvals[decision]}
      danger={isRejection}
      initialValues={{ note: "" }}
      {...(isRejection ? { validate: reasonGiven } : {})}
      intro={<About of={chosen} />}
      submit={({ note }) => api("POST", "/approvals/decide", { body: { decision, note, approvals: requests } })}
      changes={EVERYTHING}
      done={({ outcomes }) => {
        const count = outcomes.filter(({ status }) => status !== "refused").length;
        return count === 0 ? null : approvals.manyDone(decision, count);
      }}
      onDone={({ outcomes }) => onDone(outcomes.filter(({ status }) => status === "refused"))}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea
          {...(isRejection ? field("note", approvals.reason, approvals.reasonHint) : field("note", approvals.note))}
          maxLength={LONGEST_NOTE}
          required={isRejection}
          autosize
          minRows={2}
          data-autofocus
        />
      )}
    </FormDialog>
  );
}

/** One request by its name, and what it would be booked as; several by their total. */
function About({ of }: { readonly of: readonly Approval[] }) {
  const [first, ...others] = of;
  if (first === undefined || others.length > 0) return <Total of={of} />;
  const { amount } = first.subject;
  return (
    <>
      {amount !== undefined && <AmountInWords amount={amount} />}
      <Text>{nameOf(first)}</Text>
      {first.resolve_as !== undefined && (
        <Facts facts={[{ label: attention.as, value: attention.outcomes[first.resolve_as] }]} />
      )}
    </>
  );
}

function Total({ of }: { readonly of: readonly Approval[] }) {
  const amounts = of.flatMap(({ subject: { amount } }) => (amount === undefined ? [] : [toPaise(amount) ?? 0n]));
  if (amounts.length === 0) return null;
  return (
    <div>
      <Text>{approvals.manyPayouts(amounts.length, of.length)}</Text>
      <AmountInWords amount={formatPaise(amounts.reduce((sum, paise) => sum + paise))} />
    </div>
  );
}

/** Those that were not decided, and why. */
export function Refused({ refused, onClose }: { readonly refused: readonly Outcome[]; readonly onClose: () => void }) {
  return (
    <RefusedNotice
      title={approvals.refused(refused.length)}
      refused={refused.map(({ approval_id: id, error }) => {
        return { label: approvals.numbered(id), to: `/approvals/${id}`, error };
      })}
      onClose={onClose}
    />
  );
}
