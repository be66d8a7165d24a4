// What ends something at a franchise: its commission is settled, or it is deleted.
// What belongs here: the two dialogs.
import { Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { ConfirmMoney } from "../../forms/confirm-money.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { rupees } from "../../format/money.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { parts } from "../../strings/shell.ts";
import type { Franchise } from "./franchise.ts";

type DialogProps = { readonly franchise: Franchise; readonly onClose: () => void };

/** Asks before commission leaves as a transfer. */
export function SettleDialog({ franchise, onClose }: DialogProps) {
  const queries = useQueryClient();
  // What was shown when the dialog opened: the server pays this amount or none.
  const [amount] = useState(franchise.payable);
  const send = async () => {
    const path = `/franchises/${franchise.franchise_id}/settle`;
    try {
      return await api<{ transfer_id: string | null; amount: string }>("POST", path, { body: { amount } });
    } finally {
      await queries.invalidateQueries({ queryKey: ["/franchises"] });
    }
  };
  const settle = async (): Promise<void> => {
    const answer = await send();
    const isPaid = answer.transfer_id !== null;
    const message = isPaid ? words.settleDone(rupees(answer.amount)) : words.nothingDue;
    notifications.show({ color: isPaid ? "green" : "yellow", message });
    onClose();
  };
  return (
    <ConfirmMoney
      opened
      onClose={onClose}
      title={words.settleTitle}
      amount={amount}
      facts={[
        { label: words.to, value: franchise.bank_holder_name || franchise.franchise_name },
        { label: words.toAccount, value: `${franchise.account_number}, ${franchise.ifsc}` },
      ]}
      note={words.settleNote}
      confirmLabel={words.settle}
      onConfirm={settle}
    />
  );
}

/** Asks before a franchise is deleted. */
export function DeleteDialog({ franchise, onClose }: DialogProps) {
  const queries = useQueryClient();
  const sent = useApiForm({
    initialValues: {},
    submit: () => api("DELETE", `/franchises/${franchise.franchise_id}`),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: ["/franchises"] });
      notifications.show({ color: "green", message: words.removed });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.removeTitle(franchise.franchise_name)}
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <form onSubmit={sent.onSubmit}>
        <Stack>
          <FormError error={sent.error} />
          <Text>{words.removeText}</Text>
          <Group justify="flex-end">
            <SubmitRow of={sent} label={words.remove} onCancel={onClose} danger />
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
