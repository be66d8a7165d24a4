// One-time codes against the test values of RFC 6238 (appendix B, SHA-1, the last six of its eight digits).
import { TOTP } from "otpauth";
import { expect, test } from "vitest";
import { matchTotp, newTotpSecret, otpauthUri, toBase32 } from "./totp.ts";

const SECRET = toBase32(Buffer.from("12345678901234567890"));

test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
])("at second %d the code is %s", (second, code) => {
  const now = Temporal.Instant.fromEpochMilliseconds(second * 1000);
  expect(matchTotp(SECRET, code, now)).toBe(BigInt(Math.floor(second / 30)));
});

test("the codes one step before and after count, two steps off they don't", () => {
  const secret = newTotpSecret();
  const now = Temporal.Instant.fromEpochMilliseconds(1_800_000_000_000);
  const step = 60_000_000n;
  const codeOf = (offset: bigint): string =>
    new TOTP({ secret }).generate({ timestamp: Number(step + offset) * 30_000 });
  const matched = [-2n, -1n, 0n, 1n, 2n].map((offset) => matchTotp(secret, codeOf(offset), now));
  expect(matched).toEqual([null, step - 1n, step, step + 1n, null]);
  expect(matchTotp(secret, "12345", now)).toBeNull();
  expect(matchTotp(secret, "१२३४५६", now)).toBeNull();
});

test("an app reads the secret, the issuer and the account", () => {
  const uri = new URL(otpauthUri(SECRET, "Nodal: A&B", "asha@example.com"));
  expect(SECRET).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  expect(decodeURIComponent(uri.pathname)).toContain("Nodal: A&B:asha@example.com");
  expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret: SECRET, issuer: "Nodal: A&B", digits: "6" });
});
