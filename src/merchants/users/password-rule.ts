// Rules for passwords that people choose, and generated initial ones. platform/password.ts hashes passwords.
import { randomBytes } from "node:crypto";
import type { FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { rawText, type Field } from "../../platform/http/fields.ts";
import { toBase32 } from "./totp.ts";

const MIN_LENGTH = 10;
const MAX_LENGTH = 200;
const MADE_BYTES = 10;

/** The beginnings of the commonest passwords of ten or more characters, and of longer ones made from them. */
const COMMON =
  /^(?:password|passw0rd|p@ssw0rd|qwerty|asdfgh|zxcvbn|1q2w3e|1qaz2wsx|letmein|iloveyou|welcome|admin|football|sunshine|princess|changeme|nodal)[0-9!@#$%&*._-]*(?:password|passw0rd|uiop|jkl|nm|4r5t6y7u8i9o0p|4r5t6y|3edc|admin)?[0-9!@#$%&*._-]*$/i;
const DIGITS_IN_ORDER = "01234567890123456789 98765432109876543210";

/** The field of a newly chosen password. */
export function chosenPassword(): Field<string> {
  return rawText(MAX_LENGTH, MIN_LENGTH);
}

/** The field of a password that is only compared. */
export function givenPassword(): Field<string> {
  return rawText(MAX_LENGTH);
}

/** Adds an error if a password is too easy to guess for the owner of this address. */
export function checkChosenPassword(password: string, email: string, path: string, errors: FieldError[]): void {
  const folded = password.normalize().toLowerCase();
  const [local = ""] = email.toLowerCase().split("@");
  const isOwn = folded.includes(email.toLowerCase()) || folded.replace(/[0-9\W_]+$/, "") === local;
  const isMonotonous = new Set(folded).size < 4;
  if (isOwn) fail(errors, path, "not_allowed", "must not contain the e-mail address: choose another one.");
  else if (isMonotonous || COMMON.test(folded) || DIGITS_IN_ORDER.includes(folded)) {
    fail(errors, path, "not_allowed", "is too easy to guess: choose another one.");
  }
}

/** A password that is shown once: 80 bits, in groups that can be read out. */
export function makePassword(): string {
  return toBase32(randomBytes(MADE_BYTES)).toLowerCase().match(/.{4}/g)!.join("-");
}
