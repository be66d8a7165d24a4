// Rows of an invoice in a credit note or debit note: of each a quantity, or an amount without tax.
import { Input, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { ApiError } from "../../api/client.ts";
import { MoneyField, type ApiForm } from "../../forms/form.tsx";
import { rupees } from "../../format/money.ts";
import { noteRows as words } from "../../strings/invoices.ts";
import type { InvoiceRecord } from "./invoice-record.ts";

/** A row that can be chosen. */
export type OfferedRow = {
  readonly row: number;
  readonly item: string;
  /** Whether it has pieces to choose by number. */
  readonly hasPieces: boolean;
  /** The most that can be chosen of it: pieces with their unit, and rupees without tax; `null` for any amount. */
  readonly left: { readonly pieces: string; readonly amount: string } | null;
};

/** As it is typed, in the order of the rows that are offered. */
export type RowValues = { quantity: string; amount: string };
type Chosen = RowValues & OfferedRow & { readonly place: number };

/** Nothing chosen of these rows. */
export function blankRows(offered: readonly OfferedRow[]): RowValues[] {
  return offered.map(() => ({ quantity: "", amount: "" }));
}

/** The rows that can be credited, with what is left of each. */
export function creditableOf({ creditable_rows: rows }: InvoiceRecord): OfferedRow[] {
  return rows
    .filter(({ left_taxable: left }) => left !== "0.00")
    .map(({ row, item, left_taxable: amount, left_quantity: pieces, unit }) => ({
      row,
      item,
      hasPieces: pieces !== "" && pieces !== "0",
      left: { pieces: `${pieces} ${unit}`.trim(), amount },
    }));
}

/** The rows that a debit note can charge more for: all. */
export function debitableOf({ particular_rows: rows }: InvoiceRecord): OfferedRow[] {
  return rows.map(({ item, description, quantity = "" }, place) => {
    return { row: place + 1, item: item || description, hasPieces: quantity !== "", left: null };
  });
}

type Values = { rows: RowValues[] };
type FieldsProps = {
  readonly sent: Pick<ApiForm<Values>, "form" | "field">;
  readonly offered: readonly OfferedRow[];
  readonly label: string;
};

/** A quantity and an amount for each row; one of them is to be filled. */
export function NoteRowFields({ sent, offered, label }: FieldsProps) {
  return (
    <Input.Wrapper label={label} description={words.hint} error={sent.form.errors["rows"]}>
      <Stack gap="sm" mt="xs">
        {offered.map(({ row, item, hasPieces, left }, index) => (
          <Input.Wrapper key={row} label={words.row(row, item)} labelElement="div">
            <SimpleGrid cols={hasPieces ? { base: 1, sm: 2 } : 1} spacing="xs">
              {hasPieces && (
                <TextInput
                  {...sent.field(`rows.${index}.quantity`, words.quantity, left ? words.left(left.pieces) : undefined)}
                  aria-label={words.quantityOf(row, item)}
                  inputMode="decimal"
                  autoComplete="off"
                  inputWrapperOrder={["label", "input", "description", "error"]}
                />
              )}
              <MoneyField
                {...sent.field(
                  `rows.${index}.amount`,
                  words.amount,
                  left ? words.left(rupees(left.amount)) : undefined,
                )}
                aria-label={words.amountOf(row, item)}
              />
            </SimpleGrid>
          </Input.Wrapper>
        ))}
      </Stack>
    </Input.Wrapper>
  );
}

/** The error if nothing is chosen; `null` otherwise. */
export function chosenProblem(rows: readonly RowValues[]): string | null {
  return rows.every(({ quantity, amount }) => quantity.trim() === "" && amount.trim() === "") ? words.needed : null;
}

/** The rows that something was typed for. */
export function chosenRows(offered: readonly OfferedRow[], typed: readonly RowValues[]): Chosen[] {
  return offered
    .map((row, place) => {
      const { quantity, amount } = typed[place]!;
      return { ...row, place, quantity: quantity.trim(), amount: amount.trim() };
    })
    .filter(({ quantity, amount }) => quantity !== "" || amount !== "");
}

/** The same as a request sends them. */
export function sentRows(chosen: readonly Chosen[]) {
  return chosen.map(({ row, quantity, amount }) => ({
    row,
    ...(quantity === "" ? {} : { quantity }),
    ...(amount === "" ? {} : { amount: typedAmount(amount) }),
  }));
}

/** The same in words, for the question before the note is issued. */
export function rowsInWords(chosen: readonly Chosen[]): string {
  return chosen
    .map(({ row, item, quantity, amount }) =>
      quantity === ""
        ? words.ofAmount(words.row(row, item), rupees(typedAmount(amount) ?? amount))
        : words.ofQuantity(words.row(row, item), quantity),
    )
    .join("; ");
}

/** A refusal of chosen rows, whose fields are counted among them, with the fields of the form. Other errors stay. */
export function atTheirFields(error: Error, chosen: readonly Chosen[]): Error {
  if (!(error instanceof ApiError)) return error;
  const fields = Object.entries(error.fields).map(([path, message]) => ({
    path: path.replace(/^rows\[(\d+)\]/, (_, index: string) => `rows[${chosen[Number(index)]!.place}]`),
    message,
  }));
  const request = error.requestId === null ? {} : { request_id: error.requestId };
  return new ApiError(error.status, { message: error.message, code: error.code, fields, ...request });
}
