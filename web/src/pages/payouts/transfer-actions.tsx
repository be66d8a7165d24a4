// The actions on a transfer or withdrawal, on its page and in its row of a list.
import { api, apiUrl } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { EVERYTHING } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { type MenuEntry, offered } from "../../components/more-menu.tsx";
import { RecordMenu } from "../../components/record-menu.tsx";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { rupees } from "../../format/money.ts";
import { transferDetail, transfers } from "../../strings/payouts.ts";

type Detail = Answer<"GET", "/transfers/:transfer_id">;

/** What an advice can be written for. */
const PAID_OR_UNDER_WAY: ReadonlySet<string> = new Set(["SUCCESS", "PENDING"]);

/** What this user can do in the transfer's current state. A refund is paid again from its credit note. */
export function useTransferActions(transfer: Detail, onChoose: (chosen: "cancel") => void): readonly MenuEntry[] {
  const may = usePermissions();
  const { transfer_id: id, status, may_cancel: isCancellable, refund_of: refundOf } = transfer;
  const { beneficiary_id: beneficiary, amount, mode, narrative } = transfer;
  const isFinal = !isCancellable && !status.startsWith("PENDING");
  // A new transfer gets a new reference, since this one is used.
  const again = transfer.kind === "transfer" && beneficiary !== null ? { beneficiary, amount, mode, narrative } : null;
  return [
    ...offered([
      [PAID_OR_UNDER_WAY.has(status), { label: transferDetail.pdf, href: apiUrl(`/transfers/${id}/pdf`) }],
      [
        isCancellable && may("payouts.transfer"),
        { label: transfers.cancel, onClick: () => onChoose("cancel"), danger: true },
      ],
    ]),
    ...(refundOf && !isCancellable && may("invoices.view")
      ? [{ label: transfers.refundOf(refundOf.credit_note_number), to: `/invoices/${refundOf.invoice_id}` }]
      : []),
    ...(again && !refundOf && isFinal && may("payouts.transfer")
      ? [{ label: transfers.payAgain, to: "/transfers/new", search: again }]
      : []),
  ];
}

type DialogProps = { readonly transfer: Detail; readonly onClose: () => void };

/** Asks before a transfer is cancelled that waits for a provider, and was never sent. */
export function CancelDialog({ transfer: { transfer_id: id }, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={transfers.cancelTitle(id)}
      text={transfers.cancelText}
      label={transfers.cancel}
      danger
      submit={() => api("POST", `/transfers/${id}/cancel`)}
      changes={EVERYTHING}
      done={transfers.cancelled}
      onClose={onClose}
    />
  );
}

type MenuProps = {
  readonly of: Pick<Detail, "transfer_id" | "amount" | "payee_name">;
  readonly section: "/transfers" | "/withdrawals";
};

/** The menu of a row. */
export function TransferMenu({ of: { transfer_id: id, amount, payee_name: payee }, section }: MenuProps) {
  return (
    <RecordMenu
      name={transferDetail.title(rupees(amount), payee)}
      path={`/transfers/${id}`}
      to={`${section}/${id}`}
      useActions={useTransferActions}
      dialog={({ record, onClose }) => <CancelDialog transfer={record} onClose={onClose} />}
    />
  );
}
