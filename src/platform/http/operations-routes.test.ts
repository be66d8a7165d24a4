// Checks of the operators' routes and of the metrics behind them.
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../log.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import {
  createOperationsServer,
  registerHealthRoute,
  registerOperationsRoutes,
  StopNotice,
  type OperationsOptions,
} from "./operations-routes.ts";
import { createTestServer, type TestServer } from "../../../test/support/app-server.ts";

let server: TestServer;
let metrics: Metrics;
let database: () => Promise<void> = async () => undefined;
const notice = new StopNotice();
const options: OperationsOptions = {
  expose: () => metrics.expose(),
  notice,
  readinessChecks: { dispatcher: async () => undefined, database: () => database() },
};
beforeAll(async () => {
  metrics = createMetrics();
  server = await createTestServer({ metrics });
  registerHealthRoute(server.app);
  registerOperationsRoutes(server.app, options);
});
afterAll(async () => {
  await server.close();
  await metrics.close();
});

test("/healthz answers as long as the process does", async () => {
  const answer = await server.app.inject("/healthz");
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: "ok" }]);
});

test("a server for operators has their three paths and nothing else", async () => {
  const operations = await createOperationsServer(createLogger("silent"), options);
  for (const path of ["/healthz", "/readyz", "/metrics"]) expect((await operations.inject(path)).statusCode).toBe(200);
  for (const path of ["/", "/openapi.json", "/dashboard", "/api/token", "/%6detrics"]) {
    expect((await operations.inject(path)).statusCode).toBe(404);
  }
  await operations.close();
});

test("/readyz says which check fails, and hides why", async () => {
  expect((await server.app.inject("/readyz")).json()).toEqual({ status: "ready" });
  database = () => Promise.reject(new Error("password wrong"));
  const failed = await server.app.inject("/readyz");
  expect([failed.statusCode, failed.json()]).toEqual([503, { status: "unavailable", failed: ["database"] }]);
  expect(failed.headers["retry-after"]).toBe("1");
  expect(server.logLines.join("")).toContain("password wrong");
  database = () => {
    throw new Error("thrown at once");
  };
  expect((await server.app.inject("/readyz")).statusCode).toBe(503);
  database = () => new Promise(() => undefined);
  expect((await server.app.inject("/readyz")).statusCode).toBe(503);
  database = async () => undefined;
  expect((await server.app.inject("/readyz")).statusCode).toBe(200);
});

test("requests are lines at level info, but for those that ask again and again", async () => {
  server.logLines.length = 0;
  for (const path of ["/healthz", "/readyz", "/metrics", "/orders/1/detail?secret=1"]) await server.app.inject(path);
  const lines = server.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    expect.objectContaining({
      msg: "request",
      method: "GET",
      route: "/orders/:id/detail",
      status: 200,
      address: "127.0.0.1",
    }),
  ]);
  expect(lines[0]!["request_id"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(server.logLines.join("")).not.toContain("secret");
});

test("/metrics counts requests by route pattern and measures the process", async () => {
  for (const id of ["1", "2", "x"]) await server.app.inject(`/orders/${id}/detail`);
  await server.app.inject("/unknown/path/1");
  const answer = await server.app.inject("/metrics");
  expect(answer.headers["content-type"]).toContain("text/plain");
  expect(answer.body).toContain('http_requests_total{route="/orders/:id/detail",method="GET",status="200"} 3\n');
  expect(answer.body).toContain('http_requests_total{route="/orders/:id/detail",method="GET",status="400"} 1\n');
  expect(answer.body).toContain('http_requests_total{route="none",method="GET",status="404"} 1\n');
  expect(answer.body).toMatch(
    /http_request_duration_seconds_bucket\{route="\/orders\/:id\/detail",method="GET",status="200",le="10"\} 3\n/,
  );
  for (const name of ["process_resident_memory_bytes", "process_cpu_seconds_total", "nodejs_eventloop_lag_seconds"]) {
    expect(answer.body).toContain(`# TYPE ${name} `);
  }
  expect(answer.body).not.toContain("/unknown");
});

test("the lag is how long others waited while the process computed, and nothing while it rests", async () => {
  const lag = async (percentile: string): Promise<number> =>
    Number((await metrics.expose()).match(`nodejs_eventloop_lag_seconds{percentile="${percentile}"} (.*)`)![1]);
  await metrics.expose();
  await sleep(1000);
  const idle = await lag("50");
  await sleep(300);
  for (const endMs = performance.now() + 500; performance.now() < endMs;);
  await sleep(300);
  const busy = await lag("100");
  expect(busy).toBeGreaterThan(0.35);
  expect(idle).toBeLessThan(busy);
});

test("others can count, measure and show", async () => {
  metrics.counter("transfers_total", "Transfers.").add(2, { outcome: "paid" });
  metrics.histogram("batch_items", "Items of a batch.", [1, 10]).record(5);
  metrics.gauge("queue_depth", "Waiting.", (observe) => observe(7));
  const text = await metrics.expose();
  expect(text).toContain('transfers_total{outcome="paid"} 2\n');
  expect(text).toContain('batch_items_bucket{le="10"} 1\n');
  expect(text).toContain("queue_depth 7\n");
});

test("/readyz of a server that stops says so at once, whatever its checks take", async () => {
  database = () => new Promise(() => undefined);
  await notice.give(0);
  const answer = await server.app.inject("/readyz");
  expect(answer.json()).toEqual({ status: "unavailable", failed: ["stop"] });
  expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "1"]);
});

describe("paths are taken as they are written:", () => {
  let other: TestServer;
  let port: number;
  beforeAll(async () => {
    other = await createTestServer();
    registerHealthRoute(other.app);
    registerOperationsRoutes(other.app, options);
    await other.app.listen({ host: "127.0.0.1", port: 0 });
    ({ port } = other.app.server.address() as AddressInfo);
  });
  afterAll(() => other.close());

  test.each([
    "/%6detrics",
    "/metric%73",
    "/%2fmetrics",
    "//metrics",
    "/metrics/",
    "/METRICS",
    "/metrics#",
    "/metrics#x",
    "/metrics%3f",
    "/metrics;x",
    "/x/../metrics",
    "/%72eadyz",
    "/%68ealthz",
    "http://a/metrics",
    "http://a?b/metrics",
    "http://a#b/metrics",
    "x/metrics",
  ])("%s is no path of operators", async (path) => {
    const [answer] = await once(request({ host: "127.0.0.1", port, path }).end(), "response");
    expect((answer as IncomingMessage).resume().statusCode).toBeOneOf([400, 404]);
  });
});
