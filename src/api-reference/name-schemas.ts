// Names the objects in requests and responses of the OpenAPI document, so that generated clients have readable types, and one type for equal objects.

/** A part of the document: untyped JSON. */
export type Json = { [name: string]: unknown };

type Naming = {
  /** Names that replace those derived from places. */
  readonly names: Readonly<Record<string, string>>;
  /** The meaning of a named schema's member; `undefined` if none is given. */
  readonly meaningOf: (schema: string, member: string) => string | undefined;
};

/** Collects the named schemas of a document. */
export class NamedSchemas {
  readonly #schemas: Json;
  readonly #naming: Naming;
  readonly #nameOf = new Map<string, string>();

  /** `schemas` has the schemas named so far; new ones are added to it. */
  constructor(schemas: Json, naming: Naming) {
    this.#schemas = schemas;
    this.#naming = naming;
  }

  /**
   * Replaces each object in the schema, and the schema itself, with a reference. `place` names an object that has no better
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

  /** Gives each member without a description its meaning. */
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
      // Usually one of them is an object, and the others are null or single values.
      const objects = choices.filter((choice) => isObject(choice as Json));
      result["anyOf"] = choices.map((choice) => {
        const number = objects.length > 1 && isObject(choice as Json) ? objects.indexOf(choice) + 1 : "";
        return this.hoist(choice as Json, `${place}${number}`);
      });
    }
    return result;
  }

  /** The description stays with the member: the same object elsewhere has another meaning. */
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
