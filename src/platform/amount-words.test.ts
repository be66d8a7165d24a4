// Amounts in words: a table of amounts, and any amount read back.
import fc from "fast-check";
import { expect, test } from "vitest";
import { amountInWords } from "./amount-words.ts";

test.each([
  [0n, "Rupees Zero Only"],
  [1n, "One Paisa Only"],
  [101n, "Rupees One and One Paisa Only"],
  [11n, "Eleven Paise Only"],
  [45n, "Forty-Five Paise Only"],
  [1_00n, "Rupees One Only"],
  [19_19n, "Rupees Nineteen and Nineteen Paise Only"],
  [100_00n, "Rupees One Hundred Only"],
  [590_00n, "Rupees Five Hundred Ninety Only"],
  [1_001_10n, "Rupees One Thousand One and Ten Paise Only"],
  [99_999_99n, "Rupees Ninety-Nine Thousand Nine Hundred Ninety-Nine and Ninety-Nine Paise Only"],
  [1_00_000_00n, "Rupees One Lakh Only"],
  [1_23_456_45n, "Rupees One Lakh Twenty-Three Thousand Four Hundred Fifty-Six and Forty-Five Paise Only"],
  [1_00_00_000_00n, "Rupees One Crore Only"],
  [12_05_00_040_00n, "Rupees Twelve Crore Five Lakh Forty Only"],
  [1_00_00_00_00_00_000_00n, "Rupees Ten Lakh Crore Only"],
  [-5_00n, "Minus Rupees Five Only"],
])("%s paise", (paise, words) => {
  expect(amountInWords(paise)).toBe(words);
});

test("any amount of up to 13 digits reads back as itself", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), (paise) => {
      expect(readBack(amountInWords(paise))).toBe(paise);
    }),
    { numRuns: 2000 },
  );
});

const UNITS = (
  "Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen " +
  "Sixteen Seventeen Eighteen Nineteen"
).split(" ");
const TENS = ["Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety"];

/** The amount that the words say, in paise. */
function readBack(words: string): bigint {
  const match = /^(?:Rupees (.+?))?(?: and )?(?:(\S+) Pais[ae])? Only$/.exec(words)!;
  return readNumber(match[1] ?? "Zero") * 100n + readNumber(match[2] ?? "Zero");
}

function readNumber(words: string): bigint {
  for (const [name, value] of [
    [" Crore", 10_000_000n],
    [" Lakh", 100_000n],
    [" Thousand", 1000n],
    [" Hundred", 100n],
  ] as const) {
    const at = words.lastIndexOf(name);
    if (at < 0) continue;
    const rest = words.slice(at + name.length).trim();
    return readNumber(words.slice(0, at)) * value + (rest === "" ? 0n : readNumber(rest));
  }
  return words.split("-").reduce((total, word) => {
    const tens = TENS.indexOf(word);
    return total + BigInt(tens >= 0 ? (tens + 2) * 10 : UNITS.indexOf(word));
  }, 0n);
}
