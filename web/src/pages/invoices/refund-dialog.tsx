// What a credit note owes back is paid out: first where to, then the question with the amount in words.
// What was typed stays while they change places.
import { Radio, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { useChanged } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { IFSC, IfscField } from "../../components/ifsc-field.tsx";
import { Facts, Money } from "../../components/values.tsx";
import { inWords, rupees } from "../../format/money.ts";
import { ConfirmMoney, Dialog } from "../../forms/dialogs.tsx";
import { fieldsOf, Form, namingFields } from "../../forms/form.tsx";
import { refunding as words } from "../../strings/invoices.ts";
import { parts } from "../../strings/shell.ts";
import { CHANGES } from "./dialogs.tsx";
import type { CreditNote, InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly note: CreditNote; readonly onClose: () => void };
type Values = { to: "same" | "account" | "upi"; account_number: string; ifsc: string; upi: string; name: string };
type Form = UseFormReturnType<Values>;

const ACCOUNT = /^[A-Za-z0-9]{4,35}$/;
const HANDLE = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/;

const VALIDATE = {
  account_number: (text: string, { to }: Values) =>
    to !== "account" || ACCOUNT.test(text.trim()) ? null : words.accountInvalid,
  ifsc: (text: string, { to }: Values) => (to !== "account" || IFSC.test(text.trim()) ? null : words.ifscInvalid),
  upi: (text: string, { to }: Values) => (to !== "upi" || HANDLE.test(text.trim()) ? null : words.handleInvalid),
};

/** Pays a credit note's refund out. */
export function RefundDialog({ record, note, onClose }: Props) {
  // What was shown when the dialog opened: the server pays this or nothing, and an attempt once.
  const [{ owed: amount, attempts }] = useState(note);
  const [isAsked, setAsked] = useState(false);
  const changed = useChanged();
  const form = useForm<Values>({
    initialValues: { to: note.payee === "" ? "account" : "same", account_number: "", ifsc: "", upi: "", name: "" },
    validate: VALIDATE,
  });
  /** Whether it was sent: otherwise the form says what is wrong with its fields. */
  const send = async (): Promise<boolean> => {
    const path = `/invoices/${record.invoice_id}/credit-notes/${note.credit_note_id}/refund` as const;
    try {
      await api("POST", path, { body: { amount, attempts, ...payeeOf(form.values) } }).catch(namingFields);
      return true;
    } catch (error) {
      if (error instanceof ApiError && Object.keys(error.fields).length > 0) {
        form.setErrors(error.fields);
        return false;
      }
      // A payee may have been kept, or the money may be on its way since.
      await changed(...CHANGES);
      throw error;
    }
  };
  if (!isAsked) {
    return (
      <Dialog title={words.title(note.credit_note_number)} onClose={onClose}>
        <Form
          of={{ onSubmit: form.onSubmit(() => setAsked(true)), isSending: false, error: null }}
          label={words.next}
          onCancel={onClose}
          hint={words.hint}
        >
          <Facts
            facts={[
              { label: words.owed, value: <Money amount={amount} /> },
              { label: parts.inWords, value: inWords(amount) },
            ]}
          />
          <PayeeFields form={form} note={note} customer={record.customer.customer_name} />
        </Form>
      </Dialog>
    );
  }
  return (
    <ConfirmMoney
      title={words.confirmTitle}
      label={words.confirm}
      amount={amount}
      facts={[
        { label: words.customer, value: record.customer.customer_name },
        { label: words.to, value: destinationOf(form.values, note) },
        { label: words.note, value: note.credit_note_number },
      ]}
      hint={parts.moves(rupees(amount))}
      submit={send}
      changes={CHANGES}
      done={(isSent) => (isSent ? words.done(rupees(amount)) : null)}
      onDone={(isSent) => (isSent ? onClose() : setAsked(false))}
      onClose={() => setAsked(false)}
    />
  );
}

function PayeeFields({
  form,
  note,
  customer,
}: {
  readonly form: Form;
  readonly note: CreditNote;
  readonly customer: string;
}) {
  const field = fieldsOf(form);
  const may = usePermissions();
  const { to } = form.values;
  // Who may not save payees sends it to where it went before, or not at all.
  if (!may("beneficiaries.manage")) return <Facts facts={[{ label: words.to, value: note.payee }]} />;
  return (
    <>
      <Radio.Group {...field("to", words.to)}>
        <Stack gap="xs" mt="xs">
          {note.payee !== "" && <Radio value="same" label={words.same(note.payee)} />}
          <Radio value="account" label={words.account} />
          <Radio value="upi" label={words.upi} />
        </Stack>
      </Radio.Group>
      {to === "account" && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput {...field("account_number", words.accountNumber)} required autoComplete="off" />
          <IfscField {...field("ifsc", words.ifsc)} required />
        </SimpleGrid>
      )}
      {to === "upi" && <TextInput {...field("upi", words.handle)} required autoComplete="off" />}
      {to !== "same" && <TextInput {...field("name", words.name, words.nameHint(customer))} maxLength={100} />}
    </>
  );
}

function payeeOf({ to, account_number, ifsc, upi, name }: Values) {
  if (to === "same") return {};
  return to === "account" ? { account_number, ifsc, name } : { upi, name };
}

function destinationOf({ to, account_number, ifsc, upi }: Values, { payee }: CreditNote): string {
  if (to === "same") return payee;
  return to === "account" ? `${account_number.trim()}, ${ifsc.trim().toUpperCase()}` : upi.trim();
}
