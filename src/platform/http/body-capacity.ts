import type { JsonSchema } from "./field.ts";
import type { JsonLimits } from "../json-scan.ts";

/** How much JSON a request may hold. */
export type BodyCapacity = Omit<JsonLimits, "depth">;

/** No body holds more: making so many values keeps others waiting. The largest batch has about half. */
export const MOST: BodyCapacity = { values: 250_000, unusualNumbers: 250_000 };
/** Members that a request does not have are ignored, so some may be there. */
const SPARE: BodyCapacity = { values: 1000, unusualNumbers: 100 };
const SPARE_FACTOR = 2;

const known = new WeakMap<object, BodyCapacity>();

/**
 * How many values, and how many numbers that a double would change, a body of this schema may hold: twice as many as its
 * fields take, and some more. A schema of another kind says nothing, and leaves all there is.
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

/** What the fields of a schema take at most. */
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
