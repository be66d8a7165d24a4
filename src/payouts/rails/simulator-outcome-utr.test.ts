// Tests of the forms of the simulated bank's references.
import { expect, test } from "vitest";
import type { PaymentInstruction, RailMode } from "./rail.ts";
import { makeUtr } from "./simulator-outcome.ts";

const BOOKED_AT = Temporal.Instant.from("2026-03-31T20:00:00Z");

function payment(mode: RailMode, transferId: bigint, ifsc: string | null): PaymentInstruction {
  const payee = { name: "Asha", accountNumber: "1234", ifsc, upi: null };
  return { transferId, bucket: 1, merchantId: 1n, amountPaise: 100n, mode, payee, narrative: "" };
}

test("each rail's UTR has its form", () => {
  expect(makeUtr(payment("IMPS", 42n, "HDFC0000001"), BOOKED_AT)).toBe("100000000042");
  expect(makeUtr(payment("UPI", 42n, null), BOOKED_AT)).toMatch(/^[0-9]{12}$/);
  expect(makeUtr(payment("NEFT", 42n, "HDFC0000001"), BOOKED_AT)).toMatch(/^HDFC[A-Z0-9]{12}$/);
  expect(makeUtr(payment("NEFT", 42n, null), BOOKED_AT)).toMatch(/^NODL[A-Z0-9]{12}$/);
});

test("an RTGS UTR carries the bank and the date in India", () => {
  expect(makeUtr(payment("RTGS", 42n, "SBIN0000004"), BOOKED_AT)).toBe("SBINRC2026040100000042");
});

test("the largest transfer id keeps the form, and ids beside each other differ", () => {
  const largest = 2n ** 53n - 1n;
  for (const [mode, length] of [
    ["IMPS", 12],
    ["UPI", 12],
    ["NEFT", 16],
    ["RTGS", 22],
  ] as const) {
    const utrs = [largest, largest - 1n].map((id) => makeUtr(payment(mode, id, "HDFC0000001"), BOOKED_AT));
    expect(utrs[0]).toHaveLength(length);
    expect(utrs[0]).not.toBe(utrs[1]);
  }
});
