// The public address of an invoice: parsing, and its single spelling.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { parsePublicName } from "./public-link.ts";

test("an address is read in the one spelling that it was written in", () => {
  const token = randomBytes(16).toString("base64url");
  expect(parsePublicName(`5-1000-7-${token}`)).toEqual({ bucket: 5, merchantId: 1000n, invoiceId: 7n, token });
  expect(parsePublicName(`0-1000-7-${token}`)).not.toBeNull();
  for (const wrong of [
    `05-1000-7-${token}`,
    `5-01000-7-${token}`,
    `5-1000-07-${token}`,
    `5-1000-7-${token}A`,
    `5-1000-7-${token}=`,
    `5-1000-7-${token}\n`,
    `5-1000-7-${token.slice(0, -1)}`,
    `5-1000-7-${token.slice(0, -1)}B`,
    `-5-1000-7-${token}`,
  ]) {
    expect(parsePublicName(wrong), wrong).toBeNull();
  }
});
