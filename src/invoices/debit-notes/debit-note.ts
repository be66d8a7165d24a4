// A debit note increases rows of an invoice, at the invoice's own rates. docs/rules/invoicing.md#debit-notes
import { validationError } from "../../platform/errors.ts";
import { divideRounded, formatPaise } from "../../platform/money.ts";
import { refuseUnnumbered, refuseWorthless, valueOf, type ChosenLine } from "../credit-notes/credit-lines.ts";
import { hasPlainPrice, refuseWrongRows, untiedTaxesError, type Billed } from "../credit-notes/share-credit.ts";
import { chargedSupply } from "../gst-row.ts";
import { DEBIT_NOTE_REASON } from "../debit-note-event.ts";
import type { Invoice, InvoiceContent } from "../invoice.ts";
import type { Row } from "../lines/line.ts";
import { taxesByRow } from "../row-taxes.ts";
import { addUp, sum, taxOn, type Tax } from "../totals.ts";
import type { Draft } from "../saves/draft.ts";

/** Larger totals exceed the API's 13 integer digits. */
const MAX_AMOUNT_PAISE = 999_999_999_999_999n;

type Original = Pick<Invoice, "invoiceId" | "invoiceNumber" | "billDate" | "subTotalPaise" | "content">;

/**
 * The content of a debit note for these lines: rows and taxes at the invoice's own rates, with the invoice's parties and place of
 * supply. By quantity it bills more pieces at the row's price, by amount a higher price.
 * @throws NodalError `validation_failed` for a row that is not on the invoice, is named twice or has no quantity, for one whose
 * amount is zero or too large, and if the invoice's taxes can't be tied to rows
 */
export function draftDebitNote(original: Original, chosen: readonly ChosenLine[], reason: string): Draft {
  const lines = chosen.toSorted((one, other) => one.line - other.line);
  refuseWrongRows(original, chosen);
  refuseUnnumbered(original.content.rows, chosen);
  refuseWorthless(chosen, (line) => chargedOf(original.content.rows[line.line - 1]!, line));
  const rows = lines.map((line) => rowOf(original.content.rows[line.line - 1]!, line));
  const charged = chargedSupply(original.content);
  const totals = original.content.ownTaxes
    ? withTaxes(rows, ownTaxesOf(original, lines, rows))
    : addUp(rows, [], 0n, charged);
  refuseTooMuch(totals.amountPaise);
  // A note is not rounded.
  const { roundsTotal: _roundsTotal, ...kept } = without("roundOffPaise", original.content);
  const content: InvoiceContent = {
    ...kept,
    kind: "debit_note",
    original: {
      invoiceId: original.invoiceId,
      number: original.invoiceNumber,
      date: original.billDate.toString(),
    },
    headerFields: [{ ...DEBIT_NOTE_REASON, value: reason }],
    rows,
    taxes: totals.taxes,
  };
  return { ...totals, previousDuesPaise: 0n, content };
}

/** The value without an optional member. */
function without<Value extends object>(member: string, value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== member)) as Value;
}

/** The charged amount of a row, without tax, in paise. */
function chargedOf(row: Row, { quantityThousandths, taxablePaise }: ChosenLine): bigint {
  return quantityThousandths === null ? taxablePaise! : valueOf(row, quantityThousandths);
}

/**
 * The row of a note. By amount it has neither quantity nor price, since it raises the price of pieces that the invoice already
 * counts. It keeps the unit, since returns group by HSN, unit and rate.
 */
function rowOf(row: Row, chosen: ChosenLine): Row {
  const { quantityThousandths: _quantity, unitPricePaise, discount, priceIncludesTax: _withTax, ...rest } = row;
  const charged = { ...without("includedPaise", rest), amountPaise: chargedOf(row, chosen) };
  const { quantityThousandths } = chosen;
  if (quantityThousandths === null) return charged;
  const priced = hasPlainPrice(row)
    ? { unitPricePaise: unitPricePaise!, ...(discount === undefined ? {} : { discount }) }
    : {};
  return { ...charged, quantityThousandths, ...priced };
}

/** The taxes that the merchant sent with the invoice, on the charged amounts of their rows. */
function ownTaxesOf(original: Billed, lines: readonly ChosenLine[], rows: readonly Row[]): Tax[] {
  const { content } = original;
  const told = taxesByRow(content);
  if (told === null) throw untiedTaxesError("Create an invoice for the difference instead.");
  return content.taxes.flatMap((tax, index): Tax[] => {
    const places = told.rowsOf[index]!;
    const basePaise = sum(lines.map(({ line }, at) => (places.includes(line - 1) ? rows[at]!.amountPaise : 0n)));
    const billedPaise = sum(places.map((place) => content.rows[place]!.amountPaise));
    // A tax can be on a part of its only row.
    const isPart = billedPaise !== 0n && billedPaise !== tax.applicableOnPaise;
    const applicableOnPaise = isPart ? divideRounded(tax.applicableOnPaise * basePaise, billedPaise) : basePaise;
    if (applicableOnPaise === 0n) return [];
    return [{ ...tax, applicableOnPaise, amountPaise: taxOn(applicableOnPaise, tax.percentThousandths) }];
  });
}

function withTaxes(rows: readonly Row[], taxes: readonly Tax[]): Omit<Draft, "content" | "previousDuesPaise"> {
  const subTotalPaise = sum(rows.map(({ amountPaise }) => amountPaise));
  const taxTotalPaise = sum(taxes.map(({ amountPaise }) => amountPaise));
  return { taxes, subTotalPaise, taxTotalPaise, roundOffPaise: 0n, amountPaise: subTotalPaise + taxTotalPaise };
}

/** @throws NodalError `validation_failed` */
function refuseTooMuch(amountPaise: bigint): void {
  if (amountPaise <= MAX_AMOUNT_PAISE) return;
  const problem = `come, with their taxes, to more than ${formatPaise(MAX_AMOUNT_PAISE)}: split the debit note.`;
  throw validationError([{ field: "rows", code: "invalid", problem }]);
}
