// The secrets of sessions and links: creation, storage and comparison.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { csrfTokenOf, formatToken, hashOfSecret, newSecret, parseToken } from "./session.ts";

const KEY = { bucket: 5, merchantId: 1000n };

test("a secret has 256 bits, and its hash stands for it", () => {
  const secret = newSecret();
  expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  expect(newSecret()).not.toBe(secret);
  expect(hashOfSecret(secret)).toEqual(createHash("sha256").update(secret).digest());
});

test("a token says whose it is, and is read only where it is whole", () => {
  const secret = newSecret();
  const token = formatToken(KEY, 7n, secret);
  expect(parseToken(token)).toEqual({ ...KEY, id: 7n, secret });
  for (const broken of [
    "",
    "x",
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    `${token}\n`,
    `5.1000.7.${secret}.`,
    `05.1000.7.${secret}`,
    `5.01000.7.${secret}`,
    `5.1000.07.${secret}`,
    `5.1000.7.${secret.slice(0, -1)}B`,
    `5.1000.7.${secret}=`,
  ]) {
    expect(parseToken(broken), broken).toBeNull();
  }
});

test("the token against forged requests follows from the secret and does not tell it", () => {
  const secret = newSecret();
  expect(csrfTokenOf(secret)).toBe(csrfTokenOf(secret));
  expect(csrfTokenOf(newSecret())).not.toBe(csrfTokenOf(secret));
  expect(csrfTokenOf(secret)).not.toContain(secret);
});
