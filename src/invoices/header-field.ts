// Header fields: what a value may be, of templates and of invoices alike, and what a template makes of an invoice's.
// docs/rules/invoicing.md#header-fields. The rest of a header field differs between the two.
import type { FieldError } from "../platform/errors.ts";
import { fail, type Field } from "../platform/http/field.ts";
import { text } from "../platform/http/fields.ts";
import type { CustomField, InvoiceInput } from "./invoice.ts";
import { namesInvoiceNumber } from "./numbers/number-series.ts";
import type { HeaderField } from "./templates/template.ts";

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

/**
 * A header field as it was sent, with the name and the type that the template gives to its id. One that has no id is known
 * by its name; one that the template does not know stays as it is.
 */
export function knownHeaderField(template: readonly HeaderField[], sent: CustomField): CustomField {
  const known = template.find(({ id, name }) => (sent.id === "" ? isSameName(name, sent.name) : id === sent.id));
  return known ? { ...known, value: sent.value } : sent;
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * The header fields of an invoice. A new one (`standing` is `null`) has those that were sent, in their order, and then the
 * template's others with their defaults. Of one that is changed they are replaced by those that were sent, if any were.
 */
export function headerFieldsOf(
  template: readonly HeaderField[],
  { headerFields: sent, takesSeriesNumber }: Pick<InvoiceInput, "headerFields" | "takesSeriesNumber">,
  standing: readonly CustomField[] | null,
): readonly CustomField[] {
  if (sent === null && standing !== null) return standing;
  const named = (sent ?? []).map((field) => knownHeaderField(template, field));
  const isSent = ({ id }: HeaderField): boolean => named.some((field) => field.id === id);
  const fields = standing === null ? [...named, ...template.filter((field) => !isSent(field))] : named;
  return takesSeriesNumber ? withoutOwnNumber(fields) : fields;
}

/** Header fields of an invoice without a number of the merchant's own, so that another invoice may have the others. */
export function withoutOwnNumber(fields: readonly CustomField[]): readonly CustomField[] {
  return fields.map((field) => (namesInvoiceNumber(field.name) ? { ...field, value: "" } : field));
}
