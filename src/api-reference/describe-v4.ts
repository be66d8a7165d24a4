// The operations of /api/v4 in the OpenAPI document: names, tasks, scopes, answers and errors. Requests come from the routes' fields,
// answers from the types of their handlers (answers.json, which scripts/answer-schemas.ts writes).
import answers from "./answers.json" with { type: "json" };
import { NamedSchemas, refTo, type Json } from "./name-schemas.ts";
import { V4_SCHEMA_NAMES, operationIdOf, taskOf } from "./v4-operations.ts";
import { v4MeaningOf } from "./v4-meanings.ts";
import { answerHeaders } from "./headers.ts";

export const V4_BASE = "/api/v4";
const ANSWERS: Readonly<Record<string, Json>> = answers;
/** Uploaded files may have any media type: the file's reader detects the format. */
const FILE_TYPES = [
  "text/csv",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/octet-stream",
];

const text: Json = { type: "string" };
const WARNINGS = {
  type: "array",
  items: {
    type: "object",
    properties: { code: text, field: text, message: text },
    required: ["code", "field", "message"],
    additionalProperties: false,
  },
};

type Example = { readonly params?: unknown; readonly request?: unknown; readonly response?: unknown };

/** The errors of /api/v4 by status, with their names in `components.responses`. */
const REFUSALS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  400: {
    name: "V4Invalid",
    description: "`validation_failed`: the error names each wrong field. `malformed_json`: the body is no JSON.",
  },
  401: { name: "V4Unauthenticated", description: "The token or the key is missing, wrong or no longer valid." },
  403: {
    name: "V4Forbidden",
    description: "`access_denied`: the key lacks a scope, has expired, or may not be used from this address.",
  },
  404: {
    name: "V4NotFound",
    description: "The merchant has nothing with this id, or, with an operator's key, the path names no merchant.",
  },
  409: {
    name: "V4Conflict",
    description:
      "It exists already, was changed meanwhile, or `idempotency_conflict`: the key was used for another request.",
  },
  413: { name: "V4TooLarge", description: "`body_too_large`." },
  422: {
    name: "V4Unprocessable",
    description: "The request is sound, but can't be done as things are, such as a transfer above the balance.",
  },
  429: { name: "V4RateLimited", description: "`rate_limited`: wait for `Retry-After`." },
  503: {
    name: "V4Unavailable",
    description: "`unavailable`: repeat the request after `Retry-After`, under the same `Idempotency-Key`.",
  },
};
const OTHER = {
  name: "V4Other",
  description: "Any other error, such as `method_not_allowed` (405) or `internal_error` (500).",
};

/** The component responses of errors. */
export function v4Responses(): Json {
  const all = [...Object.entries(REFUSALS), ["default", OTHER] as const];
  const described = all.map(([status, { name, description }]) => {
    const content = { "application/json": { schema: refTo("V4Error") } };
    const headers =
      status === "default" ? {} : { headers: answerHeaders(status, { takesKey: false, takesToken: true }) };
    return [name, { description, ...headers, content }];
  });
  return Object.fromEntries(described) as Json;
}

/** The schema of each error. */
export const V4_ERROR: Json = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      description: "What went wrong.",
      required: ["code", "message", "fields", "docs"],
      properties: {
        code: { type: "string", description: "What went wrong, for programs." },
        message: { type: "string", description: "What went wrong and what to do, as text." },
        fields: {
          type: "array",
          description: "Every wrong field; empty if the error is about none.",
          items: {
            type: "object",
            required: ["path", "code", "message"],
            properties: {
              path: { type: "string", description: "Such as `amount` or `invoice.particular_rows[0].gst`." },
              code: { type: "string", description: "What is wrong with it, for programs." },
              message: { type: "string", description: "What is wrong with it and what to send, as text." },
            },
          },
        },
        docs: { type: "string", description: "The page about this error." },
      },
    },
  },
};

/** Describes the operations of a path behind /api/v4, by method. */
export class V4Operations {
  readonly #named: NamedSchemas;
  readonly #examples: Readonly<Record<string, Example>>;

  constructor(schemas: Json, examples: Readonly<Record<string, Example>>) {
    this.#named = new NamedSchemas(schemas, { names: V4_SCHEMA_NAMES, meaningOf: v4MeaningOf });
    this.#examples = examples;
  }

  describe(method: string, path: string, made: Json): Json {
    const {
      "x-takes-file": takesFile,
      "x-of-merchant": isOfMerchant,
      "x-personal": isPersonal,
      responses: _,
      ...operation
    } = made;
    const address = path.slice(V4_BASE.length);
    const route = `${method} ${address.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    const parameters = (operation["parameters"] ?? []) as Json[];
    const isPaged = parameters.some(({ name }) => name === "after");
    const operationId = operationIdOf(method, address, isPaged);
    const place = operationId
      .split(".")
      .map((name) => name[0]!.toUpperCase() + name.slice(1))
      .join("");
    const { params, request, response } = this.#examples[`${method} ${path}`] ?? {};
    const shown = parameters.map((parameter) => this.#describeParameter(parameter, params));
    if (method !== "GET") shown.push({ $ref: "#/components/parameters/IdempotencyKey" });
    const body = takesFile
      ? bodyOfFile()
      : this.#describeBody(operation["requestBody"] as Json | undefined, `${place}Request`, request);
    return {
      operationId,
      tags: [taskOf(address)],
      ...operation,
      description: [
        isPersonal
          ? "For people in the dashboard: no access key can call it."
          : describeScopes((operation["security"] ?? []) as Json[]),
        ...(isOfMerchant ? [`Operators name the merchant: \`${V4_BASE}/merchants/{merchant_id}${address}\`.`] : []),
      ].join(" "),
      ...(shown.length > 0 ? { parameters: shown } : {}),
      ...(body ? { requestBody: body } : {}),
      responses: {
        200: {
          description: "Done.",
          headers: answerHeaders("200", { takesKey: method !== "GET", takesToken: true }),
          content: this.#describeAnswer(withWarnings(method, ANSWERS[route]), { place, address, response }),
        },
        ...refusalsOf(method),
      },
    };
  }

  #describeAnswer(
    answer: Json | undefined,
    { place, address, response }: { readonly place: string; readonly address: string; readonly response: unknown },
  ): Json {
    if (!answer) return { [fileTypeOf(address)]: { schema: { type: "string", format: "binary" } } };
    const schema = this.#named.hoist(answer, `${place}Answer`);
    return { "application/json": { schema, ...(response === undefined ? {} : { example: response }) } };
  }

  #describeBody(body: Json | undefined, place: string, example: unknown): Json | null {
    if (!body) return null;
    const { "application/json": media } = body["content"] as Record<string, Json>;
    const schema = this.#named.hoist(media!["schema"] as Json, place);
    return { ...body, content: { "application/json": { schema, ...(example === undefined ? {} : { example }) } } };
  }

  #describeParameter(parameter: Json, example: unknown): Json {
    const name = String(parameter["name"]);
    const value = (example as Json | undefined)?.[name];
    return {
      ...parameter,
      description: parameter["description"] ?? v4MeaningOf("Parameters", name),
      ...(value === undefined ? {} : { example: value }),
    };
  }
}

/** Responses to changes may have warnings about unknown members: docs/api.md#warnings. */
function withWarnings(method: string, answer: Json | undefined): Json | undefined {
  if (method === "GET" || answer === undefined) return answer;
  const anyOf = answer["anyOf"] as readonly Json[] | undefined;
  if (anyOf) return { ...answer, anyOf: anyOf.map((each) => withWarnings(method, each)) };
  const properties = answer["properties"] as Json | undefined;
  if (!properties) return answer;
  const own = properties["warnings"] as { readonly items: { readonly properties: Json } } | undefined;
  // Lines of files, and members of the profile, have warnings of their own, without a code.
  const isOther = own !== undefined && !("code" in own.items.properties);
  const warnings = isOther ? { ...own, items: { anyOf: [own.items, WARNINGS.items] } } : WARNINGS;
  return { ...answer, properties: { ...properties, warnings } };
}

function describeScopes(security: readonly Json[]): string {
  const scopes = [...new Set(security.flatMap((each) => Object.values(each).flat() as string[]))].map(
    (scope) => `\`${scope}\``,
  );
  if (scopes.length === 0) return "Needs no scope.";
  return `Needs ${scopes.length === 1 ? "the scope" : "one of the scopes"} ${scopes.join(", ")}.`;
}

function refusalsOf(method: string): Json {
  const isWrite = method !== "GET";
  const has: Readonly<Record<string, boolean>> = {
    409: isWrite,
    413: isWrite,
    422: isWrite,
  };
  const statuses = Object.entries(REFUSALS).filter(([status]) => has[status] ?? true);
  const refer = (name: string): Json => ({ $ref: `#/components/responses/${name}` });
  return {
    ...Object.fromEntries(statuses.map(([status, { name }]) => [status, refer(name)])),
    default: refer(OTHER.name),
  };
}

function bodyOfFile(): Json {
  const content = FILE_TYPES.map((type) => [type, { schema: { type: "string", format: "binary" } }]);
  return { required: true, description: "The file.", content: Object.fromEntries(content) as Json };
}

function fileTypeOf(address: string): string {
  if (/\.csv$|\/sample$/.test(address)) return "text/csv";
  if (address.endsWith(".xml")) return "text/xml";
  if (address.endsWith(".xlsx")) return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  if (address.endsWith("pdf")) return "application/pdf";
  return address.endsWith(".zip") ? "application/zip" : "application/octet-stream";
}
