// Overload: requests beyond the limit are refused at once, those within finish, and freed places are reused.
import { request as requestHttp } from "node:http";
import { afterEach, expect, test } from "vitest";
import { createTestServer, type TestServer } from "../../../test/support/app-server.ts";

let server: TestServer;
afterEach(() => server.close());

test("beyond the bound requests are refused with 503, and those inside are answered", async () => {
  server = await createTestServer({ maxInFlight: 2 });
  const waiting: (() => void)[] = [];
  server.app.get("/slow", async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { done: true };
  });
  server.app.get("/healthz", () => ({ status: "ok" }));
  const address = await server.app.listen({ host: "127.0.0.1", port: 0 });
  const inside = [1, 2].map(() => fetch(`${address}/slow`));
  await expect.poll(() => waiting.length).toBe(2);

  const refused = await fetch(`${address}/address`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ status: 0, code: "unavailable" });
  expect((await fetch(`${address}/healthz`)).status).toBe(200);

  for (const finish of waiting) finish();
  expect((await Promise.all(inside)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await fetch(`${address}/address`)).status).toBe(200);
});

test("a request that its client breaks off gives its place back", async () => {
  server = await createTestServer({ maxInFlight: 1 });
  server.app.get("/hangs", () => new Promise(() => {}));
  const address = await server.app.listen({ host: "127.0.0.1", port: 0 });
  const hanging = requestHttp(`${address}/hangs`).end();
  const closed = new Promise((resolve) => hanging.on("error", () => {}).once("close", resolve));
  await expect.poll(async () => (await fetch(`${address}/address`)).status).toBe(503);
  hanging.destroy();
  await closed;
  await expect.poll(async () => (await fetch(`${address}/address`)).status).toBe(200);
});
