// Sound values from a JSON Schema, as arbitraries: what a client would send that has read the OpenAPI document.
import fc, { type Arbitrary } from "fast-check";
import { date, email } from "../../src/platform/http/fields.ts";

export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

/** Values that exist in the installation or make sense there, by the name of the member that takes them. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/** How much likelier a known value is than one that the schema alone makes. */
const KNOWN_WEIGHT = 6;
/** How much likelier a list or an object is than the empty text or null that may stand for it. */
const STRUCTURE_WEIGHT = 4;
const MAX_ITEMS = 3;
const LONGEST_TEXT = 40;
/** Simpler than what the schema takes: its pattern has classes that strings can't be made from. */
const EMAIL = /^[a-z0-9.+_]{1,20}@[a-z0-9]{1,12}\.(?:com|in|co\.in)$/;
/** Simpler values than these patterns take: not each of those is one. */
const FORM_OF_EMAIL = patternOf(email());
const FORM_OF_DATE = patternOf(date());
const FORM_OF_AMOUNT = /^[0-9]+(?:\.[0-9]+)?$/;

/** Values that fit the schema. `name` is that of the member that has it. */
export function soundValues(schema: JsonSchema, known: KnownValues, name = ""): Arbitrary<unknown> {
  const values = known[name] ?? [];
  const made = valuesOfTypes(schema, known);
  if (values.length === 0) return made;
  return fc.oneof({ arbitrary: fc.constantFrom(...values), weight: KNOWN_WEIGHT }, { arbitrary: made, weight: 1 });
}

function valuesOfTypes(schema: JsonSchema, known: KnownValues): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? "object"].flat();
  const weightOf = (type: string): number => (type === "array" || type === "object" ? STRUCTURE_WEIGHT : 1);
  return fc.oneof(...types.map((type) => ({ arbitrary: valuesOfType(type, schema, known), weight: weightOf(type) })));
}

function valuesOfType(type: string, schema: JsonSchema, known: KnownValues): Arbitrary<unknown> {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "object":
      return objects(schema, known);
    case "array": {
      const maxLength = Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS));
      return fc.array(soundValues(schema.items ?? {}, known), { minLength: schema.minItems ?? 0, maxLength });
    }
    case "integer":
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 1000) });
    case "number":
      // The text of a number is what the pattern is about; where a number can't have it, the text stands for itself.
      return texts(schema).map((text) =>
        FORM_OF_AMOUNT.test(text) && String(Number(text)) === text ? Number(text) : text,
      );
    default:
      // A list or an object may also be sent as an empty text.
      return schema.items || schema.properties ? fc.constant("") : texts(schema);
  }
}

function objects({ properties = {}, required = [] }: JsonSchema, known: KnownValues): Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => [name, soundValues(schema, known, name)] as const);
  const all = Object.fromEntries(members);
  const some = fc.record(all, { requiredKeys: [...required], noNullPrototype: true });
  return fc.oneof({ arbitrary: some, weight: 1 }, { arbitrary: fc.record(all, { noNullPrototype: true }), weight: 1 });
}

function texts({ pattern, minLength = 0, maxLength = LONGEST_TEXT, minimum, maximum }: JsonSchema): Arbitrary<string> {
  if (pattern?.endsWith(FORM_OF_EMAIL)) return fc.stringMatching(EMAIL);
  if (pattern?.endsWith(FORM_OF_DATE))
    return fc.date({ min: new Date("2000-01-01"), max: new Date("2199-12-31"), noInvalidDate: true }).map(dayOf);
  if (maximum !== undefined) return fc.integer({ min: minimum ?? 0, max: maximum }).map(String);
  if (pattern) return fc.stringMatching(new RegExp(pattern.replace(/^\^\$\|/, "")), { maxLength });
  const words = fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, LONGEST_TEXT) });
  // Blank text counts as none.
  return words.map((text) => [...(text.trim() || "x")].slice(0, maxLength).join(""));
}

function patternOf(field: object): string {
  return (field as { readonly pattern: string }).pattern;
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
