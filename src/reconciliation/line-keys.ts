// The references of a statement line, in the form in which they are compared. match-lines.ts finds what they belong to.

/** Shorter ones are ambiguous: an amount or a branch may be equal. */
const MIN_KEY = 6;
const MAX_KEY = 40;
/** The most references of one line. */
const MAX_KEYS = 16;
/** A payment's id at a provider, as this installation generates them. */
const PAYMENT_ID = /n[0-9a-z]{6}_[0-9a-z]{1,3}_[0-9a-z]{1,11}_[0-9a-z]{1,11}/gi;
/** UPI handles and mobile numbers identify people, and are never references. Banks put dashes before and after handles. */
const HANDLE = /[\w.]{1,100}@[A-Za-z][A-Za-z0-9]{1,30}/g;
/** A merchant's own reference with dashes, such as `ORDER-1000123`: each part but the first has digits. */
const DASHED = /^[A-Za-z0-9]{1,20}(?:[-_.][A-Za-z]{0,4}\d[A-Za-z0-9]{0,20}){1,4}$/;
const MASK = /X{2,}\d/i;
const MOBILE = /^[6-9]\d{9}$/;
const CHARGE = /\b(fees?|charges?|chgs?|gst|commission|service tax)\b/i;

/**
 * The form in which references are compared: capitals and digits, without the zeros that banks put before them (`0000632500000042`,
 * `632500000042`). `null` if it is too short to be distinctive.
 */
export function keyOf(reference: string | null): string | null {
  const key = plainKey(reference ?? "");
  return key.length >= MIN_KEY && key.length <= MAX_KEY ? key : null;
}

/** Capitals and digits of a text, without zeros before them. */
export function plainKey(text: string): string {
  return text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "")
    .replace(/^0+/, "");
}

/** The references of a line: that of its column first, then those in its narration. */
export function keysOfLine(reference: string | null, narration: string): string[] {
  const said = `${reference ?? ""} ${narration.replaceAll(HANDLE, " ")}`;
  const dashed = said.split(/[\s/|*,;:]+/).filter((word) => DASHED.test(word) && !MASK.test(word));
  const words = [...said.split(/[^A-Za-z0-9]+/), ...dashed];
  const named = words.filter((word) => /\d/.test(word) && !MOBILE.test(word) && !/^X+\d{1,6}$/i.test(word));
  const keys = [keyOf(reference), ...named.map(keyOf)].filter((key) => key !== null);
  return [...new Set(keys)].slice(0, MAX_KEYS);
}

/** The possible provider ids of payments in a line. */
export function paymentIdsIn(reference: string | null, narration: string): string[] {
  return [...`${reference ?? ""} ${narration}`.matchAll(PAYMENT_ID)].map(([id]) => id.toLowerCase());
}

/** Whether a line says that it is a fee or the tax on one. */
export function isCharge(narration: string): boolean {
  return CHARGE.test(narration);
}

/** Whether a line has the id of another merchant's payment, and was therefore imported without references. */
export function isOfAnotherMerchant(line: {
  readonly keys: string;
  readonly reference: string | null;
  readonly narration: string | null;
}): boolean {
  return line.keys === "" && paymentIdsIn(line.reference, line.narration ?? "").length > 0;
}
