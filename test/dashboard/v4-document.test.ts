// Every route of /api/v4 is in the OpenAPI document, with all that a program has to know. That answers are as the document says is checked
// by all tests of the dashboard, in Browser.send and TestPage.
import { expect, test } from "vitest";
import { NAMES } from "../../src/api-reference/v4-operations.ts";
import { isOfMerchant, operations, routes, scopesOf, tags, V4_BASE } from "../support/v4-document.ts";

test("it has each route once", () => {
  expect(routes.length).toBeGreaterThan(150);
  expect(operations.map(({ route }) => route).toSorted()).toEqual(routes.toSorted());
});

test.each(operations.map((each) => [each.route, each] as const))("it describes %s", (route, { operation }) => {
  const { operationId, summary, description, security, responses } = operation;
  expect(operationId).toMatch(/^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/);
  expect(summary).toMatch(/^[A-Z].*[^.]$/);
  expect(operation.tags).toHaveLength(1);
  expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
  expect(security.length).toBeGreaterThan(0);
  const isForPeople = description.startsWith("For people in the dashboard: no access key");
  for (const scope of isForPeople ? [] : scopesOf(operation)) expect(description).toContain(`\`${scope}\``);
  expect(description.includes("/merchants/{merchant_id}/")).toBe(isOfMerchant(route));
  const [answer] = Object.values(responses["200"]!.content);
  expect(answer!.schema["type"] ?? answer!.schema["anyOf"]).toBeDefined();
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "401", "403", "429", "default"]));
});

test("it names each operation differently, and names by hand only what there is", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const known = new Set(operations.map(({ route }) => route.replace(V4_BASE, "")));
  expect(Object.keys(NAMES).filter((name) => !known.has(name))).toEqual([]);
});
