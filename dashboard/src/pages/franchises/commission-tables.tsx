// The commission of a franchise, row by row: what was earned by which invoice, and what was paid out.
// What belongs here: the two tables.
import { Anchor, Button, Group, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { rupees } from "../../format/money.ts";
import { day, moment } from "../../format/time.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { rateOf, type CommissionPayment, type FranchiseRow, type Payout } from "./franchise.ts";
import { ReversePaymentDialog } from "./payment-dialogs.tsx";

type Earned = {
  /** `null` where the invoice is another franchise's by now. */
  readonly commission_type: FranchiseRow["commission_type"] | null;
  readonly commission: string | null;
  readonly earned_by: string;
  readonly invoice_id: string;
  readonly invoice_number: string;
  readonly amount: string;
  readonly reversed: string;
  /** Whether it is not paid out by itself. */
  readonly waits: boolean;
  readonly accrued_at: string;
};

const rateOfEarned = ({ commission_type, commission }: Earned): string =>
  commission_type === null || commission === null ? words.none : rateOf({ commission_type, commission });

const EARNED_COLUMNS: readonly Column<Earned>[] = [
  {
    key: "invoice",
    title: words.invoice,
    render: ({ invoice_id, invoice_number }) => (
      <Anchor component={Link} to={`/invoices/${invoice_id}`}>
        {invoice_number}
      </Anchor>
    ),
  },
  { key: "when", title: words.when, hideBelow: "sm", render: ({ accrued_at }) => moment(accrued_at) },
  { key: "waits", title: words.status, hideBelow: "md", render: ({ waits }) => (waits ? words.earnedWaits : "") },
  { key: "rate", title: words.rate, align: "right", hideBelow: "md", render: rateOfEarned },
  {
    key: "reversed",
    title: words.reversed,
    align: "right",
    hideBelow: "sm",
    render: ({ reversed }) => <Money amount={reversed} />,
  },
  { key: "amount", title: words.amount, align: "right", render: ({ amount }) => <Money amount={amount} /> },
];

/** What a franchise earned, latest first. */
export function History({ franchiseId }: { readonly franchiseId: string }) {
  const history = useInfiniteQuery({
    queryKey: ["/franchises", "commission", franchiseId],
    queryFn: ({ signal, pageParam }) =>
      api<{ commission: Earned[]; next: string | null }>("GET", `/franchises/${franchiseId}/commission`, {
        query: { after: pageParam },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const rows = history.data?.pages.flatMap(({ commission }) => commission) ?? [];
  return (
    <Panel title={words.history} flush>
      {history.error && <ErrorNotice error={history.error} onRetry={() => void history.refetch()} m="md" />}
      {history.isSuccess && rows.length === 0 ? (
        <Nothing text={words.noHistory} />
      ) : (
        <DataTable
          caption={words.history}
          columns={EARNED_COLUMNS}
          rows={rows}
          rowKey={({ earned_by }) => earned_by}
          isLoading={history.isPending}
        />
      )}
      {history.hasNextPage && (
        <Group justify="center" p="md">
          <Button variant="default" loading={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            {words.older}
          </Button>
        </Group>
      )}
    </Panel>
  );
}

const PAYOUT_COLUMNS: readonly Column<Payout>[] = [
  { key: "when", title: words.when, render: ({ added_at }) => moment(added_at) },
  { key: "status", title: words.status, render: ({ status }) => <StatusBadge status={status} /> },
  { key: "utr", title: words.utr, hideBelow: "sm", render: ({ utr }) => utr || words.none },
  { key: "amount", title: words.amount, align: "right", render: ({ amount }) => <Money amount={amount} /> },
];

const TRANSFER_COLUMN: Column<Payout> = {
  ...PAYOUT_COLUMNS[0]!,
  render: ({ transfer_id, added_at }) => (
    <Anchor component={Link} to={`/transfers/${transfer_id}`}>
      {moment(added_at)}
    </Anchor>
  ),
};

/** What was paid out to a franchise, latest first. */
export function Payouts({ payouts }: { readonly payouts: readonly Payout[] }) {
  const maySeeTransfers = usePermissions()("payouts.view");
  const columns = maySeeTransfers ? [TRANSFER_COLUMN, ...PAYOUT_COLUMNS.slice(1)] : PAYOUT_COLUMNS;
  return (
    <Panel title={words.payouts} flush>
      {payouts.length === 0 ? (
        <Nothing text={words.noPayouts} />
      ) : (
        <DataTable caption={words.payouts} columns={columns} rows={payouts} rowKey={({ transfer_id }) => transfer_id} />
      )}
    </Panel>
  );
}

type PaymentsProps = {
  readonly payments: readonly CommissionPayment[];
  readonly franchiseId: string;
  readonly mayReverse: boolean;
};

/** What was paid to a franchise by other means, latest first. */
export function Payments({ payments, franchiseId, mayReverse }: PaymentsProps) {
  const [reversed, setReversed] = useState<CommissionPayment | null>(null);
  if (payments.length === 0) return null;
  const columns: readonly Column<CommissionPayment>[] = [
    { key: "when", title: words.paidDate, render: ({ paid_date }) => day(paid_date) },
    { key: "mode", title: words.mode, hideBelow: "sm", render: ({ mode }) => mode },
    { key: "reference", title: words.bankRefNo, hideBelow: "md", render: ({ bank_ref_no }) => bank_ref_no },
    { key: "note", title: words.note, hideBelow: "md", render: ({ note }) => note },
    { key: "amount", title: words.amount, align: "right", render: ({ amount }) => <Money amount={amount} /> },
    {
      key: "reverse",
      title: "",
      align: "right",
      render: (payment) =>
        payment.reversal_reason !== null ? (
          <Text size="sm">{words.takenBack(payment.reversal_reason)}</Text>
        ) : (
          mayReverse && (
            <Button
              variant="default"
              size="compact-sm"
              aria-label={words.reversePaymentOf(rupees(payment.amount), day(payment.paid_date))}
              onClick={() => setReversed(payment)}
            >
              {words.reversePayment}
            </Button>
          )
        ),
    },
  ];
  return (
    <Panel title={words.payments} flush>
      <DataTable caption={words.payments} columns={columns} rows={payments} rowKey={({ payment_id }) => payment_id} />
      {reversed && (
        <ReversePaymentDialog franchiseId={franchiseId} payment={reversed} onClose={() => setReversed(null)} />
      )}
    </Panel>
  );
}

function Nothing({ text }: { readonly text: string }) {
  return (
    <Text c="dimmed" p="md" pt={0}>
      {text}
    </Text>
  );
}
