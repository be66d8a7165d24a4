// Issuing a credit note: of an amount spread over all rows, or of chosen rows.
import { Input, Radio, Stack, Text, Textarea } from "@mantine/core";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { lastDayToCredit } from "../../../../src/platform/gst.ts";
import { api, ApiError } from "../../api/client.ts";
import { useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { DateField } from "../../forms/date-field.tsx";
import { Dialog, useDialogForm } from "../../forms/dialogs.tsx";
import { Form, MoneyField, type ApiForm } from "../../forms/form.tsx";
import { formatRupees, inWords, rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { doubts } from "../../strings/doubts.ts";
import { creditNote } from "../../strings/invoices.ts";
import { CHANGES } from "./dialogs.tsx";
import type { InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };
type CreditableRow = InvoiceRecord["creditable_rows"][number];

type Values = {
  of: "all" | "rows";
  amount: string;
  /** In the order of the rows that are offered. */
  rows: { amount: string }[];
  reason: string;
  date: string;
};

/** Issues a credit note. */
export function CreditNoteDialog({ record, onClose }: Props) {
  const offered = record.creditable_rows.filter(({ left }) => toPaise(left) !== 0n);
  const { isConfirming, step, ...sent } = useCreditNote(record, offered, onClose);
  const { today } = useMerchant();
  const { values } = sent.form;
  const lateFrom = lateSince(record, values.date || today);
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

function useCreditNote(record: InvoiceRecord, offered: readonly CreditableRow[], onClose: () => void) {
  const [key] = useRequestKey();
  const { invoice_id: id } = record;
  const initialValues: Values = {
    of: "all",
    amount: "",
    rows: offered.map(() => ({ amount: "" })),
    reason: "",
    date: "",
  };
  return useDialogForm(
    {
      initialValues,
      validate: {
        rows: (rows: Values["rows"], { of }: Values) =>
          of === "rows" && rows.every(({ amount }) => amount.trim() === "") ? creditNote.rowsNeeded : null,
      },
      submit: ({ of, amount, rows, reason, date }) => {
        const chosen = chosenOf(offered, rows);
        const credited = {
          amount: of === "all" ? typedAmount(amount) : null,
          rows: of === "all" ? null : chosen.map((each) => ({ row: each.row, amount: typedAmount(each.amount) })),
        };
        const body = { ...credited, reason, date };
        return api("POST", `/invoices/${id}/credit-notes`, { key, body }).catch((error: Error) => {
          throw atTheirFields(error, chosen);
        });
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
  readonly offered: readonly CreditableRow[];
};

/** An amount of all rows, or amounts of some. */
function CreditedFields({ sent, offered }: FieldsProps) {
  const isByRow = sent.form.values.of === "rows";
  return (
    <>
      {offered.length > 1 && (
        <Radio.Group {...sent.field("of", creditNote.of)}>
          <Stack gap="xs" mt="xs">
            <Radio value="all" label={creditNote.ofAll} />
            <Radio value="rows" label={creditNote.ofRows} />
          </Stack>
        </Radio.Group>
      )}
      {isByRow ? (
        <Input.Wrapper label={creditNote.rows} description={creditNote.rowsHint} error={sent.form.errors["rows"]}>
          <Stack gap="xs" mt="xs">
            {offered.map(({ row, item, left }, index) => (
              <MoneyField
                key={row}
                {...sent.field(`rows.${index}.amount`, creditNote.row(row, item), creditNote.left(rupees(left)))}
              />
            ))}
          </Stack>
        </Input.Wrapper>
      ) : (
        <MoneyField {...sent.field("amount", creditNote.amount, creditNote.amountHint)} data-autofocus />
      )}
    </>
  );
}

type ChosenRow = CreditableRow & {
  /** As it was typed. */
  readonly amount: string;
  /** Its place in the form, from 0. */
  readonly place: number;
};

/** The rows that an amount was typed for. */
function chosenOf(offered: readonly CreditableRow[], typed: Values["rows"]): ChosenRow[] {
  return offered
    .map((row, place) => ({ ...row, place, amount: typed[place]!.amount.trim() }))
    .filter(({ amount }) => amount !== "");
}

/** What is about to be issued, as a question. */
function questionOf({ of, amount, rows }: Values, offered: readonly CreditableRow[], number: string): string {
  if (of === "all" && amount.trim() === "") return creditNote.questionOfAll(number);
  if (of === "all") return creditNote.question(rupees(amount.trim()), inWords(amount) ?? "", number);
  const chosen = chosenOf(offered, rows);
  const paise = chosen.map((each) => toPaise(each.amount) ?? 0n).reduce((sum, each) => sum + each, 0n);
  const whole = formatRupees(paise);
  const items = chosen.map((each) => creditNote.row(each.row, each.item)).join(", ");
  return creditNote.questionOfRows(whole, inWords(whole) ?? "", number, items);
}

/** A refusal of chosen rows, whose fields are counted among them, with the fields of the form. Other errors stay. */
function atTheirFields(error: Error, chosen: readonly ChosenRow[]): Error {
  if (!(error instanceof ApiError)) return error;
  const fields = Object.entries(error.fields).map(([path, message]) => ({
    path: path.replace(/^rows\[(\d+)\]/, (_, index: string) => `rows[${chosen[Number(index)]!.place}]`),
    message,
  }));
  const request = error.requestId === null ? {} : { request_id: error.requestId };
  return new ApiError(error.status, { message: error.message, code: error.code, fields, ...request });
}

/** The last day on which a note of this date could still take the tax off a return; `null` where it can. */
function lateSince(record: InvoiceRecord, noteDate: string): string | null {
  const [year, month] = record.bill_date.split("-").map(Number);
  const lastDay = lastDayToCredit({ year: year!, month: month! });
  return record.tax_rows.length > 0 && noteDate > lastDay ? lastDay : null;
}
