// The rules of endpoints that need no database: which events they receive, and when failures are retried.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  BACKOFF,
  holdsUp,
  INSTALLATION_EVENTS,
  INSTALLATION_OWNER,
  MERCHANT_EVENTS,
  pauseAfter,
  takesType,
} from "./endpoint.ts";

const MINUTE_MS = 60_000;

test.each([
  [null, "transfer.success", true],
  [null, "merchant.changed", false],
  [["merchant.*"], "merchant.changed", false],
  [["transfer.*"], "transfer.success", true],
  [["transfer.*"], "transfers.success", false],
  [["invoice.paid"], "invoice.paid", true],
  [["invoice.paid"], "invoice.partially_paid", false],
  [["credit_note.*", "invoice.paid"], "credit_note.issued", true],
])("of %j, %s is taken: %s", (eventTypes, type, isTaken) => {
  expect(takesType({ merchantId: 1000001n, eventTypes }, type)).toBe(isTaken);
});

test.each([
  [null, "merchant.live", true],
  [null, "transfer.success", false],
  [["merchant.*"], "merchant.kyc_changed", true],
  [["merchant.created"], "merchant.live", false],
])("an endpoint of the installation for %j takes %s: %s", (eventTypes, type, isTaken) => {
  expect(takesType({ merchantId: INSTALLATION_OWNER.merchantId, eventTypes }, type)).toBe(isTaken);
});

test("every type is of a kind that can be asked for", () => {
  expect(MERCHANT_EVENTS.types).toContain("commission.accrual_reversed");
  for (const [merchantId, { kinds, types }] of [
    [1000001n, MERCHANT_EVENTS],
    [INSTALLATION_OWNER.merchantId, INSTALLATION_EVENTS],
  ] as const) {
    for (const type of types) expect(takesType({ merchantId, eventTypes: kinds }, type)).toBe(true);
  }
});

test("every type is explained in the documentation, and no other", () => {
  const page = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
  const events = page.slice(page.indexOf("## Events"), page.indexOf("`nodal webhook test`"));
  const explained = [...events.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, type]) => type);
  const types = [...MERCHANT_EVENTS.types, ...INSTALLATION_EVENTS.types];
  expect(explained).toHaveLength(types.length);
  expect(new Set(explained)).toEqual(new Set(types));
});

describe("a failure", () => {
  test("holds up others for less than 8 minutes, and is tried for days", () => {
    const held = [1, 2, 3, 4].map((tries) => pauseAfter(BACKOFF, tries, null));
    const heldMs = held.reduce((sum, pauseMs) => sum + pauseMs, 0);
    expect(heldMs).toBeGreaterThan(6 * MINUTE_MS);
    expect(heldMs).toBeLessThan(8.5 * MINUTE_MS);
    expect([1, 4, 5].map((tries) => holdsUp(BACKOFF, tries))).toEqual([true, true, false]);
    const later = [5, 6, 7, 8, 40].map((tries) => pauseAfter(BACKOFF, tries, null) / MINUTE_MS);
    for (const [index, minutes] of [15, 60, 360, 360, 360].entries()) {
      expect(Math.abs(later[index]! - minutes)).toBeLessThanOrEqual(minutes / 10);
    }
  });

  test("waits for as long as the receiver asks, but no longer than the longest pause of its stage", () => {
    expect(pauseAfter(BACKOFF, 1, 60_000)).toBe(60_000);
    expect(pauseAfter(BACKOFF, 1, 3_600_000)).toBe(5 * MINUTE_MS);
    expect(pauseAfter(BACKOFF, 4, 1000)).toBeGreaterThan(4 * MINUTE_MS);
    expect(pauseAfter(BACKOFF, 5, 30 * 24 * 60 * MINUTE_MS)).toBe(360 * MINUTE_MS);
  });
});
