// The OpenAPI document, flattened to what the reference shows: requests with their fields and answers.

type Schema = {
  /** Names a schema of `components`. */
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly maxLength?: number;
  /** Nodal's own: what the value must be, as errors say it. */
  readonly "x-error"?: string;
};
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly description?: string;
};
type Operation = {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
};
export type OpenApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
};

export type ReferenceField = {
  /** `invoice[].customer_code`. */
  readonly name: string;
  readonly kind: string;
  readonly isRequired: boolean;
  readonly meaning: string;
};

export type ReferenceRequest = {
  readonly key: string;
  /** The key as an element may be called. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly fields: readonly ReferenceField[];
  readonly answers: readonly { readonly status: string; readonly description: string }[];
  readonly curl: string;
};

const MAX_LEVELS = 4;

/** Every request of the document, in its order. */
export function requestsOf(document: OpenApiDocument, origin: string): ReferenceRequest[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      describe(path, method.toUpperCase(), resolved(operation, document), origin),
    ),
  );
}

type Resolved = Omit<Operation, "parameters"> & { readonly parameters?: readonly Parameter[] };

/** A part of the document with what it refers to in place. What it says beside a reference wins. */
function resolved(operation: Operation, document: OpenApiDocument): Resolved {
  const { schemas = {}, parameters = {} } = document.components ?? {};
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
    const { $ref: reference, ...rest } = members;
    if (typeof reference !== "string") return members;
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    const target = resolve(reference.includes("/parameters/") ? parameters[name] : schemas[name]);
    return { ...(target as object | undefined), ...rest };
  };
  const { requestBody, parameters: own } = operation;
  return { ...operation, ...(resolve({ requestBody, parameters: own }) as object) } as Resolved;
}

function describe(path: string, method: string, operation: Resolved, origin: string): ReferenceRequest {
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  const parameters = (operation.parameters ?? []).map(({ name, required = false, schema = {}, description }) => ({
    name,
    kind: kindOf(schema),
    isRequired: required,
    meaning: description ?? meaningOf(schema),
  }));
  return {
    key: `${method} ${path}`,
    id: `${method}${path}`.replaceAll(/[^A-Za-z0-9]+/g, "-"),
    method,
    path,
    summary: operation.summary ?? "",
    tag: operation.tags?.[0] ?? "",
    fields: [...parameters, ...(body ? fieldsOf(body, "", 0) : [])],
    answers: Object.entries(operation.responses ?? {}).map(([status, { description = "" }]) => ({
      status,
      description,
    })),
    curl: curlOf(path, method, body, origin),
  };
}

function fieldsOf(schema: Schema, prefix: string, level: number): ReferenceField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const isList = member.items !== undefined;
    const path = `${prefix}${name}${isList ? "[]" : ""}`;
    const own = {
      name: path,
      kind: kindOf(member),
      isRequired: schema.required?.includes(name) ?? false,
      meaning: meaningOf(member),
    };
    const within = member.items ?? member;
    return level < MAX_LEVELS ? [own, ...fieldsOf(within, `${path}.`, level + 1)] : [own];
  });
}

function kindOf({ type, enum: words }: Schema): string {
  if (words) return words.map(String).join(" | ");
  return typeof type === "string" ? type : (type ?? []).join(" | ");
}

/** What it is for, and what may be sent. */
const meaningOf = (schema: Schema): string =>
  [schema.description, schema["x-error"]].filter((text) => text !== undefined).join(" ");

/** Keys in the body say who calls; where there are none, a bearer token does. */
function curlOf(path: string, method: string, body: Schema | undefined, origin: string): string {
  const hasKeys = body?.properties?.["access_key_id"] !== undefined;
  const lines = [`curl -X ${method} '${origin}${path}'`];
  if (!hasKeys && path.startsWith("/api/")) lines.push(`  -H "authorization: Bearer $TOKEN"`);
  if (body) {
    const sample = JSON.stringify(sampleOf(body, 0));
    lines.push(`  -H 'content-type: application/json'`, `  -d '${sample.replaceAll("'", String.raw`'\''`)}'`);
  }
  return lines.join(" \\\n");
}

/** What must be sent, each member with a value of its type: to be filled in. */
function sampleOf(schema: Schema, level: number): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.items) return level < MAX_LEVELS ? [sampleOf(schema.items, level + 1)] : [];
  if (schema.properties) {
    const needed = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name));
    return Object.fromEntries(needed.map(([name, member]) => [name, sampleOf(member, level + 1)]));
  }
  const types = [schema.type ?? "string"].flat();
  return types.includes("string") ? "" : types.includes("boolean") ? false : 0;
}
