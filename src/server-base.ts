// The shared parts of a server: connections, limits, metrics, traces, payouts and the renderer of documents.
import { openServerPools, type InstallationDatabase } from "./database.ts";
import { addInstallationMetrics, METRICS_TIMEOUT_MS } from "./installation/index.ts";
import { SIGN_IN_WINDOW_MS } from "./merchants/index.ts";
import { openPayouts } from "./payouts/index.ts";
import type { Config } from "./platform/config.ts";
import { Disk } from "./platform/disk.ts";
import type { Logger } from "./platform/log.ts";
import { createMetrics } from "./platform/metrics.ts";
import { createPdfRenderer } from "./platform/pdf/renderer.ts";
import { openRates } from "./platform/rates/open-rates.ts";
import { openTracing } from "./platform/tracing.ts";
import type { WorkerLink } from "./platform/workers/worker-link.ts";

/** This worker measures the metrics that are the same for every worker; it is replaced when it dies. */
const FIRST_WORKER = 1;

/** A worker's data from its supervisor. */
export type Link = Pick<WorkerLink<unknown>, "number" | "shareMetrics" | "exposeAll">;

/**
 * Opens them in order, each added to `opened` for a start that fails later. `close` is for a started server, and leaves payouts and
 * the renderer to the order of its stop.
 */
export async function openBase(
  config: Config,
  database: InstallationDatabase,
  logger: Logger,
  link: Link | null,
  opened: AsyncDisposableStack,
) {
  const { metricsPool, closePools, ...pools } = openServerPools(database, config, METRICS_TIMEOUT_MS, logger);
  opened.defer(closePools);
  const { closeRates, ...rates } = openRates(pools.pool, SIGN_IN_WINDOW_MS);
  opened.defer(closeRates);
  const metrics = createMetrics(link?.number ?? null);
  opened.defer(() => metrics.close());
  link?.shareMetrics(() => metrics.expose());
  const disk = database.dataDir === null ? null : new Disk(database.dataDir);
  if ((link?.number ?? FIRST_WORKER) === FIRST_WORKER) {
    addInstallationMetrics(metrics, metricsPool, logger);
    disk?.addTo(metrics);
  }
  const tracing = await openTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, logger);
  opened.defer(() => tracing?.close());
  const payouts = await openPayouts({ config, database, ids: pools.ids, metrics, tracing, logger });
  opened.defer(() => payouts.close(config.DRAIN_TIMEOUT_MS));
  const renderer = createPdfRenderer({ logger });
  opened.defer(() => renderer.close());
  const close = async (): Promise<void> => {
    await closeRates();
    await Promise.all([metrics.close(), closePools(), tracing?.close()]);
  };
  return { ...pools, ...rates, metrics, disk, tracing, payouts, renderer, close };
}
