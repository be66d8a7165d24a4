// The actions on a customer, on its page and in its row of the list.
import type { Answer } from "../../api/contract.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import type { MenuEntry } from "../../components/more-menu.tsx";
import { RecordMenu } from "../../components/record-menu.tsx";
import { OpeningBalanceDialog } from "../../forms/opening-balance-dialog.tsx";
import { customers as words } from "../../strings/customers.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import { receipts } from "../../strings/receipts.ts";

export type CustomerDetail = Answer<"GET", "/customers/:customer_id">;

/** The actions that this user may take: the common ones, and the rest. `onAddOpeningBalance` opens its dialog. */
export function useCustomerActions({ customer, account }: CustomerDetail, onAddOpeningBalance: () => void) {
  const may = usePermissions();
  const { kind } = useSession();
  const { customer_id: id, customer_code: code } = customer;
  const search = { customer: id };
  const common: MenuEntry[] = [
    ...(may("invoices.settle") && kind !== "franchise"
      ? [{ label: receipts.create, to: "/receipts/new", search }]
      : []),
    ...(may("invoices.manage") ? [{ label: words.newInvoice, to: "/invoices/new", search }] : []),
  ];
  const more: MenuEntry[] = [
    ...(may("customers.manage") ? [{ label: words.edit, to: `/customers/${id}/edit` }] : []),
    ...(may("subscriptions.manage") ? [{ label: words.newSubscription, to: "/subscriptions/new", search }] : []),
    ...(may("subscriptions.view")
      ? [{ label: words.subscriptions, to: "/subscriptions", search: { customer: code } }]
      : []),
    ...(may("invoices.manage") && !account.has_opening_balance
      ? [{ label: openingBalance.add, onClick: onAddOpeningBalance }]
      : []),
    ...(may("audit.view") ? [historyEntry(id)] : []),
  ];
  return { common, more };
}

function useAllActions(detail: CustomerDetail, onChoose: (dialog: "opening_balance") => void): readonly MenuEntry[] {
  const { common, more } = useCustomerActions(detail, () => onChoose("opening_balance"));
  return [...common.toReversed(), ...more];
}

type MenuProps = { readonly of: Pick<CustomerDetail["customer"], "customer_id" | "customer_name" | "customer_code"> };

/** The menu of a row. Whether there is an opening balance is in the record only. */
export function CustomerMenu({ of: { customer_id: id, customer_name: name, customer_code: code } }: MenuProps) {
  return (
    <RecordMenu
      name={name}
      path={`/customers/${id}`}
      to={`/customers/${id}`}
      useActions={useAllActions}
      dialog={({ onClose }) => <OpeningBalanceDialog of={{ customer_code: code }} onClose={onClose} />}
    />
  );
}
