// A collection of requests for Postman, Bruno and others that read its format (2.1), made from the OpenAPI document.
// What belongs here: a folder for each tag, a request for each operation with its example, variables for what is one's own.

type Media = { readonly example?: Readonly<Record<string, unknown>> };
type Parameter = {
  readonly name?: string;
  readonly in?: string;
  readonly example?: unknown;
  readonly description?: string;
};
type Operation = {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
};
export type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

/** Members of bodies that are one's own. */
const VARIABLES = { access_key_id: "{{access_key_id}}", secret_access_key: "{{secret_access_key}}" };
/** Keeps the token for the requests that need one. */
const KEEP_TOKEN = ["const { success } = pm.response.json();", 'pm.collectionVariables.set("token", success.token);'];

/** The collection of a document: set `base_url` and the keys, ask for a token, and go on. */
export function collectionOf({ info, tags, paths }: ApiDocument): object {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const folders = tags.map(({ name, description }) => ({
    name,
    description,
    item: operations.filter(({ operation }) => operation.tags?.[0] === name).map(toItem),
  }));
  return {
    info: {
      name: `${info.title} ${info.version}`,
      description: info.description,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    item: folders.filter(({ item }) => item.length > 0),
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    variable: [
      { key: "base_url", value: "http://127.0.0.1:8080" },
      ...Object.keys(VARIABLES).map((key) => ({ key, value: "" })),
      { key: "token", value: "" },
    ],
  };
}

function toItem({ path, method, operation }: { path: string; method: string; operation: Operation }): object {
  const { operationId, summary, security = [], parameters = [], requestBody } = operation;
  const example = requestBody?.content["application/json"]?.example;
  const segments = path
    .replaceAll(/\{(\w+)\}/g, ":$1")
    .split("/")
    .slice(1);
  const url = {
    raw: `{{base_url}}/${segments.join("/")}`,
    host: ["{{base_url}}"],
    path: segments,
    query: parametersIn("query", parameters).map((parameter) => ({ ...parameter, disabled: true })),
    variable: parametersIn("path", parameters),
  };
  const body = {
    mode: "raw",
    raw: JSON.stringify({ ...example, ...own(example) }, withoutLaterDays, 2),
    options: { raw: { language: "json" } },
  };
  const keepsToken = operationId === "createToken";
  return {
    name: summary ?? operationId,
    ...(keepsToken ? { event: [{ listen: "test", script: { type: "text/javascript", exec: KEEP_TOKEN } }] } : {}),
    request: {
      method,
      ...(security.length > 0 ? {} : { auth: { type: "noauth" } }),
      header: example ? [{ key: "Content-Type", value: "application/json" }] : [],
      ...(example ? { body } : {}),
      url,
    },
  };
}

/** The day of the example is past, and nothing can be asked for then: without it, it is done at once. */
function withoutLaterDays(name: string, value: unknown): unknown {
  return name === "scheduled_for" ? undefined : value;
}

function own(example: object = {}): object {
  return Object.fromEntries(Object.entries(VARIABLES).filter(([name]) => name in example));
}

function parametersIn(
  place: string,
  parameters: readonly Parameter[],
): { key: string; value: string; description: string }[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name = "", example = "", description = "" }) => ({ key: name, value: String(example), description }));
}
