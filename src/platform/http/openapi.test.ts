// Checks that the OpenAPI document is whole: references resolve, every field states its length, the version is right.
import { afterAll, beforeAll, expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { createTestServer, type TestServer } from "../../../test/support/app-server.ts";

type Node = { readonly [key: string]: unknown };
type Document = {
  readonly openapi: string;
  readonly info: Node;
  readonly servers: Node[];
  readonly paths: Record<string, Record<string, Node>>;
  readonly components: { readonly schemas: Record<string, Node>; readonly securitySchemes: Node };
};

let server: TestServer;
let contentType: unknown;
let document: Document;
beforeAll(async () => {
  server = await createTestServer({ publicUrl: "https://pay.example.com" });
  const answer = await server.app.inject("/openapi.json");
  contentType = answer.headers["content-type"];
  document = answer.json<Document>();
});
afterAll(() => server.close());

function everyNode(value: unknown): Node[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(everyNode)];
}

test("says what it is", () => {
  expect(contentType).toBe("application/json; charset=utf-8");
  expect(document.openapi).toBe("3.1.0");
  expect(document.info).toMatchObject({ title: "Nodal", version: packageJson.version });
  expect(document.servers).toEqual([{ url: "https://pay.example.com" }]);
  expect(document.components.securitySchemes).toEqual({
    bearerAuth: { type: "http", scheme: "bearer" },
    basicAuth: { type: "http", scheme: "basic" },
  });
});

test("has the routes that merchants call and no others", () => {
  expect(Object.keys(document.paths)).toContain("/orders/{id}/detail");
  expect(Object.keys(document.paths)).not.toContain("/openapi.json");
  expect(Object.keys(document.paths["/orders"]!)).toEqual(["post"]);
});

test("resolves every reference", () => {
  const references = everyNode(document).flatMap((node) => (typeof node["$ref"] === "string" ? [node["$ref"]] : []));
  expect(references).toContain("#/components/schemas/Error");
  for (const reference of references) {
    const target = reference
      .slice(2)
      .split("/")
      .reduce<unknown>((node, key) => (node as Node | undefined)?.[key], document);
    expect(target, reference).toBeDefined();
  }
  expect(everyNode(document).filter((node) => "$id" in node || "nullable" in node)).toEqual([]);
});

test("has what OpenAPI 3.1 asks of each operation", () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const operation of Object.values(operations)) {
      const parameters = (operation["parameters"] ?? []) as Node[];
      expect(parameters.filter((parameter) => parameter["in"] === "path").map(({ name }) => name)).toEqual(names);
      for (const parameter of parameters) {
        expect(["path", "query", "header"]).toContain(parameter["in"]);
        if (parameter["in"] === "path") expect(parameter["required"]).toBe(true);
      }
      const responses = operation["responses"] as Record<string, Node>;
      for (const [status, response] of Object.entries(responses)) {
        expect(status).toMatch(/^[1-5]\d\d$/);
        expect(typeof response["description"]).toBe("string");
      }
    }
  }
});

test("states type, length and sentence of every request field", () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const bodies = operations.flatMap((operation) =>
    operation["requestBody"] === undefined ? [] : [operation["requestBody"]],
  );
  const fields = everyNode(bodies).flatMap((node) =>
    Object.entries((node["properties"] ?? {}) as Record<string, Node>),
  );
  expect(fields.length).toBeGreaterThan(10);
  for (const [name, field] of fields) {
    expect(field["x-error"], name).toMatch(/^Must be .+\.$/);
    const types = [field["type"]].flat();
    for (const type of types) expect(["string", "number", "integer", "object", "array", "null"]).toContain(type);
    if (types.includes("string")) expect(field["maxLength"], name).toBeGreaterThan(0);
    if (typeof field["pattern"] === "string") expect(() => new RegExp(field["pattern"] as string, "u")).not.toThrow();
  }
  const [amount] = fields.flatMap(([name, field]) => (name === "amount" ? [field] : []));
  expect(amount).toMatchObject({ type: ["string", "number"], maxLength: 16, exclusiveMinimum: 0 });
});

test("documents answers and errors", () => {
  const { responses, security } = document.paths["/orders"]!["post"]! as {
    responses: Record<string, Node>;
    security: unknown;
  };
  expect(Object.keys(responses)).toEqual(["200", "400", "401", "500", "503"]);
  expect(responses["400"]!["description"]).toBe("`validation_failed`, `malformed_json`, `malformed_request`");
  expect(security).toEqual([{ bearerAuth: [] }]);
});
