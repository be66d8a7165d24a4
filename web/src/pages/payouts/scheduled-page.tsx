// Payouts that wait for a later day, and cancelling one.
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { EVERYTHING } from "../../api/queries.ts";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { useList } from "../../lists/use-list.ts";
import { bulk, scheduled as words } from "../../strings/bulk.ts";

type Payout = Answer<"GET", "/scheduled-payouts">["payouts"][number];

/** Payouts of later days. */
export function Page() {
  const may = usePermissions();
  const { today } = useMerchant();
  // Those of today leave by themselves.
  const isDue = ({ scheduled_for: date }: Payout): boolean => date <= today;
  const list = useList({ path: "/scheduled-payouts", rowsIn: "payouts", filters: [], isUnderWay: isDue });
  const [cancelling, setCancelling] = useState<string | null>(null);
  const columns: readonly Column<Payout>[] = [
    { key: "scheduled_for", title: bulk.day, as: "day" },
    { key: "reference_id", title: bulk.reference, hideBelow: "sm" },
    { key: "name", title: bulk.payee, hideBelow: "md" },
    { key: "amount", title: bulk.amount, as: "money" },
    { key: "narrative", title: bulk.narrative, hideBelow: "lg" },
    {
      key: "cancel",
      title: "",
      render: ({ reference_id: reference }) =>
        may("payouts.transfer") && <Action label={words.cancel} size="xs" onClick={() => setCancelling(reference)} />,
    },
  ];
  return (
    <DataPage
      title={words.title}
      hint={words.hint}
      list={list}
      columns={columns}
      rowKey="transfer_id"
      empty={{ title: words.empty, hint: words.emptyHint }}
    >
      {cancelling !== null && (
        <ConfirmDialog
          title={words.cancelTitle(cancelling)}
          text={words.cancelText}
          label={words.cancel}
          danger
          submit={() => api("POST", "/scheduled-payouts/cancel", { body: { reference_id: cancelling } })}
          changes={EVERYTHING}
          done={words.cancelled}
          onClose={() => setCancelling(null)}
        />
      )}
    </DataPage>
  );
}
