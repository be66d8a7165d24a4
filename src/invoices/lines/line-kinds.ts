// How each kind of a line's members is checked, kept, printed and shared.
import type { Field } from "../../platform/http/field.ts";
import { money, text } from "../../platform/http/fields.ts";
import { hsnCode, percentage } from "../../platform/http/tax-fields.ts";
import { formatIndianAmount, formatPercent } from "../../platform/indian-format.ts";
import { asDigits, asText, type Codec } from "../../platform/json-codec.ts";
import { divideRounded, formatPaise, formatThousandths } from "../../platform/money.ts";
import type { LineKind, LineMember, LineValues } from "./line.ts";

/** So much of an amount: a credit note takes a part of a line. Both in paise, and `ofPaise` is above 0. */
export type Part = { readonly partPaise: bigint; readonly ofPaise: bigint };

export type KindOfValue<T> = {
  /** Checks and decodes a request's value, and encodes it again. */
  readonly field: (member: Pick<LineMember, "maxLength">) => Field<T>;
  /** How it is kept in JSON. A bigint can't be kept as text. */
  readonly stored: Codec<T>;
  /** The value of a member that is left out. */
  readonly none: T;
  /** In the API's answers. */
  readonly write: (value: T) => string;
  /** On documents, where numbers are aligned right. */
  readonly isNumber: boolean;
  readonly print: (value: T) => string;
  /** The value in a part of the line. */
  readonly share: (value: T, part: Part) => T;
};

const same = <T>(value: T): T => value;

const textual = {
  isNumber: false,
  stored: asText(""),
  none: "",
  write: same<string>,
  print: same<string>,
  share: same<string>,
};

/** By kind. */
const LINE_KINDS: { readonly [Kind in LineKind]: KindOfValue<LineValues[Kind]> } = {
  text: {
    ...textual,
    field: ({ maxLength = 0 }) => text({ hint: `text of at most ${maxLength} characters`, maxLength }),
  },
  code: { ...textual, field: hsnCode },
  rate: {
    field: percentage,
    stored: asDigits(),
    none: 0n,
    write: formatThousandths,
    isNumber: true,
    print: formatPercent,
    share: same,
  },
  amount: {
    field: () => money({ allowZero: true }),
    stored: asDigits(),
    none: 0n,
    write: formatPaise,
    isNumber: true,
    print: formatIndianAmount,
    share: (value, { partPaise, ofPaise }) => divideRounded(value * partPaise, ofPaise),
  },
};

/** The kind of a member, for values of whatever type it has. */
export function kindOf({ kind }: Pick<LineMember, "kind">): KindOfValue<unknown> {
  return LINE_KINDS[kind] as KindOfValue<unknown>;
}
