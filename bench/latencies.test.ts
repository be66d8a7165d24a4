import { expect, test } from "vitest";
import { Latencies } from "./latencies.ts";

test("percentiles are those of the sorted latencies, to the slot", () => {
  const latencies = new Latencies();
  const sorted = Array.from({ length: 1000 }, (_, index) => (index + 1) * 0.1);
  for (const latencyMs of sorted.toReversed()) latencies.record(latencyMs);
  const exact = { 1: 1, 50: 50, 99: 99, 99.9: 99.9, 100: 100 };
  for (const [percent, latencyMs] of Object.entries(exact)) {
    expect(latencies.percentileMs(Number(percent))).toBeGreaterThanOrEqual(latencyMs - 0.001);
    expect(latencies.percentileMs(Number(percent))).toBeLessThan(latencyMs + 0.011);
  }
  expect(latencies.count).toBe(1000);
  expect(latencies.maxMs).toBe(100);
});

test("nothing recorded is zero, and what is too long is kept in the last slot", () => {
  const latencies = new Latencies();
  expect(latencies.percentileMs(99)).toBe(0);
  latencies.record(60_000);
  expect(latencies.percentileMs(50)).toBe(10_000);
  expect(latencies.maxMs).toBe(60_000);
});
