// One transfer or withdrawal: its status, its effect on the balance, its requester, and its actions.
import { Alert, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { isPayoutUnderWay, whileUnderWay } from "../../api/ask-again.ts";
import type { Answer } from "../../api/contract.ts";
import { useLoaded } from "../../api/queries.ts";
import { LinkTo, MenuButton } from "../../components/actions.tsx";
import { Folded } from "../../components/folded.tsx";
import { Panel } from "../../components/page.tsx";
import { RecordColumns, RecordPage } from "../../components/record-page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Timeline, type TimelineEntry } from "../../components/timeline.tsx";
import { Facts, Money, StatusBadge } from "../../components/values.tsx";
import { actorName } from "../../format/actor.ts";
import { payoutEventInWords } from "../../format/event.ts";
import { inWords, rupees } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { notApproved, transferDetail, transfers } from "../../strings/payouts.ts";
import { attachments, tags } from "../../strings/tags-and-files.ts";
import type { Tone } from "../../strings/statuses.ts";
import { parts } from "../../strings/shell.ts";
import { adviceOn } from "./advice.ts";
import { ENTRY_COLUMNS } from "./entry-columns.tsx";
import { Attachments } from "./attachments.tsx";
import { PayoutTags } from "./tags.tsx";
import { CancelDialog, useTransferActions } from "./transfer-actions.tsx";
import { destinationOf, type Transfer } from "./transfer-list.tsx";

type TransferEvent = Detail["events"][number];
type Detail = Answer<"GET", "/transfers/:transfer_id">;

/** The colours of good and bad outcomes; the rest is neutral. */
const TONES: readonly (readonly [RegExp, Tone])[] = [
  [/\.(success|late_success|approved)$/, "success"],
  [/\.(failed|rejected|reversed|expired|withdrawn)$/, "danger"],
  [/\.(awaiting_approval|requested)$/, "warning"],
];

/** Until the payee's bank has confirmed a payment, it may still come back. */
function mayChange({ status, acknowledged }: Transfer): boolean {
  return isPayoutUnderWay({ status }) || (status === "SUCCESS" && !acknowledged);
}

/** A transfer or withdrawal. */
export function Page() {
  const { transferId = "" }: Readonly<Record<string, string>> = useParams({ strict: false });
  const transfer = useLoaded(`/transfers/${transferId}`, {
    refetchInterval: whileUnderWay(mayChange),
  });
  return (
    <RecordPage
      title={transferDetail.title(rupees(transfer.amount), transfer.payee_name)}
      badge={<StatusBadge status={transfer.status} />}
      hint={destinationOf(transfer)}
      actions={<WhatToDo transfer={transfer} />}
    >
      <RecordColumns
        aside={
          <Panel title={transferDetail.facts}>
            <TransferFacts transfer={transfer} />
          </Panel>
        }
      >
        <Panel title={transferDetail.events}>
          <Timeline
            label={transferDetail.events}
            entries={[...timelineOf(transfer).map(toEntry), ...nextOf(transfer)]}
          />
        </Panel>
        <Advice transfer={transfer} />
        <Panel title={attachments.title}>
          <Attachments transferId={transfer.transfer_id} />
        </Panel>
        <Technical transfer={transfer} />
      </RecordColumns>
    </RecordPage>
  );
}

function toEntry({ event_no, type, created_at, actor, actor_name }: TransferEvent): TimelineEntry {
  return {
    key: event_no,
    what: payoutEventInWords(type),
    at: created_at,
    who: actorName(actor, actor_name),
    tone: TONES.find(([kind]) => kind.test(type))?.[1] ?? "neutral",
  };
}

/** The steps still to come or, once it is credited, that one. */
function nextOf({ status, acknowledged }: Detail): TimelineEntry[] {
  const ahead = (what: string): TimelineEntry[] => [{ key: "next", what, at: "", isAhead: true }];
  if (status === "PENDING_APPROVAL") return ahead(transferDetail.ahead.approval);
  if (status === "PENDING") return ahead(transferDetail.ahead.bank);
  if (status !== "SUCCESS") return [];
  if (!acknowledged) return ahead(transferDetail.ahead.credit);
  return [{ key: "credited", what: transfers.acknowledged, at: "", tone: "success" }];
}

/** A payout that was not approved ended with that decision, which is shown once. */
function timelineOf({ events, not_approved }: Detail): readonly TransferEvent[] {
  const ended = not_approved && events.some(({ type }) => type === `approval.${not_approved.decision}`);
  return ended ? events.filter(({ type }) => type.startsWith("approval.") || !type.endsWith(".rejected")) : events;
}

function WhatToDo({ transfer }: { readonly transfer: Detail }) {
  const [isCancelling, setCancelling] = useState(false);
  const actions = useTransferActions(transfer, () => setCancelling(true));
  return (
    <>
      {actions.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={false} />
      ))}
      {isCancelling && <CancelDialog transfer={transfer} onClose={() => setCancelling(false)} />}
    </>
  );
}

/** Nothing is wrong with the others. */
const ADVICE_COLOUR: Readonly<Record<string, string>> = { FAILED: "red", REJECTED: "red", REVERSED: "red" };

function Advice({ transfer }: { readonly transfer: Detail }) {
  const { status, dispatch, not_approved: refused } = transfer;
  const isOpen = status === "PENDING";
  return (
    <Alert variant="light" color={ADVICE_COLOUR[status] ?? "gray"} title={transferDetail.advice} role="status">
      {refused ? (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {notApproved[refused.decision](actorName(refused.by, refused.by_name), refused.note)}{" "}
          {notApproved.nothingPaid}
        </Text>
      ) : (
        adviceOn(transfer).map((sentence) => (
          <Text key={sentence} size="sm">
            {sentence}
          </Text>
        ))
      )}
      {isOpen && dispatch && <Text size="sm">{transferDetail.waiting(dispatch.attempts)}</Text>}
      {isOpen && dispatch?.next_at && <Text size="sm">{transferDetail.nextAt(moment(dispatch.next_at))}</Text>}
      {isOpen && <Text size="sm">{transferDetail.live}</Text>}
    </Alert>
  );
}

function TransferFacts({ transfer }: { readonly transfer: Transfer }) {
  const { beneficiary_id, payee_name, amount, processed_at } = transfer;
  const payee =
    beneficiary_id === null ? payee_name : <LinkTo label={payee_name} to={`/beneficiaries/${beneficiary_id}`} />;
  return (
    <Facts
      inRows
      facts={[
        { label: transfers.amount, value: <Money amount={amount} /> },
        { label: parts.inWords, value: inWords(amount) },
        { label: transfers.payee, value: payee },
        { label: transfers.reference, value: transfer.reference_id },
        { label: transfers.utr, value: transfer.utr },
        { label: transfers.mode, value: transfers.modes[transfer.mode] },
        { label: transfers.narrative, value: transfer.narrative },
        { label: tags.title, value: <PayoutTags transfer={transfer} /> },
        { label: transfers.added, value: moment(transfer.added_at) },
        { label: transfers.finished, value: processed_at && moment(processed_at) },
      ]}
    />
  );
}

/** The details that support and auditors ask for. */
function Technical({ transfer }: { readonly transfer: Detail }) {
  const { transfer_id, kind, reason, dispatch, events, entries } = transfer;
  const addresses = [...new Set(events.flatMap(({ address }) => address ?? []))];
  return (
    <Folded title={transferDetail.technical}>
      <Facts
        facts={[
          { label: transferDetail.id, value: transfer_id },
          { label: transfers.kind, value: transfers.kinds[kind] },
          { label: transfers.reason, value: reason },
          ...(dispatch ? [{ label: transferDetail.attempts, value: dispatch.attempts.toLocaleString("en-IN") }] : []),
          { label: transferDetail.where, value: addresses.join(", ") },
        ]}
      />
      <TablePanel title={transferDetail.entries} columns={ENTRY_COLUMNS} rows={entries} rowKey="entry_no" />
    </Folded>
  );
}
