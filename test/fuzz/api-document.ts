// The server's OpenAPI document: its routes, and whether an answer is one that it announces. Rules beyond it are in
// judge.ts.
import Schema from "typebox/schema";
import { dereferenced } from "../support/dereferenced.ts";
import type { Reply } from "./raw-http.ts";
import type { JsonSchema } from "./schema-values.ts";

type Validator = ReturnType<typeof Schema.Compile>;
type Media = { readonly schema: JsonSchema };
type Operation = {
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
};

export type Parameter = { readonly in: "path" | "query"; readonly name: string; readonly schema: JsonSchema };

/** A route as the document describes it. */
export type Route = {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly takesToken: boolean;
  readonly parameters: readonly Parameter[];
  /** `null` where it takes no body. */
  readonly body: JsonSchema | null;
  readonly contentTypes: readonly string[];
};

type Described = Route & { readonly matches: RegExp; readonly answers: ReadonlyMap<number, Validator> };

/** Paths that have no route of their own are answered in the form of the area they are in. */
const ENVELOPE_AREA = /^\/api\/v[0-9]+\/merchant(\/|$)/;

export class ApiDocument {
  readonly routes: readonly Route[];
  readonly #described: readonly Described[];
  readonly #error: Validator;
  readonly #envelopeError: Validator;

  /** `document` is without references. */
  constructor(document: Document) {
    const { components } = document;
    const compile = (schema: object): Validator => Schema.Compile({ ...schema, components });
    this.#error = compile({ $ref: "#/components/schemas/Error" });
    this.#envelopeError = compile({ $ref: "#/components/schemas/EnvelopeError" });
    this.#described = Object.entries(document.paths)
      .filter(([path]) => !path.startsWith("/api/v4/"))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => describe(path, method, operation, compile)),
      );
    this.routes = this.#described;
  }

  static async read(baseUrl: string): Promise<ApiDocument> {
    const answer = await fetch(`${baseUrl}/openapi.json`);
    return new ApiDocument(dereferenced((await answer.json()) as Document));
  }

  /** What of an answer the document does not announce, or `null`. `path` is decoded and without its query. */
  findFault(method: string, path: string, reply: Reply): string | null {
    const asked = method === "HEAD" ? "GET" : method;
    const route = this.#described.find((candidate) => candidate.method === asked && candidate.matches.test(path));
    if (route === undefined) return this.#findFaultOfNoRoute(path, reply);
    const validator = route.answers.get(reply.status);
    if (validator === undefined) return `status ${reply.status} is not documented for ${route.method} ${route.path}`;
    return method === "HEAD" ? null : misfit(validator, reply);
  }

  /** A refusal of the HTTP itself, which no route has seen. */
  findFaultOfProtocol(method: string, reply: Reply): string | null {
    if (![400, 408, 431].includes(reply.status)) return `status ${reply.status}`;
    return method === "HEAD" ? null : misfit(this.#error, reply);
  }

  #findFaultOfNoRoute(path: string, reply: Reply): string | null {
    if (![400, 404, 405].includes(reply.status)) return `status ${reply.status} of a path or method that no route has`;
    if (reply.status === 405 && !reply.headers.get("allow")) return "405 without Allow";
    if (reply.body.length === 0) return null;
    return misfit(ENVELOPE_AREA.test(path) ? this.#envelopeError : this.#error, reply);
  }
}

function describe(
  path: string,
  method: string,
  { security, parameters = [], requestBody, responses }: Operation,
  compile: (schema: object) => Validator,
): Described {
  const content = requestBody?.content ?? {};
  const named = Object.entries(responses).filter(([status]) => status !== "default");
  const answers = named.map(([status, response]) => {
    const schema = response.content?.["application/json"]?.schema;
    if (!schema) throw new Error(`${method} ${path} documents no body of ${status}`);
    return [Number(status), compile(schema)] as const;
  });
  return {
    method: method.toUpperCase(),
    path,
    takesToken: security !== undefined && security.length > 0,
    parameters,
    body: content["application/json"]?.schema ?? null,
    contentTypes: Object.keys(content),
    // The router also finds a route by an empty parameter.
    matches: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]*")}$`),
    answers: new Map(answers),
  };
}

function misfit(validator: Validator, { status, headers, body }: Reply): string | null {
  if (headers.get("content-type") !== "application/json; charset=utf-8") return `${status} that is not JSON`;
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    return `${status} with a body that is no JSON`;
  }
  if (validator.Check(value)) return null;
  const [, errors] = validator.Errors(value);
  const told = errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ");
  return `${status} with a body that is not as documented: ${told}`;
}
