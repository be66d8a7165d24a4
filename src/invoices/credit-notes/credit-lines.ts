// Credits lines of an invoice: a quantity of each, or an amount without tax. docs/rules/invoicing.md#notes-by-line
import { fieldsRefusal, validationError, type FieldError } from "../../platform/errors.ts";
import { list, money, object, optional, wholeNumber, type Decoded } from "../../platform/http/fields.ts";
import { quantity } from "../../platform/http/tax-fields.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { divideRounded, formatThousandths } from "../../platform/money.ts";
import { MAX_ROWS } from "../invoice-fields.ts";
import { chargedSupply, taxOfRow } from "../gst-row.ts";
import { amountOfPrice } from "../lines/line-amount.ts";
import type { Row } from "../lines/line.ts";
import { taxesByRow, type RowTaxes } from "../row-taxes.ts";
import { ratedTaxes } from "../totals.ts";
import type { CreditLine } from "./credit-note.ts";
import {
  hasPlainPrice,
  least,
  leftOf,
  partsOf,
  refuseWrongRows,
  untiedTaxesError,
  total,
  type Billed,
  type CreditParts,
  type Earlier,
} from "./share-credit.ts";

/** The lines of a request, each with a quantity or an amount without tax. `verb`: the action on them, for messages. */
const linesTo = (verb: "credit" | "bill") =>
  list(
    object(
      { row: wholeNumber(1, MAX_ROWS), quantity: optional(quantity()), amount: optional(money()) },
      ({ quantity: pieces, amount }, refuse) => {
        if (pieces && amount) refuse("amount", "not_allowed", "can't be given beside quantity: leave one of them out.");
        if (pieces === null && amount === null) {
          refuse("quantity", "required", `or amount is required: how many pieces to ${verb}, or rupees without tax.`);
        }
      },
    ),
    MAX_ROWS,
  );
export const creditLines = linesTo("credit");
export const debitLines = linesTo("bill");

/** A line to credit, or to increase. */
export type ChosenLine = {
  /** The row's place on the invoice, from 1. */
  readonly line: number;
  /** `null` to credit an amount. */
  readonly quantityThousandths: bigint | null;
  /** Without tax; `null` to credit a quantity. */
  readonly taxablePaise: bigint | null;
};

/** The same lines as a use case's input. */
export function toChosenLines(lines: Decoded<typeof creditLines>): ChosenLine[] {
  return lines.map(({ row, quantity: pieces, amount }) => ({
    line: row,
    quantityThousandths: pieces,
    taxablePaise: amount,
  }));
}

/**
 * Credits lines at the invoice's own rates: the tax is computed on the credited value. A piece is credited at its price or, if
 * earlier notes have credited a part of the row without pieces, at its share of the rest. Crediting the last of a row takes the
 * rest of it and of its taxes, so that rounding leaves nothing.
 * @throws NodalError `validation_failed` for a row that is not on the invoice, is named twice or has no quantity, and if the
 * invoice's taxes can't be tied to rows, or pieces are worth nothing; `credit_exceeds_invoice` for more than is left of a row
 */
export function creditByLine(invoice: Billed, earlier: readonly Earlier[], chosen: readonly ChosenLine[]): CreditParts {
  const rowTaxes = taxesByRow(invoice.content);
  if (rowTaxes === null) throw untiedTaxesError();
  refuseWrongRows(invoice, chosen);
  const left = leftOf(invoice, rowTaxes, earlier);
  const pieces = piecesLeft(invoice, earlier);
  refuseExcess(invoice, left, pieces, chosen);
  const reduced = rowsReduced(invoice, earlier);
  const lines = chosen
    .map((each): CreditLine => {
      const place = each.line - 1;
      const rest = { left: left[place]!, pieces: pieces[place]!, isReduced: reduced[place]! };
      return creditOf(invoice, rowTaxes, rest, each);
    })
    .toSorted((one, other) => one.line - other.line);
  const worth = new Map(lines.map(({ line, taxablePaise }) => [line, taxablePaise]));
  refuseWorthless(chosen, ({ line }) => worth.get(line)!);
  return partsOf(invoice, rowTaxes, total(lines, invoice.content.taxes.length), lines);
}

/** The pieces of each row that no note has credited by number, in thousandths. */
export function piecesLeft({ content }: Billed, earlier: readonly Earlier[]): bigint[] {
  const lines = earlier.flatMap((note) => note.lines);
  return content.rows.map(({ quantityThousandths = 0n }, place) => {
    const credited = lines.filter(({ line }) => line === place + 1);
    return credited.reduce((rest, line) => rest - (line.quantityThousandths ?? 0n), quantityThousandths);
  });
}

/** The rows that earlier notes credited without pieces: a remaining piece is worth less than the invoice says. */
function rowsReduced({ content }: Billed, earlier: readonly Earlier[]): boolean[] {
  const lines = earlier.flatMap((note) => note.lines);
  return content.rows.map((_row, place) =>
    lines.some((line) => line.line === place + 1 && line.quantityThousandths === undefined && line.taxablePaise > 0n),
  );
}

/** The rest of a row that can be credited. */
type Rest = { readonly left: CreditLine; readonly pieces: bigint; readonly isReduced: boolean };

function creditOf(
  invoice: Billed,
  rowTaxes: RowTaxes,
  { left, pieces, isReduced }: Rest,
  { line, quantityThousandths, taxablePaise }: ChosenLine,
): CreditLine {
  const row = invoice.content.rows[line - 1]!;
  const wantedPaise =
    quantityThousandths === null
      ? taxablePaise!
      : quantityThousandths === pieces
        ? left.taxablePaise
        : isReduced
          ? divideRounded(left.taxablePaise * quantityThousandths, pieces)
          : valueOf(row, quantityThousandths);
  const ownPaise = least(wantedPaise, left.taxablePaise);
  const isLast = ownPaise === left.taxablePaise;
  const taxesPaise = isLast
    ? left.taxesPaise
    : taxesOf(invoice, rowTaxes, line, ownPaise).map((paise, index) => least(paise, left.taxesPaise[index]!));
  return { line, taxablePaise: ownPaise, taxesPaise, ...(quantityThousandths === null ? {} : { quantityThousandths }) };
}

/** The value of pieces of a row without tax: by its price, or in proportion. The row has a quantity. */
export function valueOf(row: Row, quantityThousandths: bigint): bigint {
  if (hasPlainPrice(row)) {
    const { unitPricePaise, discount = null } = row;
    return amountOfPrice({ quantity: quantityThousandths, unit_price: unitPricePaise, discount })!;
  }
  return divideRounded(row.amountPaise * quantityThousandths, row.quantityThousandths!);
}

/** The invoice's taxes on a part of a row: at the row's rates, or in proportion if the merchant sent them. */
function taxesOf({ content }: Billed, rowTaxes: RowTaxes, line: number, taxablePaise: bigint): bigint[] {
  const row = content.rows[line - 1]!;
  const ofRow = rowTaxes.paise[line - 1]!;
  if (content.ownTaxes) {
    return ofRow.map((paise) => (row.amountPaise === 0n ? 0n : divideRounded(paise * taxablePaise, row.amountPaise)));
  }
  const supply = chargedSupply(content);
  const heads = taxOfRow({ ...row, amountPaise: taxablePaise }, supply);
  return ratedTaxes(content.rows, supply).map(({ head, places }) => (places.includes(line - 1) ? heads[head] : 0n));
}

/** @throws NodalError `validation_failed` for a quantity of a row without one */
export function refuseUnnumbered(rows: readonly Row[], chosen: readonly ChosenLine[]): void {
  const errors = chosen.flatMap(({ line, quantityThousandths }, index): FieldError[] => {
    const { quantityThousandths: billed } = rows[line - 1]!;
    if (quantityThousandths === null || billed !== undefined) return [];
    const problem = `can't be given: row ${line} of the invoice has no quantity. Send an amount without tax.`;
    return [{ field: `rows[${index}].quantity`, code: "not_allowed", problem }];
  });
  if (errors.length > 0) throw validationError(errors);
}

/** @param worthOf in paise, without tax @throws NodalError `validation_failed` for pieces worth nothing at their price */
export function refuseWorthless(chosen: readonly ChosenLine[], worthOf: (chosen: ChosenLine) => bigint): void {
  const errors = chosen.flatMap((each, index): FieldError[] => {
    if (worthOf(each) > 0n) return [];
    const problem = `comes to 0.00 at the price of row ${each.line}: send an amount without tax instead.`;
    return [{ field: `rows[${index}].quantity`, code: "invalid", problem }];
  });
  if (errors.length > 0) throw validationError(errors);
}

/** @throws NodalError `validation_failed` for a quantity of a row without one; `credit_exceeds_invoice` */
function refuseExcess(
  { content }: Billed,
  left: readonly CreditLine[],
  pieces: readonly bigint[],
  chosen: readonly ChosenLine[],
): void {
  refuseUnnumbered(content.rows, chosen);
  const errors = chosen.flatMap(({ line, quantityThousandths, taxablePaise }, index): FieldError[] => {
    const place = line - 1;
    const name = `Row ${line} (${content.rows[place]!.item})`;
    const leftPaise = left[place]!.taxablePaise;
    const refuse = (field: string, problem: string): FieldError[] => [
      { field: `rows[${index}].${field}`, code: "credit_exceeds_invoice", problem },
    ];
    const nothing = `${name} has nothing left to credit: choose another row.`;
    if (quantityThousandths !== null && (pieces[place]! <= 0n || leftPaise === 0n)) return refuse("quantity", nothing);
    if (quantityThousandths !== null && quantityThousandths > pieces[place]!) {
      return refuse(
        "quantity",
        `${name} has ${formatThousandths(pieces[place]!)} left to credit: credit at most that many.`,
      );
    }
    if (taxablePaise === null || taxablePaise <= leftPaise) return [];
    const most = `${name} has ${formatRupees(leftPaise)} left to credit, without tax: credit at most that much of it.`;
    return refuse("amount", leftPaise > 0n ? most : nothing);
  });
  if (errors.length > 0) throw fieldsRefusal("credit_exceeds_invoice", errors);
}
