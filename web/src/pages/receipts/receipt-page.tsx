// One receipt: the money, the invoices that use it, and what may be done with the rest.
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { formatPaise } from "../../../../src/platform/money.ts";
import { apiUrl } from "../../api/client.ts";
import { useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo, MenuButton } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, Money, StatusBadge } from "../../components/values.tsx";
import { day, moment } from "../../format/time.ts";
import { modeName } from "../../forms/payment-mode.tsx";
import { receipt as words } from "../../strings/receipts.ts";
import { type Chosen, ChosenDialog, useReceiptActions } from "./receipt-actions.tsx";
import { paiseOf, type ReceiptRecord } from "./receipt-values.ts";

type Props = { readonly receipt: ReceiptRecord };
type Allocation = ReceiptRecord["allocations"][number];
type Voucher = ReceiptRecord["vouchers"][number] & Pick<ReceiptRecord, "receipt_id">;
type Refund = ReceiptRecord["refunds"][number];

/** The receipt that the address names. */
export function Page() {
  const { receiptId = "" }: { receiptId?: string } = useParams({ strict: false });
  const { receipt } = useLoaded(`/receipts/${receiptId}`);
  return (
    <Outline
      title={words.title(receipt.receipt_number)}
      badge={<StatusBadge status={receipt.status} />}
      actions={<Actions receipt={receipt} />}
    >
      <Summary receipt={receipt} />
      <TablePanel
        title={words.allocations}
        columns={ALLOCATION_COLUMNS}
        rows={receipt.allocations}
        rowKey="transaction_id"
        empty={words.noAllocations}
      />
      {receipt.vouchers.length > 0 && (
        <TablePanel
          title={words.vouchers}
          columns={VOUCHER_COLUMNS}
          rows={receipt.vouchers.map((voucher) => ({ ...voucher, receipt_id: receipt.receipt_id }))}
          rowKey="voucher_id"
        />
      )}
      {receipt.refunds.length > 0 && (
        <TablePanel title={words.refunds} columns={REFUND_COLUMNS} rows={receipt.refunds} rowKey="refund_id" />
      )}
    </Outline>
  );
}

const ALLOCATION_COLUMNS: readonly Column<Allocation>[] = [
  {
    key: "invoice_number",
    title: words.invoice,
    as: "number",
    to: ({ invoice_id }) => `/invoices/${invoice_id}`,
  },
  { key: "date", title: words.paidOn, hideBelow: "sm", as: "day" },
  { key: "status", title: words.status, isBelowFirst: true, as: "status" },
  { key: "amount", title: words.money, as: "amount" },
  { key: "tds_amount", title: words.tdsOf, as: "amount" },
];

const VOUCHER_COLUMNS: readonly Column<Voucher>[] = [
  {
    key: "voucher_number",
    title: words.voucher,
    render: ({ voucher_number: number, receipt_id, voucher_id }) => (
      <Action
        label={number}
        aria-label={words.voucherPdf(number)}
        href={apiUrl(`/receipts/${receipt_id}/vouchers/${voucher_id}/pdf`)}
        newTab
      />
    ),
  },
  { key: "voucher_kind", title: words.voucherKind, render: ({ voucher_kind: kind }) => words.voucherKinds[kind] },
  { key: "date", title: words.voucherDate, hideBelow: "sm", as: "day" },
  { key: "status", title: words.status, isBelowFirst: true, as: "status" },
  { key: "rate", title: words.gstRate, hideBelow: "sm", render: ({ rate }) => `${rate} %` },
  {
    key: "tax",
    title: words.gst,
    align: "right",
    render: (voucher) => <Money plain amount={formatPaise(gstOf(voucher))} />,
  },
  { key: "amount", title: words.money, as: "amount" },
];

const gstOf = ({ igst, cgst, sgst }: Voucher): bigint => paiseOf(igst) + paiseOf(cgst) + paiseOf(sgst);

const REFUND_COLUMNS: readonly Column<Refund>[] = [
  { key: "date", title: words.refundedOn, as: "day" },
  { key: "mode", title: words.mode, render: ({ mode }) => modeName(mode) },
  { key: "details", title: words.bankReference, hideBelow: "sm", render: bankReferenceOf },
  { key: "amount", title: words.money, as: "amount" },
];

function bankReferenceOf({ bank_name, bank_ref_no, cheque_no, cash_paid_to }: ReceiptRecord | Refund): string {
  const given = [bank_name, bank_ref_no, cheque_no, cash_paid_to].filter((text) => text !== "");
  return given.join(" · ") || "–";
}

function Actions({ receipt }: Props) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const actions = useReceiptActions(receipt, setChosen);
  return (
    <>
      {actions.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={entry.label === words.use} />
      ))}
      {chosen && <ChosenDialog receipt={receipt} chosen={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function Summary({ receipt }: Props) {
  const may = usePermissions();
  const { customer_id, customer_name, customer_code, tds_code, reference, reversal_reason } = receipt;
  const customer = `${customer_name} (${customer_code})`;
  const linked = <LinkTo label={customer} to={`/customers/${customer_id}`} />;
  return (
    <Panel title={words.summary}>
      <Facts
        facts={[
          { label: words.customer, value: may("customers.view") ? linked : customer },
          { label: words.date, value: day(receipt.date) },
          { label: words.amount, value: <Money amount={receipt.amount} /> },
          { label: words.tds, value: <Money amount={receipt.tds_amount} /> },
          ...(tds_code === "" ? [] : [{ label: words.tdsCode, value: tds_code }]),
          { label: words.used, value: <Money amount={receipt.used_amount} /> },
          ...(paiseOf(receipt.refunded_amount) === 0n
            ? []
            : [{ label: words.refunded, value: <Money amount={receipt.refunded_amount} /> }]),
          { label: words.advance, value: <Money amount={receipt.advance_amount} /> },
          ...(paiseOf(receipt.advance_gst_amount) === 0n
            ? []
            : [{ label: words.advanceGst, value: <Money amount={receipt.advance_gst_amount} /> }]),
          { label: words.mode, value: modeName(receipt.mode) },
          { label: words.bankReference, value: bankReferenceOf(receipt) },
          ...(reference === "" ? [] : [{ label: words.reference, value: reference }]),
          ...(reversal_reason === "" ? [] : [{ label: words.reason, value: reversal_reason }]),
          ...(receipt.statement_line_id === "" || !may("statement.view")
            ? []
            : [
                {
                  label: words.line,
                  value: (
                    <LinkTo
                      label={words.lineLink}
                      to="/reconciliation"
                      search={{ from: receipt.date, to: receipt.date }}
                    />
                  ),
                },
              ]),
          { label: words.created, value: moment(receipt.created_at) },
        ]}
      />
    </Panel>
  );
}
