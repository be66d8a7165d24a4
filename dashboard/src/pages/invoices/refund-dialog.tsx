// What a credit note owes back is paid out: first where to, then the question with the amount in words.
// What belongs here: those two dialogs. What was typed stays while they change places.
import { Modal, Radio, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { Facts } from "../../components/facts.tsx";
import { Money } from "../../components/money.tsx";
import { ConfirmMoney } from "../../forms/confirm-money.tsx";
import { SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { inWords, rupees } from "../../format/money.ts";
import { refunding as words } from "../../strings/invoices.ts";
import { parts } from "../../strings/shell.ts";
import { useAfterChange, useReadAgain } from "./after-change.ts";
import type { CreditNote, InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly note: CreditNote; readonly onClose: () => void };
type Values = { to: "same" | "account" | "upi"; account_number: string; ifsc: string; upi: string; name: string };
type Form = UseFormReturnType<Values>;

const ACCOUNT = /^[A-Za-z0-9]{4,35}$/;
const IFSC = /^[A-Za-z]{4}0[A-Za-z0-9]{6}$/;
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
  const done = useAfterChange();
  const readAgain = useReadAgain();
  const form = useForm<Values>({
    initialValues: { to: note.payee === "" ? "account" : "same", account_number: "", ifsc: "", upi: "", name: "" },
    validate: VALIDATE,
  });
  const send = async (): Promise<void> => {
    const path = `/invoices/${record.invoice_id}/credit-notes/${note.credit_note_id}/refund`;
    try {
      await namingFields(() => api("POST", path, { body: { amount, attempts, ...payeeOf(form.values) } }));
    } catch (error) {
      if (error instanceof ApiError && Object.keys(error.fields).length > 0) {
        form.setErrors(error.fields);
        setAsked(false);
        return;
      }
      // A payee may have been kept, or the money may be on its way since.
      await readAgain();
      throw error;
    }
    await done(words.done(rupees(amount)));
    onClose();
  };
  if (!isAsked) {
    return (
      <Modal
        opened
        onClose={onClose}
        title={words.title(note.credit_note_number)}
        closeButtonProps={{ "aria-label": parts.close }}
      >
        <form onSubmit={form.onSubmit(() => setAsked(true))} noValidate>
          <Stack gap="md">
            <Text c="dimmed">{words.hint}</Text>
            <Facts
              facts={[
                { label: words.owed, value: <Money amount={amount} /> },
                { label: parts.inWords, value: inWords(amount) },
              ]}
            />
            <PayeeFields form={form} note={note} customer={record.customer.customer_name} />
            <SubmitRow of={{ isSending: false }} label={words.next} onCancel={onClose} />
          </Stack>
        </form>
      </Modal>
    );
  }
  return (
    <ConfirmMoney
      opened
      onClose={() => setAsked(false)}
      title={words.confirmTitle}
      amount={amount}
      facts={[
        { label: words.customer, value: record.customer.customer_name },
        { label: words.to, value: destinationOf(form.values, note) },
        { label: words.note, value: note.credit_note_number },
      ]}
      note={parts.moves(rupees(amount))}
      confirmLabel={words.confirm}
      onConfirm={send}
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
  const may = usePermissions();
  const { to } = form.values;
  // Who may not save payees sends it to where it went before, or not at all.
  if (!may("beneficiaries.manage")) return <Facts facts={[{ label: words.to, value: note.payee }]} />;
  return (
    <>
      <Radio.Group label={words.to} {...form.getInputProps("to")}>
        <Stack gap="xs" mt="xs">
          {note.payee !== "" && <Radio value="same" label={words.same(note.payee)} />}
          <Radio value="account" label={words.account} />
          <Radio value="upi" label={words.upi} />
        </Stack>
      </Radio.Group>
      {to === "account" && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={words.accountNumber}
            required
            autoComplete="off"
            {...form.getInputProps("account_number")}
          />
          <TextInput label={words.ifsc} required autoComplete="off" {...form.getInputProps("ifsc")} />
        </SimpleGrid>
      )}
      {to === "upi" && <TextInput label={words.handle} required autoComplete="off" {...form.getInputProps("upi")} />}
      {to !== "same" && (
        <TextInput
          label={words.name}
          description={words.nameHint(customer)}
          maxLength={100}
          {...form.getInputProps("name")}
        />
      )}
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
