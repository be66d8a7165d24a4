// Issuing a credit note: of an amount spread over all rows, of chosen rows, or of an amount without GST.
import { Radio, Stack, Text, Textarea } from "@mantine/core";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { lastDayToCredit } from "../../../../src/platform/gst.ts";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { DateField } from "../../forms/date-field.tsx";
import { Dialog, useDialogForm } from "../../forms/dialogs.tsx";
import { Form, MoneyField, type ApiForm } from "../../forms/form.tsx";
import { inWords, rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { doubts } from "../../strings/doubts.ts";
import { creditNote } from "../../strings/invoices.ts";
import { CHANGES } from "./dialogs.tsx";
import type { InvoiceRecord } from "./invoice-record.ts";
import {
  atTheirFields,
  blankRows,
  chosenProblem,
  chosenRows,
  creditableOf,
  NoteRowFields,
  rowsInWords,
  sentRows,
  type OfferedRow,
  type RowValues,
} from "./note-rows.tsx";

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };

type Values = {
  of: "all" | "rows" | "financial";
  amount: string;
  rows: RowValues[];
  reason: string;
  date: string;
};

/** Issues a credit note. */
export function CreditNoteDialog({ record, onClose }: Props) {
  const offered = creditableOf(record);
  const { isConfirming, step, ...sent } = useCreditNote(record, offered, onClose);
  const { today } = useMerchant();
  const { values } = sent.form;
  const lateFrom = values.of === "financial" ? null : lateSince(record, values.date || today);
  return (
    <Dialog title={creditNote.title} onClose={onClose}>
      <Form {...step}>
        {isConfirming ? (
          <Text role="status">
            {questionOf(values, offered, record.invoice_number)}
            {lateFrom !== null && ` ${doubts.creditedLate(day(lateFrom))}`}
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {creditNote.hint}
            </Text>
            <CreditedFields sent={sent} offered={offered} />
            <Textarea {...sent.field("reason", creditNote.reason)} required autosize minRows={2} maxLength={500} />
            <DateField {...sent.field("date", creditNote.date, creditNote.dateHint)} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function useCreditNote(record: InvoiceRecord, offered: readonly OfferedRow[], onClose: () => void) {
  const [key] = useRequestKey();
  const { invoice_id } = record;
  const initialValues: Values = { of: "all", amount: "", rows: blankRows(offered), reason: "", date: "" };
  return useDialogForm(
    {
      initialValues,
      validate: {
        rows: (rows: Values["rows"], { of }: Values) => (of === "rows" ? chosenProblem(rows) : null),
        amount: (amount: string, { of }: Values) =>
          of === "financial" && amount.trim() === "" ? creditNote.amountNeeded : null,
      },
      submit: async ({ of, amount, rows, reason, date }): Promise<{ readonly credit_note_number: string }> => {
        if (of === "all") {
          const body = { amount: typedAmount(amount), rows: null, reason, date };
          return api("POST", `/invoices/${invoice_id}/credit-notes`, { key, body });
        }
        const chosen = of === "rows" ? chosenRows(offered, rows) : [];
        const credited =
          of === "rows" ? { rows: sentRows(chosen) } : { kind: "financial" as const, amount: typedAmount(amount) };
        return api("POST", "/credit-notes", { key, body: { invoice_id, ...credited, reason, date } }).catch(
          (error: Error) => {
            throw atTheirFields(error, chosen);
          },
        );
      },
      changes: CHANGES,
      done: ({ credit_note_number }) => creditNote.saved(credit_note_number),
    },
    creditNote,
    onClose,
  );
}

type FieldsProps = {
  readonly sent: Pick<ApiForm<Values>, "form" | "field">;
  readonly offered: readonly OfferedRow[];
};

/** An amount of all rows, parts of some, or an amount without GST. */
function CreditedFields({ sent, offered }: FieldsProps) {
  const { of } = sent.form.values;
  return (
    <>
      <Radio.Group {...sent.field("of", creditNote.of)}>
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={creditNote.ofAll} />
          {offered.length > 0 && <Radio value="rows" label={creditNote.ofRows} />}
          <Radio value="financial" label={creditNote.financial} />
        </Stack>
      </Radio.Group>
      {of === "rows" && <NoteRowFields sent={sent} offered={offered} label={creditNote.rows} />}
      {of === "all" && (
        <MoneyField {...sent.field("amount", creditNote.amount, creditNote.amountHint)} data-autofocus />
      )}
      {of === "financial" && (
        <MoneyField {...sent.field("amount", creditNote.financialAmount, creditNote.financialHint)} required />
      )}
    </>
  );
}

/** What is about to be issued, as a question. */
function questionOf({ of, amount, rows }: Values, offered: readonly OfferedRow[], number: string): string {
  if (of === "rows") return creditNote.questionOfRows(number, rowsInWords(chosenRows(offered, rows)));
  if (of === "all" && amount.trim() === "") return creditNote.questionOfAll(number);
  const question = of === "all" ? creditNote.question : creditNote.questionOfFinancial;
  return question(rupees(amount.trim()), inWords(amount) ?? "", number);
}

/** The last day on which a note of this date could still take the tax off a return; `null` where it can. */
function lateSince(record: InvoiceRecord, noteDate: string): string | null {
  const [year, month] = record.bill_date.split("-").map(Number);
  const lastDay = lastDayToCredit({ year: year!, month: month! });
  return record.tax_rows.length > 0 && noteDate > lastDay ? lastDay : null;
}
