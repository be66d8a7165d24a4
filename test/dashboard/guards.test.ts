// Every route of the dashboard refuses who may not call it: nobody signed in, a foreign page, no permission, another merchant.
// The routes are those that the server registers; each new one is tested here by itself.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { insertRole } from "../../src/merchants/users/role-store.ts";
import { Browser, listDashboardRoutes, newPerson, pathOf, type DashboardRoute } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";

/** For who is about to sign in. */
const OPEN = [
  "POST /session/sign-in",
  "POST /session/password/forgot",
  "POST /session/password/reset",
  "POST /session/email/confirm",
];
/** About one's own login, or about no merchant's things: they need no permission. */
const OWN = [
  "POST /session/sign-in/second-factor",
  "POST /session/sign-out",
  "GET /session",
  "GET /ifsc/:ifsc",
  "GET /states",
  "GET /session/merchants/:merchant_id",
  "GET /session/sessions",
  "DELETE /session/sessions",
  "DELETE /session/sessions/:session_id",
  "POST /session/password/change",
  "POST /session/email/change",
  "PUT /session/approval-mail",
  "POST /session/second-factor/enrol",
  "POST /session/second-factor/confirm",
  "POST /session/second-factor/disable",
  "POST /session/second-factor/recovery-codes",
];

const routes = await listDashboardRoutes();
const nameOf = (route: DashboardRoute): string => `${route.method} ${pathOf(route.url)}`;
const closed = routes.filter((route) => !OPEN.includes(nameOf(route)));
const permitted = closed.filter((route) => !OWN.includes(nameOf(route)));

let installation: Installation;
let own: TestMerchant;
let other: TestMerchant;
let owner: Browser;
let nobody: Browser;
let operator: Browser;
let otherUserId: string;

beforeAll(async () => {
  installation = await Installation.shared();
  own = await installation.newMerchant();
  other = await installation.newMerchant();
  const merchant = (
    await installation.pool.query<{ bucket: number }>("select bucket from merchant where merchant_id = $1", [own.id])
  ).rows[0]!;
  const key = { bucket: merchant.bucket, merchantId: BigInt(own.id) };
  await inTransaction(installation.pool, async (connection) => {
    await insertRole(connection, key, { name: "Nothing", permissions: [] });
  });
  owner = await Browser.signIn(installation, await newPerson(installation, own.id));
  nobody = await Browser.signIn(installation, await newPerson(installation, own.id, "Nothing"));
  operator = await Browser.signIn(installation, await newPerson(installation, null));
  otherUserId = (await newPerson(installation, other.id)).id;
});
afterAll(() => installation.stop());

/** The path with what stands for ids filled in. */
function fill(route: DashboardRoute, merchantId: string, id = "1"): string {
  return pathOf(route.url)
    .replace(":merchant_id", merchantId)
    .replaceAll(/:[a-z_]+/g, id);
}

test("there are routes, and each is registered under the dashboard's address", () => {
  expect(closed.length).toBeGreaterThan(20);
  expect(routes.filter(({ url }) => !/^\/api\/(v4\/|session(\/|$))/.test(url))).toEqual([]);
});

describe("each route", () => {
  test.each(closed.map((route) => [nameOf(route), route] as const))("%s is 401 without a session", async (_, route) => {
    const stranger = new Browser(installation.server.baseUrl);
    const answer = await stranger.send(route.method, fill(route, own.id), route.method === "GET" ? undefined : {});
    expect([answer.status, answer.body.code]).toEqual([401, "not_signed_in"]);
    expect(answer.headers.get("www-authenticate")).toBeNull();
  });

  test("is 401 with a cookie that somebody made up, also for another merchant", async () => {
    const [session = ""] = [...owner.cookies.values()].slice(-1);
    const madeUp = [
      `nodal=${session.slice(0, -1)}${session.endsWith("A") ? "B" : "A"}`,
      `nodal=${session.replace(/^\d+\.\d+/, `1.${other.id}`)}`,
      "nodal=x",
      "__Host-nodal=0.0.0.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ];
    for (const cookie of madeUp) {
      const stranger = new Browser(installation.server.baseUrl);
      expect((await stranger.get("/session", { cookie })).status, cookie).toBe(401);
    }
  });

  test("that changes something is 403 without the CSRF token, or from another site", async () => {
    const writes = closed.filter(({ method }) => method !== "GET");
    for (const route of writes) {
      // Half-signed-in people alone reach this one.
      if (nameOf(route) === "POST /session/sign-in/second-factor") continue;
      const ask = (headers: Record<string, string>) => owner.send(route.method, fill(route, own.id), {}, headers);
      for (const headers of [
        { "x-nodal-csrf": "" },
        { "x-nodal-csrf": nobody.csrfToken },
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
      ]) {
        const { status, body } = await ask(headers);
        expect([nameOf(route), headers, status, body.code]).toEqual([nameOf(route), headers, 403, "csrf_refused"]);
      }
    }
    for (const path of OPEN.map((name) => name.split(" ")[1]!)) {
      const answer = await owner.post(path, {}, { origin: "https://evil.example" });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, "csrf_refused"]);
    }
    expect((await owner.get("/session")).status).toBe(200);
  });

  test.each(permitted.map((route) => [nameOf(route), route] as const))(
    "%s is 403 without its permission, which it names",
    async (_, route) => {
      const { status, body } = await nobody.send(
        route.method,
        fill(route, own.id),
        route.method === "GET" ? undefined : {},
      );
      expect([status, body.code]).toEqual([403, "access_denied"]);
      expect(body.error).toMatch(/permission [a-z_]+\.[a-z]+/);
    },
  );

  test("of a merchant is 404 for people of another, and for an operator who chose none", async () => {
    const ofMerchant = closed.filter(({ url }) => url.includes(":merchant_id"));
    expect(ofMerchant.length).toBeGreaterThan(8);
    for (const route of ofMerchant) {
      const body = route.method === "GET" ? undefined : {};
      for (const merchantId of [other.id, "999999999", "x"]) {
        const answer = await owner.send(route.method, fill(route, merchantId), body);
        expect([nameOf(route), answer.status, answer.body.code]).toEqual([nameOf(route), 404, "merchant_not_found"]);
      }
      const short = pathOf(route.url).replace("/merchants/:merchant_id", "");
      if (OWN.includes(`${route.method} ${short}`)) continue;
      const unchosen = await operator.send(route.method, short.replaceAll(/:[a-z_]+/g, "1"), body);
      expect([nameOf(route), unchosen.status]).toEqual([nameOf(route), 404]);
    }
  });

  test("answers another merchant's user as one that there is not", async () => {
    const ofUsers = permitted.filter(({ url }) => url.includes(":user_id"));
    expect(ofUsers.length).toBeGreaterThan(4);
    for (const route of ofUsers) {
      const answer = await owner.send(route.method, fill(route, own.id, otherUserId), { name: "Stolen" });
      expect([nameOf(route), answer.status, answer.body.code]).toEqual([nameOf(route), 404, "user_not_found"]);
    }
    const { rows } = await installation.pool.query("select from login where name = 'Stolen'");
    expect(rows).toEqual([]);
  });

  test("is in no document of the merchants' API, and is kept in no cache", async () => {
    const { body } = await installation.send("GET", "/openapi.json");
    expect(JSON.stringify(body)).not.toContain("/api/session");
    expect((await owner.get("/users")).headers.get("cache-control")).toBe("no-store");
  });
});

describe("requests around what the routes expect", () => {
  test("are refused with their own reason, and never break the server", async () => {
    const odd = ["", "[]", '"x"', "{", "null", '{"a":1e999}', JSON.stringify({ name: "x".repeat(100_000) })];
    for (const route of permitted.filter(({ url }) => !url.includes("merchant_id"))) {
      const caller = pathOf(route.url).startsWith("/merchants") ? operator : owner;
      const paths = [fill(route, own.id), fill(route, own.id, "%00"), fill(route, own.id, "9".repeat(40))];
      for (const path of paths) {
        for (const body of route.method === "GET" ? [undefined] : odd) {
          const { status } = await caller.send(route.method, path, body);
          expect([nameOf(route), path, body?.slice(0, 30), status < 500]).toEqual([
            nameOf(route),
            path,
            body?.slice(0, 30),
            true,
          ]);
        }
      }
    }
    for (const query of ["?limit=0", "?limit=x", "?after=-1", "?search=%00", "?search=%25_%5C", "?limit=1&limit=2"]) {
      expect([query, (await operator.get(`/merchants${query}`)).status < 500]).toEqual([query, true]);
    }
  });
});
