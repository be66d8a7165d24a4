// The rules of endpoints that need nothing: which events they take, and when a failure is tried again.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BACKOFF, EVENT_KINDS, EVENT_TYPES, holdsUp, pauseAfter, takesType } from "./endpoint.ts";

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
  expect(takesType({ eventTypes }, type)).toBe(isTaken);
});

test("every type is of a kind that can be asked for", () => {
  expect(EVENT_TYPES).toContain("commission.accrual_reversed");
  for (const type of EVENT_TYPES) expect(takesType({ eventTypes: EVENT_KINDS }, type)).toBe(true);
});

test("every type is explained in the documentation, and no other", () => {
  const page = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
  const events = page.slice(page.indexOf("## Events"), page.indexOf("`nodal webhook test`"));
  const explained = [...events.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, type]) => type);
  expect(explained).toHaveLength(EVENT_TYPES.length);
  expect(new Set(explained)).toEqual(new Set(EVENT_TYPES));
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
