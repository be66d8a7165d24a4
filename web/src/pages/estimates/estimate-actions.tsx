// The actions on an estimate, on its page and in its row of the list.
import { Textarea } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, apiUrl } from "../../api/client.ts";
import { useRequestKey } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import { type MenuEntry, MenuEntries, RowMenu } from "../../components/more-menu.tsx";
import { useAtOnce } from "../../forms/at-once.ts";
import { FormDialog } from "../../forms/dialogs.tsx";
import { estimate as words } from "../../strings/estimates.ts";
import { lists } from "../../strings/lists.ts";
import { CHANGES, type EstimateRecord } from "./estimate-values.ts";

/** The parts of an estimate that its actions depend on: those of its row in the list. */
export type ListedEstimate = Pick<EstimateRecord, "estimate_id" | "estimate_number" | "status" | "version">;

/** The actions that this user may take in the estimate's current state, the rare ones first. `onDecline` opens the question. */
export function useEstimateActions(estimate: ListedEstimate, onDecline: () => void): MenuEntry[] {
  const may = usePermissions();
  const { isMaking, make } = useMakeInvoice(estimate);
  const { status, estimate_id: id } = estimate;
  const isOpen = status === "Open" || status === "Expired";
  const mayManage = may("invoices.manage");
  return [
    ...(may("audit.view") ? [historyEntry(id)] : []),
    ...(mayManage && isOpen
      ? [
          { label: words.decline, onClick: onDecline, danger: true, disabled: isMaking },
          { label: words.edit, to: `/estimates/${id}/edit` },
        ]
      : []),
    ...(mayManage && status === "Open" ? [{ label: words.make, onClick: make, loading: isMaking }] : []),
  ];
}

/** Makes the invoice, as of today, and goes to it. */
function useMakeInvoice({ estimate_id: id, version }: ListedEstimate) {
  const navigate = useNavigate();
  const [key] = useRequestKey();
  const { isRunning, run } = useAtOnce();
  const make = (): void =>
    void run({
      submit: () => api("POST", `/estimates/${id}/invoice`, { key, body: { version } }),
      changes: CHANGES,
      done: ({ invoice }) => words.made(invoice.invoice_number),
      failed: words.notMade,
      onDone: ({ invoice }) => navigate({ to: `/invoices/${invoice.invoice_id}` }),
    });
  return { isMaking: isRunning, make };
}

/** Asks for a reason, and declines an estimate. */
export function DeclineDialog({
  estimate,
  onClose,
}: {
  readonly estimate: ListedEstimate;
  readonly onClose: () => void;
}) {
  const [key] = useRequestKey();
  const { estimate_id: id, estimate_number: number, version } = estimate;
  return (
    <FormDialog
      title={words.declineTitle(number)}
      label={words.decline}
      danger
      hint={words.declineHint}
      initialValues={{ reason: "" }}
      submit={({ reason }) => api("POST", `/estimates/${id}/decline`, { key, body: { reason, version } })}
      changes={CHANGES}
      done={words.declined}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea {...field("reason", words.reason)} autosize minRows={2} maxLength={200} data-autofocus />
      )}
    </FormDialog>
  );
}

/** The menu of an estimate's row. */
export function EstimateRowMenu({ estimate }: { readonly estimate: ListedEstimate }) {
  const [isDeclining, setDeclining] = useState(false);
  return (
    <>
      <RowMenu label={lists.actionsOf(estimate.estimate_number)}>
        <RowEntries estimate={estimate} onDecline={() => setDeclining(true)} />
      </RowMenu>
      {isDeclining && <DeclineDialog estimate={estimate} onClose={() => setDeclining(false)} />}
    </>
  );
}

function RowEntries({ estimate, onDecline }: { readonly estimate: ListedEstimate; readonly onDecline: () => void }) {
  const { estimate_id: id } = estimate;
  const [open, pdf] = [
    { label: lists.open, to: `/estimates/${id}` },
    { label: words.pdf, href: apiUrl(`/estimates/${id}/pdf`) },
  ];
  return <MenuEntries of={[open, pdf, ...useEstimateActions(estimate, onDecline).toReversed()]} />;
}
