// The check digit of a GSTIN: a warning for whoever types one, never a reason to refuse it.
// What belongs here: arithmetic on its 15 characters.

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
