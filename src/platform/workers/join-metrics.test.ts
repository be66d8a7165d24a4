// Metrics of several processes in one text: every value once, grouped by metric.
import { expect, test } from "vitest";
import { createMetrics } from "../metrics.ts";
import { joinMetrics } from "./join-metrics.ts";

/** The metrics of a worker with this count. */
async function textOf(worker: number, orders: number): Promise<string> {
  const metrics = createMetrics(worker);
  metrics.counter("orders_total", "Orders.").add(orders, { state: "paid" });
  metrics.histogram("order_seconds", "Time.", [1]).record(0.5);
  if (worker === 2) metrics.gauge("only_here", "Of one worker.", (observe) => observe(7));
  const text = await metrics.expose();
  await metrics.close();
  return text;
}

test("each metric has one head, and under it the values of all workers", async () => {
  const joined = joinMetrics([await textOf(1, 3), await textOf(2, 4)]);
  const lines = joined.trimEnd().split("\n");
  const at = lines.indexOf("# HELP orders_total Orders.");
  expect(lines.slice(at, at + 4)).toEqual([
    "# HELP orders_total Orders.",
    "# TYPE orders_total counter",
    'orders_total{state="paid",worker="1"} 3',
    'orders_total{state="paid",worker="2"} 4',
  ]);
  expect(lines).toContain('only_here{worker="2"} 7');
  expect(lines.filter((line) => line.startsWith("order_seconds_bucket")).length).toBe(4);
  const heads = lines.filter((line) => line.startsWith("# "));
  expect(new Set(heads).size).toBe(heads.length);
  expect(lines).not.toContain("");
});

test("a text that came to nothing adds nothing", async () => {
  const text = await textOf(1, 3);
  expect(joinMetrics([text, "", "# no metrics\n"])).toBe(joinMetrics([text]));
});
