import type { JsonSchema } from "./field.ts";
import type { JsonLimits } from "../json-scan.ts";

/** JSON limits of a request. */
export type BodyCapacity = Omit<JsonLimits, "depth">;

/** The limit of any body, since parsing many values blocks other requests. The largest batch has about half. */
export const MOST: BodyCapacity = { values: 250_000, unusualNumbers: 250_000 };
/** Unknown members are ignored, so some are allowed. */
const SPARE: BodyCapacity = { values: 1000, unusualNumbers: 100 };
const SPARE_FACTOR = 2;

const known = new WeakMap<object, BodyCapacity>();

/**
 * How many values, and numbers that a double would change, a body of this schema may have: twice as many as its fields
 * take, and some more. Other kinds of schemas get the maximum.
 */
export function capacityOf(schema: unknown): BodyCapacity {
  if (typeof schema !== "object" || schema === null || !("type" in schema)) return MOST;
  const found = known.get(schema);
  if (found) return found;
  const { values, unusualNumbers } = sizeOf(schema);
  const capacity = {
    values: Math.min(MOST.values, SPARE.values + SPARE_FACTOR * values),
    unusualNumbers: Math.min(MOST.unusualNumbers, SPARE.unusualNumbers + SPARE_FACTOR * unusualNumbers),
  };
  known.set(schema, capacity);
  return capacity;
}

/** The most that the fields of a schema take. */
function sizeOf(schema: JsonSchema): BodyCapacity {
  const types = [schema["type"]].flat();
  const isNumber = types.includes("number") || types.includes("integer");
  const members = Object.values((schema["properties"] ?? {}) as Record<string, JsonSchema>).map(sizeOf);
  const items = Number(schema["maxItems"] ?? 0);
  const item = items > 0 ? sizeOf(schema["items"] as JsonSchema) : { values: 0, unusualNumbers: 0 };
  return {
    values: members.reduce((sum, { values }) => sum + values, 1) + items * item.values,
    unusualNumbers:
      members.reduce((sum, { unusualNumbers }) => sum + unusualNumbers, isNumber ? 1 : 0) + items * item.unusualNumbers,
  };
}
