// Calls per second to an account: their order, and that all processes together stay within the limit.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import type { RateAsk, RateGrant } from "../rates/rate-store.ts";
import { takeRates } from "../rates/rate-store.ts";
import type { TakeRates } from "../rates/rate-window.ts";
import type { CallKind, Pace, Turn } from "./call-turn.ts";
import { Paces } from "./pace.ts";

const NEVER = new AbortController().signal;
const RAIL = "cashfree:default:1";
const open: Paces[] = [];
let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((paces) => paces.close()));
});
afterAll(() => db.close());

function pacesOf(perSecond: number, take: TakeRates): Paces {
  const paces = new Paces(perSecond, take);
  open.push(paces);
  return paces;
}

/** A limit that grants as many slots as set, and otherwise reports that the next one comes soon. */
class Slots {
  #left = 0;

  give(count: number): void {
    this.#left += count;
  }

  readonly take: TakeRates = (asks) =>
    Promise.resolve(
      asks.map(({ wanted }): RateGrant => {
        const granted = Math.min(wanted, this.#left);
        this.#left -= granted;
        return { granted, endMs: 1, ahead: 0, aheadEndMs: 0, remaining: 0, resetMs: 1 };
      }),
    );
}

/** Records the names of turns in the order in which they pass. */
function wait(pace: Pace, passed: string[], name: string, turn: Turn): void {
  pace.take(turn, NEVER).then(
    () => passed.push(name),
    () => {},
  );
}

test("merchants that share an account take turns, however many calls one has", async () => {
  const slots = new Slots();
  const pace = pacesOf(8, slots.take).of(RAIL, null);
  const passed: string[] = [];
  for (let call = 0; call < 20; call += 1) wait(pace, passed, "large", { kind: "payment", merchantId: 1n });
  for (let call = 0; call < 2; call += 1) wait(pace, passed, "small", { kind: "payment", merchantId: 2n });
  slots.give(4);
  await expect.poll(() => passed).toEqual(["large", "small", "large", "small"]);
  slots.give(18);
  await expect.poll(() => passed.length).toBe(22);
});

test("payments, questions and reviews share it six to three to one while all of them wait", async () => {
  const slots = new Slots();
  const pace = pacesOf(8, slots.take).of(RAIL, null);
  const passed: string[] = [];
  for (const kind of ["review", "question", "payment"] as const)
    for (let call = 0; call < 30; call += 1) wait(pace, passed, kind, { kind, merchantId: 1n });
  slots.give(20);
  await expect.poll(() => passed.length).toBe(20);
  const count = (kind: CallKind): number => passed.filter((each) => each === kind).length;
  expect([count("payment"), count("question"), count("review")]).toEqual([12, 6, 2]);
  slots.give(70);
  await expect.poll(() => passed.length).toBe(90);
});

test("a wait that is broken off sent nothing, and leaves the slot to the next", async () => {
  const slots = new Slots();
  const paces = pacesOf(8, slots.take);
  const pace = paces.of(RAIL, null);
  const breaking = new AbortController();
  const broken = pace.take({ kind: "payment", merchantId: 1n }, breaking.signal);
  const passed: string[] = [];
  wait(pace, passed, "next", { kind: "payment", merchantId: 1n });
  // The calls of a quarter of a second are waiting, so the dispatcher sends no more to the account.
  expect([paces.hasRoom(RAIL, "payment"), paces.hasRoom(RAIL, "question")]).toEqual([false, true]);
  breaking.abort();
  await expect(broken).rejects.toMatchObject({ name: "NotSentError", code: "busy" });
  expect(paces.hasRoom(RAIL, "payment")).toBe(true);
  await expect(pace.take({ kind: "payment", merchantId: 1n }, breaking.signal)).rejects.toMatchObject({ code: "busy" });
  slots.give(1);
  await expect.poll(() => passed).toEqual(["next"]);
});

test("an account's own limit counts, also where it is changed; none at all lets everything pass", async () => {
  const asked: RateAsk[] = [];
  const slots = new Slots();
  const paces = pacesOf(8, (asks) => (asked.push(...asks), slots.take(asks)));
  slots.give(100);
  await paces.of(RAIL, null).take({ kind: "payment", merchantId: 1n }, NEVER);
  await paces.of(RAIL, 3).take({ kind: "payment", merchantId: 1n }, NEVER);
  expect(asked.map(({ limit, windowMs }) => [limit, windowMs])).toEqual([
    [8, 1000],
    [3, 1000],
  ]);
  await paces.of("razorpayx:2", 0).take({ kind: "payment", merchantId: 1n }, NEVER);
  await paces.of(RAIL, 0).take({ kind: "payment", merchantId: 1n }, NEVER);
  expect([asked.length, paces.hasRoom(RAIL, "payment"), paces.hasRoom("razorpayx:2", "payment")]).toEqual([
    2,
    true,
    true,
  ]);
});

test("three processes together make no more calls in any second than the account may have, and every call passes", async () => {
  const LIMIT = 10;
  /** When slots end, by the database's clock. */
  const ends: number[] = [];
  const take: TakeRates = async (asks) => {
    const grants = await takeRates(db.server, asks);
    for (const { granted, endMs } of grants) ends.push(...Array.from({ length: granted }, () => endMs));
    return grants;
  };
  const processes = Array.from({ length: 3 }, () => pacesOf(LIMIT, take).of("razorpayx:3", null));
  await Promise.all(
    Array.from({ length: 36 }, (_, index) =>
      processes[index % 3]!.take({ kind: "payment", merchantId: BigInt(index % 5) }, NEVER),
    ),
  );
  expect(ends).toHaveLength(36);
  for (const end of ends)
    expect(ends.filter((each) => each >= end && each < end + 1000).length).toBeLessThanOrEqual(LIMIT);
});

test("while the database can't be asked, calls wait", async () => {
  let isAway = true;
  const slots = new Slots();
  slots.give(1);
  const pace = pacesOf(8, (asks) => (isAway ? Promise.reject(new Error("away")) : slots.take(asks))).of(RAIL, null);
  const passed: string[] = [];
  wait(pace, passed, "first", { kind: "question", merchantId: 1n });
  await new Promise((resolve) => setImmediate(resolve));
  expect(passed).toEqual([]);
  isAway = false;
  await expect.poll(() => passed).toEqual(["first"]);
});
