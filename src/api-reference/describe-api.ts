// The OpenAPI document for integrators: Fastify's document of the routes' schemas, plus names, meanings, examples, headers and webhooks. The texts
// and names are in the files
// beside this one.
import examples from "./examples.json" with { type: "json" };
import { V4_BASE, V4_ERROR, V4Operations, v4Responses } from "./describe-v4.ts";
import { GUIDE, SECURITY_SCHEMES, TAGS } from "./guide.ts";
import { answerHeaders, HEADERS, IDEMPOTENCY_KEY } from "./headers.ts";
import { meaningOf } from "./meanings.ts";
import { isJson, NamedSchemas, pascal, refTo, type Json } from "./name-schemas.ts";
import { OPERATION_IDS, SCHEMA_NAMES } from "./operations.ts";
import { describeWebhooks } from "./webhooks.ts";

type Example = { readonly request?: unknown; readonly response?: unknown };

const EXAMPLES: Readonly<Record<string, Example>> = examples;
/** docs/rules/values-and-errors.md#refusals */
const ANY_OTHER_REFUSAL =
  "Any other error: `not_found` (404) for an unknown path, `method_not_allowed` (405) with the header Allow " +
  "for another method, `headers_too_large` (431).";

/** Adds the descriptions to the document that was generated from the routes. The input is not changed. */
export function describeApi(made: object): object {
  // A copy: the generated document shares objects between places, and contains more than JSON.
  const document = JSON.parse(JSON.stringify(made)) as Json;
  const components = document["components"] as Json;
  const schemas = components["schemas"] as Json;
  const named = new NamedSchemas(schemas, { names: SCHEMA_NAMES, meaningOf });
  for (const name of ["Error", "EnvelopeError"]) {
    if (isJson(schemas[name])) schemas[name] = describeErrors(named, schemas[name], name);
  }
  schemas["V4Error"] = V4_ERROR;
  const v4 = new V4Operations(schemas, EXAMPLES);
  const paths = document["paths"] as Record<string, Record<string, Json>>;
  const described = Object.entries(paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      if (path.startsWith(`${V4_BASE}/`)) return [method, v4.describe(method.toUpperCase(), path, operation)];
      const route = `${method.toUpperCase()} ${path}`;
      return [method, describeOperation(named, route, operation)];
    });
    return [path, Object.fromEntries(operations)];
  });
  const info = {
    ...(document["info"] as Json),
    summary: (document["info"] as Json)["description"],
    description: GUIDE,
  };
  return {
    ...document,
    info,
    tags: TAGS,
    paths: Object.fromEntries(described) as Json,
    webhooks: describeWebhooks(named, schemas, EXAMPLES),
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      responses: v4Responses(),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** Describes an error's members, and names the objects in its lists. */
function describeErrors(named: NamedSchemas, schema: Json, name: string): Json {
  const { properties, ...rest } = schema;
  const hoisted = Object.entries(properties as Json).map(([member, value]) => [
    member,
    named.hoist(value as Json, name === "Error" ? "FieldError" : "EnvelopeFieldError"),
  ]);
  return named.describe({ ...rest, properties: Object.fromEntries(hoisted) }, name);
}

function describeOperation(named: NamedSchemas, route: string, operation: Json): Json {
  const operationId = OPERATION_IDS[route] ?? route.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
  const { request, response } = EXAMPLES[route] ?? {};
  const responses = operation["responses"] as Record<string, Json>;
  const takesKey = /`idempotency_conflict`/.test(String(responses["409"]?.["description"]));
  const security = (operation["security"] ?? []) as object[];
  const takesToken = security.some((scheme) => "bearerAuth" in scheme);
  const answers = Object.entries(responses).map(([status, answer]) => {
    const headers = answerHeaders(status, { takesKey, takesToken });
    const described = status.startsWith("2")
      ? describeContent(named, answer, `${pascal(operationId)}Answer`, response)
      : describeContent(named, answer, `${pascal(operationId)}Refusal`);
    const description = status === "200" ? "Done." : answer["description"];
    return [status, { ...described, description, headers }];
  });
  const isEnvelope = JSON.stringify(responses["400"] ?? {}).includes("EnvelopeError");
  const error = refTo(isEnvelope ? "EnvelopeError" : "Error");
  const other = { description: ANY_OTHER_REFUSAL, content: { "application/json": { schema: error } } };
  const parameters = describeParameters(operation, request);
  if (takesKey) parameters.push({ $ref: "#/components/parameters/IdempotencyKey" });
  const body = operation["requestBody"] as Json | undefined;
  return {
    operationId,
    ...operation,
    security,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: describeContent(named, body, `${pascal(operationId)}Request`, request) } : {}),
    responses: { ...Object.fromEntries(answers), default: other },
  };
}

/** Names the schema of a body or a response, and adds an example. */
function describeContent(named: NamedSchemas, body: Json, name: string, example?: unknown): Json {
  const content = Object.entries((body["content"] ?? {}) as Record<string, Json>).map(([type, media]) => [
    type,
    { schema: named.hoist(media["schema"] as Json, name), ...(example === undefined ? {} : { example }) },
  ]);
  return { ...body, content: Object.fromEntries(content) };
}

function describeParameters(operation: Json, example: unknown): Json[] {
  return ((operation["parameters"] ?? []) as Json[]).map((parameter) => {
    const name = String(parameter["name"]);
    const description = parameter["description"] ?? meaningOf("Parameters", name);
    const value = isJson(example) ? example[name] : undefined;
    return { ...parameter, description, ...(value === undefined ? {} : { example: value }) };
  });
}
