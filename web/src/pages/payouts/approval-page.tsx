// One approval: what is asked for, by whom, and the decision of a second person, or its end by who has asked for it.
// After a decision it shows what the server says.
import { Alert, Group, Stack, Textarea } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { whileUnderWay } from "../../api/ask-again.ts";
import { api } from "../../api/client.ts";
import { EVERYTHING, useGet, useLoaded } from "../../api/queries.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Facts, Money, StatusBadge, type Fact } from "../../components/values.tsx";
import { actorName } from "../../format/actor.ts";
import { inWords } from "../../format/money.ts";
import { rupees } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { ConfirmMoney } from "../../forms/dialogs.tsx";
import { useApiForm } from "../../forms/form.tsx";
import { bulk } from "../../strings/bulk.ts";
import { approvals } from "../../strings/approvals.ts";
import { attention, beneficiaries, transfers } from "../../strings/payouts.ts";
import { attachments, tags } from "../../strings/tags-and-files.ts";
import { parts } from "../../strings/shell.ts";
import { titles } from "../../strings/titles.ts";
import { Attachments } from "./attachments.tsx";
import { LONGEST_NOTE, reasonGiven } from "./decide-many.tsx";
import { policyFacts, type Approval } from "./policy-facts.ts";
import { Tags } from "./tags.tsx";
import { WithdrawDialog } from "./withdraw-dialog.tsx";

/** An approval. */
export function Page() {
  const { approvalId = "" }: Readonly<Record<string, string>> = useParams({ strict: false });
  const approval = useLoaded(`/approvals/${approvalId}`, {
    refetchInterval: whileUnderWay(({ status }) => status === "open"),
  });
  return (
    <Outline
      title={approvals.one(approvals.kinds[approval.kind] ?? approval.kind)}
      badge={<StatusBadge status={approval.status} />}
    >
      <Panel>
        <Facts facts={factsOf(approval)} />
      </Panel>
      {IS_PAYOUT.has(approval.kind) && (
        <Panel title={attachments.title}>
          <Attachments transferId={approval.subject_id} readOnly />
        </Panel>
      )}
      {approval.status === "open" && (approval.own || approval.may_decide) && (
        <Panel title={approvals.decide}>
          {approval.own ? <Withdraw approval={approval} /> : <Decide approval={approval} />}
        </Panel>
      )}
    </Outline>
  );
}

/** Their subject is a transfer. */
const IS_PAYOUT: ReadonlySet<string> = new Set(["transfer", "withdrawal", "commission", "transfer_resolution"]);

function TagsOf({ id }: { readonly id: string }) {
  const { data } = useGet(`/transfers/${id}`);
  return data && <Tags tags={data.tags} />;
}

function factsOf(approval: Approval): Fact[] {
  const { subject, subject_id, kind } = approval;
  const isPayout = subject.amount !== undefined;
  const payee =
    kind === "beneficiary" || isPayout ? (
      <LinkTo label={subject.payee_name} to={isPayout ? `/transfers/${subject_id}` : `/beneficiaries/${subject_id}`} />
    ) : (
      subject.payee_name
    );
  return [
    ...(subject.amount === undefined
      ? []
      : [
          { label: approvals.amount, value: <Money amount={subject.amount} /> },
          { label: parts.inWords, value: inWords(subject.amount) },
          { label: transfers.reference, value: subject.reference_id },
          { label: transfers.narrative, value: subject.narrative },
          ...(IS_PAYOUT.has(kind) ? [{ label: tags.title, value: <TagsOf id={subject_id} /> }] : []),
        ]),
    ...(subject.payee_name === undefined
      ? []
      : [
          { label: approvals.payee, value: payee },
          { label: beneficiaries.account, value: [subject.account_number, subject.ifsc].join(" ").trim() },
          { label: beneficiaries.upi, value: subject.upi },
        ]),
    ...(subject.batch_name === undefined
      ? []
      : [
          { label: titles.bulk, value: <LinkTo label={subject.batch_name} to={`/bulk-payouts/${subject_id}`} /> },
          { label: bulk.payouts, value: subject.payouts },
        ]),
    ...(subject.franchise_name === undefined
      ? []
      : [
          {
            label: approvals.franchise,
            value: <LinkTo label={subject.franchise_name} to={`/franchises/${subject_id}`} />,
          },
        ]),
    ...(approval.bank_account === undefined
      ? []
      : [
          {
            label: approvals.newAccount,
            value: [approval.bank_holder, approval.bank_account, approval.ifsc, approval.bank_name]
              .filter(Boolean)
              .join(", "),
          },
        ]),
    ...(kind === "policy" ? policyFacts(approval) : []),
    ...(approval.deposit_amount === undefined
      ? []
      : [{ label: approvals.deposit, value: `${rupees(approval.deposit_amount)}, ${approval.deposit_reference}` }]),
    ...resolutionOf(approval),
    ...decisionOf(approval),
  ];
}

/** The outcome of a stuck transfer that is to be booked. */
function resolutionOf(approval: Approval): Fact[] {
  if (approval.resolve_as === undefined) return [];
  return [
    { label: attention.as, value: attention.outcomes[approval.resolve_as] },
    { label: attention.utr, value: approval.utr },
    { label: attention.reason, value: approval.reason },
    { label: attention.evidence, value: approval.evidence },
    { label: attention.notAsked, value: approval.provider_not_asked },
  ].filter(({ value }) => value !== "");
}

/** Who asked, and who decided. */
function decisionOf(approval: Approval): Fact[] {
  return [
    { label: approvals.requestedBy, value: actorName(approval.requested_by, approval.requested_by_name) },
    { label: approvals.requestedAt, value: moment(approval.requested_at) },
    ...(approval.decided_by === null
      ? [{ label: approvals.expiresAt, value: approval.expires_at && moment(approval.expires_at) }]
      : [
          { label: approvals.decidedBy, value: actorName(approval.decided_by, approval.decided_by_name) },
          { label: approvals.decidedAt, value: approval.decided_at && moment(approval.decided_at) },
          { label: approvals.note, value: approval.note },
        ]),
  ];
}

/** Who has asked for it does not decide it, and can take it back. */
function Withdraw({ approval }: { readonly approval: Approval }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Stack gap="md" align="flex-start">
      <Alert variant="outline" w="100%">
        {approvals.own}
      </Alert>
      <Action label={approvals.withdraw} onClick={() => setAsking(true)} />
      {isAsking && <WithdrawDialog approval={approval} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

/** A payout is asked about once more, with its amount in words. */
function Decide({ approval }: { readonly approval: Approval }) {
  const [isConfirming, setConfirming] = useState(false);
  const { approval_id: id, subject } = approval;
  const { amount } = subject;
  const approve = (note: string) => api("POST", `/approvals/${id}/approve`, { body: { note } });
  const rejecting = useApiForm({
    initialValues: { note: "" },
    validate: reasonGiven,
    submit: (body) => api("POST", `/approvals/${id}/reject`, { body }),
    changes: EVERYTHING,
    done: approvals.rejected,
  });
  const { note } = rejecting.form.values;
  const approving = useApiForm({
    initialValues: {},
    submit: () => approve(note),
    changes: EVERYTHING,
    done: approvals.approved,
  });
  const error = rejecting.error ?? approving.error;
  const isSending = rejecting.isSending || approving.isSending;
  return (
    <Stack gap="md" maw={560}>
      {error && <ErrorNotice error={error} />}
      <Textarea
        {...rejecting.field("note", approvals.note, approvals.noteHint)}
        maxLength={LONGEST_NOTE}
        autosize
        minRows={2}
      />
      <Group justify="flex-end" gap="xs">
        <Action
          label={approvals.reject}
          primary
          color="red.9"
          loading={rejecting.isSending}
          disabled={isSending}
          onClick={() => rejecting.onSubmit()}
        />
        <Action
          label={approvals.approve}
          primary
          loading={approving.isSending}
          disabled={isSending}
          onClick={() => (amount === undefined ? approving.onSubmit() : setConfirming(true))}
        />
      </Group>
      {isConfirming && amount !== undefined && (
        <ConfirmMoney
          title={approval.resolve_as === undefined ? approvals.confirmApprove : approvals.confirmResolution}
          label={approvals.approve}
          amount={amount}
          facts={[
            { label: approvals.payee, value: subject.payee_name ?? subject.batch_name },
            ...(approval.resolve_as === undefined
              ? []
              : [{ label: attention.as, value: attention.outcomes[approval.resolve_as] }]),
          ]}
          {...(note === "" ? {} : { hint: note })}
          submit={() => approve(note)}
          changes={EVERYTHING}
          done={approvals.approved}
          onClose={() => setConfirming(false)}
        />
      )}
    </Stack>
  );
}
