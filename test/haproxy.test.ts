// Two servers behind HAProxy, as deploy/haproxy has it, restarted one after the other under load.
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Haproxy, type Upstream } from "./support/haproxy.ts";
import { Installation, type TestMerchant } from "./support/installation.ts";
import { freePort, NodalProcess, type Environment } from "./support/nodal.ts";

const CLIENTS = 16;

type Sent = { readonly reference: string; status: number | string };

let installation: Installation;
let settings: Environment;
let servers: NodalProcess[];
let upstreams: Required<Upstream>[];
let haproxy: Haproxy;
let merchant: TestMerchant;
let beneficiaryId: string;
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

beforeAll(async () => {
  // DRAIN_NOTICE_MS is the default, which fits the checks of the example.
  const common = { TRUST_PROXY: "127.0.0.1", DRAIN_NOTICE_MS: "", TRANSFER_WAIT_MS: "0" };
  const ports = await Promise.all(Array.from({ length: 4 }, async () => String(await freePort())));
  upstreams = [
    { port: ports[0]!, operationsPort: ports[1]! },
    { port: ports[2]!, operationsPort: ports[3]! },
  ];
  installation = await Installation.startProcess({ ...common, ...portsOf(upstreams[0]!) });
  settings = { ...installation.environment, ...common };
  servers = [installation.server, await NodalProcess.start({ ...settings, ...portsOf(upstreams[1]!) })];
  haproxy = await Haproxy.start(upstreams);
  merchant = await installation.newMerchant({ fund: "100000.00" });
  beneficiaryId = await merchant.addBeneficiary();
});
afterAll(async () => {
  agent.destroy();
  await haproxy.stop();
  await Promise.all(servers.map((server) => server.stop()));
  await installation.stop();
});

function portsOf({ port, operationsPort }: Required<Upstream>): Environment {
  return { PORT: port, OPERATIONS_PORT: operationsPort };
}

/** The status of a path as it is written, which `fetch` would normalise. */
function statusOf({ hostname, port }: URL, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode))
      .once("error", reject)
      .end();
  });
}

function sendTransfer(reference: string): Promise<Sent> {
  const body = JSON.stringify({ beneficiary_id: beneficiaryId, amount: "1.00", reference_id: reference });
  const headers = {
    authorization: `Bearer ${merchant.token}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    // The token is good for the address that asked for it; the proxy says where a request comes from.
    "x-forwarded-for": "127.0.0.1",
  };
  return new Promise((resolve) => {
    const sent = request(
      `${haproxy.baseUrl}/api/v1/beneficiary/transfer`,
      { method: "POST", agent, headers },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        // What is not as it should be says so.
        answer.once("end", () =>
          resolve({ reference, status: answer.statusCode === 200 ? 200 : `${answer.statusCode} ${text}` }),
        );
      },
    );
    sent.once("error", (error: NodeJS.ErrnoException) => resolve({ reference, status: error.code ?? error.message }));
    sent.end(body);
  });
}

test("a rolling restart under load loses none and refuses none", async () => {
  const sent: Sent[] = [];
  let isOver = false;
  let count = 0;
  // Each asks again once it is answered, so that no machine is too slow for them.
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      count += 1;
      sent.push(await sendTransfer(`rolling-${count}`));
    }
  });
  for (const [index, server] of servers.entries()) {
    const before = sent.length;
    await expect.poll(() => sent.length).toBeGreaterThan(before + 100);
    expect(await server.stop(), server.output).toBe(0);
    servers[index] = await NodalProcess.start({ ...settings, ...portsOf(upstreams[index]!) });
    // It answers /readyz by then, but gets requests once HAProxy has seen that.
    await haproxy.untilUp(index);
  }
  isOver = true;
  await Promise.all(clients);
  const failed = sent.filter(({ status }) => status !== 200);
  expect(failed.slice(0, 3), `${failed.length} of ${sent.length}`).toEqual([]);
  const { rows } = await installation.pool.query<{ reference_id: string }>(
    "select reference_id from transfer where merchant_id = $1",
    [merchant.id],
  );
  expect(rows.map(({ reference_id }) => reference_id).toSorted()).toEqual(
    sent.map(({ reference }) => reference).toSorted(),
  );
});

test("metrics and readiness stay inside, however their paths are written", async () => {
  for (const path of ["/metrics", "/readyz"]) expect((await fetch(`${haproxy.baseUrl}${path}`)).status).toBe(403);
  for (const path of ["/%6detrics", "/%72eadyz", "//metrics", "/Metrics", "/metrics/", "/./metrics", "/x/../readyz"]) {
    expect([path, await statusOf(new URL(haproxy.baseUrl), path)]).toEqual([path, 404]);
  }
  const { operationsPort } = upstreams[0]!;
  expect((await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).status).toBe(200);
});

test("without a port of their own they stay inside as well", async () => {
  const port = String(await freePort());
  const server = await NodalProcess.start({ ...settings, PORT: port });
  onTestFinished(async () => void (await server.stop()));
  const before = await Haproxy.start([{ port }]);
  onTestFinished(() => before.stop());
  expect(await statusOf(new URL(server.baseUrl), "/metrics")).toBe(200);
  for (const path of ["/metrics", "/%6detrics", "/readyz", "/%72eadyz", "//metrics", "/metrics%3f", "/metrics%00"]) {
    expect([path, await statusOf(new URL(before.baseUrl), path)]).toEqual([path, expect.toBeOneOf([403, 404])]);
  }
});

test("a body that no route takes is refused before it reaches a server", async () => {
  const headers = { "content-length": String(18 * 1024 * 1024), "content-type": "text/csv" };
  const refused = new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${haproxy.baseUrl}/api/v4/statements`, { method: "POST", headers }, (answer) => {
      resolve(answer.resume().statusCode);
      sent.destroy();
    });
    sent.once("error", reject);
    sent.flushHeaders();
  });
  expect(await refused).toBe(413);
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
