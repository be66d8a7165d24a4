// Fields about taxes: the code of what is sold, and the percentage of a tax.
import { NumberLiteral } from "../json.ts";
import { formatPaise, formatThousandths, parseThousandths } from "../money.ts";
import type { Field } from "./field.ts";
import { percentageOf, text } from "./fields.ts";

/** The code of a row by the HSN or the SAC, digits alone: docs/rules/invoicing.md#hsn-and-sac. */
export const hsnCode = (): Field<string> =>
  text({
    hint: "an HSN or SAC code of 2 to 8 digits, such as 998311",
    // Longer ones get the hint, too.
    maxLength: 20,
    pattern: /^[0-9]{2,8}$/,
    takesNumber: true,
  });

/**
 * The percentage of a tax, with at most 3 decimals: half of a GST rate of 0.25 is 0.125. Decoded into its text, of which
 * `parseThousandths` makes a number.
 */
export function taxPercentage(): Field<string> {
  const decode = (thousandths: bigint): string =>
    thousandths % 10n === 0n ? formatPaise(thousandths / 10n) : formatThousandths(thousandths);
  return percentageOf({ decimals: 3, examples: '"9" or "0.125"', parse: parseThousandths, decode });
}
