// One approval: what is asked for, by whom, and the decision of a second person.
// What belongs here: the page. After a decision it shows what the server says.
import { Alert, Anchor, Button, Group, Stack, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts, type Fact } from "../../components/facts.tsx";
import { Money } from "../../components/money.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { ConfirmMoney } from "../../forms/confirm-money.tsx";
import { actorName } from "../../format/actor.ts";
import { inWords } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { approvals, beneficiaries, transfers } from "../../strings/payouts.ts";
import { parts } from "../../strings/shell.ts";
import type { Approval } from "./approval.ts";
import { policyFacts } from "./policy-facts.ts";

/** An approval. */
export function Page() {
  const { approvalId = "" }: Readonly<Record<string, string>> = useParams({ strict: false });
  const may = usePermissions();
  const { data, error, refetch } = useQuery({
    queryKey: ["/approvals", approvalId],
    queryFn: ({ signal }) => api<Approval>("GET", `/approvals/${approvalId}`, { signal }),
  });
  return (
    <Outline
      title={data ? approvals.one(approvals.kinds[data.kind] ?? data.kind) : approvals.title}
      badge={data && <StatusBadge status={data.status} />}
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && (
        <Panel>
          <Facts facts={factsOf(data)} />
        </Panel>
      )}
      {data?.status === "open" && may("approvals.decide") && (
        <Panel title={approvals.decide}>
          {data.own ? <Alert variant="outline">{approvals.own}</Alert> : <Decide approval={data} />}
        </Panel>
      )}
    </Outline>
  );
}

function factsOf(approval: Approval): Fact[] {
  const { subject, subject_id, kind } = approval;
  const isPayout = subject.amount !== undefined;
  const payee =
    kind === "beneficiary" || isPayout ? (
      <Anchor component={Link} to={isPayout ? `/transfers/${subject_id}` : `/beneficiaries/${subject_id}`}>
        {subject.payee_name}
      </Anchor>
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
        ]),
    ...(subject.payee_name === undefined
      ? []
      : [
          { label: approvals.payee, value: payee },
          { label: beneficiaries.account, value: [subject.account_number, subject.ifsc].join(" ").trim() },
          { label: beneficiaries.upi, value: subject.upi },
        ]),
    ...(subject.franchise_name === undefined
      ? []
      : [
          {
            label: approvals.franchise,
            value: (
              <Anchor component={Link} to={`/franchises/${subject_id}`}>
                {subject.franchise_name}
              </Anchor>
            ),
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

type Verdict = "approve" | "reject";

function Decide({ approval }: { readonly approval: Approval }) {
  const queries = useQueryClient();
  const [note, setNote] = useState("");
  const [isConfirming, setConfirming] = useState(false);
  const [sending, setSending] = useState<Verdict | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const { amount, payee_name } = approval.subject;

  const decide = async (verdict: Verdict): Promise<void> => {
    await api("POST", `/approvals/${approval.approval_id}/${verdict}`, { body: { note } });
    notifications.show({ color: "green", message: verdict === "approve" ? approvals.approved : approvals.rejected });
    await queries.invalidateQueries();
  };
  const decideHere = async (verdict: Verdict): Promise<void> => {
    setSending(verdict);
    setError(null);
    await decide(verdict).catch(setError);
    setSending(null);
  };
  return (
    <Stack gap="md" maw={560}>
      {error && <ErrorNotice error={error} />}
      <Textarea
        label={approvals.note}
        description={approvals.noteHint}
        maxLength={500}
        autosize
        minRows={2}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <Group justify="flex-end" gap="xs">
        <Button
          color="red.9"
          loading={sending === "reject"}
          disabled={sending !== null}
          onClick={() => void decideHere("reject")}
        >
          {approvals.reject}
        </Button>
        <Button
          loading={sending === "approve"}
          disabled={sending !== null}
          onClick={() => (amount === undefined ? void decideHere("approve") : setConfirming(true))}
        >
          {approvals.approve}
        </Button>
      </Group>
      {amount !== undefined && (
        <ConfirmMoney
          opened={isConfirming}
          onClose={() => setConfirming(false)}
          title={approvals.confirmApprove}
          amount={amount}
          facts={[{ label: approvals.payee, value: payee_name }]}
          {...(note === "" ? {} : { note })}
          confirmLabel={approvals.approve}
          onConfirm={() => decide("approve")}
        />
      )}
    </Stack>
  );
}
