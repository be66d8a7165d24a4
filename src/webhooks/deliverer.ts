// The deliverer: finds endpoints with due events, and works on a limited number of them at once. run-endpoint.ts sends the
// events of one endpoint.
import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isConnectionLost } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import { Worker } from "../platform/jobs/worker.ts";
import type { Logger } from "../platform/log.ts";
import type { AddressGuard } from "./address.ts";
import { merchantAnnouncements } from "./announce-merchants.ts";
import { BACKOFF, type Backoff, type EndpointKey } from "./endpoint.ts";
import { findDueEndpoints, freeEndpoints, type DueEndpoint } from "./endpoint-store.ts";
import type { MessageParts } from "./event-message.ts";
import { EXCHANGE_TIMEOUT_MS } from "./exchange.ts";
import { requestedTests } from "./run-requested-tests.ts";
import { runEndpoint, type RunParts } from "./run-endpoint.ts";

const LOOK_MS = 500;
/** A poll may read all endpoints. Polling takes at most this part of the time, however many there are. */
const LOOKING_PART = 1 / 50;
/** A longer poll means that the process or the database stalled, which says nothing about the next one. */
const LONGEST_LOOK_MS = 5000;
/** How often to poll all endpoints while nothing is due; between, only those that may have new events. */
const LOOK_AT_ALL_MS = 60_000;
/** Events of longer transactions are found by the next full poll. */
const TRANSACTION_MS = 60_000;
/**
 * Places by an endpoint's behaviour: one that hangs keeps its place for long, but takes none from those that answer. Waiting for an
 * answer costs little more than a connection, so it has more places than work has.
 */
const PLACES = { quick: 28, slow: 64, failing: 32 } as const;
type Lane = keyof typeof PLACES;
const CONCURRENCY = PLACES.quick + PLACES.slow + PLACES.failing;
/** An endpoint that takes longer to answer is slow, until an answer takes less. */
const SLOW_MS = 500;
const SLOW_REMEMBERED = 10_000;
/** The most endpoints of one merchant at once, so that others always have places. */
const MERCHANT_CONCURRENCY = 4;
/** The most endpoints that a poll finds, in all and of one merchant. */
const LOOK = { limit: 2 * CONCURRENCY, ofOneMerchant: 2 * MERCHANT_CONCURRENCY };
/** The pause for an endpoint after an error on our side. */
const REST_MS = 30_000;
/** The same if the database was down, which is not the endpoint's fault. */
const AWAY_REST_MS = 1000;
/** How long a stop waits for answers. Unanswered events are sent again at the next start. */
const DRAIN_MS = 2000;

export type DelivererOptions = {
  readonly pool: Pool;
  readonly guard: AddressGuard;
  readonly messages: MessageParts;
  readonly logger: Logger;
  readonly backoff?: Backoff;
  /** For one exchange, in ms. */
  readonly timeoutMs?: number;
};

/** Sends events to the endpoints of all merchants. Several processes share the work by claims in the database. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #cutOff = new AbortController();
  readonly #run: RunParts;
  readonly #worker: Worker<DueEndpoint>;
  readonly #requestedTests: Worker<EndpointKey>;
  readonly #announcements: ReturnType<typeof merchantAnnouncements>;
  readonly #resting = new Set<string>();
  /** Endpoints with a slow or outstanding answer. */
  readonly #slow = new LRUCache<string, true>({ max: SLOW_REMEMBERED });
  #queue: DueEndpoint[] = [];
  #nextLookAtMs = 0;
  #lookedAtAllMs = -Infinity;
  /** When the last poll began, if it found nothing; otherwise `null`. */
  #idleSinceMs: number | null = null;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#requestedTests = requestedTests(options);
    this.#announcements = merchantAnnouncements(options);
    this.#worker = new Worker({
      name: "webhooks to send",
      logger: options.logger,
      atOnce: CONCURRENCY,
      lookMs: LOOK_MS,
      find: (room, inProgress) => this.#find(room, inProgress),
      run: (endpoint) => this.#send(endpoint),
    });
    this.#run = {
      pool: options.pool,
      guard: options.guard,
      messages: options.messages,
      backoff: options.backoff ?? BACKOFF,
      timeoutMs: options.timeoutMs ?? EXCHANGE_TIMEOUT_MS,
      holder: `${process.pid}-${randomUUID().slice(0, 8)}`,
      watch: (endpoint) => this.#watch(nameOf(endpoint)),
      stopping: this.#worker.stopping,
      cutOff: this.#cutOff.signal,
    };
  }

  /** Starts. `alone` says that no other process can be running, so that endpoints of dead ones are freed at once. */
  async start(alone: boolean): Promise<void> {
    if (alone) await freeEndpoints(this.#options.pool);
    this.#worker.start();
    this.#requestedTests.start();
    this.#announcements.start();
  }

  /** Sends nothing more, and waits a short time for outstanding answers. */
  async stop(): Promise<void> {
    const cutOff = setTimeout(() => this.#cutOff.abort(), DRAIN_MS);
    await Promise.all([this.#worker.stop(), this.#requestedTests.stop(), this.#announcements.stop()]);
    clearTimeout(cutOff);
  }

  /** Gives free places to waiting endpoints, after a poll if one is due. */
  async #find(room: number, inProgress: readonly DueEndpoint[]): Promise<DueEndpoint[]> {
    if (performance.now() >= this.#nextLookAtMs) await this.#look();
    const begun: DueEndpoint[] = [];
    const waiting: DueEndpoint[] = [];
    for (const endpoint of this.#queue) {
      const working = [...inProgress, ...begun];
      const name = nameOf(endpoint);
      if (this.#resting.has(name) || working.some((each) => nameOf(each) === name)) continue;
      if (begun.length < room && this.#hasRoom(endpoint, working)) begun.push(endpoint);
      else waiting.push(endpoint);
    }
    this.#queue = waiting;
    return begun;
  }

  async #look(): Promise<void> {
    const startedAtMs = performance.now();
    this.#nextLookAtMs = startedAtMs + LOOK_MS;
    const isAll = this.#idleSinceMs === null || startedAtMs - this.#lookedAtAllMs > LOOK_AT_ALL_MS;
    const idleMs = isAll ? null : Math.ceil(startedAtMs - this.#idleSinceMs! + TRANSACTION_MS);
    this.#idleSinceMs = null;
    this.#queue = await findDueEndpoints(this.#options.pool, { ...LOOK, holder: this.#run.holder, idleMs });
    if (this.#queue.length === 0) this.#idleSinceMs = startedAtMs;
    if (isAll) this.#lookedAtAllMs = startedAtMs;
    const endedAtMs = performance.now();
    const pauseMs = Math.max(LOOK_MS, (endedAtMs - startedAtMs) / LOOKING_PART);
    this.#nextLookAtMs = endedAtMs + Math.min(LONGEST_LOOK_MS, pauseMs);
  }

  async #send(endpoint: DueEndpoint): Promise<void> {
    try {
      if (await runEndpoint(this.#run, endpoint)) this.#queue.push(endpoint);
    } catch (error) {
      this.#rest(nameOf(endpoint), isConnectionLost(error) ? AWAY_REST_MS : REST_MS);
      const names = { merchant_id: String(endpoint.merchantId), endpoint_id: String(endpoint.endpointId) };
      this.#options.logger.error({ err: error, ...names }, "could not send webhooks");
    }
  }

  /** Whether there is a place for an endpoint beside those in progress. */
  #hasRoom(endpoint: DueEndpoint, working: readonly DueEndpoint[]): boolean {
    const { merchantId } = endpoint;
    if (working.filter((each) => each.merchantId === merchantId).length >= MERCHANT_CONCURRENCY) return false;
    const lane = this.#laneOf(endpoint);
    return working.filter((each) => this.#laneOf(each) === lane).length < PLACES[lane];
  }

  #laneOf(endpoint: DueEndpoint): Lane {
    if (endpoint.isFailing) return "failing";
    return this.#slow.has(nameOf(endpoint)) ? "slow" : "quick";
  }

  /** Watches one exchange. Returns a function to call at its end. */
  #watch(name: string): () => void {
    const timer = setTimeout(() => {
      this.#slow.set(name, true);
      // Its place is free for another one.
      this.#worker.lookNow();
    }, SLOW_MS);
    const startedAtMs = performance.now();
    return () => {
      clearTimeout(timer);
      if (performance.now() - startedAtMs < SLOW_MS) this.#slow.delete(name);
    };
  }

  #rest(name: string, timeMs: number): void {
    this.#resting.add(name);
    setTimeout(() => this.#resting.delete(name), timeMs).unref();
  }
}

function nameOf({ merchantId, endpointId }: EndpointKey): string {
  return `${merchantId} ${endpointId}`;
}
