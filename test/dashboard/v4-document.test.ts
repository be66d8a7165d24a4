// Every route of /api/v4 is in the OpenAPI document, with all that a program has to know. That answers are as the document says is checked
// by all tests of the dashboard, in Browser.send and TestPage.
import { describe, expect, test } from "vitest";
import { makeApiDocument } from "../../scripts/api-document.ts";
import { NAMES } from "../../src/api-reference/v4-operations.ts";
import { listDashboardRoutes } from "../support/dashboard.ts";
import { dereferenced } from "../support/dereferenced.ts";

type Schema = { readonly [keyword: string]: unknown };
type Documented = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
};
type Document = {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
};

const BASE = "/api/v4";
const OF_MERCHANT = `${BASE}/merchants/:merchant_id`;
const document = dereferenced((await makeApiDocument()) as Document);
const routes = (await listDashboardRoutes()).filter(({ url }) => url.startsWith(`${BASE}/`));
const names = new Set(routes.map(({ method, url }) => `${method} ${url}`));
/** Those that operators reach below a merchant are documented once. */
const once = routes.filter(
  ({ method, url }) => !names.has(`${method} ${url.replace(OF_MERCHANT, BASE)}`) || !url.startsWith(`${OF_MERCHANT}/`),
);
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith(`${BASE}/`))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, operation };
    }),
  );

describe("the document", () => {
  test("has each route once", () => {
    expect(once.length).toBeGreaterThan(150);
    const registered = once.map(({ method, url }) => `${method} ${url}`);
    expect(operations.map(({ route }) => route).toSorted()).toEqual(registered.toSorted());
  });

  test.each(operations.map((each) => [each.route, each] as const))("describes %s", (route, { operation }) => {
    const { operationId, summary, description, tags, security, responses } = operation;
    expect(operationId).toMatch(/^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...tags]));
    expect(tags).toHaveLength(1);
    for (const scope of security.flatMap((each) => Object.values(each).flat()))
      expect(description).toContain(`\`${scope}\``);
    expect(security.length).toBeGreaterThan(0);
    expect(description.includes("/merchants/{merchant_id}/")).toBe(names.has(route.replace(BASE, OF_MERCHANT)));
    const [answer] = Object.values(responses["200"]!.content);
    expect(answer!.schema["type"] ?? answer!.schema["anyOf"]).toBeDefined();
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "401", "403", "429", "default"]));
  });

  test("names each operation differently, and names by hand only what there is", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const known = new Set(operations.map(({ route }) => route.replace(`${BASE}/`, "/")));
    expect(Object.keys(NAMES).filter((name) => !known.has(name))).toEqual([]);
  });
});
