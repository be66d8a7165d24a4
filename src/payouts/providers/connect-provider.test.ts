// Recognizing the same account at a provider in spite of different spellings of its address.
import { expect, test } from "vitest";
import { refuseConnected } from "./connect-provider.ts";
import type { ProviderAccount } from "./provider-account.ts";

const ACCOUNT = {
  accountId: 7n,
  provider: "cashfree",
  keyId: "key",
  sourceAccount: null,
  fundSource: null,
  disconnectedAt: null,
} as unknown as ProviderAccount;

const isRefused = (baseUrl: string, other: string, changes: Partial<ProviderAccount> = {}): boolean => {
  try {
    refuseConnected({ ...ACCOUNT, baseUrl }, [{ ...ACCOUNT, baseUrl: other, ...changes }]);
    return false;
  } catch {
    return true;
  }
};

test.each([
  ["https://api.cashfree.com", "https://API.Cashfree.com"],
  ["https://api.cashfree.com", "https://api.cashfree.com/"],
  ["https://api.cashfree.com", "https://api.cashfree.com:443"],
  ["https://api.cashfree.com", "https://api.cashfree.com."],
  ["http://localhost:8081", "http://127.0.0.1:8081"],
  ["http://localhost:8081", "http://[::1]:8081/"],
  ["http://127.0.0.1:8081", "http://127.0.0.2:8081"],
])("%s and %s are one place", (one, other) => {
  expect(isRefused(one, other)).toBe(true);
  expect(isRefused(one, other, { keyId: "another" })).toBe(false);
  expect(isRefused(one, other, { disconnectedAt: Temporal.Now.instant() })).toBe(false);
});

test("other hosts and ports, fund sources and accounts are others", () => {
  expect(isRefused("https://api.cashfree.com", "https://sandbox.cashfree.com")).toBe(false);
  expect(isRefused("http://localhost:8081", "http://localhost:8082")).toBe(false);
  expect(isRefused("https://api.cashfree.com", "https://api.cashfree.com", { fundSource: "two" })).toBe(false);
  expect(isRefused("https://api.razorpay.com", "https://api.razorpay.com", { sourceAccount: "789" })).toBe(false);
});
