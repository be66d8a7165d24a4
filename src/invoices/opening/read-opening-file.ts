import type { Merchant, ReadContext } from "../../merchants/index.ts";
import { typedField, type DateOrder } from "../../platform/as-typed.ts";
import type { CsvRecord } from "../../platform/csv.ts";
import { readCsvTable, type MisshapenLine } from "../../platform/csv-table.ts";
import { fieldRefusal, sentenceOf, type FieldError } from "../../platform/errors.ts";
import { decoderOf } from "../../platform/http/field.ts";
import { object } from "../../platform/http/fields.ts";
import { openingBalanceFields, readOpeningBalance } from "./opening-balance.ts";
import { planOpeningBalances } from "./save-opening-balances.ts";

export const MAX_FILE_LINES = 10_000;

type Name = keyof typeof openingBalanceFields;
type Texts = Partial<Record<Name, string>>;
type Note = { readonly line: number; readonly field: string; readonly message: string };

/** The headings of a file of opening balances. */
export const OPENING_BALANCE_HEADINGS = ["customer_code", "date", "amount", "note", "reference", "due_date"] as const;
/** Synonyms of these headings. */
const SYNONYMS: readonly (readonly [string, Name])[] = [
  ["code", "customer_code"],
  ["opening_balance", "amount"],
  ["balance", "amount"],
  ["amount_due", "amount"],
  ["as_of", "date"],
  ["bill_date", "date"],
  ["invoice_number", "reference"],
  ["reference_id", "reference"],
  ["remarks", "note"],
];

export type OpeningBalanceFile = {
  /** The number of lines with an opening balance, valid or not. */
  readonly lines: number;
  /** Members as in the API. */
  readonly good: readonly {
    readonly line: number;
    readonly customerName: string;
    readonly amountPaise: bigint;
    readonly sent: Texts;
  }[];
  /** The errors, by line. `field` is the heading. */
  readonly errors: readonly Note[];
  /** Warnings for a person to check: an amount that may have been cut. */
  readonly warnings: readonly Note[];
  /** Unknown headings. */
  readonly ignored: readonly string[];
};

const decode = decoderOf(object(openingBalanceFields));

/**
 * Reads a CSV file of opening balances, with the errors of its lines. Nothing is saved. docs/rules/invoicing.md#opening-balances
 * @throws NodalError `validation_failed` for an unusable file: not CSV, without the headings, or too long; also, with the field
 * `date_order`, for dates that can be read with the day or with the month first
 */
export async function readOpeningBalanceFile(
  { pool, merchant }: ReadContext<Merchant>,
  { bytes, dateOrder }: { readonly bytes: Uint8Array; readonly dateOrder: DateOrder | null },
): Promise<OpeningBalanceFile> {
  const table = await readCsvTable<Name>(bytes, {
    items: "opening balances",
    maxRows: MAX_FILE_LINES,
    columns: [...SYNONYMS, ...OPENING_BALANCE_HEADINGS.map((name) => [name, name] as const)],
    required: ["customer_code", "date", "amount"],
    key: String(merchant.merchantId),
    isDate: (name) => name === "date" || name === "due_date",
    dateOrder,
  });
  const { rows, places, misshapen, doubts, ignored } = table;
  const twice = places.find((name, index) => name !== null && places.indexOf(name) !== index);
  if (twice)
    throw fieldRefusal("validation_failed", "file", `The file has two columns for ${twice}: remove one of them.`);
  const errors = misshapen.map(noteOf);
  const note = (line: number, found: readonly FieldError[]): void => {
    for (const error of found) errors.push({ line, field: error.field, message: sentenceOf(error) });
  };
  const read = rows.flatMap((record) => {
    const found: FieldError[] = [];
    const sent = cellsOf(record, places);
    const toSave = readOpeningBalance(decode(sent, "", found), `line ${record.line}`);
    note(record.line, found);
    return found.length > 0 ? [] : [{ line: record.line, sent, toSave }];
  });
  const found: FieldError[] = [];
  const customers = await planOpeningBalances(
    pool,
    merchant,
    read.map(({ toSave }) => toSave),
    found,
  );
  for (const error of found) {
    const [, line = "", field = ""] = /^line (\d+)\.(.+)$/.exec(error.field)!;
    note(Number(line), [{ ...error, field }]);
  }
  const bad = new Set(errors.map(({ line }) => line));
  const good = read.filter(({ line }) => !bad.has(line));
  return {
    lines: rows.length + misshapen.length,
    good: good.map(({ line, sent, toSave: { customerCode, amountPaise } }) => {
      return { line, customerName: customers.get(customerCode)!.customerName, amountPaise, sent };
    }),
    errors: errors.toSorted((one, other) => one.line - other.line),
    warnings: doubts.map(noteOf),
    ignored,
  };
}

function noteOf({ record: { line }, field, problem }: MisshapenLine): Note {
  return { line, field, message: sentenceOf({ field: field || "The line", problem }) };
}

function cellsOf({ cells }: CsvRecord, places: readonly (Name | null)[]): Texts {
  const texts: Texts = {};
  for (const [index, name] of places.entries()) {
    if (name !== null) texts[name] = typedField(name, cells[index] ?? "");
  }
  return texts;
}
