// The dialog that pays a credit note's refund out: to an earlier payee, or to an account or UPI ID that is typed.
import { Radio, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { useChanged } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { IFSC, IfscField } from "../../components/ifsc-field.tsx";
import { Facts, Money } from "../../components/values.tsx";
import { ConfirmMoney, Dialog } from "../../forms/dialogs.tsx";
import { fieldsOf, Form, namingFields } from "../../forms/form.tsx";
import { inWords, rupees } from "../../format/money.ts";
import { refunding } from "../../strings/invoices.ts";
import { parts } from "../../strings/shell.ts";
import { CHANGES } from "./dialogs.tsx";
import type { CreditNote, InvoiceRecord } from "./invoice-record.ts";

type RefundProps = { readonly record: InvoiceRecord; readonly note: CreditNote; readonly onClose: () => void };
type Values = { to: "same" | "account" | "upi"; account_number: string; ifsc: string; upi: string; name: string };
type RefundForm = UseFormReturnType<Values>;

const ACCOUNT = /^[A-Za-z0-9]{4,35}$/;
const HANDLE = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/;

const VALIDATE = {
  account_number: (text: string, { to }: Values) =>
    to !== "account" || ACCOUNT.test(text.trim()) ? null : refunding.accountInvalid,
  ifsc: (text: string, { to }: Values) => (to !== "account" || IFSC.test(text.trim()) ? null : refunding.ifscInvalid),
  upi: (text: string, { to }: Values) => (to !== "upi" || HANDLE.test(text.trim()) ? null : refunding.handleInvalid),
};

/** Pays a credit note's refund out. */
export function RefundDialog({ record, note, onClose }: RefundProps) {
  // The refund shown when the dialog opened: the server pays this or nothing, and each attempt once.
  const [{ owed: amount, attempts }] = useState(note);
  const [isConfirming, setConfirming] = useState(false);
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
      // The payee may have been saved, or the money may be on its way already.
      await changed(...CHANGES);
      throw error;
    }
  };
  if (!isConfirming) {
    return (
      <Dialog title={refunding.title(note.credit_note_number)} onClose={onClose}>
        <Form
          of={{ onSubmit: form.onSubmit(() => setConfirming(true)), isSending: false, error: null }}
          label={refunding.next}
          onCancel={onClose}
          hint={refunding.hint}
        >
          <Facts
            facts={[
              { label: refunding.owed, value: <Money amount={amount} /> },
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
      title={refunding.confirmTitle}
      label={refunding.confirm}
      amount={amount}
      facts={[
        { label: refunding.customer, value: record.customer.customer_name },
        { label: refunding.to, value: destinationOf(form.values, note) },
        { label: refunding.note, value: note.credit_note_number },
      ]}
      hint={parts.moves(rupees(amount))}
      submit={send}
      changes={CHANGES}
      done={(isSent) => (isSent ? refunding.done(rupees(amount)) : null)}
      onDone={(isSent) => (isSent ? onClose() : setConfirming(false))}
      onClose={() => setConfirming(false)}
    />
  );
}

function PayeeFields({
  form,
  note,
  customer,
}: {
  readonly form: RefundForm;
  readonly note: CreditNote;
  readonly customer: string;
}) {
  const field = fieldsOf(form);
  const may = usePermissions();
  const { to } = form.values;
  // Without permission to save payees, the refund can only go to an earlier payee.
  if (!may("beneficiaries.manage")) return <Facts facts={[{ label: refunding.to, value: note.payee }]} />;
  return (
    <>
      <Radio.Group {...field("to", refunding.to)}>
        <Stack gap="xs" mt="xs">
          {note.payee !== "" && <Radio value="same" label={refunding.same(note.payee)} />}
          <Radio value="account" label={refunding.account} />
          <Radio value="upi" label={refunding.upi} />
        </Stack>
      </Radio.Group>
      {to === "account" && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput {...field("account_number", refunding.accountNumber)} required autoComplete="off" />
          <IfscField {...field("ifsc", refunding.ifsc)} required />
        </SimpleGrid>
      )}
      {to === "upi" && <TextInput {...field("upi", refunding.handle)} required autoComplete="off" />}
      {to !== "same" && <TextInput {...field("name", refunding.name, refunding.nameHint(customer))} maxLength={100} />}
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
