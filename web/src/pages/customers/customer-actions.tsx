// The actions on a customer, on its page and in its row of the list.
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { useFresh } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import { type MenuEntry, MenuEntries, RowMenu } from "../../components/more-menu.tsx";
import { OpeningBalanceDialog } from "../../forms/opening-balance-dialog.tsx";
import { customers as words } from "../../strings/customers.ts";
import { lists } from "../../strings/lists.ts";
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

type MenuProps = { readonly id: string; readonly name: string; readonly code: string };

/** The menu of a customer's row. */
export function CustomerRowMenu({ id, name, code }: MenuProps) {
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <RowMenu label={lists.actionsOf(name)}>
        <RowEntries id={id} onAddOpeningBalance={() => setAdding(true)} />
      </RowMenu>
      {isAdding && <OpeningBalanceDialog of={{ customer_code: code }} onClose={() => setAdding(false)} />}
    </>
  );
}

type EntriesProps = { readonly id: string; readonly onAddOpeningBalance: () => void };

/** Whether there is an opening balance is fetched once the menu opens. */
function RowEntries({ id, onAddOpeningBalance }: EntriesProps) {
  const { data, error } = useFresh(`/customers/${id}`);
  return (
    <>
      <MenuEntries of={[{ label: lists.open, to: `/customers/${id}` }]} isLoading={!data && !error} />
      {data && <EntriesOf detail={data} onAddOpeningBalance={onAddOpeningBalance} />}
    </>
  );
}

type OfProps = Pick<EntriesProps, "onAddOpeningBalance"> & { readonly detail: CustomerDetail };

function EntriesOf({ detail, onAddOpeningBalance }: OfProps) {
  const { common, more } = useCustomerActions(detail, onAddOpeningBalance);
  return <MenuEntries of={[...common.toReversed(), ...more]} />;
}
