// Credentials: their format, and every way in which a token is refused.
import { expect, test } from "vitest";
import {
  hashSecret,
  issueToken,
  newAccessKey,
  parseAccessKeyId,
  readToken,
  secretMatches,
  TOKEN_LIFETIME_MS,
} from "./access-key.ts";
import { bucketOfNewMerchant } from "../merchant.ts";
import { OPERATORS } from "../users/login.ts";

const installation = Buffer.alloc(32, 7);
const merchant = { bucket: 77, merchantId: 1_000_001n };
const { accessKeyId, secret } = newAccessKey({ ...merchant, live: false });
const token = issueToken(installation, accessKeyId, "192.0.2.1", 1_000_000);

test("an access key id carries its bucket and merchant", () => {
  expect(parseAccessKeyId(accessKeyId)).toEqual({ ...merchant, accessKeyId });
  for (const wrong of [
    "",
    "nk_1_2",
    `${accessKeyId}0`,
    accessKeyId.toUpperCase(),
    "nk_1_2_zzzzzzzzzzzz",
    " nk",
    "nk_01_2_0123456789ab",
    "nk_1_02_0123456789ab",
    "nk_test_1_2_0123456789ab",
    "nk_live_live_1_2_0123456789ab",
  ]) {
    expect(parseAccessKeyId(wrong)).toBeNull();
  }
});

test("keys say whether they are for real money; earlier ones, which do not, are read as well", () => {
  expect([accessKeyId, secret]).toEqual([
    expect.stringMatching(/^nk_sandbox_77_1000001_[0-9a-f]{12}$/),
    expect.stringMatching(/^ns_sandbox_/),
  ]);
  const live = newAccessKey({ ...merchant, live: true });
  expect([live.accessKeyId, live.secret]).toEqual([
    expect.stringMatching(/^nk_live_77_1000001_[0-9a-f]{12}$/),
    expect.stringMatching(/^ns_live_/),
  ]);
  const earlier = "nk_77_1000001_0123456789ab";
  expect(parseAccessKeyId(live.accessKeyId)).toEqual({ ...merchant, accessKeyId: live.accessKeyId });
  expect(parseAccessKeyId(earlier)).toEqual({ ...merchant, accessKeyId: earlier });
});

test("an operator's key names no merchant", () => {
  const { accessKeyId: id, secret: ofOperators } = newAccessKey({ ...OPERATORS, live: false });
  expect([id, ofOperators]).toEqual([
    expect.stringMatching(/^nk_operator_[0-9a-f]{12}$/),
    expect.stringMatching(/^ns_operator_/),
  ]);
  expect(parseAccessKeyId(id)).toEqual({ ...OPERATORS, accessKeyId: id });
  for (const wrong of ["nk_operator_", `${id}0`, `nk_operator_0_0_${id.slice(-12)}`, `nk_live_0_0_${id.slice(-12)}`]) {
    expect(parseAccessKeyId(wrong), wrong).toBeNull();
  }
});

test("a secret matches only its own key's hash, under the installation's own secret", () => {
  const hash = hashSecret(installation, accessKeyId, secret);
  expect(secretMatches(installation, accessKeyId, secret, hash)).toBe(true);
  expect(secretMatches(installation, accessKeyId, `${secret}x`, hash)).toBe(false);
  expect(secretMatches(Buffer.alloc(32, 8), accessKeyId, secret, hash)).toBe(false);
  expect(secretMatches(installation, newAccessKey({ ...merchant, live: false }).accessKeyId, secret, hash)).toBe(false);
});

test("a token is good for 60 minutes, at its own address", () => {
  const lastMoment = 1_000_000 + TOKEN_LIFETIME_MS - 1;
  expect(readToken(installation, token, "192.0.2.1", lastMoment)).toEqual({ ...merchant, accessKeyId });
  expect(() => readToken(installation, token, "192.0.2.1", lastMoment + 1)).toThrow(/expired/);
  expect(() => readToken(installation, token, "192.0.2.2", lastMoment)).toThrow(/another IP address/);
});

test("a token that was changed anywhere is not valid", () => {
  for (let at = 0; at < token.length; at += 1) {
    const changed = `${token.slice(0, at)}${token[at] === "1" ? "2" : "1"}${token.slice(at + 1)}`;
    expect(() => readToken(installation, changed, "192.0.2.1", 1_000_000)).toThrow(/not valid/);
  }
  // Other spellings of the signature's bytes: the last character has unused bits, and decoders skip many characters.
  const twins = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    .map((last) => token.slice(0, -1) + last)
    .filter((twin) => twin !== token);
  const garbage = ["=", "==", "%", "\n", " ", "A", "\u0000"].map((end) => token + end);
  const standard = token.replace(/[^.]*$/, (part) => Buffer.from(part, "base64url").toString("base64"));
  for (const wrong of ["", "a.b.c.d", `${token}.x`, token.slice(0, -1), standard, ...twins, ...garbage]) {
    expect(() => readToken(installation, wrong, "192.0.2.1", 1_000_000)).toThrow(/not valid/);
  }
});

test("merchants spread over all 128 buckets", () => {
  const buckets = Array.from({ length: 12_800 }, (_, index) => bucketOfNewMerchant(1_000_000n + BigInt(index)));
  const sizes = new Map<number, number>();
  for (const bucket of buckets) sizes.set(bucket, (sizes.get(bucket) ?? 0) + 1);
  expect([Math.min(...buckets), Math.max(...buckets), sizes.size]).toEqual([0, 127, 128]);
  expect(Math.max(...sizes.values())).toBeLessThan(200);
});
