// The rate limit over real HTTP: 30 requests in any 60 s for a merchant, whatever they ask for.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectNoChange } from "../support/expect-wire.ts";
import { Installation } from "../support/installation.ts";
import { nodalJson, type Answer } from "../support/nodal.ts";

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.start({ RATE_LIMIT_PER_MINUTE: "30", TRUST_PROXY: "127.0.0.1" });
});
afterAll(() => installation.stop());

function headersOf({ headers }: Answer): {
  limit: number;
  remaining: number;
  reset: number;
  retryAfter: string | null;
} {
  const number = (name: string) => Number(headers.get(name) ?? "missing");
  return {
    limit: number("ratelimit-limit"),
    remaining: number("ratelimit-remaining"),
    reset: number("ratelimit-reset"),
    retryAfter: headers.get("retry-after"),
  };
}

function expectLimited(answer: Answer, limit: number): void {
  expect(answer).toBeRefusal({ status: 429, code: "rate_limited" });
  const { reset, retryAfter, ...rest } = headersOf(answer);
  expect(rest).toEqual({ limit, remaining: 0 });
  expect(retryAfter).toBe(String(reset));
  expect(reset).toBeGreaterThan(30);
  expect(reset).toBeLessThanOrEqual(60);
}

test("the 31st request inside a minute gets 429, the token's and all others counted together", async () => {
  // The sign-in was the first.
  const merchant = await installation.newMerchant({ fund: "100.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  for (let count = 3; count <= 29; count += 1) {
    const answer =
      count % 2 === 0 ? await merchant.list() : await installation.send("POST", "/api/token", merchant.keys);
    expect(answer.status).toBe(200);
    expect(headersOf(answer)).toMatchObject({ limit: 30, remaining: 30 - count, retryAfter: null });
  }
  const refusedField = await merchant.transfer({ beneficiary_id, amount: "0", reference_id: "counts-too" });
  expect(refusedField.status).toBe(400);
  expect(headersOf(refusedField).remaining).toBe(0);

  expectLimited(await merchant.balance(), 30);
  expectLimited(await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "too-many" }), 30);
  expectLimited(await installation.send("POST", "/api/token", merchant.keys), 30);
  const { rows } = await installation.pool.query("select 1 from transfer where merchant_id = $1", [merchant.id]);
  expect(rows).toEqual([]);

  const other = await installation.newMerchant();
  expect((await other.balance()).status).toBe(200);
});

test("simultaneous requests are counted exactly", async () => {
  const merchant = await installation.newMerchant();
  const answers = await Promise.all(Array.from({ length: 60 }, () => merchant.balance()));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(29);
  expect(answers.filter((answer) => answer.status === 429)).toHaveLength(31);
});

test("an operator gives a merchant a limit of its own", async () => {
  const merchant = await installation.newMerchant();
  const set = async (limit: string) => {
    await nodalJson(installation.environment, "merchant", "set", "--merchant", merchant.id, "--rate-limit", limit);
    // Longer than the server remembers the merchant.
    await sleep(2500);
  };
  await set("3");
  expect(headersOf(await merchant.balance())).toMatchObject({ limit: 3, remaining: 1 });
  expect((await merchant.balance()).status).toBe(200);
  expectLimited(await merchant.balance(), 3);
  await set("100");
  const answers = await Promise.all(Array.from({ length: 60 }, () => merchant.balance()));
  expect(answers.every((answer) => answer.status === 200)).toBe(true);
});

test("wrong keys count against the caller's address and never against the merchant", async () => {
  const merchant = await installation.newMerchant();
  const guess = (address: string) =>
    installation.send(
      "POST",
      "/api/token",
      { ...merchant.keys, secret_access_key: "guess" },
      { "x-forwarded-for": address },
    );
  for (let count = 1; count <= 30; count += 1) {
    const answer = await guess("198.51.100.7");
    expect(answer.status).toBe(401);
    expect(answer.body).toStrictEqual({ error: "Invalid Keys", status: 0, code: "invalid_keys" });
  }
  expectLimited(await guess("198.51.100.7"), 30);
  expectLimited(await guess("::ffff:198.51.100.7"), 30);
  expect((await guess("198.51.100.8")).status).toBe(401);
  // Who has one IPv6 address has 2^64 of them.
  for (let count = 1; count <= 30; count += 1) await guess(`2001:db8:0:7::${count.toString(16)}`);
  expectLimited(await guess("2001:db8:0:7:ffff::1"), 30);
  expect((await guess("2001:db8:0:8::1")).status).toBe(401);
  expect((await merchant.balance()).status).toBe(200);
  expect(headersOf(await merchant.balance()).remaining).toBe(27);
  const fromGuesser = await installation.send("POST", "/api/token", merchant.keys, {
    "x-forwarded-for": "198.51.100.7",
  });
  expect(fromGuesser.status).toBe(200);
});

test("tokens that do not hold are not counted against the merchant", async () => {
  const merchant = await installation.newMerchant();
  await expectNoChange(merchant, async () => {
    for (let count = 0; count < 40; count += 1) {
      const authorization = `Bearer ${merchant.token}x`;
      const answer = await installation.send("GET", "/api/v1/payout/balance", undefined, { authorization });
      expect(answer.status).toBe(401);
    }
  });
  expect((await merchant.balance()).status).toBe(200);
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
