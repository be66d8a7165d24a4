// The check digits of a GSTIN and of an Aadhaar number: a warning for people who type one, never a reason to refuse it.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const FORM = /^[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][1-9A-Z][A-Z][0-9A-Z]$/;

/** Whether a text has the form of a GSTIN, but not its check digit. */
export function hasWrongCheckDigit(text: string): boolean {
  const gstin = text.trim().toUpperCase();
  if (!FORM.test(gstin)) return false;
  let sum = 0;
  for (const [place, character] of Array.from(gstin.slice(0, -1)).entries()) {
    const product = DIGITS.indexOf(character) * (place % 2 === 0 ? 1 : 2);
    sum += Math.floor(product / DIGITS.length) + (product % DIGITS.length);
  }
  const expected = DIGITS[(DIGITS.length - (sum % DIGITS.length)) % DIGITS.length];
  return gstin.at(-1) !== expected;
}

/**
 * Verhoeff's multiplication table: each digit is a symmetry of a pentagon, and an entry is the composition of two of them.
 */
function follow(first: number, second: number): number {
  const turn = first < 5 ? first + (second % 5) : first - (second % 5) + 5;
  return (turn % 5) + (first < 5 === second < 5 ? 0 : 5);
}

/** Verhoeff's permutation, applied once more at each position. */
const MOVED = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/** Whether a text has the form of an Aadhaar number, but not its check digit. */
export function hasWrongAadhaarDigit(text: string): boolean {
  const number = text.trim();
  if (!/^[0-9]{12}$/.test(number)) return false;
  let sum = 0;
  for (const [place, character] of Array.from(number).toReversed().entries()) {
    let digit = Number(character);
    for (let move = 0; move < place % 8; move += 1) digit = MOVED[digit]!;
    sum = follow(sum, digit);
  }
  return sum !== 0;
}
