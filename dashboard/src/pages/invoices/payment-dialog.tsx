// A payment that came in outside Nodal is recorded: first its details, then the question with the amount in words.
// What belongs here: that dialog.
import { Checkbox, Modal, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { useMerchant } from "../../api/session.ts";
import { DateField, MoneyField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm, type ApiForm } from "../../forms/use-api-form.ts";
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
  const [isAsked, setAsked] = useState(false);
  const sent = usePaymentForm(record, onClose, () => setAsked(false));
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
            {...sent.form.getInputProps("amount")}
          />
          {isAsked ? <Question form={sent.form} record={record} /> : <PaymentFields form={sent.form} />}
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

const EMPTY = {
  amount: "",
  paid_date: "",
  mode: "UPI",
  bank_name: "",
  bank_ref_no: "",
  cheque_no: "",
  cash_paid_to: "",
  notify: false,
};
type Values = typeof EMPTY;

/** `onRefused`: the details are asked for again, with what was wrong. */
function usePaymentForm(record: InvoiceRecord, onClose: () => void, onRefused: () => void): ApiForm<Values> {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  const done = useAfterChange();
  return useApiForm<Values, unknown>({
    initialValues: { ...EMPTY, amount: record.due_amount, paid_date: today },
    submit: async ({ amount, paid_date, mode, notify, ...texts }) => {
      const details = Object.fromEntries((ASKED[mode] ?? OF_BANKS).map((name) => [name, texts[name]]));
      const plain = { request_key: key, amount: amount.replaceAll(",", ""), paid_date, mode, notify: notify ? 1 : 0 };
      try {
        const body = { ...plain, ...details };
        return await namingFields(() => api("POST", `/invoices/${record.invoice_id}/payments`, { body }));
      } catch (error) {
        onRefused();
        throw error;
      }
    },
    onDone: async () => {
      await done(words.saved);
      onClose();
    },
  });
}

function PaymentFields({ form }: Pick<ApiForm<Values>, "form">) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <DateField label={words.date} required {...form.getInputProps("paid_date")} />
        <NativeSelect label={words.mode} data={[...MODES]} {...form.getInputProps("mode")} />
        {(ASKED[form.values.mode] ?? OF_BANKS).map((name) => (
          <TextInput key={name} label={LABELS[name]} {...form.getInputProps(name)} />
        ))}
      </SimpleGrid>
      <Checkbox label={words.notify} {...form.getInputProps("notify", { type: "checkbox" })} />
    </>
  );
}

function Question({ form, record }: Pick<ApiForm<Values>, "form"> & Pick<Props, "record">) {
  const { amount, mode } = form.values;
  return (
    <Text role="status">{words.question(rupees(amount), inWords(amount) ?? "", mode, record.invoice_number)}</Text>
  );
}
