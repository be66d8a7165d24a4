// Two servers behind HAProxy, as deploy/haproxy has it, restarted one after the other under load.
// What belongs here: that no request is lost, and none is refused by a server that stops.
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Haproxy } from "./support/haproxy.ts";
import { Installation, type TestMerchant } from "./support/installation.ts";
import { freePort, NodalProcess, type Environment } from "./support/nodal.ts";

const PER_SECOND = 200;
const TICK_MS = 20;
/** As clients of a busy merchant have. */
const CONNECTIONS = 64;

type Sent = { readonly reference: string; status: number | string };

let installation: Installation;
let settings: Environment;
let servers: NodalProcess[];
let haproxy: Haproxy;
let merchant: TestMerchant;
let beneficiaryId: string;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

beforeAll(async () => {
  // The default, which fits the checks of the example.
  const common = {
    TRUST_PROXY: "127.0.0.1",
    DRAIN_NOTICE_MS: "",
    TRANSFER_WAIT_MS: "0",
    PORT: String(await freePort()),
  };
  installation = await Installation.startProcess(common);
  const { PORT: first, ...rest } = common;
  settings = { ...installation.environment, ...rest };
  const ports = [first, String(await freePort())];
  servers = [installation.server, await NodalProcess.start({ ...settings, PORT: ports[1]! })];
  haproxy = await Haproxy.start(ports);
  merchant = await installation.newMerchant({ fund: "100000.00" });
  beneficiaryId = await merchant.addBeneficiary();
});
afterAll(async () => {
  agent.destroy();
  await haproxy.stop();
  await Promise.all(servers.map((server) => server.stop()));
  await installation.stop();
});

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

test("a rolling restart under 200 requests a second loses none and refuses none", async () => {
  const underWay: Promise<Sent>[] = [];
  let isOver = false;
  const startedMs = performance.now();
  const load = (async () => {
    while (!isOver) {
      const due = Math.floor(((performance.now() - startedMs) / 1000) * PER_SECOND);
      while (underWay.length < due) underWay.push(sendTransfer(`rolling-${underWay.length}`));
      await sleep(TICK_MS);
    }
  })();
  await sleep(1000);
  for (const [index, server] of servers.entries()) {
    const { port } = new URL(server.baseUrl);
    expect(await server.stop(), server.output).toBe(0);
    servers[index] = await NodalProcess.start({ ...settings, PORT: port });
    // It answers /readyz by then, but gets requests once HAProxy has seen that.
    await haproxy.untilUp(index);
  }
  isOver = true;
  await load;
  const sent = await Promise.all(underWay);
  const failed = sent.filter(({ status }) => status !== 200);
  expect(failed.slice(0, 3), `${failed.length} of ${sent.length}`).toEqual([]);
  expect(sent.length / ((performance.now() - startedMs) / 1000)).toBeGreaterThan(PER_SECOND * 0.8);
  const { rows } = await installation.pool.query<{ reference_id: string }>(
    "select reference_id from transfer where merchant_id = $1",
    [merchant.id],
  );
  expect(rows.map(({ reference_id }) => reference_id).toSorted()).toEqual(
    sent.map(({ reference }) => reference).toSorted(),
  );
}, 240_000);

test("metrics and readiness stay inside", async () => {
  for (const path of ["/metrics", "/readyz"]) expect((await fetch(`${haproxy.baseUrl}${path}`)).status).toBe(403);
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
