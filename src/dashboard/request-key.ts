// The key that a form sends with what it saves, so that a second press, or a retry after a lost answer, saves nothing twice.
// What belongs here: the field, and reading it as the Idempotency-Key that it is.
import { readIdempotencyKey, type IdempotencyKey } from "../merchants/index.ts";
import { text } from "../platform/http/fields.ts";

/** Made once for each form that is opened. */
export const requestKey = () =>
  text({ hint: "a key of 8 to 100 letters, digits and -", maxLength: 100, pattern: /^[A-Za-z0-9-]{8,100}$/ });

/** The key with what was asked under it: the same key with another request is refused. `deed` says what is asked for. */
export function keyOf(
  deed: string,
  { request_key: key, ...asked }: { readonly request_key: string } & Readonly<Record<string, unknown>>,
): IdempotencyKey {
  return readIdempotencyKey(key, `dashboard ${deed}`, asked)!;
}
