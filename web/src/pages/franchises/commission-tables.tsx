// The commission of a franchise, row by row: what was earned by which invoice, and what was paid out.
import { Text } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { usePages } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { ReversePaymentDialog } from "./dialogs.tsx";
import { rateOf, type CommissionPayment } from "./franchise.ts";

type Earned = Answer<"GET", "/franchises/:franchise_id/commission">["commission"][number];

const rateOfEarned = ({ commission_type, commission }: Earned): string =>
  commission_type === null || commission === null ? words.none : rateOf({ commission_type, commission });

const EARNED_COLUMNS: readonly Column<Earned>[] = [
  { key: "invoice_number", title: words.invoice, to: ({ invoice_id }) => `/invoices/${invoice_id}` },
  { key: "accrued_at", title: words.when, hideBelow: "sm", as: "moment" },
  { key: "waits", title: words.status, hideBelow: "md", render: ({ waits }) => (waits ? words.earnedWaits : "") },
  { key: "rate", title: words.rate, align: "right", hideBelow: "md", render: rateOfEarned },
  { key: "reversed", title: words.reversed, hideBelow: "sm", as: "money" },
  { key: "amount", title: words.amount, as: "money" },
];

/** What a franchise earned, latest first. */
export function History({ franchiseId }: { readonly franchiseId: string }) {
  const { pages, ...found } = usePages(`/franchises/${franchiseId}/commission`);
  return (
    <TablePanel
      title={words.history}
      of={found}
      rows={pages?.flatMap(({ commission }) => commission)}
      columns={EARNED_COLUMNS}
      rowKey="earned_by"
      empty={words.noHistory}
      older={words.older}
    />
  );
}

type Payout = Answer<"GET", "/franchises/:franchise_id">["payouts"][number];

const PAYOUT_COLUMNS: readonly Column<Payout>[] = [
  { key: "added_at", title: words.when, as: "moment" },
  { key: "status", title: words.status, as: "status" },
  { key: "utr", title: words.utr, hideBelow: "sm", render: ({ utr }) => utr || words.none },
  { key: "amount", title: words.amount, as: "money" },
];

/** What was paid out to a franchise, latest first. */
export function Payouts({ payouts }: { readonly payouts: readonly Payout[] }) {
  const [when, ...others] = PAYOUT_COLUMNS;
  const to = ({ transfer_id }: Payout): string => `/transfers/${transfer_id}`;
  const columns = usePermissions()("payouts.view") ? [{ ...when!, to }, ...others] : PAYOUT_COLUMNS;
  return (
    <TablePanel title={words.payouts} rows={payouts} columns={columns} rowKey="transfer_id" empty={words.noPayouts} />
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
    { key: "paid_date", title: words.paidDate, as: "day" },
    { key: "mode", title: words.mode, hideBelow: "sm" },
    { key: "bank_ref_no", title: words.bankRefNo, hideBelow: "md" },
    { key: "note", title: words.note, hideBelow: "md" },
    { key: "amount", title: words.amount, as: "money" },
    {
      key: "reverse",
      title: "",
      align: "right",
      render: (payment) =>
        payment.reversal_reason !== null ? (
          <Text size="sm">{words.takenBack(payment.reversal_reason)}</Text>
        ) : (
          mayReverse && (
            <Action
              label={words.reversePayment}
              size="compact-sm"
              aria-label={words.reversePaymentOf(rupees(payment.amount), day(payment.paid_date))}
              onClick={() => setReversed(payment)}
            />
          )
        ),
    },
  ];
  return (
    <TablePanel title={words.payments} rows={payments} columns={columns} rowKey="payment_id">
      {reversed && (
        <ReversePaymentDialog franchiseId={franchiseId} payment={reversed} onClose={() => setReversed(null)} />
      )}
    </TablePanel>
  );
}
