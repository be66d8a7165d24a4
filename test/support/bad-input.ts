// Requests that a route must refuse, generated from its schemas in the OpenAPI document: each with the fields that the answer must
// name.

import type { Operation, Parameter, Schema } from "./v4-document.ts";

export type BadRequest = {
  readonly what: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly params?: Readonly<Record<string, string>>;
  readonly fields: readonly string[];
};

/** Most bodies are limited to 64 KiB, and the size is checked before the fields. */
const LONGEST = 5000;
const UNKNOWN = "no_such_parameter";

/** Wrong types, texts that are too long, missing members and parameters, and an unknown parameter. */
export function badRequestsOf({ parameters = [], requestBody }: Operation): BadRequest[] {
  const body = requestBody?.content["application/json"]?.schema;
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const good = goodQuery(inQuery);
  const queries = inQuery.flatMap(({ name, schema, required }): BadRequest[] => [
    ...(isAnyText(schema) ? [] : [{ what: "of a wrong type", ...query({ ...good, [name]: wrongText(schema) }, name) }]),
    ...(isBounded(schema) ? [{ what: "too long", ...query({ ...good, [name]: tooLong(schema) }, name) }] : []),
    ...(required ? [{ what: "missing", ...query({ ...good, [name]: "" }, name) }] : []),
  ]);
  const params = parameters
    .filter((parameter) => parameter.in === "path" && isBounded(parameter.schema))
    .map(({ name, schema }): BadRequest => ({ what: "too long", params: { [name]: tooLong(schema) }, fields: [name] }));
  const unknown = { what: "unknown", ...query({ ...good, [UNKNOWN]: "1" }, UNKNOWN) };
  return [
    // The body is checked first.
    ...(((body?.["required"] ?? []) as string[]).length === 0 ? [{ ...unknown, ...(body ? { body: {} } : {}) }] : []),
    ...queries,
    ...params,
    ...(body ? badBodiesOf(body) : []),
  ];
}

function badBodiesOf(schema: Schema): BadRequest[] {
  const bodies = [
    { what: "of a wrong type", ...spoilt(schema, (each) => wrongValue(each)) },
    { what: "too long", ...spoilt(schema, (each) => (isBounded(each) ? tooLong(each) : undefined)) },
    { what: "missing", ...spoilt(schema, () => undefined, true) },
  ];
  return bodies.filter(({ fields }) => fields.length > 0);
}

/**
 * A body whose members are all changed by `spoil`, and their paths, including nested members; with `isMissing`, required members
 * are left out instead.
 */
function spoilt(
  schema: Schema,
  spoil: (schema: Schema) => unknown,
  isMissing = false,
): { readonly body: Record<string, unknown>; readonly fields: readonly string[] } {
  const body: Record<string, unknown> = {};
  const fields: string[] = [];
  const required = new Set((schema["required"] ?? []) as string[]);
  for (const [name, member] of Object.entries(membersOf(schema))) {
    const items = member["items"] as Schema | undefined;
    const inner = items ?? member;
    if (Object.keys(membersOf(inner)).length > 0) {
      const within = spoilt(inner, spoil, isMissing);
      if (within.fields.length === 0) continue;
      body[name] = items ? [within.body] : within.body;
      fields.push(...within.fields.map((path) => `${name}${items ? "[0]" : ""}.${path}`));
    } else if (isMissing) {
      if (required.has(name)) fields.push(name);
    } else {
      const value = spoil(member);
      if (value === undefined) continue;
      body[name] = value;
      fields.push(name);
    }
  }
  return { body, fields };
}

function membersOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
}

function typesOf(schema: Schema): readonly string[] {
  return [schema["type"] ?? []].flat() as string[];
}

/** A value of none of the types; `undefined` if every value has one of them. */
function wrongValue(schema: Schema): unknown {
  const types = typesOf(schema);
  if (types.length === 0) return undefined;
  return types.includes("object") || !types.includes("string") ? "text" : { not: "this" };
}

/** In a query everything is text. */
function isAnyText(schema: Schema): boolean {
  return typesOf(schema).includes("string") && !["enum", "pattern", "format"].some((keyword) => keyword in schema);
}

function wrongText(schema: Schema): string {
  return "?".repeat(Math.min(2, Number(schema["maxLength"] ?? 2)));
}

function isBounded(schema: Schema): boolean {
  return typesOf(schema).includes("string") && Number(schema["maxLength"] ?? Infinity) <= LONGEST;
}

function tooLong(schema: Schema): string {
  return "9".repeat(Number(schema["maxLength"]) + 1);
}

/** Values for the parameters that are required. */
function goodQuery(parameters: readonly Parameter[]): Readonly<Record<string, string>> {
  return Object.fromEntries(parameters.flatMap(({ name, required }) => (required ? [[name, "1"]] : [])));
}

function query(members: Readonly<Record<string, string>>, field: string): Pick<BadRequest, "query" | "fields"> {
  return { query: new URLSearchParams(members).toString(), fields: [field] };
}
