// Metrics: counters and measurements of the server, and their text format for Prometheus.
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Attributes, Counter, Histogram } from "@opentelemetry/api";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";

export type { Counter, Histogram } from "@opentelemetry/api";

/** Reports the values of a metric. Requests for metrics wait until it has finished. */
type Read = (observe: Observe) => void | Promise<void>;
/** Reports one value of an observed metric, with its labels. */
export type Observe = (value: number, labels?: Attributes) => void;

export type Metrics = {
  /** A number that only grows: `counter.add(1, { outcome: "paid" })`. Name it `…_total`. */
  counter(name: string, help: string): Counter;
  /** A distribution: `histogram.record(0.25)`. Name it with its unit last, such as `…_seconds`. */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  /** A value that is read when metrics are: `gauge("…", "…", (observe) => observe(queue.depth))`. */
  gauge(name: string, help: string, read: Read): void;
  /** As `gauge`, for a number that only grows and is counted elsewhere. */
  observedCounter(name: string, help: string, read: Read): void;
  /** All metrics in Prometheus' text format. */
  expose(): Promise<string>;
  /** Stops measuring. */
  close(): Promise<void>;
};

/**
 * Creates a set of metrics, including those of the process: memory, processor time, event loop delay. With several
 * processes, `worker` numbers this one, and every value has it as a label.
 */
export function createMetrics(worker: number | null = null): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const resource = resourceFromAttributes(worker === null ? {} : { worker: String(worker) });
  const provider = new MeterProvider({ readers: [reader], resource });
  const meter = provider.getMeter("nodal");
  const serializer = new PrometheusSerializer(undefined, false, /^worker$/, true, true);
  const metrics: Omit<Metrics, "close"> = {
    counter: (name, description) => meter.createCounter(name, { description }),
    histogram: (name, description, buckets) =>
      meter.createHistogram(name, { description, advice: { explicitBucketBoundaries: [...buckets] } }),
    gauge: (name, description, read) =>
      meter
        .createObservableGauge(name, { description })
        .addCallback((result) => read((value, labels) => result.observe(value, labels))),
    observedCounter: (name, description, read) =>
      meter
        .createObservableCounter(name, { description })
        .addCallback((result) => read((value, labels) => result.observe(value, labels))),
    expose: async () => serializer.serialize((await reader.collect()).resourceMetrics),
  };
  const stopProcessMetrics = addProcessMetrics(metrics);
  return {
    ...metrics,
    close: async () => {
      stopProcessMetrics();
      await provider.shutdown();
    },
  };
}

/** Each sample wakes the process: at 20 ms, they were a quarter of an idle server's cost. */
const LAG_SAMPLE_MS = 100;

function addProcessMetrics(metrics: Pick<Metrics, "gauge" | "observedCounter">): () => void {
  const eventLoop = monitorEventLoopDelay({ resolution: LAG_SAMPLE_MS });
  eventLoop.enable();
  metrics.gauge("process_resident_memory_bytes", "Resident memory of the process.", (observe) =>
    observe(process.memoryUsage.rss()),
  );
  metrics.gauge("nodejs_heap_used_bytes", "JavaScript heap in use.", (observe) =>
    observe(process.memoryUsage().heapUsed),
  );
  metrics.observedCounter("process_cpu_seconds_total", "Processor time used.", (observe) => {
    const { user, system } = process.cpuUsage();
    observe((user + system) / 1e6);
  });
  metrics.gauge("nodejs_eventloop_lag_seconds", "Event loop delay since the last scrape.", (observe) => {
    // The measured delay includes the interval of its timer.
    const lagOf = (ns: number): number => Math.max(0, ns / 1e9 - LAG_SAMPLE_MS / 1000);
    observe(lagOf(eventLoop.percentile(50)), { percentile: "50" });
    observe(lagOf(eventLoop.percentile(99)), { percentile: "99" });
    observe(lagOf(eventLoop.max), { percentile: "100" });
    eventLoop.reset();
  });
  return () => eventLoop.disable();
}
