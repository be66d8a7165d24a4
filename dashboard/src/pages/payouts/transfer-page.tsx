// One transfer or withdrawal: how it stands, what it did to the balance, who asked for it, and what to do about it.
// What belongs here: the page; it follows a payment until the bank has said its last word.
import { Alert, Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { Money } from "../../components/money.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { actorName } from "../../format/actor.ts";
import { inWords } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { searchOf } from "../../lists/search-of.ts";
import { reasonAdvice, statusAdvice, transferDetail, transfers, withdrawals } from "../../strings/payouts.ts";
import { parts, shell } from "../../strings/shell.ts";
import { destinationOf, type Transfer } from "./transfer-list.tsx";

type Entry = {
  readonly entry_no: string;
  readonly posted_at: string;
  readonly kind: string;
  readonly debit_account: string;
  readonly credit_account: string;
  readonly amount: string;
};
type Happening = {
  readonly event_no: string;
  readonly type: string;
  readonly created_at: string;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly address: string | null;
};
type Detail = Transfer & {
  readonly entries: readonly Entry[];
  readonly events: readonly Happening[];
  readonly dispatch: { readonly attempts: number; readonly next_at: string | null } | null;
};

const ASK_AGAIN_MS = 1500;

const accountName = (account: string): string => transferDetail.accounts[account] ?? account;

const ENTRY_COLUMNS: readonly Column<Entry>[] = [
  { key: "posted_at", title: transfers.added, render: ({ posted_at }) => moment(posted_at) },
  { key: "kind", title: transferDetail.entry, render: ({ kind }) => transferDetail.kinds[kind] ?? kind },
  { key: "debit", title: transferDetail.debit, render: (row) => accountName(row.debit_account), hideBelow: "sm" },
  { key: "credit", title: transferDetail.credit, render: (row) => accountName(row.credit_account), hideBelow: "sm" },
  { key: "amount", title: transfers.amount, align: "right", render: ({ amount }) => <Money amount={amount} /> },
];

const EVENT_COLUMNS: readonly Column<Happening>[] = [
  { key: "created_at", title: transfers.added, render: ({ created_at }) => moment(created_at) },
  {
    key: "type",
    title: transferDetail.event,
    render: ({ type }) => transferDetail.eventWords[type.replace(/^[a-z_]+\./, "")] ?? type,
  },
  { key: "actor", title: transferDetail.who, render: ({ actor, actor_name }) => actorName(actor, actor_name) },
  { key: "address", title: transferDetail.where, render: ({ address }) => address ?? "", hideBelow: "sm" },
];

/** Until the payee's bank has confirmed a payment, it may still come back. */
function mayChange({ status, acknowledged }: Transfer): boolean {
  return status.startsWith("PENDING") || (status === "SUCCESS" && !acknowledged);
}

/** A transfer or withdrawal. */
export function Page() {
  const { transferId = "" }: Readonly<Record<string, string>> = useParams({ strict: false });
  const isWithdrawal = useLocation({ select: ({ pathname }) => pathname.includes("/withdrawals/") });
  const { data, error, refetch } = useQuery({
    queryKey: ["/transfers", transferId],
    queryFn: ({ signal }) => api<Detail>("GET", `/transfers/${transferId}`, { signal }),
    refetchInterval: ({ state }) => (state.data && mayChange(state.data) ? ASK_AGAIN_MS : false),
  });
  const title = (data ? data.kind === "withdrawal" : isWithdrawal)
    ? withdrawals.one(transferId)
    : transfers.one(transferId);
  if (!data) {
    return (
      <Outline title={title}>
        {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Text>{shell.loading}</Text>}
      </Outline>
    );
  }
  return (
    <Outline title={title} badge={<StatusBadge status={data.status} />} actions={<PayAgain transfer={data} />}>
      <Advice transfer={data} />
      <Panel title={transferDetail.facts}>
        <TransferFacts transfer={data} />
      </Panel>
      <Panel title={transferDetail.entries} flush>
        <DataTable
          caption={transferDetail.entries}
          columns={ENTRY_COLUMNS}
          rows={data.entries}
          rowKey={({ entry_no }) => entry_no}
        />
      </Panel>
      <Panel title={transferDetail.events} flush>
        <DataTable
          caption={transferDetail.events}
          columns={EVENT_COLUMNS}
          rows={data.events}
          rowKey={({ event_no }) => event_no}
        />
      </Panel>
    </Outline>
  );
}

/** For transfers whose last word is said: with another reference, since this one stands for this transfer. */
function PayAgain({ transfer }: { readonly transfer: Transfer }) {
  const may = usePermissions();
  const { kind, status, beneficiary_id, amount, mode, narrative } = transfer;
  if (!may("payouts.transfer") || kind !== "transfer" || beneficiary_id === null) return null;
  if (status.startsWith("PENDING")) return null;
  return (
    <Button
      component={Link}
      to="/transfers/new"
      search={searchOf({ beneficiary: beneficiary_id, amount, mode, narrative })}
      variant="default"
    >
      {transfers.payAgain}
    </Button>
  );
}

function Advice({ transfer }: { readonly transfer: Detail }) {
  const { status, reason, dispatch } = transfer;
  const [code = ""] = reason.split(":");
  const isOpen = status === "PENDING";
  return (
    <Alert variant="outline" color="gray" title={transferDetail.advice} role="status">
      <Text size="sm">{statusAdvice[status]}</Text>
      {reasonAdvice[code] !== undefined && <Text size="sm">{reasonAdvice[code]}</Text>}
      {isOpen && dispatch && <Text size="sm">{transferDetail.waiting(dispatch.attempts)}</Text>}
      {isOpen && dispatch?.next_at && <Text size="sm">{transferDetail.nextAt(moment(dispatch.next_at))}</Text>}
      {isOpen && <Text size="sm">{transferDetail.live}</Text>}
    </Alert>
  );
}

function TransferFacts({ transfer }: { readonly transfer: Transfer }) {
  const { beneficiary_id, payee_name, amount, processed_at } = transfer;
  const payee =
    beneficiary_id === null ? (
      payee_name
    ) : (
      <Anchor component={Link} to={`/beneficiaries/${beneficiary_id}`}>
        {payee_name}
      </Anchor>
    );
  return (
    <Facts
      facts={[
        { label: transfers.amount, value: <Money amount={amount} /> },
        { label: parts.inWords, value: inWords(amount) },
        { label: transfers.payee, value: payee },
        { label: transfers.account, value: destinationOf(transfer) },
        { label: transfers.reference, value: transfer.reference_id },
        { label: transfers.utr, value: transfer.utr },
        { label: transfers.kind, value: transfers.kinds[transfer.kind] },
        { label: transfers.mode, value: transfers.modes[transfer.mode] },
        { label: transfers.narrative, value: transfer.narrative },
        { label: transfers.added, value: moment(transfer.added_at) },
        { label: transfers.finished, value: processed_at && moment(processed_at) },
        { label: transfers.reason, value: transfer.reason },
        ...(transfer.status === "SUCCESS"
          ? [{ label: transfers.acknowledged, value: transfer.acknowledged ? transfers.yes : transfers.no }]
          : []),
      ]}
    />
  );
}
