// The value of a header field, of templates and of invoices alike: only a field of type textarea has several lines.
// What belongs here: what such a value may be. The rest of a header field differs between the two.
import type { FieldError } from "../platform/errors.ts";
import { fail, type Field } from "../platform/http/field.ts";
import { text } from "../platform/http/fields.ts";

export const MAX_HEADER_FIELDS = 50;
const MAX_VALUE_LENGTH = 500;

/** A value before its field's type is looked at: text that may have line breaks, or a whole number as its digits. */
export function headerValue(): Field<string> {
  const hint = `text of 1 to ${MAX_VALUE_LENGTH} characters`;
  return text({ hint, maxLength: MAX_VALUE_LENGTH, takesNumber: true, takesLines: true });
}

/** Adds to `errors` that a field has several lines whose type has one. `path` is the field's. */
export function checkHeaderLines(
  { type, value }: { readonly type: string; readonly value: string },
  path: string,
  errors: FieldError[],
): void {
  if (type === "textarea" || !value.includes("\n")) return;
  const message = "must be one line of text, unless the field's type is textarea; remove its line breaks.";
  fail(errors, `${path}.value`, "invalid", message);
}
