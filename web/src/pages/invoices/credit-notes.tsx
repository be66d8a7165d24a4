// The credit notes of an invoice: what each took off, its PDF, and how its refund stands; paying a refund out.
import { Group, Radio, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, ApiError, apiUrl } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { inWords, rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { cancellingNote, refunding, invoice as words } from "../../strings/invoices.ts";
import type { CreditNote, InvoiceRecord } from "./invoice-record.ts";
import { useChanged } from "../../api/queries.ts";
import { AmountInWords, ConfirmMoney, Dialog, FormDialog } from "../../forms/dialogs.tsx";
import { fieldsOf, Form, namingFields } from "../../forms/form.tsx";
import { CHANGES } from "./dialogs.tsx";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { IFSC, IfscField } from "../../components/ifsc-field.tsx";
import { Facts, Money, StatusBadge } from "../../components/values.tsx";
import { parts } from "../../strings/shell.ts";

type Props = { readonly record: InvoiceRecord };

const COLUMNS: readonly Column<CreditNote>[] = [
  {
    key: "number",
    title: words.noteNumber,
    render: ({ credit_note_number, credit_note_date, kind, status }) => (
      <>
        <span style={{ whiteSpace: "nowrap" }}>{credit_note_number}</span>
        <Text size="sm" c="dimmed">
          {day(credit_note_date)}
        </Text>
        {kind === "financial" && <StatusBadge status={kind} word={words.financial} tone="neutral" />}
        {status === "Cancelled" && <StatusBadge status={status} />}
      </>
    ),
  },
  { key: "reason", title: words.reason, hideBelow: "md" },
  { key: "amount", title: words.paymentAmount, as: "amount" },
  { key: "reduces_due", title: words.reducesDue, hideBelow: "sm", as: "amount" },
  { key: "refund", title: words.refund, hideBelow: "sm", as: "amount" },
];

/** What was credited. */
export function CreditNotes({ record }: Props) {
  const [refunded, setRefunded] = useState<CreditNote | null>(null);
  const [cancelled, setCancelled] = useState<CreditNote | null>(null);
  const last = record.credit_notes.findLast(({ status }) => status !== "Cancelled");
  const actions: Column<CreditNote> = {
    key: "actions",
    title: "",
    render: (note) => (
      <NoteActions
        record={record}
        note={note}
        isLast={note === last}
        onRefund={() => setRefunded(note)}
        onCancel={() => setCancelled(note)}
      />
    ),
  };
  return (
    <TablePanel
      title={words.creditNotes}
      columns={[...COLUMNS, actions]}
      rows={record.credit_notes}
      rowKey="credit_note_id"
    >
      {cancelled && <CancelNoteDialog note={cancelled} onClose={() => setCancelled(null)} />}
      {refunded && <RefundDialog record={record} note={refunded} onClose={() => setRefunded(null)} />}
    </TablePanel>
  );
}

/** Confirms and cancels a credit note without consequences. */
function CancelNoteDialog({ note, onClose }: { readonly note: CreditNote; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={cancellingNote.title(note.credit_note_number)}
      label={cancellingNote.submit}
      cancelLabel={cancellingNote.keep}
      danger
      intro={<AmountInWords amount={note.amount} />}
      hint={cancellingNote.hint}
      initialValues={{}}
      submit={() => api("POST", `/credit-notes/${note.credit_note_id}/cancel`)}
      changes={CHANGES}
      done={cancellingNote.done}
      onClose={onClose}
    />
  );
}

type ActionProps = Props & {
  readonly note: CreditNote;
  /** Whether no later note builds on it. */
  readonly isLast: boolean;
  readonly onRefund: () => void;
  readonly onCancel: () => void;
};

function NoteActions({ record, note, isLast, onRefund, onCancel }: ActionProps) {
  const may = usePermissions();
  const { credit_note_id: id, credit_note_number: number, owed, under_way: underWay, transfer_id: transferId } = note;
  const isOwed = toPaise(owed) !== 0n;
  const isPaid = toPaise(underWay) !== 0n || toPaise(note.refunded) !== 0n;
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs" justify="flex-end">
        <Action
          label={words.notePdf}
          size="xs"
          href={apiUrl(`/invoices/${record.invoice_id}/credit-notes/${id}/pdf`)}
          newTab
          aria-label={words.notePdfOf(number)}
        />
        {isOwed && may("payouts.transfer") && (may("beneficiaries.manage") || note.payee !== "") && (
          <Action label={words.payBack} primary size="xs" onClick={onRefund} aria-label={words.payBackOf(number)} />
        )}
        {isLast && !isPaid && may("invoices.cancel") && (
          <Action label={words.cancelNote} size="xs" onClick={onCancel} aria-label={words.cancelNoteOf(number)} />
        )}
      </Group>
      {isOwed && <Text size="sm">{words.refundOwed(rupees(owed))}</Text>}
      {toPaise(underWay) !== 0n && (
        <Text size="sm" role="status">
          {words.refundUnderWay(rupees(underWay))}
        </Text>
      )}
      {record.refunds
        .filter(({ credit_note_number }) => credit_note_number === number)
        .map(({ amount, refunded_at }) => (
          <Text key={`${refunded_at} ${amount}`} size="sm">
            {words.refundedNote(rupees(amount), day(refunded_at))}
          </Text>
        ))}
      {transferId !== "" && may("payouts.view") && (
        <LinkTo label={words.refundTransfer} to={`/transfers/${transferId}`} size="sm" />
      )}
    </Stack>
  );
}

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
function RefundDialog({ record, note, onClose }: RefundProps) {
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
