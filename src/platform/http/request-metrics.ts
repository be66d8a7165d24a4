// What is measured of every request: how many, and how long they took, by route, method and status.
// What belongs here: the two metrics of HTTP. Making and exposing metrics is in ../metrics.ts.
import type { Metrics } from "../metrics.ts";

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts one finished request. `route` is the pattern of the path, never the path, so that there are few of them. */
export type ObserveRequest = (route: string, method: string, status: number, durationSeconds: number) => void;

type Series = { count: number; readonly labels: { route: string; method: string; status: string } };

/** Adds `http_requests_total` and `http_request_duration_seconds` to the metrics. */
export function observeRequests(metrics: Metrics): ObserveRequest {
  const allSeries = new Map<string, Series>();
  const duration = metrics.histogram("http_request_duration_seconds", "Time to answer a request.", DURATION_BUCKETS_S);
  // Counted here and read when metrics are scraped: a counter's own bookkeeping costs more than the rest together.
  metrics.observedCounter("http_requests_total", "Requests answered.", (observe) => {
    for (const { count, labels } of allSeries.values()) observe(count, labels);
  });
  return (route, method, status, durationSeconds) => {
    const key = `${status}${method} ${route}`;
    let series = allSeries.get(key);
    if (series === undefined) {
      series = { count: 0, labels: { route, method, status: String(status) } };
      allSeries.set(key, series);
    }
    series.count += 1;
    duration.record(durationSeconds, series.labels);
  };
}
