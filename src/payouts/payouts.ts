// Opens and closes payouts: lease, rails, dispatcher, writer and desk.
import { availableParallelism } from "node:os";
import type { Config } from "../platform/config.ts";
import { readAddress } from "../platform/database/address.ts";
import { knowPlaces, withNodes } from "../platform/database/citus/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { createPool, type Pool, type PoolOptions } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Tracing } from "../platform/tracing.ts";
import { takeRates } from "../platform/rates/rate-store.ts";
import { withSecrets, type Secrets } from "../platform/secrets/index.ts";
import { PayoutWriter } from "./batch/payout-writer.ts";
import { Dispatcher } from "./dispatch/dispatcher.ts";
import { PayoutMaker, DefaultRails } from "./make-payout.ts";
import { PayoutReads } from "./lists/payout-reads.ts";
import { ProcessLease } from "./dispatch/process-lease.ts";
import { openPayoutInbox, type PayoutInbox } from "./providers/provider-notices.ts";
import { Paces } from "../platform/providers/pace.ts";
import { PaymentReview } from "./providers/payment-review.ts";
import type { Rail } from "./rails/rail.ts";
import { Rails } from "./providers/rails.ts";
import { createSimulator } from "./rails/simulator.ts";
import { TransferDesk } from "./request-transfer.ts";
import { TracedRails, traceWriter } from "./trace-payouts.ts";

export type PayoutsOptions = {
  readonly config: Config;
  readonly database: {
    readonly url: string;
    readonly ownerUrl: string;
    readonly secrets: Secrets;
    /** Whether no other server can be using the database, so that claims of earlier processes can be freed at once. */
    readonly alone: boolean;
  };
  readonly ids: IdSource;
  readonly metrics: Metrics;
  /** Left out or `null` if traces are off; they then cost nothing. */
  readonly tracing?: Tracing | null;
  readonly logger: Logger;
};

export type Payouts = {
  readonly desk: TransferDesk;
  readonly reads: PayoutReads;
  /** Receives webhooks of providers. */
  readonly notices: PayoutInbox;
  /** Rejects while transfers can't be sent. */
  checkReady(): Promise<void>;
  /** Finishes calls in progress, for at most `drainMs`, and frees the rest for the next start. */
  close(drainMs: number): Promise<void>;
};

/** The connection name of a serving process, by which others detect that it is running. */
export const DISPATCHER_NAME = "nodal dispatcher";
/**
 * How many batches may be written at once, each for different merchants: while one is in the database, the next is prepared.
 * If server and database share two processors, a second lane gains nothing, and one lane makes larger batches that take an
 * eighth less time (docs/payouts.md).
 */
const LANES = availableParallelism() > 2 ? 2 : 1;
/** Concurrent batches at each Citus node. Each group of shards has a lane there, so a node that is down doesn't delay the others. */
const NODE_CONNECTIONS = 8;
/**
 * Two for each lane (one for items that wait for a book), and one each for claims, checks before sending, transfers on hold, the
 * lease, and taking over from other processes.
 */
const COMMIT_CONNECTIONS = 2 * LANES + 5;
/** Connections that bypass PgBouncer: for the lease, and for taking over. */
const LEASE_CONNECTIONS = 2;
/** How long a batch waits for one merchant's book before it continues without that merchant. */
const BATCH_LOCK_TIMEOUT_MS = 500;
/** After this time PostgreSQL ends the batch of a stalled process, which holds its merchants' books. */
const BATCH_IDLE_TIMEOUT_MS = 5_000;
const LOOK_UP_CONNECTIONS = 2;
/**
 * Batches and shared look-ups join arrays of unknown size with large tables. Without these settings, a plan made for small tables
 * (a scan, a hash) is kept when the tables have grown.
 */
const PLANNER_SETTINGS = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // Where only a missing index allows a scan, the estimated cost makes PostgreSQL compile the plan, which takes a third of a second.
  jit: "off",
  // The statement that writes a batch takes longer to plan than to run, and its plan does not depend on the arrays.
  plan_cache_mode: "force_generic_plan",
};

/**
 * Opens payouts: takes the lease, starts the dispatcher, and resumes open transfers. On failure it returns the lease and closes
 * everything.
 */
export async function openPayouts(options: PayoutsOptions): Promise<Payouts> {
  const opened = new AsyncDisposableStack();
  try {
    return await beginPayouts(options, opened);
  } catch (error) {
    await opened
      .disposeAsync()
      .catch((err: unknown) => options.logger.error({ err }, "could not release the dispatcher's lease"));
    throw error;
  }
}

async function beginPayouts(options: PayoutsOptions, opened: AsyncDisposableStack): Promise<Payouts> {
  const { config, database, ids, logger } = options;
  const { commitPool, lookUpPool, leasePool, closePools } = openPools(database, logger);
  opened.defer(closePools);
  const lease = new ProcessLease(leasePool, ids, await ids.next(), logger);
  const simulator = openSimulator(options);
  opened.defer(() => simulator.stop());
  const { tracing } = options;
  const paces = new Paces(config.PROVIDER_CALLS_PER_SECOND, (asks) => takeRates(lookUpPool, asks));
  const railsOf = [lookUpPool, simulator, config.BANK_TIMEOUT_MS, paces] as const;
  const rails = tracing ? new TracedRails(tracing, ...railsOf) : new Rails(...railsOf);
  opened.defer(() => lease.end());
  await lease.begin(database.alone);
  await knowPlaces(commitPool);
  const writer = new PayoutWriter({
    pool: commitPool,
    lease,
    lanes: LANES,
    heldMs: config.LOCK_TIMEOUT_MS,
    findRoom: (transfers) => dispatcher.findRoom(transfers),
    logger,
  });
  const dispatcher: Dispatcher = new Dispatcher({
    pool: commitPool,
    writer,
    rails,
    lease,
    concurrency: config.DISPATCH_CONCURRENCY,
    bankTimeoutMs: config.BANK_TIMEOUT_MS,
    logger,
  });
  const desk = new TransferDesk({
    pool: lookUpPool,
    ids,
    writer: tracing ? traceWriter(writer, tracing) : writer,
    dispatcher,
    maker: new PayoutMaker(config),
    defaultRails: new DefaultRails(lookUpPool),
    waitMs: config.TRANSFER_WAIT_MS,
  });
  const notices = openPayoutInbox({
    pool: lookUpPool,
    rails,
    hear: (report) => dispatcher.hear(report),
    logger,
  });
  const review = new PaymentReview({ pool: lookUpPool, rails, hear: (report) => dispatcher.hear(report), logger });
  addMetrics(options.metrics, dispatcher, rails);
  dispatcher.start();
  notices.start();
  review.start();
  return {
    desk,
    reads: new PayoutReads(lookUpPool),
    notices,
    checkReady: async () => {
      if (!dispatcher.isRunning) throw new Error("the dispatcher is not running or has lost its lease");
    },
    close: async (drainMs) => {
      await Promise.all([notices.stop(), review.stop()]);
      await writer.drain();
      await dispatcher.stop(drainMs);
      await closePools();
    },
  };
}

function openSimulator({ config, database, logger }: PayoutsOptions): Rail {
  return createSimulator({
    databaseUrl: database.url,
    latencyMs: config.SIMULATOR_LATENCY_MS,
    declinePercent: config.SIMULATOR_DECLINE_PERCENT,
    errorPercent: config.SIMULATOR_ERROR_PERCENT,
    logger,
  });
}

/** Connections of the role that can only move money; each statement names its merchants. */
function openPools({ url, ownerUrl, secrets }: PayoutsOptions["database"], logger: Logger) {
  const onError = (error: Error): void => logger.warn({ err: error }, "an idle database connection was lost");
  const ofCommits: PoolOptions = {
    url,
    size: COMMIT_CONNECTIONS,
    role: "nodal_payouts",
    // Requests carry their own actors; everything else records the bank's answers.
    actor: "bank",
    pipelined: true,
    settings: {
      ...PLANNER_SETTINGS,
      lock_timeout: String(BATCH_LOCK_TIMEOUT_MS),
      idle_in_transaction_session_timeout: String(BATCH_IDLE_TIMEOUT_MS),
    },
    onError,
  };
  const { isPooled } = readAddress(url);
  const commitPool = createPool(isPooled ? ofCommits : { ...ofCommits, name: DISPATCHER_NAME });
  // A connection behind PgBouncer keeps the name of its last user, and a lease renewal must not queue for one.
  const leasePool = isPooled
    ? createPool({ ...ofCommits, url: ownerUrl, size: LEASE_CONNECTIONS, name: DISPATCHER_NAME })
    : commitPool;
  // Look-ups of beneficiaries and existing transfers, for many merchants at once. Commits have connections of their own.
  const ofLookUps: PoolOptions = {
    url,
    size: LOOK_UP_CONNECTIONS,
    role: "nodal_payouts",
    settings: PLANNER_SETTINGS,
    onError,
  };
  const lookUpPool = createPool(ofLookUps);
  const prepare = <P extends Pool>(pool: P): P => withSecrets(pool, secrets);
  withNodes(commitPool, { ...ofCommits, size: NODE_CONNECTIONS }, prepare);
  withNodes(lookUpPool, ofLookUps, prepare);
  for (const pool of [commitPool, lookUpPool, leasePool]) withSecrets(pool, secrets);
  const closePools = async (): Promise<void> => {
    await Promise.all([...new Set([commitPool, lookUpPool, leasePool])].map((pool) => pool.end()));
  };
  return { commitPool, lookUpPool, leasePool, closePools };
}

function addMetrics(metrics: Metrics, dispatcher: Dispatcher, rails: Rails): void {
  metrics.gauge("nodal_provider_accounts_failing", "Provider accounts that this process treats as down.", (observe) => {
    for (const [provider, count] of rails.circuits.countOpen()) observe(count, { provider });
  });
  metrics.gauge("nodal_dispatcher_working", "Transfers that this process is sending to the bank.", (observe) =>
    observe(dispatcher.working),
  );
}
