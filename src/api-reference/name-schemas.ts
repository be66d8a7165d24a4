// Objects of requests and answers get names of their own in the OpenAPI document, so that generated clients have types
// that people can read, and one for what is the same.

/** A part of the document: JSON whose form only its reader knows. */
export type Json = { [name: string]: unknown };

type Naming = {
  /** Better names than those made of places. */
  readonly names: Readonly<Record<string, string>>;
  /** Says what the member of a named schema means; `undefined` where nobody has said it. */
  readonly meaningOf: (schema: string, member: string) => string | undefined;
};

/** The named schemas of a document, as they are found. */
export class NamedSchemas {
  readonly #schemas: Json;
  readonly #naming: Naming;
  readonly #nameOf = new Map<string, string>();

  /** `schemas` are those that have names already; further ones are added to it. */
  constructor(schemas: Json, naming: Naming) {
    this.#schemas = schemas;
    this.#naming = naming;
  }

  /**
   * The schema with a reference in the place of each object in it, itself too. `place` names an object that has no better
   * name. @throws Error where two objects would have one name
   */
  hoist(schema: Json, place: string): Json {
    if ("$ref" in schema) return schema;
    const inner = this.#hoistMembers(schema, place);
    if (!isObject(inner)) return inner;
    const text = JSON.stringify(inner);
    const known = this.#nameOf.get(text);
    if (known !== undefined) return refTo(known);
    const name = this.#naming.names[place] ?? place;
    if (name in this.#schemas) throw new Error(`two different schemas would be called ${name}: name one of them`);
    this.#nameOf.set(text, name);
    this.#schemas[name] = this.describe(inner, name);
    return refTo(name);
  }

  /** Gives each member that has no description of its own the one that there is. */
  describe(schema: Json, name: string): Json {
    const { properties } = schema;
    if (!isJson(properties)) return schema;
    const described = Object.entries(properties).map(([member, value]) => {
      const description = (value as Json)["description"] ?? this.#naming.meaningOf(name, member);
      return [member, description === undefined ? value : { ...(value as Json), description }];
    });
    return { ...schema, properties: Object.fromEntries(described) };
  }

  #hoistMembers(schema: Json, place: string): Json {
    const result = { ...schema };
    const { properties, items } = schema;
    if (isJson(properties)) {
      const hoisted = Object.entries(properties).map(([member, value]) => [
        member,
        this.#hoistKeepingDescription(value as Json, place + pascal(member)),
      ]);
      result["properties"] = Object.fromEntries(hoisted);
    }
    if (isJson(items)) result["items"] = this.hoist(items, `${place}Item`);
    const parts = schema["allOf"];
    if (Array.isArray(parts)) {
      result["allOf"] = parts.map((part, index) => this.hoist(part as Json, `${place}Part${index + 1}`));
    }
    const choices = schema["anyOf"];
    if (Array.isArray(choices)) {
      // Mostly one of them is an object: the others are null or single values.
      const objects = choices.filter((choice) => isObject(choice as Json));
      result["anyOf"] = choices.map((choice) => {
        const number = objects.length > 1 && isObject(choice as Json) ? objects.indexOf(choice) + 1 : "";
        return this.hoist(choice as Json, `${place}${number}`);
      });
    }
    return result;
  }

  /** What a member says of an object is about the member: the same object elsewhere has another meaning. */
  #hoistKeepingDescription(schema: Json, place: string): Json {
    if (!isObject(schema)) return this.hoist(schema, place);
    const { description, ...rest } = schema;
    const hoisted = this.hoist(rest, place);
    return description === undefined ? hoisted : { ...hoisted, description };
  }
}

/** `beneficiary_id` as a part of a name: `BeneficiaryId`. */
export function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([A-Za-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function refTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObject(schema: Json): boolean {
  return "properties" in schema || "allOf" in schema;
}
