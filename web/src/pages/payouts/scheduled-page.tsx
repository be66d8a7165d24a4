// Payouts that wait for a later day, and cancelling one.
import { Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { EVERYTHING, useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { bulk, scheduled as words } from "../../strings/bulk.ts";

type Payout = Answer<"GET", "/scheduled-payouts">["payouts"][number];

/** Payouts of later days. */
export function Page() {
  const may = usePermissions();
  const asked = useGet("/scheduled-payouts");
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
  const { data } = asked;
  return (
    <Outline title={words.title} hint={words.hint}>
      <TablePanel
        caption={words.title}
        of={asked}
        columns={columns}
        rows={data?.payouts}
        rowKey="transfer_id"
        empty={{ title: words.empty, hint: words.emptyHint }}
      >
        {data?.payouts.length === data?.most && (
          <Text c="dimmed" p="md">
            {words.most(data?.most ?? 0)}
          </Text>
        )}
      </TablePanel>
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
    </Outline>
  );
}
