// The GSTIN of a customer, which is one of its custom fields: docs/rules/customers.md#gstin.
// What belongs here: which one it is, and putting it there. What a GSTIN looks like is platform/http/fields.ts.
import type { CustomColumn } from "./custom-column.ts";
import type { CustomField } from "./customer.ts";

const TYPE = "gst";

function holds({ type, value }: CustomField): boolean {
  return type === TYPE && value !== "";
}

/** A customer's GSTIN; "" where it has none. */
export function gstinOf(fields: readonly CustomField[]): string {
  return fields.find(holds)?.value ?? "";
}

/** In which field a customer's GSTIN is, or would be, without its value. */
export function gstinField(
  fields: readonly CustomField[],
  columns: Iterable<CustomColumn>,
): Omit<CustomField, "value"> {
  const held = fields.find(holds);
  if (held) return { id: held.id, name: held.name, type: TYPE };
  const column = [...columns].find(({ type }) => type === TYPE);
  return column
    ? { id: String(column.columnId), name: column.name, type: TYPE }
    : { id: "gstin", name: "GSTIN", type: TYPE };
}

/** Custom fields with a GSTIN in its field, or, where it is "", without that field. */
export function withGstin<Field extends { readonly id: string }>(
  fields: readonly Field[],
  field: Omit<CustomField, "value">,
  gstin: string,
): (Field | CustomField)[] {
  const others = fields.filter(({ id }) => id !== field.id);
  return gstin === "" ? others : [{ ...field, value: gstin }, ...others];
}
