// A reference of the merchant's for a payment that is made by hand: it is what keeps a second press from paying twice.
// What belongs here: making one.

/** Letters and digits that are not taken for one another. */
const ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const LENGTH = 8;

/** A new reference, such as `P-20261121-7K2MXQ4T`: the merchant's day, and a random part. */
export function newReference(today: string): string {
  const random = crypto.getRandomValues(new Uint8Array(LENGTH));
  const text = [...random].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return `P-${today.replaceAll("-", "")}-${text}`;
}
