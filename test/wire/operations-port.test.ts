// Metrics and readiness on a port that no proxy publishes, with one process and with several.
import { expect, onTestFinished, test } from "vitest";
import { Installation } from "../support/installation.ts";
import { freePort, nodal, send } from "../support/nodal.ts";

const PATHS = ["/metrics", "/readyz", "/healthz"];

/** The statuses of the operators' paths at a server. */
async function statusesAt(base: string): Promise<number[]> {
  return Promise.all(PATHS.map(async (path) => (await send(base, "GET", path)).status));
}

test("with OPERATIONS_PORT they are there and nowhere else", async () => {
  const port = String(await freePort());
  const installation = await Installation.start({ OPERATIONS_PORT: port });
  onTestFinished(() => installation.stop());
  const { baseUrl } = installation.server;
  const operations = `http://127.0.0.1:${port}`;
  expect(await statusesAt(baseUrl)).toEqual([404, 404, 200]);
  expect(await statusesAt(operations)).toEqual([200, 200, 200]);
  for (const path of ["/", "/api/token", "/openapi.json", "/dashboard"]) {
    expect((await send(operations, "GET", path)).status).toBe(404);
  }
  const { body } = await send(operations, "GET", "/metrics");
  expect(body).toContain('http_requests_total{route="/healthz",method="GET",status="200"} 1\n');
  const settings = { ...installation.environment, PORT: new URL(baseUrl).port, OPERATIONS_PORT: port };
  const doctor = await nodal(settings, "doctor", "--json");
  expect(JSON.parse(doctor.stdout)).toContainEqual(
    expect.objectContaining({
      check: "operations port",
      state: "ok",
      finding: expect.stringContaining(port) as unknown,
    }),
  );
});

test("with WORKERS any of them answers there for all", async () => {
  const port = String(await freePort());
  const installation = await Installation.startProcess({ WORKERS: "2", OPERATIONS_PORT: port });
  onTestFinished(() => installation.stop());
  const operations = `http://127.0.0.1:${port}`;
  expect(await statusesAt(installation.server.baseUrl)).toEqual([404, 404, 200]);
  const workersUp = async (): Promise<string[]> => {
    const { body } = await send(operations, "GET", "/metrics");
    return [...(body as string).matchAll(/^worker_up\{worker="(\d)"\} 1$/gm)].map(([, worker]) => worker!);
  };
  await expect.poll(workersUp, { timeout: 180_000 }).toEqual(["1", "2"]);
  expect(await statusesAt(operations)).toEqual([200, 200, 200]);
});

test("a port that somebody else has, or that is PORT, stops the start", async () => {
  const installation = await Installation.shared();
  const { port } = new URL(installation.server.baseUrl);
  const settings = { ...installation.environment, OPERATIONS_PORT: port };
  for (const workers of ["1", "2"]) {
    const taken = await nodal({ ...settings, PORT: "0", WORKERS: workers }, "start");
    const said = expect.stringContaining(`OPERATIONS_PORT ${port} is used by another program`) as string;
    expect({ code: taken.code, said: taken.stderr }).toEqual({ code: 1, said });
  }
  const same = await nodal({ ...settings, PORT: port }, "start");
  expect({ code: same.code, said: same.stderr }).toEqual({
    code: 1,
    said: expect.stringContaining("OPERATIONS_PORT must differ from PORT"),
  });
});
