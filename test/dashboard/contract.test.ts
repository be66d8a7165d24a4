// What handlers declare that they answer: it is read from their types, and an answer that is anything else is told.
// That real answers keep it is checked by all tests of the dashboard, in Browser.send and TestPage.
import { expect, test } from "vitest";
import { findBrokenPromises } from "../support/dashboard-contract.ts";
import { listDashboardRoutes } from "../support/dashboard.ts";

const KEY = {
  access_key_id: "AK1",
  name: "",
  scopes: ["payouts.view"],
  allowed_addresses: [],
  expires_on: null,
  is_expired: false,
  created_at: "2026-11-22T10:00:00+05:30",
  last_used_at: null,
  revoked_at: null,
};
const { created_at: _, ...WITHOUT_A_DAY } = KEY;
const LISTED = { scopes: [], all_scopes: ["payouts.view"], default_scopes: [] };
const find = (path: string, body: unknown) => findBrokenPromises("GET", `/api/v4${path}`, 200, body);

test("an answer of the declared type is none of them, under both addresses of the route", () => {
  const body = { ...LISTED, keys: [KEY, { ...KEY, revoked_at: "2026-11-22T11:00:00+05:30" }] };
  expect(find("/access-keys?x=1", body)).toEqual([]);
  expect(find("/merchants/5/access-keys", body)).toEqual([]);
});

test.each([
  ["a member too many", { ...KEY, secret: "s" }, "answer.keys[0].secret is not declared"],
  ["a member too few", WITHOUT_A_DAY, "answer.keys[0].created_at is missing"],
  ["a number for a text", { ...KEY, access_key_id: 1 }, "answer.keys[0].access_key_id is 1, not a string"],
  ["null for a text", { ...KEY, created_at: null }, "answer.keys[0].created_at is null, not a string"],
])("%s is told", (_, key, problem) => {
  const found = find("/access-keys", { ...LISTED, keys: [key] });
  expect(found).toEqual([`GET /api/v4/access-keys: ${problem}`]);
});

test("a word that is not one of those declared is told, and a list that is none", () => {
  const found = findBrokenPromises("POST", "/api/session/sign-in", 200, { state: "half_in", csrf_token: "t" });
  expect(found.join()).toMatch(/answer.state is "half_in"/);
  expect(find("/access-keys", { ...LISTED, keys: {} })).toEqual(["GET /api/v4/access-keys: answer.keys is no list"]);
});

test("JSON from a route that declares a file, or from none, is told", () => {
  expect(find("/statement.csv", {})).toHaveLength(1);
  expect(find("/nowhere", {})).toHaveLength(1);
});

test("every route declares what it answers, but for files", async () => {
  const undeclared = [];
  for (const { method, url } of await listDashboardRoutes()) {
    const found = findBrokenPromises(method, url.replaceAll(/:\w+/g, "1"), 200, {});
    if (found.some((problem) => problem.includes("declares none"))) undeclared.push(`${method} ${url}`);
  }
  expect(
    undeclared.filter((route) => !/(\.csv|\.xlsx|\.xml|sample|\/pdf|\/pages|:attachment_id)$/.test(route)),
  ).toEqual([]);
  expect(undeclared.length).toBeGreaterThan(0);
});
