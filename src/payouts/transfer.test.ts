// The rules of a transfer that need no database: its rail, its mode, its wire status.
import { expect, test } from "vitest";
import { readConfig } from "../platform/config.ts";
import {
  chooseMode,
  chooseRailMode,
  isOpen,
  railLimitsOf,
  reasonOf,
  wireStatus,
  type TransferState,
  transitionOf,
} from "./transfer.ts";

const limits = { impsPaise: 50_000_000n, upiPaise: 10_000_000n, neftAboveImps: false };
const bank = { name: "A", accountNumber: "1234", ifsc: "HDFC0000001", upi: null };
const handle = { name: "A", accountNumber: null, ifsc: null, upi: "a@upi" };

test.each([
  [1n, "IMPS"],
  [50_000_000n, "IMPS"],
  [50_000_001n, "RTGS"],
])("a bank transfer of %s paise goes by %s", (paise, mode) =>
  expect(chooseRailMode("banktransfer", paise, limits)).toBe(mode),
);

test("what failed and is said to have come back stays failed: nothing was debited for it", () => {
  for (const state of ["FAILED", "REJECTED"] as const)
    for (const status of ["REVERSED", "FAILED", "PENDING", "UNKNOWN"] as const)
      expect(transitionOf(state, status)).toBeNull();
});

test("a configured limit is never above the rail's own", () => {
  const limits = { impsPaise: 10n ** 12n, upiPaise: 10n ** 12n, neftAboveImps: false };
  expect([50_000_000n, 50_000_001n].map((paise) => chooseRailMode("banktransfer", paise, limits))).toEqual([
    "IMPS",
    "RTGS",
  ]);
  expect(() => chooseRailMode("upi", 10_000_001n, limits)).toThrow("The UPI limit is ₹1,00,000.00");
});

test("an open transfer says from when its provider takes it on", () => {
  const now = Temporal.Instant.from("2026-11-27T18:30:00+05:30");
  const open = { state: "PENDING", reason: null, rail: "razorpayx:1", railMode: "NEFT" } as const;
  expect(reasonOf(open, now)).toBe("The provider accepts NEFT again on 2026-11-30 02:00 (India).");
  expect([reasonOf({ ...open, state: "SUCCESS" }, now), reasonOf({ ...open, railMode: "IMPS" }, now)]).toEqual([
    null,
    null,
  ]);
  expect(reasonOf({ ...open, reason: "Why" }, now)).toBe("Why");
});

test("NEFT carries what IMPS can't where it is configured, and what RTGS is too large for", () => {
  expect(chooseRailMode("banktransfer", 50_000_001n, { ...limits, neftAboveImps: true })).toBe("NEFT");
  const lowImps = { ...limits, impsPaise: 10_000_000n };
  expect(chooseRailMode("banktransfer", 19_999_999n, lowImps)).toBe("NEFT");
  expect(chooseRailMode("banktransfer", 20_000_000n, lowImps)).toBe("RTGS");
});

test("UPI carries up to its limit", () => {
  expect(chooseRailMode("upi", 10_000_000n, limits)).toBe("UPI");
  expect(() => chooseRailMode("upi", 10_000_001n, limits)).toThrow(
    expect.objectContaining({
      code: "limit_exceeded",
      message: expect.stringMatching(/limit is ₹1,00,000\.00: send less/),
    }),
  );
});

test("the mode is the one asked for, else bank, else UPI", () => {
  expect([chooseMode(null, bank), chooseMode(null, handle), chooseMode(null, { ...bank, upi: "a@upi" })]).toEqual([
    "banktransfer",
    "upi",
    "banktransfer",
  ]);
  expect(chooseMode("upi", { ...bank, upi: "a@upi" })).toBe("upi");
  for (const [mode, payee, remedy] of [
    ["upi", bank, "use the mode banktransfer"],
    ["banktransfer", handle, "use the mode upi"],
  ] as const) {
    const error = { field: "mode", code: "not_allowed", problem: expect.stringContaining(remedy) };
    expect(() => chooseMode(mode, payee)).toThrow(expect.objectContaining({ errors: [error] }));
  }
});

test("limits are those of the configuration", () => {
  const config = readConfig({ IMPS_LIMIT: "1000.00", UPI_LIMIT: "2000.00", NEFT_ABOVE_IMPS: "on" });
  expect(railLimitsOf(config)).toEqual({ impsPaise: 100_000n, upiPaise: 200_000n, neftAboveImps: true });
  expect(railLimitsOf(readConfig({})).neftAboveImps).toBe(false);
});

test.each<[TransferState, string]>([
  ["RESERVED", "PENDING"],
  ["SUBMITTING", "PENDING"],
  ["UNKNOWN", "PENDING"],
  ["PENDING", "PENDING"],
  ["SUCCESS", "SUCCESS"],
  ["FAILED", "FAILED"],
  ["REJECTED", "REJECTED"],
  ["REVERSED", "REVERSED"],
])("%s is %s on the wire, and open while that is PENDING", (state, status) => {
  expect(wireStatus(state)).toBe(status);
  expect(isOpen(state)).toBe(status === "PENDING");
});
