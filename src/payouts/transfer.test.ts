// The rules of a transfer that need no database: its rail, its mode, its wire status.
import { expect, test } from "vitest";
import { chooseMode, chooseRailMode } from "./transfer.ts";

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

test("NEFT carries what IMPS can't where it is configured, and what RTGS is too large for", () => {
  expect(chooseRailMode("banktransfer", 50_000_001n, { ...limits, neftAboveImps: true })).toBe("NEFT");
  const lowImps = { ...limits, impsPaise: 10_000_000n };
  expect(chooseRailMode("banktransfer", 19_999_999n, lowImps)).toBe("NEFT");
  expect(chooseRailMode("banktransfer", 20_000_000n, lowImps)).toBe("RTGS");
});

test("UPI carries up to its limit", () => {
  expect(chooseRailMode("upi", 10_000_000n, limits)).toBe("UPI");
  expect(() => chooseRailMode("upi", 10_000_001n, limits)).toThrow(/at most 100000.00/);
});

test("the mode is the one asked for, else bank, else UPI", () => {
  expect([chooseMode(null, bank), chooseMode(null, handle), chooseMode(null, { ...bank, upi: "a@upi" })]).toEqual([
    "banktransfer",
    "upi",
    "banktransfer",
  ]);
  expect(chooseMode("upi", { ...bank, upi: "a@upi" })).toBe("upi");
  for (const [mode, payee] of [
    ["upi", bank],
    ["banktransfer", handle],
  ] as const) {
    expect(() => chooseMode(mode, payee)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ field: "mode" })] }),
    );
  }
});
