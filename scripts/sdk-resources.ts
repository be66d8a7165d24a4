// The methods of the client library for /api/v4, made from the OpenAPI document: `transfers.list` becomes the method `list` of the
// resource `transfers`. Lists have `all` too, which reads every page.
import type { ApiDocument } from "./postman.ts";

const BASE = "/api/v4";
const HEADER = `// Made from the OpenAPI document by \`npm run generate:sdk\`.
import { at, everyRecord, type Body, type Call, type File, type ListOptions, type Query, type RequestOptions } from "../resources.ts";
import type * as api from "./types.gen.ts";

/** The operations of /api/v4, by resource. */
export function resourcesOf(call: Call) {
  return {
`;
const FOOTER = `  };
}
`;

type Schema = {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Media = { readonly schema: Schema };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Media>> }>>;
};
type Made = { readonly path: string; readonly method: string; readonly operation: Operation };
/** Methods and further resources by name. */
type Tree = Map<string, Tree | Made>;

/** The module of the methods, as text. @throws Error where a method and a resource would have one name */
export function resourcesOf(document: ApiDocument): string {
  const { components } = document as unknown as { readonly components: { readonly schemas: Record<string, Schema> } };
  const tree: Tree = new Map();
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith(`${BASE}/`)) continue;
    for (const [method, operation] of Object.entries(methods)) {
      plant(tree, {
        path: path.slice(BASE.length),
        method: method.toUpperCase(),
        operation: operation as never,
      });
    }
  }
  return HEADER + writeTree(tree, components.schemas, "    ") + FOOTER;
}

function plant(tree: Tree, made: Made): void {
  const names = made.operation.operationId.split(".");
  let branch = tree;
  for (const name of names.slice(0, -1)) {
    const next = branch.get(name) ?? new Map<string, Tree | Made>();
    if (!(next instanceof Map)) throw new Error(`${made.operation.operationId}: ${name} is a method already`);
    branch.set(name, next);
    branch = next;
  }
  const last = names.at(-1)!;
  if (branch.has(last)) throw new Error(`two operations would be called ${made.operation.operationId}`);
  branch.set(last, made);
}

function writeTree(tree: Tree, schemas: Readonly<Record<string, Schema>>, indent: string): string {
  return [...tree]
    .map(([name, node]) => {
      if (!(node instanceof Map)) return writeMethod(name, node, schemas, indent);
      return `${indent}${name}: {\n${writeTree(node, schemas, `${indent}  `)}${indent}},\n`;
    })
    .join("");
}

function writeMethod(
  name: string,
  { path, method, operation }: Made,
  schemas: Readonly<Record<string, Schema>>,
  indent: string,
): string {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const type = operationId
    .split(".")
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join("");
  const ids = parameters.filter((parameter) => parameter.in === "path").map((parameter) => camel(parameter.name!));
  const query = parameters.filter((parameter) => parameter.in === "query");
  const sent = requestBody?.content["application/json"]?.schema;
  const answer = responses["200"]!.content["application/json"]?.schema;
  const result = answer ? `api.${type}Response` : "File";
  const bodySchema = sent && resolve(sent, schemas);
  const isBodyNeeded = (bodySchema?.required ?? []).length > 0;
  const isQueryNeeded = query.some(({ required }) => required);
  const takes = [
    ...ids.map((id) => `${id}: string`),
    ...(sent ? [`body: Body<api.${type}Data>${isBodyNeeded ? "" : " = {}"}`] : []),
    ...(requestBody && !sent ? ["file: File"] : []),
    ...(query.length > 0 ? [`query: Query<api.${type}Data>${isQueryNeeded ? "" : " = {}"}`] : []),
    "options?: RequestOptions",
  ];
  const gives = [
    ...(sent ? ["body"] : []),
    ...(requestBody && !sent ? ["file"] : []),
    ...(query.length > 0 ? ["query"] : []),
    ...(answer ? [] : ["answersFile: true"]),
    "options",
  ];
  const address = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `\${${camel(id)}}`);
  const text = address === path ? JSON.stringify(path) : `at\`${address}\``;
  const comment = `${indent}/** ${operation.summary}. ${operation.description.split(" Operators ")[0]!} */\n`;
  const written = `${comment}${indent}${name}: (${takes.join(", ")}): Promise<${result}> =>\n${indent}  call(${JSON.stringify(method)}, ${text}, { ${gives.join(", ")} }),\n`;
  const rows =
    method === "GET" && query.some(({ name: each }) => each === "after")
      ? rowsOf(answer && resolve(answer, schemas))
      : null;
  if (rows === null || name !== "list") return written;
  const every = [
    ...ids.map((id) => `${id}: string`),
    `query: Omit<Query<api.${type}Data>, "after">${isQueryNeeded ? "" : " = {}"}`,
    "options?: ListOptions",
  ];
  return `${written}${indent}/** The same, record by record, page after page. */
${indent}all: (${every.join(", ")}): AsyncGenerator<api.${type}Response[${JSON.stringify(rows)}][number]> =>
${indent}  everyRecord(${JSON.stringify(rows)}, (after) => call<api.${type}Response>(${JSON.stringify(method)}, ${text}, { query: { ...query, after }, options })),\n`;
}

/** The member of a page that holds its rows; `null` if it has several lists. */
function rowsOf(page: Schema | undefined): string | null {
  const lists = Object.entries(page?.properties ?? {}).filter(([, { type }]) => type === "array");
  return lists.length === 1 ? lists[0]![0] : null;
}

function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  return schema.$ref === undefined ? schema : schemas[schema.$ref.split("/").at(-1)!]!;
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
