// A payment that came in outside Nodal is recorded: first its details, then the question with the amount in words.
import { Alert, Checkbox, NativeSelect, SimpleGrid, Text, TextInput } from "@mantine/core";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { useMerchant } from "../../api/session.ts";
import { inWords, rupees } from "../../format/money.ts";
import { useAskedForm } from "../../forms/asked-form.ts";
import { Dialog } from "../../forms/dialogs.tsx";
import { DateField } from "../../forms/date-field.tsx";
import { paymentDoubts } from "../../forms/doubts.ts";
import { Form, MoneyField, type ApiForm } from "../../forms/form.tsx";
import { payment as words } from "../../strings/invoices.ts";
import { CHANGES } from "./dialogs.tsx";
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

const EMPTY = { mode: "UPI", bank_name: "", bank_ref_no: "", cheque_no: "", cash_paid_to: "", notify: false };

/** Records a payment. */
export function PaymentDialog({ record, onClose }: Props) {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  const { isAsked, step, ...sent } = useAskedForm(
    {
      initialValues: { ...EMPTY, amount: record.due_amount, paid_date: today },
      submit: async ({ amount, paid_date, mode, notify, ...texts }) => {
        const asked = (ASKED[mode] ?? OF_BANKS).map((name) => [name, texts[name]]);
        const details = Object.fromEntries(asked) as Partial<typeof texts>;
        const plain = { request_key: key, amount: amount.replaceAll(",", ""), paid_date, mode, notify: notify ? 1 : 0 };
        const path = `/invoices/${record.invoice_id}/payments` as const;
        return api("POST", path, { body: { ...plain, ...details } });
      },
      changes: CHANGES,
      done: words.saved,
    },
    words,
    onClose,
  );
  const { amount, mode } = sent.form.values;
  return (
    <Dialog title={words.title} onClose={onClose}>
      <Form {...step}>
        <MoneyField
          {...sent.field("amount", words.amount, words.due(rupees(record.due_amount)))}
          required
          data-autofocus
          readOnly={isAsked}
        />
        {isAsked ? (
          <>
            <Text role="status">
              {words.question(rupees(amount), inWords(amount) ?? "", mode, record.invoice_number)}
            </Text>
            {paymentDoubts(sent.form.values.paid_date, today).map((doubt) => (
              <Alert key={doubt} color="yellow" role="alert">
                {doubt}
              </Alert>
            ))}
          </>
        ) : (
          <PaymentFields of={sent} />
        )}
      </Form>
    </Dialog>
  );
}

type Values = typeof EMPTY & { amount: string; paid_date: string };

function PaymentFields({ of: { form, field, check } }: { readonly of: ApiForm<Values> }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <DateField {...field("paid_date", words.date)} required />
        <NativeSelect {...field("mode", words.mode)} data={[...MODES]} />
        {(ASKED[form.values.mode] ?? OF_BANKS).map((name) => (
          <TextInput key={name} {...field(name, LABELS[name])} />
        ))}
      </SimpleGrid>
      <Checkbox {...check("notify", words.notify)} />
    </>
  );
}
