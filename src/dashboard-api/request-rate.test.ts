// How many requests the dashboard takes, on a clock that the test moves.
import { expect, test } from "vitest";
import type { Session } from "../merchants/index.ts";
import { RequestRate } from "./request-rate.ts";

const LIMITED = expect.objectContaining({
  code: "rate_limited",
  rate: expect.objectContaining({ remaining: 0 }) as unknown,
});

function sessionOf(merchantId: bigint, sessionId: bigint, kind = "user"): Session {
  return { sessionId, login: { kind, merchantId } } as unknown as Session;
}

test("a session may make so many requests in any minute; others are not concerned", () => {
  let nowMs = 0;
  const rate = new RequestRate(5, () => nowMs);
  for (let count = 0; count < 5; count += 1) rate.count(sessionOf(1n, 1n));
  expect(() => rate.count(sessionOf(1n, 1n))).toThrow(LIMITED);
  rate.count(sessionOf(1n, 2n));
  rate.count(sessionOf(2n, 3n));
  nowMs = 60_000;
  rate.count(sessionOf(1n, 1n));
});

test("the sessions of a merchant together have a limit as well, and those of operators have none", () => {
  const rate = new RequestRate(5, () => 0);
  for (let count = 0; count < 50; count += 1) rate.count(sessionOf(1n, BigInt(count)));
  expect(() => rate.count(sessionOf(1n, 99n))).toThrow(LIMITED);
  rate.count(sessionOf(2n, 100n));
  for (let count = 0; count < 60; count += 1) rate.count(sessionOf(0n, 1000n + BigInt(count), "operator"));
});

test("cookies that no session has are counted for their address, before anything is looked up", async () => {
  const rate = new RequestRate(5, () => 0);
  let looks = 0;
  const look = (session: Session | null) => () => {
    looks += 1;
    return Promise.resolve(session);
  };
  for (let count = 0; count < 20; count += 1) await rate.findSession("192.0.2.1", look(sessionOf(1n, 1n)));
  for (let count = 0; count < 5; count += 1) expect(await rate.findSession("192.0.2.1", look(null))).toBeNull();
  await expect(rate.findSession("192.0.2.1", look(null))).rejects.toEqual(LIMITED);
  expect(looks).toBe(25);
  expect(await rate.findSession("192.0.2.2", look(null))).toBeNull();
});
