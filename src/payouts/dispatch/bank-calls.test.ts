// The effect of a provider's refusal on a transfer, depending on what may have been sent before. Tests with databases and
// processes are in test/.
import { OutageError, RefusedError } from "../../platform/providers/errors.ts";
import { expect, test } from "vitest";
import { createLogger } from "../../platform/log.ts";
import type { Pool } from "../../platform/database/pool.ts";
import { BankCalls, type Work } from "./bank-calls.ts";
import { NeverPayableError, requireMinimum } from "../providers/connector.ts";
import type { Rail } from "../rails/rail.ts";
import { Rails } from "../providers/rails.ts";
import type { WaitRules } from "./wait-rules.ts";

const RAIL = "cashfree:1";
const NEVER = new AbortController().signal;
const instruction = {
  transferId: 7n,
  bucket: 1,
  merchantId: 1_000_001n,
  amountPaise: 50n,
  mode: "IMPS",
  payee: { name: "Asha Rao", accountNumber: "50100012345678", ifsc: "HDFC0001234", upi: null },
  narrative: "",
} as const;

/** The calls of a process whose provider knows no payment, and answers a new one with `submit`. */
function callsWith(submit: () => never): { calls: BankCalls; rails: Rails } {
  const rails = new Rails(null as unknown as Pool, null, 1000);
  const rail: Pick<Rail, "submit" | "status"> = { status: async () => null, submit: async () => submit() };
  const options = {
    pool: null as unknown as Pool,
    rails: Object.assign(rails, { of: () => rail as Rail, isConnected: async () => true }),
    rules: null as unknown as WaitRules,
    isOurs: () => true,
    looks: { add: async () => true },
    holds: { add: async () => null },
    isStopping: () => false,
    logger: createLogger("silent"),
  };
  return { calls: new BankCalls(options), rails };
}

const work = (state: Work["state"], attempts: number): Work => ({
  instruction,
  rail: RAIL,
  isRailKnown: true,
  state,
  attempts,
  claimId: 1n,
  term: 0,
});

test("a refusal is believed of what was never sent; of what may have been, after a quarter of an hour", async () => {
  const { calls } = callsWith(() => {
    throw new RefusedError("INVALID_IFSC");
  });
  const failed = { status: "FAILED", reason: "INVALID_IFSC" };
  expect(await calls.run(work("RESERVED", 0), true, NEVER)).toMatchObject(failed);
  await expect(calls.run(work("UNKNOWN", 1), false, NEVER)).rejects.toThrow("INVALID_IFSC");
  expect(await calls.run(work("UNKNOWN", 10), false, NEVER)).toMatchObject(failed);
});

test("what no provider ever takes has failed at once, also after an answer that was lost", async () => {
  const { calls } = callsWith(() => requireMinimum(instruction) as never);
  for (const state of ["RESERVED", "SUBMITTING", "UNKNOWN"] as const) {
    const result = await calls.run(work(state, 1), state === "RESERVED", NEVER);
    expect(result).toMatchObject({
      status: "FAILED",
      reason: "The smallest amount that payout providers pay is ₹1.00.",
    });
  }
  expect(() => requireMinimum({ amountPaise: 100n })).not.toThrow();
});

test("it says nothing of the account: one that is out of order stays so", async () => {
  let error: Error = new OutageError("500");
  const { calls, rails } = callsWith(() => {
    throw error;
  });
  for (let call = 0; call < 4; call += 1) await calls.run(work("RESERVED", 0), true, NEVER).catch(() => {});
  error = new NeverPayableError("too small");
  await calls.run(work("RESERVED", 0), true, NEVER);
  error = new OutageError("500");
  await calls.run(work("RESERVED", 0), true, NEVER).catch(() => {});
  expect(rails.circuits.room({ ...instruction, account: RAIL })).toBe(0);
});
