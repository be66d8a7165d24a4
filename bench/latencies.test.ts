import { expect, test } from "vitest";
import { Latencies } from "./latencies.ts";

test("percentiles are those of the sorted latencies, to the slot", () => {
  const latencies = new Latencies();
  const sorted = Array.from({ length: 1000 }, (_, index) => (index + 1) * 0.1);
  for (const latencyMs of sorted.toReversed()) latencies.record(latencyMs);
  for (const percent of [1, 50, 99, 99.9, 100]) {
    const exact = sorted[Math.ceil(sorted.length * (percent / 100)) - 1]!;
    expect(latencies.percentileMs(percent)).toBeGreaterThanOrEqual(exact - 0.001);
    expect(latencies.percentileMs(percent)).toBeLessThan(exact + 0.011);
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
