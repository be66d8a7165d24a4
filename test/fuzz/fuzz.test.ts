// Every route of the server under generated requests: never a 5xx, a hang, a crash, a secret told, or a change by what
// was refused. FUZZ_RUNS and FUZZ_SEED choose others.
import { setTimeout as sleep } from "node:timers/promises";
import fc, { type Arbitrary } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiDocument, type Route } from "./api-document.ts";
import type { FuzzRequest } from "./fuzz-request.ts";
import { Judge } from "./judge.ts";
import { ODD_CONNECTIONS } from "./odd-http.ts";
import { requestsForPages, requestsTo } from "./odd-requests.ts";
import { exchange, type Exchange } from "./raw-http.ts";
import { CANARIES, Stage } from "./stage.ts";

const DEFAULT_RUNS = 150;
/** The bounded run is the same each time; a longer one, or a seed, is asked for. */
const DEFAULT_SEED = 20_261_121;
const runs = Number(process.env["FUZZ_RUNS"] ?? DEFAULT_RUNS);
const seed = Number(process.env["FUZZ_SEED"] ?? (process.env["FUZZ_RUNS"] ? Date.now() % 2 ** 31 : DEFAULT_SEED));
/** For all routes, on a machine that is slow and busy: it is there for a server that hangs. */
const TIMEOUT_MS = 600_000 + runs * 12_000;
/** The server waits 10 s for headers and 30 s for a request, and looks every second; the rest is for a slow machine. */
const STALLED_MS = 45_000;

const STALLED_HEADERS = "POST /api/token HTTP/1.1\r\nHost: x\r\n";
const STALLED_BODY =
  "POST /api/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
const STALLED = [STALLED_HEADERS, STALLED_BODY];

let stage: Stage;
let document: ApiDocument;
let stalled: Promise<Exchange[]>;

beforeAll(async () => {
  process.stdout.write(`FUZZ_SEED=${seed} FUZZ_RUNS=${runs}\n`);
  stage = await Stage.open();
  document = await ApiDocument.read(stage.installation.server.baseUrl);
  // They wait while the others run.
  const stall = (bytes: string) => exchange(stage.port, [Buffer.from(bytes)], { deadlineMs: STALLED_MS });
  stalled = Promise.all(STALLED.map(stall));
});
afterAll(() => stage?.installation.stop());

/** Runs one kind of request, and answers what broke: with its seed and its smallest form. */
async function run(
  name: string,
  requests: Arbitrary<FuzzRequest>,
  judge: Judge,
  attempt: (request: FuzzRequest) => Promise<void>,
): Promise<string[]> {
  const checked = fc.asyncProperty(requests, attempt);
  const details = await fc.check(checked, { seed, numRuns: runs, interruptAfterTimeLimit: TIMEOUT_MS / 10 });
  const said = [...judge.statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}×${count}`);
  process.stdout.write(`${name}: ${said.join(" ")}\n`);
  if (!details.failed) return [];
  const why = details.errorInstance instanceof Error ? details.errorInstance.message : "";
  return [`${name} (FUZZ_SEED=${seed} FUZZ_RUNS=${runs}): ${why}\n${fc.defaultReportMessage(details)}`];
}

async function expectHealth(): Promise<void> {
  expect(stage.installation.server.child.exitCode).toBeNull();
  expect((await fetch(`${stage.installation.server.baseUrl}/readyz`)).status).toBe(200);
  expect(stage.findBadLogLines().slice(0, 5)).toEqual([]);
}

test(
  "every route of the document answers whatever it is sent, as documented, and refuses without a trace",
  async () => {
    const broken: string[] = [];
    // Deleting comes last: it takes away what the others work with.
    const isDeletion = ({ path }: Route): number => Number(/\/delete/i.test(path));
    for (const route of document.routes.toSorted((a, b) => isDeletion(a) - isDeletion(b))) {
      const supplies = { senders: stage.senders, known: await stage.readKnownValues(), wrongSecret: CANARIES.secret };
      const judge = new Judge(document, stage);
      const attempt = (request: FuzzRequest): Promise<void> => judge.try(request);
      broken.push(...(await run(`${route.method} ${route.path}`, requestsTo(route, supplies), judge, attempt)));
      await judge.conclude();
    }
    expect(broken.join("\n\n")).toBe("");
    await expectHealth();
  },
  TIMEOUT_MS,
);

test(
  "the pages of invoices open, or say that there is none",
  async () => {
    const judge = new Judge(document, stage);
    const pages = requestsForPages(await stage.readPageNames());
    const broken = await run("GET /i/…", pages, judge, (request) => judge.tryPage(request));
    expect(broken.join("\n\n")).toBe("");
    await expectHealth();
  },
  TIMEOUT_MS,
);

test.each(ODD_CONNECTIONS)("a connection with $name is answered or closed, and not taken for more", async (odd) => {
  const ending = { endsAfter: true, replies: odd.mostReplies + 1 };
  const { replies, isHung } = await exchange(stage.port, [Buffer.from(odd.bytes, "latin1")], ending);
  expect(isHung).toBe(false);
  expect(replies.length).toBeLessThanOrEqual(odd.mostReplies);
  for (const reply of replies) expect(reply.status === 200 || (reply.status >= 400 && reply.status < 500)).toBe(true);
  expect((await fetch(`${stage.installation.server.baseUrl}/healthz`)).status).toBe(200);
});

test("requests that stop arriving are given up", async () => {
  for (const { replies, isHung } of await stalled) {
    expect(isHung).toBe(false);
    expect(replies.map(({ status }) => status)).toEqual([408]);
  }
});

test("afterwards the books are sound and the log holds no secret", async () => {
  // What the last requests logged is on its way.
  await sleep(200);
  await expectHealth();
  expect(await stage.installation.findProblems()).toEqual([]);
});
