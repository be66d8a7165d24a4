// The OpenAPI document that integrators get: whole, described, and with examples that are real answers.
// Where a change of the API is meant: `npx vitest run test/api-document.test.ts -u` for the examples, then `npm run generate:sdk`.
// What is only of /api/v4 is tested by test/dashboard/v4-document.test.ts.
import Schema from "typebox/schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MEANINGS, meaningOf } from "../src/api-reference/meanings.ts";
import { V4_MEANING_OF } from "../src/api-reference/v4-meanings.ts";
import { walkApi, type Walked } from "./support/api-examples.ts";
import { dereferenced } from "./support/dereferenced.ts";
import { Installation } from "./support/installation.ts";

type Node = { readonly [name: string]: unknown };
type Named = { readonly properties?: Readonly<Record<string, Node>> };
type Operation = {
  readonly operationId: string;
  readonly security?: readonly Node[];
  readonly parameters?: readonly Node[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly headers?: Node }>>;
};
type Body = { readonly content?: Readonly<Record<string, { readonly schema: Node; readonly example?: unknown }>> };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Named>> };
};

/** What changes something that is there, or makes it, and may be sent again under a key; sorted. */
const CHANGING =
  "cancelInvoice createTransfer createTransferBatch createWithdrawal deleteFranchise saveBeneficiary saveCustomers " +
  "saveFranchise saveInvoices saveSubscription settleInvoice updateCustomers updateFranchise updateInvoice";

let installation: Installation;
let document: Document;
let walked: Walked;
/** All of them, and those of /api/v1 to v3. */
let everyOperation: (readonly [string, Operation])[];
let operations: (readonly [string, Operation])[];

beforeAll(async () => {
  installation = await Installation.shared();
  document = (await installation.send("GET", "/openapi.json")).body as Document;
  walked = await walkApi(installation);
  everyOperation = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  operations = everyOperation.filter(([route]) => !route.includes(" /api/v4/"));
});
afterAll(() => installation.stop());

test("the reference is there without a sign-in, with nothing from elsewhere", async () => {
  const { status, headers, body } = await installation.send("GET", "/docs");
  expect(status).toBe(200);
  const rules = headers.get("content-security-policy")!.split("; ");
  expect(rules).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]));
  const addresses = [...String(body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
  expect(addresses.length).toBeGreaterThan(2);
  for (const address of addresses) {
    expect(address).toMatch(/^\/assets\//);
    expect((await installation.send("GET", address)).status, address).toBe(200);
  }
});

function everyNode(value: unknown): Node[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(everyNode)];
}

test("the examples are what the server answers", async () => {
  const text = `${JSON.stringify(walked.examples, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../src/api-reference/examples.json");
});

test("the document that is published is the one that is served", async () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../sdk/openapi.json");
});

test("every operation has a name, an example of each side, and says who may call", () => {
  expect(operations.length).toBeGreaterThan(25);
  for (const [route, { operationId, security, requestBody, responses }] of operations) {
    expect(operationId, route).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
    const isForTokens = /^\w+ \/api\/v1\/(beneficiary|payout|franchise)\//.test(route);
    expect(security, route).toEqual(
      isForTokens ? [{ bearerAuth: [] }] : route === "POST /api/token" ? [] : [{ basicAuth: [] }, {}],
    );
    for (const [name, { content = {} }] of Object.entries({ request: requestBody ?? {}, answer: responses["200"]! })) {
      for (const media of Object.values(content)) {
        expect(media.schema["$ref"], `${route} ${name}`).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/);
        expect(media.example, `${route} ${name}`).toBeDefined();
      }
    }
  }
});

test("keys that Basic can carry are not required in a body", () => {
  const ofKeys = operations.filter(([, { security = [] }]) => security.some((scheme) => "basicAuth" in scheme));
  expect(ofKeys.length).toBeGreaterThan(10);
  for (const [route, { requestBody }] of ofKeys) {
    const name = String(requestBody!.content!["application/json"]!.schema["$ref"]).split("/").at(-1)!;
    const { properties, required = [] } = document.components.schemas[name] as Named & { required?: string[] };
    expect(properties, route).toHaveProperty("access_key_id");
    expect(required, route).not.toContain("access_key_id");
    expect(required, route).not.toContain("secret_access_key");
  }
});

test("what changes something takes a key, and every answer says its headers", () => {
  const key = { $ref: "#/components/parameters/IdempotencyKey" };
  const taking = operations.filter(([, { parameters = [] }]) => parameters.some(({ $ref }) => $ref === key.$ref));
  expect(taking.map(([, { operationId }]) => operationId).toSorted()).toEqual(CHANGING.split(" "));
  for (const [route, { responses }] of operations) {
    const headersOf = (status: string): string[] => Object.keys(responses[status]?.headers ?? {});
    for (const status of Object.keys(responses)) {
      if (status !== "default") expect(headersOf(status), `${route} ${status}`).toContain("x-request-id");
    }
    expect(headersOf("200"), route).toContain("RateLimit-Remaining");
    for (const status of ["429", "503"]) expect(headersOf(status), `${route} ${status}`).toContain("Retry-After");
    expect(JSON.stringify(responses["default"]), route).toMatch(/404.*405/);
  }
});

test("every member of a request or an answer is described, and nothing is described that there is not", () => {
  const members = Object.entries(document.components.schemas).flatMap(([schema, { properties = {} }]) =>
    Object.entries(properties).map(([member, value]) => ({ schema, member, description: value["description"] })),
  );
  expect(members.length).toBeGreaterThan(300);
  expect(members.filter(({ description }) => !description)).toEqual([]);
  const parameters = everyOperation.flatMap(([, { parameters: own = [] }]) =>
    own.filter(({ $ref }) => $ref === undefined),
  );
  expect(parameters.filter(({ description }) => !description)).toEqual([]);
  const places = [
    ...members,
    ...parameters.map(({ name, description }) => ({ schema: "Parameters", member: String(name), description })),
  ];
  const unused = Object.entries(MEANINGS).filter(([name, meaning]) => {
    return !places.some(
      ({ schema, member, description }) =>
        (name === member || name === `${schema}.${member}`) &&
        description === meaning &&
        meaningOf(schema, member) === meaning,
    );
  });
  expect(unused).toEqual([]);
  const unusedOfV4 = [...V4_MEANING_OF].filter(([name, meaning]) => {
    return !places.some(({ schema, member, description }) => {
      return (name === member || name === `${schema}.${member}`) && description === meaning;
    });
  });
  expect(unusedOfV4).toEqual([]);
});

test("patterns are such as every language compiles", () => {
  const patterns = new Set(
    everyNode(document).flatMap(({ pattern }) => (typeof pattern === "string" ? [pattern] : [])),
  );
  expect(patterns.size).toBeGreaterThan(10);
  for (const pattern of patterns) {
    expect(() => new RegExp(pattern)).not.toThrow();
    // No classes by property, no groups but plain ones, nothing that looks around or back, no [ within a class.
    expect(pattern).not.toMatch(/\\[pPkbB1-9]|\(\?(?!:)|\[[^\]]*\[|[*+}][+?]/);
  }
});

/** The members of a value that its schema does not have, by path. */
function unknownMembers(schema: Node, value: unknown, path: string): string[] {
  if (schema["additionalProperties"] === true || typeof value !== "object" || value === null) return [];
  const items = schema["items"] as Node | undefined;
  if (Array.isArray(value)) return items ? value.flatMap((each) => unknownMembers(items, each, `${path}[]`)) : [];
  const parts = [schema, ...((schema["allOf"] ?? schema["anyOf"] ?? []) as Node[])];
  const known: Node = Object.assign({}, ...parts.map(({ properties }) => properties as object | undefined)) as Node;
  return Object.entries(value).flatMap(([name, member]) =>
    name in known ? unknownMembers(known[name] as Node, member, `${path}.${name}`) : [`${path}.${name}`],
  );
}

test("each message that receivers are sent is as its webhook says", () => {
  const types = new Map(
    Object.values(dereferenced(document).webhooks).flatMap(({ post }) => {
      const { schema } = post.requestBody!.content!["application/json"]!;
      const validator = Schema.Compile(schema);
      return (schema as { properties: { type: { enum: string[] } } }).properties.type.enum.map(
        (type) => [type, { schema, validator }] as const,
      );
    }),
  );
  const told = new Set(walked.messages.map(({ type }) => type));
  expect(told.size).toBeGreaterThan(15);
  for (const message of walked.messages) {
    const { schema, validator } = types.get(message.type)!;
    const [isFine, errors] = validator.Errors(message);
    expect({ type: message.type, isFine, errors }).toEqual({ type: message.type, isFine: true, errors: [] });
    expect(unknownMembers(schema, message, message.type)).toEqual([]);
  }
});
