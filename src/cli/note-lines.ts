// Invoice rows in a credit note or debit note, given by `--line`: pieces, or rupees without tax.
import type { Reading } from "./given-file.ts";

export const LINE_VALUE = "<row=rupees|rowxpieces>";

/** Lines given as `2=10000.05` (rupees without tax) or `1x2` (pieces), one per line. */
export function readLines(text: string): Reading<unknown> {
  const found = text.split("\n").map((line) => {
    const { row, sign, value } = /^\s*(?<row>[0-9]{1,4})\s*(?<sign>[=xX])(?<value>.*)$/.exec(line)?.groups ?? {};
    if (row === undefined) return null;
    return sign === "=" ? { row, amount: value!.trim() } : { row, quantity: value!.trim() };
  });
  if (found.every((line) => line !== null)) return { value: found };
  return { mustBe: 'a row\'s number with rupees without tax, such as "2=1000.00", or with pieces, such as "1x2"' };
}
