// WORKERS: several processes behind one port, as their clients and their operator see them.
import { readFile } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";
import { freePort, NodalProcess, send } from "../support/nodal.ts";

const WORKERS = 2;

let installation: Installation;
let merchant: TestMerchant;

beforeAll(async () => {
  installation = await Installation.startProcess({ WORKERS: String(WORKERS), LOG_LEVEL: "info" });
  merchant = await installation.newMerchant({ fund: "1000.00" });
});
afterAll(() => installation.stop());

/** The processes that a process has started and that have not ended. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}

function workerPids(): Promise<number[]> {
  return childrenOf(installation.server.child.pid!);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The values of a metric by worker, added up over its other labels. */
async function valuesOf(name: string, label = ""): Promise<Map<string, number>> {
  const { body } = await send(installation.server.baseUrl, "GET", "/metrics");
  const values = new Map<string, number>();
  for (const [, worker, value] of (body as string).matchAll(
    new RegExp(`^${name}\\{.*${label}.*worker="(\\d+)".*\\} (.+)$`, "gm"),
  )) {
    values.set(worker!, (values.get(worker!) ?? 0) + Number(value));
  }
  return values;
}

/** A request on a connection of its own, as of another client. */
function getBalance(): Promise<number> {
  const headers = { authorization: `Bearer ${merchant.token}`, connection: "close" };
  return fetch(`${installation.server.baseUrl}/api/v1/payout/balance`, { headers }).then(
    (answer) => answer.status,
    () => 0,
  );
}

async function allAreUp(): Promise<boolean> {
  const up = await valuesOf("worker_up");
  return up.size === WORKERS && [...up.values()].every((value) => value === 1);
}

test("connections go to all; one answer has the metrics of all, each with its worker's number", async () => {
  await expect.poll(allAreUp).toBe(true);
  const before = await valuesOf("http_requests_total");
  for (let count = 0; count < 60; count += 1) expect(await getBalance()).toBe(200);
  const after = await valuesOf("http_requests_total");
  for (const worker of ["1", "2"]) {
    expect(after.get(worker)! - (before.get(worker) ?? 0)).toBeGreaterThanOrEqual(10);
  }
  expect((await valuesOf("process_resident_memory_bytes")).size).toBe(WORKERS);
});

/** Transfers, each on a connection of its own that comes from an address of this machine. */
function transferFrom(localAddress: string, body: object): Promise<{ status: number; code: unknown }> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${merchant.token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  const path = "/api/v1/beneficiary/transfer";
  const { port } = new URL(installation.server.baseUrl);
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method: "POST", path, headers, localAddress, agent: false };
    const sent = request(options, (response) => {
      void readJson(response).then(({ code }) => resolve({ status: response.statusCode!, code }), reject);
    });
    sent.once("error", reject).end(text);
  });
}

async function readJson(response: IncomingMessage): Promise<Record<string, unknown>> {
  return JSON.parse((await response.setEncoding("utf8").toArray()).join("")) as Record<string, unknown>;
}

test("both workers accept a merchant's payouts, of each reference one; a token holds for its address at both", async () => {
  const beneficiary_id = await merchant.addBeneficiary({ account_number: "026291800001193", ifsc: "YESB0000262" });
  const TRANSFERS = 'route="/api/v1/beneficiary/transfer"';
  const before = await valuesOf("http_requests_total", TRANSFERS);
  const available = await merchant.available();
  const COUNT = 60;
  const answers = await Promise.all(
    Array.from({ length: COUNT }, (_, index) =>
      transferFrom("127.0.0.1", { beneficiary_id, amount: "1.00", reference_id: `both-${index >> 1}` }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const after = await valuesOf("http_requests_total", TRANSFERS);
  for (const worker of ["1", "2"]) expect(after.get(worker)! - (before.get(worker) ?? 0)).toBeGreaterThan(0);
  expect(await merchant.available()).toBe(`${Number.parseInt(available, 10) - COUNT / 2}.00`);
  const refused = await Promise.all(
    Array.from({ length: 10 }, () => transferFrom("127.0.0.2", { beneficiary_id, amount: "1.00" })),
  );
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(["token_ip_mismatch"]));
});

test("log lines carry the number of the worker that wrote them", () => {
  const lines = installation.server.output.split("\n").filter((line) => line.startsWith("{"));
  const ready = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === "ready");
  expect(new Set(ready.map(({ worker }) => worker))).toEqual(new Set([1, 2, undefined]));
});

test("a worker that is killed is replaced, after a pause where it died at once, and its transfers are finished", async () => {
  const beneficiary_id = await merchant.addBeneficiary(GOOD_ACCOUNT);
  const pids = await workerPids();
  expect(pids).toHaveLength(WORKERS);
  const transfers = Array.from({ length: 40 }, async (_, index) => {
    await sleep(index * 5);
    return merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: `killed-${index}` }).then(
      (answer) => answer.status,
      () => 0,
    );
  });
  await sleep(100);
  process.kill(pids[1]!, "SIGKILL");
  const statuses = await Promise.all(transfers);
  // What was in the dead worker's hand broke off, or is to be sent again; nobody else was refused.
  expect(new Set(statuses.filter((status) => status !== 0))).toEqual(new Set([200]));
  expect(await getBalance()).toBe(200);
  await expect.poll(async () => (await workerPids()).filter((pid) => !pids.includes(pid)).length).toBe(1);
  expect(await workerPids()).toContain(pids[0]);

  // This one has not lived for long, however slow the machine is: its replacement waits.
  const [young] = (await workerPids()).filter((pid) => !pids.includes(pid));
  process.kill(young!, "SIGKILL");
  await expect.poll(() => installation.server.output).toMatch(/"pause_ms":[12]000,"msg":"a worker ended/);
  await expect.poll(allAreUp).toBe(true);

  for (let index = 0; index < 40; index += 1) {
    const again = await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: `killed-${index}` });
    expect(again.status).toBe(200);
  }
  await expect.poll(() => merchant.available()).toBe("930.00");
  await expect
    .poll(async () => (await installation.pool.query("select from transfer where state <> 'SUCCESS'")).rowCount)
    .toBe(0);
});

test("while each worker is killed in its turn, payouts are made or break off, and are made once when repeated", async () => {
  const beneficiary_id = await merchant.addBeneficiary({ account_number: "026291800001194", ifsc: "YESB0000262" });
  await expect.poll(allAreUp).toBe(true);
  const before = await merchant.available();
  const transfer = (index: number): Promise<number> =>
    transferFrom("127.0.0.1", { beneficiary_id, amount: "1.00", reference_id: `each-${index}` }).then(
      ({ status }) => status,
      () => 0,
    );
  for (const pid of await workerPids()) {
    await expect.poll(allAreUp).toBe(true);
    const transfers = Array.from({ length: 40 }, (_, index) => sleep(index * 5).then(() => transfer(index)));
    await sleep(100);
    process.kill(pid, "SIGKILL");
    // A broken connection says that it is not known.
    for (const status of await Promise.all(transfers)) expect([200, 0]).toContain(status);
  }
  await expect.poll(allAreUp).toBe(true);
  for (let index = 0; index < 40; index += 1) expect(await transfer(index)).toBe(200);
  await expect.poll(() => merchant.available()).toBe(`${Number.parseInt(before, 10) - 40}.00`);
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});

test("a stop answers what is in hand, and ends all", async () => {
  const server = await NodalProcess.start({
    ...installation.environment,
    WORKERS: String(WORKERS),
    SIMULATOR_LATENCY_MS: "800",
  });
  const beneficiary_id = await merchant.addBeneficiary({ account_number: "026291800001192", ifsc: "YESB0000262" });
  const pids = await childrenOf(server.child.pid!);
  const body = { beneficiary_id, amount: "1.00", reference_id: "in-hand" };
  const headers = { authorization: `Bearer ${merchant.token}` };
  const answer = send(server.baseUrl, "POST", "/api/v1/beneficiary/transfer", body, headers);
  const isTaken = async () => {
    const text = "select from transfer where merchant_id = $1 and reference_id = 'in-hand'";
    return (await installation.pool.query(text, [merchant.id])).rowCount;
  };
  await expect.poll(isTaken, { timeout: 180_000 }).toBe(1);
  expect(await server.stop()).toBe(0);
  expect((await answer).status).toBe(200);
  expect(pids.filter(isAlive)).toEqual([]);
});

test("workers whose supervisor is killed end at once, so that another can begin", async () => {
  const server = await NodalProcess.start({ ...installation.environment, WORKERS: String(WORKERS) });
  const pids = await childrenOf(server.child.pid!);
  expect(pids.length).toBeGreaterThan(0);
  await server.stop("SIGKILL");
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test("a port that is taken stops the start with a sentence", async () => {
  const PORT = String(await freePort());
  const taken = await NodalProcess.start({ ...installation.environment, PORT });
  // It finds the other one ready on that port.
  const server = await NodalProcess.start({ ...installation.environment, PORT, WORKERS: "2" });
  await expect.poll(() => server.child.exitCode).toBe(1);
  expect(server.output).toMatch(/Another program uses this port: set PORT to a free one/);
  await taken.stop();
});
