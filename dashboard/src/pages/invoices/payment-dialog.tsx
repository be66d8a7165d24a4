// A payment that came in outside Nodal is recorded: first its details, then the question with the amount in words.
// What belongs here: that dialog.
import { Checkbox, Modal, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { useMerchant } from "../../api/session.ts";
import { DateField, MoneyField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { inWords, rupees } from "../../format/money.ts";
import { parts } from "../../strings/shell.ts";
import { payment as words } from "../../strings/invoices.ts";
import { useAfterChange } from "./after-change.ts";
import type { InvoiceRecord } from "./invoice-record.ts";

const MODES = ["Cash", "Cheque", "NEFT", "RTGS", "IMPS", "UPI", "Card", "Online"] as const;
/** What else is asked for, by the mode. */
const ASKED: Readonly<Record<string, readonly ("bank_name" | "bank_ref_no" | "cheque_no" | "cash_paid_to")[]>> = {
  Cash: ["cash_paid_to"],
  Cheque: ["cheque_no", "bank_name"],
};
const OF_BANKS = ["bank_name", "bank_ref_no"] as const;
const LABELS = {
  bank_name: words.bankName,
  bank_ref_no: words.bankRefNo,
  cheque_no: words.chequeNo,
  cash_paid_to: words.cashPaidTo,
};

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };

/** Records a payment. */
export function PaymentDialog({ record, onClose }: Props) {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  const [isAsked, setAsked] = useState(false);
  const done = useAfterChange();
  const sent = useApiForm({
    initialValues: {
      amount: record.due_amount,
      paid_date: today,
      mode: "UPI" as string,
      bank_name: "",
      bank_ref_no: "",
      cheque_no: "",
      cash_paid_to: "",
      notify: false,
    },
    submit: async (values) => {
      const asked = ASKED[values.mode] ?? OF_BANKS;
      const details = Object.fromEntries(asked.map((name) => [name, values[name]]));
      const { amount, paid_date, mode, notify } = values;
      const body = {
        request_key: key,
        amount: amount.replaceAll(",", ""),
        paid_date,
        mode,
        ...details,
        notify: notify ? 1 : 0,
      };
      try {
        return await namingFields(() => api("POST", `/invoices/${record.invoice_id}/payments`, { body }));
      } catch (error) {
        setAsked(false);
        throw error;
      }
    },
    onDone: async () => {
      await done(words.saved);
      onClose();
    },
  });
  const { form } = sent;
  const { amount, mode } = form.values;
  return (
    <Modal opened onClose={onClose} title={words.title} closeButtonProps={{ "aria-label": parts.close }}>
      <form
        onSubmit={(event) => {
          if (isAsked) return sent.onSubmit(event);
          event.preventDefault();
          setAsked(true);
        }}
      >
        <Stack gap="md">
          <FormError error={sent.error} />
          <MoneyField
            label={words.amount}
            required
            data-autofocus
            readOnly={isAsked}
            description={words.due(rupees(record.due_amount))}
            {...form.getInputProps("amount")}
          />
          {isAsked ? (
            <p role="status">
              {`${words.confirm} ${rupees(amount)} (${inWords(amount.replaceAll(",", "")) ?? amount}), ${mode}, ${words.on} ${record.invoice_number}.`}
            </p>
          ) : (
            <>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <DateField label={words.date} required {...form.getInputProps("paid_date")} />
                <NativeSelect label={words.mode} data={[...MODES]} {...form.getInputProps("mode")} />
                {(ASKED[mode] ?? OF_BANKS).map((name) => (
                  <TextInput key={name} label={LABELS[name]} {...form.getInputProps(name)} />
                ))}
              </SimpleGrid>
              <Checkbox label={words.notify} {...form.getInputProps("notify", { type: "checkbox" })} />
            </>
          )}
          <SubmitRow
            of={sent}
            label={isAsked ? words.submit : words.next}
            onCancel={() => (isAsked ? setAsked(false) : onClose())}
          />
        </Stack>
      </form>
    </Modal>
  );
}
