// Validation, storage, printing and splitting for each kind of line member.
import type { Field } from "../../platform/http/field.ts";
import { flag, money, oneOf, text } from "../../platform/http/fields.ts";
import { discount, hsnCode, percentage, quantity, unit } from "../../platform/http/tax-fields.ts";
import { TAX_TREATMENTS } from "../../platform/gst.ts";
import { formatIndianAmount, formatPercent } from "../../platform/indian-format.ts";
import { asDigits, asJson, asText, type Codec } from "../../platform/json-codec.ts";
import { divideRounded, formatPaise, formatThousandths } from "../../platform/money.ts";
import type { LineKind, LineMember, LineValues } from "./line.ts";

/** A part of an amount: a credit note credits a part of a line. Both in paise, and `ofPaise` is above 0. */
export type Part = { readonly partPaise: bigint; readonly ofPaise: bigint };

export type KindOfValue<T> = {
  /** Validates and decodes a request's value, and encodes it. */
  readonly field: (member: Pick<LineMember, "maxLength">) => Field<T>;
  /** Its stored JSON. A bigint can't be stored as text. */
  readonly stored: Codec<T>;
  /** The empty value, if there is one: the default of a plain member; an optional one with it is left out. */
  readonly none: T | undefined;
  /** In the API's answers. */
  readonly write: (value: T) => string;
  /** On documents, where numbers are aligned right. */
  readonly isNumber: boolean;
  readonly print: (value: T) => string;
  /** The value for a part of the line; `undefined` if it can't be known. */
  readonly share: (value: T, part: Part) => T | undefined;
};

const same = <T>(value: T): T => value;
const unknown = (): undefined => undefined;

const textual = {
  isNumber: false,
  stored: asText(""),
  none: "",
  write: same<string>,
  print: same<string>,
  share: same<string>,
};

const rate: KindOfValue<bigint> = {
  field: percentage,
  stored: asDigits(),
  none: 0n,
  write: formatThousandths,
  isNumber: true,
  print: formatPercent,
  share: same,
};

const amount: KindOfValue<bigint> = {
  field: () => money({ allowZero: true }),
  stored: asDigits(),
  none: 0n,
  write: formatPaise,
  isNumber: true,
  print: formatIndianAmount,
  share: (value, { partPaise, ofPaise }) => divideRounded(value * partPaise, ofPaise),
};

/** By kind. */
const LINE_KINDS: { readonly [Kind in LineKind]: KindOfValue<LineValues[Kind]> } = {
  text: {
    ...textual,
    field: ({ maxLength = 0 }) => text({ hint: `text of at most ${maxLength} characters`, maxLength }),
  },
  code: { ...textual, field: hsnCode },
  rate,
  amount,
  // The number of pieces in a part of a line is unknown, and so are its price and discount.
  quantity: { ...rate, field: quantity, none: undefined, print: formatThousandths, share: unknown },
  unit: { ...textual, field: unit },
  price: { ...amount, none: undefined, share: unknown },
  discount: { ...textual, field: discount, isNumber: true, share: unknown },
  treatment: {
    field: () => oneOf(TAX_TREATMENTS),
    stored: asJson(),
    none: "taxable",
    write: same,
    isNumber: false,
    print: same,
    share: same,
  },
  flag: {
    field: flag,
    stored: asJson(),
    none: false,
    write: (isOn) => (isOn ? "1" : "0"),
    isNumber: false,
    print: (isOn) => (isOn ? "Yes" : ""),
    share: unknown,
  },
};

/** The kind of a member, for values of whatever type it has. */
export function kindOf({ kind }: Pick<LineMember, "kind">): KindOfValue<unknown> {
  return LINE_KINDS[kind] as KindOfValue<unknown>;
}
