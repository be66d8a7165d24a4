// Transfers that need attention: stuck ones, which can be resolved here, and resolved ones with the provider's later reports.
import { Box, NativeSelect, Text, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { whileAnyUnderWay } from "../../api/ask-again.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { EVERYTHING, useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { actorName } from "../../format/actor.ts";
import { moment } from "../../format/time.ts";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { attention as words, transfers } from "../../strings/payouts.ts";
import { statuses } from "../../strings/statuses.ts";

type Attention = Answer<"GET", "/stuck-transfers">;
type Stuck = Attention["stuck"][number];
type Resolved = Attention["resolved"][number];

const LONGEST_TEXT = 200;
const LONGEST_UTR = 30;

const stuckColumns = (onResolve: ((stuck: Stuck) => void) | null, isOperator: boolean): readonly Column<Stuck>[] => [
  {
    key: "added_at",
    title: transfers.added,
    render: (stuck) => (
      <>
        <LinkTo label={moment(stuck.added_at)} to={`/transfers/${stuck.transfer_id}`} />
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {stuck.reference_id || transfers.kinds[stuck.kind]}
        </Text>
        <Box hiddenFrom="sm">
          <StuckStatus stuck={stuck} onResolve={onResolve} isOperator={isOperator} />
        </Box>
      </>
    ),
  },
  {
    key: "provider",
    title: words.provider,
    hideBelow: "md",
    render: ({ provider, mode }) => `${words.providers[provider] ?? provider}, ${mode}`,
  },
  { key: "amount", title: transfers.amount, as: "money" },
  {
    key: "state",
    title: transfers.status,
    hideBelow: "sm",
    render: (stuck) => <StuckStatus stuck={stuck} onResolve={onResolve} isOperator={isOperator} />,
  },
];

const RESOLVED_COLUMNS: readonly Column<Resolved>[] = [
  {
    key: "resolved_at",
    title: words.when,
    render: (resolved) => (
      <>
        <LinkTo label={moment(resolved.resolved_at)} to={`/transfers/${resolved.transfer_id}`} />
        <Text size="sm" c="dimmed">
          {actorName(resolved.resolved_by, resolved.resolved_by_name)}
        </Text>
        <Box hiddenFrom="sm">
          <Since resolved={resolved} />
        </Box>
      </>
    ),
  },
  { key: "amount", title: transfers.amount, as: "money" },
  {
    key: "resolved_as",
    title: words.said,
    hideBelow: "md",
    render: ({ resolved_as, resolved_utr }) => (
      <>
        <Text size="sm">{words.resolvedAs[resolved_as]}</Text>
        <Text size="sm" c="dimmed">
          {resolved_utr}
        </Text>
      </>
    ),
  },
  { key: "since", title: words.since, hideBelow: "sm", render: (resolved) => <Since resolved={resolved} /> },
];

/** What needs attention. */
export function Page() {
  const may = usePermissions();
  const asked = useGet("/stuck-transfers", {
    refetchInterval: whileAnyUnderWay(
      ({ stuck }) => stuck,
      () => true,
    ),
  });
  const [resolving, setResolving] = useState<Stuck | null>(null);
  const { data } = asked;
  // Operators can resolve transfers too, and only they those over the installation's account.
  const mayFund = may("merchants.fund");
  const mayResolve = mayFund || may("payouts.transfer");
  return (
    <Outline title={words.title} hint={words.hint}>
      <TablePanel
        caption={words.stuck}
        of={asked}
        columns={stuckColumns(mayResolve ? setResolving : null, mayFund)}
        rows={data?.stuck}
        rowKey="transfer_id"
        empty={{ title: words.none, hint: words.noneHint }}
      />
      {data && data.resolved.length > 0 && (
        <TablePanel
          title={words.resolved}
          hint={words.resolvedHint}
          columns={RESOLVED_COLUMNS}
          rows={data.resolved}
          rowKey="transfer_id"
        />
      )}
      {resolving && <ResolveDialog stuck={resolving} onClose={() => setResolving(null)} />}
    </Outline>
  );
}

/** The status and actions of a stuck transfer. */
function StuckStatus({
  stuck,
  onResolve,
  isOperator,
}: {
  readonly stuck: Stuck;
  readonly onResolve: ((stuck: Stuck) => void) | null;
  readonly isOperator: boolean;
}) {
  const { state, attempts, reason, approval_id: approvalId } = stuck;
  const isForOperators = stuck.operators_only && !isOperator;
  return (
    <>
      <StatusBadge status={state} tone="warning" word={words.states[state] ?? state} />
      <Text size="sm" c="dimmed">
        {words.asked(attempts)}
      </Text>
      {reason !== "" && <Text size="sm">{reason}</Text>}
      {approvalId !== null && <LinkTo label={words.waits} to={`/approvals/${approvalId}`} />}
      {isForOperators && (
        <Text size="sm" c="dimmed">
          {words.operatorsOnly}
        </Text>
      )}
      {onResolve && approvalId === null && !isForOperators && (
        <Action label={words.resolve} variant="subtle" size="compact-sm" onClick={() => onResolve(stuck)} />
      )}
    </>
  );
}

function Since({ resolved: { contradicts, state, utr } }: { readonly resolved: Resolved }) {
  if (contradicts === null) return <Text size="sm">{words.agrees}</Text>;
  return (
    <>
      <StatusBadge status={contradicts} tone="danger" word={words.contradicts[contradicts]} />
      <Text size="sm">{contradicts === "utr" ? utr : (statuses[state]?.word ?? state)}</Text>
    </>
  );
}

function ResolveDialog({ stuck, onClose }: { readonly stuck: Stuck; readonly onClose: () => void }) {
  const { transfer_id: id, amount } = stuck;
  return (
    <FormDialog
      title={words.resolveTitle(id)}
      label={words.ask}
      initialValues={{ as: "success", utr: "", reason: "", evidence: "" }}
      intro={
        <>
          <AmountInWords amount={amount} />
          <Text>{words.resolveText}</Text>
        </>
      }
      submit={({ as, utr, ...values }) =>
        api("POST", `/stuck-transfers/${id}/resolve`, { body: { as, utr: as === "success" ? utr : "", ...values } })
      }
      changes={EVERYTHING}
      done={words.done}
      onClose={onClose}
    >
      {({ form, field }) => (
        <>
          <NativeSelect
            {...field("as", words.as)}
            data={Object.entries(words.outcomes).map(([value, label]) => ({ value, label }))}
          />
          {form.values.as === "success" && (
            <TextInput {...field("utr", words.utr, words.utrHint)} maxLength={LONGEST_UTR} required />
          )}
          <Textarea {...field("reason", words.reason)} maxLength={LONGEST_TEXT} autosize minRows={2} required />
          <Textarea
            {...field("evidence", words.evidence, words.evidenceHint)}
            maxLength={LONGEST_TEXT}
            autosize
            minRows={2}
          />
        </>
      )}
    </FormDialog>
  );
}
