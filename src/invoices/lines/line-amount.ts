// The amount of a line in a request: quantity × price, less the discount. docs/rules/invoicing.md#rows
import type { FieldErrorCode } from "../../platform/http/field.ts";
import { parseDiscount } from "../../platform/discount.ts";
import { checkTreatment } from "../../platform/gst.ts";
import { divideRounded, formatPaise, formatThousandths } from "../../platform/money.ts";
import type { LineName, SentLine } from "./line.ts";

/** Larger amounts exceed the API's 13 integer digits. */
const MAX_PAISE = 999_999_999_999_999n;
/** 100 % in thousandths of a percent. */
const WHOLE = 100_000n;
/** One piece, in thousandths. */
const ONE = 1000n;

type Priced = { readonly grossPaise: bigint; readonly discountPaise: bigint; readonly arithmetic: string };
type Sums = Partial<Pick<SentLine, "quantity" | "unit_price" | "discount">>;

/** Quantity × price and the discount, each rounded half away from zero to the paisa; `null` without a price. */
function priceOf({ quantity, unit_price: unitPrice, discount }: Sums): Priced | null {
  if (unitPrice === null || unitPrice === undefined) return null;
  const thousandths = quantity ?? ONE;
  const grossPaise = divideRounded(thousandths * unitPrice, ONE);
  const { paise = 0n, percentThousandths = null } = discount ? parseDiscount(discount)! : {};
  const discountPaise = paise ?? divideRounded(grossPaise * percentThousandths!, WHOLE);
  const less = discountPaise === 0n ? "" : ` − ${formatPaise(discountPaise)}`;
  const arithmetic = `${formatThousandths(thousandths)} × ${formatPaise(unitPrice)}${less}`;
  return { grossPaise, discountPaise, arithmetic };
}

/** The amount from quantity, price and discount, in paise; `null` without a price. */
export function amountOfPrice(sums: Sums): bigint | null {
  const priced = priceOf(sums);
  return priced && priced.grossPaise - priced.discountPaise;
}

/** The amount of a line in paise, including tax if its price does. The line has passed `checkLine`. */
export function amountOfLine(sent: SentLine): bigint {
  return amountOfPrice(sent) ?? sent.total_amount ?? 0n;
}

type Refuse = (name: LineName, code: FieldErrorCode, problem: string) => void;

/** Reports errors between the members of a line. Members with errors of their own are missing. */
export function checkLine(sent: Partial<SentLine>, refuse: Refuse): void {
  checkAmounts(sent, refuse);
  checkTreatment(sent, (name, problem) => refuse(name, "not_allowed", problem));
}

function checkAmounts(sent: Partial<SentLine>, refuse: Refuse): void {
  const { quantity, discount } = sent;
  const [unitPrice, total] = [sent.unit_price, sent.total_amount];
  if (unitPrice === null && total === null) {
    const problem =
      'is required, unless unit_price is given: it must be an amount in rupees, with at most 13 digits and 2 decimals, such as "100.50".';
    refuse("total_amount", "required", problem);
  }
  if (unitPrice === null && discount) {
    refuse("discount", "not_allowed", "needs a unit_price: total_amount alone is the amount after the discount.");
  }
  if (quantity === undefined || discount === undefined) return;
  const priced = priceOf(sent);
  if (priced === null) return;
  const { grossPaise, discountPaise, arithmetic } = priced;
  const amountPaise = grossPaise - discountPaise;
  if (grossPaise > MAX_PAISE) {
    refuse("unit_price", "invalid", `times quantity comes to more than ${formatPaise(MAX_PAISE)}: split the row.`);
  } else if (amountPaise < 0n) {
    refuse("discount", "invalid", `must be at most ${formatPaise(grossPaise)}, the price of the row.`);
  } else if (total !== null && total !== undefined && total !== amountPaise) {
    refuse("total_amount", "invalid", `must be ${formatPaise(amountPaise)} (${arithmetic}), or left out.`);
  }
}
