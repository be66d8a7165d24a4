// Commission that was paid outside of Nodal: it is recorded, and a record is taken back with the reason.
// What belongs here: the two dialogs.
import { Modal, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { useMerchant } from "../../api/session.ts";
import { DateField, MoneyField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { rupees } from "../../format/money.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { parts } from "../../strings/shell.ts";
import type { CommissionPayment, Franchise } from "./franchise.ts";

const MODES = ["Cash", "Cheque", "NEFT", "RTGS", "IMPS", "UPI", "Card"] as const;

type DialogProps = { readonly franchise: Franchise; readonly onClose: () => void };

/** Records that commission was paid by other means. */
export function RecordPaymentDialog({ franchise, onClose }: DialogProps) {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  const done = useDone(words.paymentSaved, onClose);
  const sent = useApiForm({
    initialValues: { amount: franchise.payable, paid_date: today, mode: "Cash", bank_ref_no: "", note: "" },
    submit: ({ amount, ...texts }) => {
      const body = { request_key: key, amount: amount.replaceAll(",", ""), ...texts };
      return api("POST", `/franchises/${franchise.franchise_id}/payments`, { body });
    },
    onDone: done,
  });
  const { form } = sent;
  return (
    <Modal opened onClose={onClose} title={words.recordPayment} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <Text c="dimmed">{words.paymentHint}</Text>
          <FormError error={sent.error} />
          <MoneyField
            label={words.amount}
            required
            data-autofocus
            description={words.atMost(rupees(franchise.payable))}
            {...form.getInputProps("amount")}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <DateField label={words.paidDate} required {...form.getInputProps("paid_date")} />
            <NativeSelect label={words.mode} data={[...MODES]} {...form.getInputProps("mode")} />
          </SimpleGrid>
          <TextInput label={words.bankRefNo} maxLength={50} {...form.getInputProps("bank_ref_no")} />
          <TextInput label={words.note} maxLength={500} {...form.getInputProps("note")} />
          <SubmitRow of={sent} label={words.recordPayment} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

type ReverseProps = {
  readonly franchiseId: string;
  readonly payment: CommissionPayment;
  readonly onClose: () => void;
};

/** Takes such a record back. A second press finds it taken back, and changes nothing. */
export function ReversePaymentDialog({ franchiseId, payment, onClose }: ReverseProps) {
  const done = useDone(words.paymentReversed, onClose);
  const sent = useApiForm({
    initialValues: { reason: "" },
    submit: (body) => api("POST", `/franchises/${franchiseId}/payments/${payment.payment_id}/reverse`, { body }),
    onDone: done,
  });
  return (
    <Modal opened onClose={onClose} title={words.reversePayment} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <Text>{words.reversePaymentHint(rupees(payment.amount))}</Text>
          <FormError error={sent.error} />
          <Textarea
            label={words.reason}
            required
            data-autofocus
            autosize
            minRows={2}
            maxLength={500}
            {...sent.form.getInputProps("reason")}
          />
          <SubmitRow of={sent} label={words.reversePayment} onCancel={onClose} danger />
        </Stack>
      </form>
    </Modal>
  );
}

function useDone(message: string, onClose: () => void): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: ["/franchises"] });
    notifications.show({ color: "green", message });
    onClose();
  };
}
