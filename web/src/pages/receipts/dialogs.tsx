// The dialogs of a receipt: use its rest for invoices, refund it, or reverse the receipt.
import { Checkbox, SimpleGrid, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { formatPaise } from "../../../../src/platform/money.ts";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { api } from "../../api/client.ts";
import { useFresh, useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { ErrorNotice } from "../../components/notices.tsx";
import { formatRupees } from "../../format/money.ts";
import { DateField } from "../../forms/date-field.tsx";
import { AmountInWords, Dialog, FormDialog } from "../../forms/dialogs.tsx";
import { paymentDoubts } from "../../forms/doubts.ts";
import { MoneyField } from "../../forms/form.tsx";
import { EMPTY_MODE, PaymentModeFields, toPaymentMode } from "../../forms/payment-mode.tsx";
import { receipt as words, receiptForm } from "../../strings/receipts.ts";
import { AllocationFields } from "./allocation-fields.tsx";
import { atRows, CHANGES, type Due, fillRows, type ReceiptRecord, restOf, toAllocations } from "./receipt-values.ts";

type Props = { readonly receipt: ReceiptRecord; readonly onClose: () => void };

/** Uses the rest of a receipt for the customer's open invoices. */
export function UseDialog(props: Props) {
  const { data, error, refetch } = useFresh(`/session/customers/${props.receipt.customer_id}/dues`);
  if (data) return <UseForm {...props} dues={data.invoices} />;
  if (!error) return null;
  return (
    <Dialog title={words.use} onClose={props.onClose}>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </Dialog>
  );
}

function UseForm({ receipt, onClose, dues: loaded }: Props & { readonly dues: readonly Due[] }) {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  // The list may be refetched meanwhile; the form keeps the data that it started with.
  const [dues] = useState(loaded);
  const available = restOf(receipt);
  const path = `/receipts/${receipt.receipt_id}/allocate` as const;
  return (
    <FormDialog
      title={words.use}
      size="xl"
      initialValues={{ date: today, notify: false, allocations: fillRows(dues, available) }}
      submit={({ date, notify, allocations }) => {
        const body = { date, notify: notify ? 1 : 0, allocations: toAllocations(allocations) };
        return api("POST", path, { key, body }).catch(atRows(allocations));
      }}
      doubts={({ date }) => paymentDoubts(date, "", today)}
      changes={CHANGES}
      done={words.useDone}
      onClose={onClose}
    >
      {({ form, field, check }) => (
        <>
          <DateField {...field("date", words.useDate)} required />
          <AllocationFields
            dues={dues}
            rows={form.values.allocations}
            available={available}
            field={field}
            onFill={(rows) => form.setValues({ allocations: rows })}
          />
          <Checkbox {...check("notify", receiptForm.notify)} />
        </>
      )}
    </FormDialog>
  );
}

/** Records that money was refunded outside Nodal. */
export function RefundDialog({ receipt, onClose }: Props) {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  const { moneyPaise } = restOf(receipt);
  const path = `/receipts/${receipt.receipt_id}/refund` as const;
  return (
    <FormDialog
      title={words.refundTitle}
      hint={words.refundHint(formatRupees(moneyPaise))}
      initialValues={{ ...EMPTY_MODE, mode: "NEFT", amount: formatPaise(moneyPaise), date: today, reference: "" }}
      submit={({ amount, date, reference, ...mode }) => {
        const body = { amount: typedAmount(amount), date, reference, ...toPaymentMode(mode) };
        return api("POST", path, { key, body });
      }}
      doubts={({ date }) => paymentDoubts(date, "", today)}
      changes={CHANGES}
      done={words.refundDone}
      onClose={onClose}
    >
      {({ form, field }) => (
        <>
          <MoneyField {...field("amount", words.refundAmount)} required data-autofocus />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <DateField {...field("date", words.refundedOn)} required />
            <PaymentModeFields mode={form.values.mode} field={field} />
            <TextInput {...field("reference", words.reference)} maxLength={200} />
          </SimpleGrid>
        </>
      )}
    </FormDialog>
  );
}

/** Takes back the receipt and every payment by it. */
export function ReverseDialog({ receipt, onClose }: Props) {
  const [key] = useRequestKey();
  return (
    <FormDialog
      title={words.reverseTitle(receipt.receipt_number)}
      label={words.reverseSubmit}
      danger
      intro={<AmountInWords amount={receipt.amount} />}
      hint={words.reverseHint}
      initialValues={{ reason: "" }}
      submit={(body) => api("POST", `/receipts/${receipt.receipt_id}/reverse`, { key, body })}
      changes={CHANGES}
      done={words.reversed}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea
          {...field("reason", words.reverseReason)}
          required
          data-autofocus
          autosize
          minRows={2}
          maxLength={500}
        />
      )}
    </FormDialog>
  );
}
