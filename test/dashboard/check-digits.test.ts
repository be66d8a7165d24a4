// The check digits that the dashboard warns of. That the pages show it is tested in test/browser.
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasWrongAadhaarDigit, hasWrongCheckDigit } from "../../web/src/format/check-digits.ts";

test.each(["27AAPFU0939F1ZV", "29AAGCB7383J1Z4", " 27aapfu0939f1zv "])("the GSTIN %s fits", (gstin) => {
  expect(hasWrongCheckDigit(gstin)).toBe(false);
});

test.each(["27AAPFU0939F1ZW", "33BRSPP2039T1ZU"])("the GSTIN %s does not", (gstin) => {
  expect(hasWrongCheckDigit(gstin)).toBe(true);
});

// Numbers that the authority publishes for tests.
test.each(["999941057058", "999971658847", "234123412346"])(
  "%s fits, and with another last digit it does not",
  (number) => {
    const fitting = Array.from("0123456789").filter((last) => !hasWrongAadhaarDigit(number.slice(0, 11) + last));
    expect(fitting).toEqual([number.at(-1)]);
  },
);

test("what has not the form of an Aadhaar number is no matter of its check digit", () => {
  for (const text of ["", "2363", "XXXX XXXX 1234", "00000000236a"]) expect(hasWrongAadhaarDigit(text)).toBe(false);
});

test("one wrong digit, and two neighbours that changed places, never fit", () => {
  const right = fc.stringMatching(/^[0-9]{11}$/).map((digits) => {
    const last = Array.from("0123456789").find((digit) => !hasWrongAadhaarDigit(digits + digit))!;
    return digits + last;
  });
  fc.assert(
    fc.property(right, fc.nat(11), fc.integer({ min: 1, max: 9 }), (number, place, change) => {
      const digit = (Number(number[place]) + change) % 10;
      expect(hasWrongAadhaarDigit(`${number.slice(0, place)}${digit}${number.slice(place + 1)}`)).toBe(true);
      const [one, next] = [number[place]!, number[place + 1] ?? number[place]!];
      const swapped = number.slice(0, place) + next + one + number.slice(place + 2);
      if (one !== next) expect(hasWrongAadhaarDigit(swapped)).toBe(true);
    }),
  );
});
