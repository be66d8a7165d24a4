// Two servers over one database: limits hold over both, and what one changes the other knows within a second. Crashes
// are in test/crash.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findMerchant, revokeKey } from "../../src/merchants/index.ts";
import { newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { NodalProcess, send, type Answer } from "../support/nodal.ts";

/** As docs/scale.md says. It counts from before the look-up, so it holds on a busy machine too. */
const KNOWN_WITHIN_MS = 1000;
/** Few enough requests for a merchant's rate limit. */
const PAUSE_MS = 200;

let installation: Installation;
let second: NodalProcess;
let bases: string[];

beforeAll(async () => {
  const settings = { RATE_LIMIT_PER_MINUTE: "30", TRUST_PROXY: "127.0.0.1" };
  installation = await Installation.start(settings);
  second = await NodalProcess.start({ ...installation.environment, ...settings });
  bases = [installation.server.baseUrl, second.baseUrl];
});
afterAll(async () => {
  await second.stop();
  await installation.stop();
});

/** Asks for the balance at one of the servers. */
function balanceAt(server: number, { token }: TestMerchant): Promise<Answer> {
  return send(bases[server % 2]!, "GET", "/api/v1/payout/balance", undefined, { authorization: `Bearer ${token}` });
}

function countOf(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

test("the rate limit of a merchant is exact over both", async () => {
  const merchant = await installation.newMerchant();
  const answers: Answer[] = [];
  // The sign-in was the first of 30.
  for (let count = 1; count <= 10; count += 1) {
    const answer = await balanceAt(count, merchant);
    expect(answer.headers.get("ratelimit-remaining")).toBe(String(29 - count));
    answers.push(answer);
  }
  answers.push(...(await Promise.all(Array.from({ length: 80 }, (_, index) => balanceAt(index, merchant)))));
  expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([29, 61]);
});

test("wrong keys are counted over both", async () => {
  const { keys } = await installation.newMerchant();
  const guess = (server: number): Promise<Answer> =>
    send(
      bases[server % 2]!,
      "POST",
      "/api/token",
      { ...keys, secret_access_key: "guess" },
      { "x-forwarded-for": "203.0.113.9" },
    );
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index)));
  expect([countOf(answers, 401), countOf(answers, 429)]).toEqual([30, 30]);
});

test("wrong passwords are counted over both", async () => {
  const merchant = await installation.newMerchant();
  const { email } = await newPerson(installation, merchant.id);
  const statuses: number[] = [];
  for (let count = 0; count < 16; count += 1) {
    const body = { email, merchant: merchant.id, password: "wrong wrong wrong" };
    const headers = { "x-forwarded-for": `203.0.113.${100 + count}`, origin: bases[count % 2]! };
    statuses.push((await send(bases[count % 2]!, "POST", "/api/session/sign-in", body, headers)).status);
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(6).fill(429)]);
});

test("a key that is revoked is refused by both within a second, also while it is in use", async () => {
  const { pool } = installation;
  const merchant = await installation.newMerchant();
  /** When the last request that each server accepted was sent. */
  const acceptedMs: (number | null)[] = [null, null];
  const askUntilRefused = async (server: number): Promise<void> => {
    for (;;) {
      const askedMs = performance.now();
      const { status } = await balanceAt(server, merchant);
      if (status === 403) return;
      if (status === 200) acceptedMs[server] = askedMs;
      await sleep(PAUSE_MS);
    }
  };
  const asking = [askUntilRefused(0), askUntilRefused(1)];
  await expect.poll(() => acceptedMs).not.toContain(null);
  // With its event, or the seal of that moment would not agree with the books afterwards.
  await revokeKey({ pool, merchant: (await findMerchant(pool, BigInt(merchant.id)))! }, merchant.keys.access_key_id);
  const revokedMs = performance.now();
  await Promise.all(asking);
  for (const atMs of acceptedMs) expect(atMs! - revokedMs).toBeLessThan(KNOWN_WITHIN_MS);
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
