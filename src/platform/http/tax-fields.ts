// Fields about taxes: the code of what is sold, and the percentage of a tax.
import { NumberLiteral } from "../json.ts";
import { formatPaise, formatThousandths, parseThousandths } from "../money.ts";
import { fail, requiredField, type Field } from "./field.ts";
import { text } from "./fields.ts";

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
  const hint = 'a percentage from 0 to 100 with at most 3 decimals, such as "9" or "0.125"';
  const schema = {
    type: ["string", "number"],
    pattern: "^[0-9]{1,3}(?:\\.[0-9]{1,3})?$",
    maxLength: 7,
    minimum: 0,
    maximum: 100,
  };
  return requiredField(schema, hint, (value, path, errors) => {
    const thousandths = parseThousandths(value instanceof NumberLiteral ? value.text : value);
    if (thousandths !== null && thousandths <= 100_000n)
      return thousandths % 10n === 0n ? formatPaise(thousandths / 10n) : formatThousandths(thousandths);
    fail(errors, path, "invalid", `must be ${hint}.`);
    return "0.00";
  });
}
