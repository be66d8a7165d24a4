// Values against the JSON schemas of answers, as scripts/answer-schemas.ts makes them. Unlike a validator, it finds what is wrong in the
// schema that fits best, and names the place.

type Schema = { readonly [keyword: string]: unknown };

/** The differences of a value from its schema, with their places: extra, missing or different members. */
export function findMismatches(schema: Schema, value: unknown, place = "answer"): string[] {
  if (schema["not"] !== undefined) return [`${place} is there`];
  const choices = schema["anyOf"] as readonly Schema[] | undefined;
  if (choices) {
    const found = choices.map((choice) => findMismatches(choice, value, place));
    return found.toSorted((a, b) => a.length - b.length)[0]!;
  }
  const words = schema["enum"] as readonly unknown[] | undefined;
  if (words) {
    const one = words.map((word) => JSON.stringify(word)).join(" or ");
    return words.includes(value) ? [] : [`${place} is ${JSON.stringify(value)}, not ${one}`];
  }
  switch (schema["type"]) {
    case undefined:
      return [];
    case "null":
      return value === null ? [] : [`${place} is not null`];
    case "array":
      if (!Array.isArray(value)) return [`${place} is no list`];
      return value.flatMap((item, index) => findMismatches(schema["items"] as Schema, item, `${place}[${index}]`));
    case "object":
      return findMemberMismatches(schema, value, place);
    default:
      return typeof value === schema["type"]
        ? []
        : [`${place} is ${JSON.stringify(value)}, not a ${String(schema["type"])}`];
  }
}

function findMemberMismatches(schema: Schema, value: unknown, place: string): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${place} is no object`];
  const members = schema["properties"] as Readonly<Record<string, Schema>>;
  const others = schema["additionalProperties"] as Schema | false;
  const required = (schema["required"] ?? []) as readonly string[];
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${place}.${name} is missing`);
  const present = Object.entries(value).flatMap(([name, member]) => {
    const of = Object.hasOwn(members, name) ? members[name]! : others;
    return of ? findMismatches(of, member, `${place}.${name}`) : [`${place}.${name} is not declared`];
  });
  return [...missing, ...present];
}
