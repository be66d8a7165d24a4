// The deliverer: finds endpoints that have something due, and works on a bounded number of them at once.
// What belongs here: whose turn it is. What is sent to an endpoint in its turn is in run-endpoint.ts.
import { randomUUID } from "node:crypto";
import { isConnectionLost } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import type { AddressGuard } from "./address.ts";
import { BACKOFF, type Backoff } from "./endpoint.ts";
import { findDueEndpoints, freeEndpoints, type DueEndpoint } from "./endpoint-store.ts";
import type { MessageParts } from "./event-message.ts";
import { EXCHANGE_TIMEOUT_MS } from "./exchange.ts";
import { AskedTests } from "./run-asked-tests.ts";
import { runEndpoint, type RunParts } from "./run-endpoint.ts";

const LOOK_MS = 500;
/** A look goes through all endpoints: however many there are, looking takes no more than this part of the time. */
const LOOKING_PART = 1 / 50;
/** A look that took long because the process or the database stood still says nothing about the next one. */
const LONGEST_LOOK_MS = 5000;
const CONCURRENCY = 32;
/** Endpoints that do not answer hold their places for long: the rest is for those that work. */
const FAILING_CONCURRENCY = CONCURRENCY / 2;
/** A few places stay for those that failed and may have been repaired, however busy the others are. */
const WORKING_CONCURRENCY = CONCURRENCY - 4;
/** However many endpoints a merchant has, and however long they take to answer, the other places are for others. */
const MERCHANT_CONCURRENCY = 4;
/** A look finds so many, and not only one merchant's. */
const LOOK = { limit: 8 * CONCURRENCY, ofOneMerchant: 2 * MERCHANT_CONCURRENCY };
/** How long an endpoint is left alone on which we ourselves failed. */
const REST_MS = 30_000;
/** The same where the database was away, which is no fault of the endpoint. */
const AWAY_REST_MS = 1000;
/** How long a stop waits for answers. What is not answered by then is sent again at the next start. */
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
  readonly #stopping = new AbortController();
  readonly #cutOff = new AbortController();
  readonly #run: RunParts;
  readonly #askedTests: AskedTests;
  readonly #working = new Map<string, Promise<void>>();
  readonly #resting = new Set<string>();
  readonly #workingOf = new Map<bigint, number>();
  #failing = 0;
  #queue: DueEndpoint[] = [];
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#askedTests = new AskedTests(options);
    this.#run = {
      pool: options.pool,
      guard: options.guard,
      messages: options.messages,
      backoff: options.backoff ?? BACKOFF,
      timeoutMs: options.timeoutMs ?? EXCHANGE_TIMEOUT_MS,
      holder: `${process.pid}-${randomUUID().slice(0, 8)}`,
      stopping: this.#stopping.signal,
      cutOff: this.#cutOff.signal,
    };
  }

  /** Begins. `alone` says that no other process can be alive, so that what a dead one was at work on is free at once. */
  async start(alone: boolean): Promise<void> {
    if (alone) await freeEndpoints(this.#options.pool);
    this.#look();
    this.#askedTests.start();
  }

  /** Sends nothing any more, and waits for the answers under way for a short time. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#timer) clearTimeout(this.#timer);
    const cutOff = setTimeout(() => this.#cutOff.abort(), DRAIN_MS);
    await Promise.all([this.#looking, this.#askedTests.stop()]);
    await Promise.all(this.#working.values());
    clearTimeout(cutOff);
  }

  #look(): void {
    const startedMs = performance.now();
    this.#looking = findDueEndpoints(this.#options.pool, this.#run.holder, LOOK)
      .then((found) => {
        this.#queue = found;
        this.#fill();
      })
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "could not look for webhooks to send"))
      .finally(() => {
        if (this.#stopping.signal.aborted) return;
        const tookMs = performance.now() - startedMs;
        this.#timer = setTimeout(
          () => this.#look(),
          Math.min(LONGEST_LOOK_MS, Math.max(LOOK_MS, tookMs / LOOKING_PART)),
        );
      });
  }

  /** Gives free places to those who wait. */
  #fill(): void {
    const waiting: DueEndpoint[] = [];
    for (const endpoint of this.#queue) {
      const name = nameOf(endpoint);
      if (this.#stopping.signal.aborted || this.#working.has(name) || this.#resting.has(name)) continue;
      if (this.#hasRoom(endpoint)) this.#begin(endpoint, name);
      else waiting.push(endpoint);
    }
    this.#queue = waiting;
  }

  #hasRoom({ isFailing, merchantId }: DueEndpoint): boolean {
    if ((this.#workingOf.get(merchantId) ?? 0) >= MERCHANT_CONCURRENCY) return false;
    const working = this.#working.size - this.#failing;
    const isTaken = isFailing ? this.#failing >= FAILING_CONCURRENCY : working >= WORKING_CONCURRENCY;
    return this.#working.size < CONCURRENCY && !isTaken;
  }

  #begin(endpoint: DueEndpoint, name: string): void {
    if (endpoint.isFailing) this.#failing += 1;
    this.#count(endpoint, 1);
    const work = runEndpoint(this.#run, endpoint)
      .catch((error: unknown) => {
        this.#rest(name, isConnectionLost(error) ? AWAY_REST_MS : REST_MS);
        const names = { merchant_id: String(endpoint.merchantId), endpoint_id: String(endpoint.endpointId) };
        this.#options.logger.error({ err: error, ...names }, "could not send webhooks");
        return false;
      })
      .then((isMore) => {
        this.#working.delete(name);
        if (endpoint.isFailing) this.#failing -= 1;
        this.#count(endpoint, -1);
        if (isMore) this.#queue.push(endpoint);
        this.#fill();
      });
    this.#working.set(name, work);
  }

  #count({ merchantId }: DueEndpoint, change: 1 | -1): void {
    const count = (this.#workingOf.get(merchantId) ?? 0) + change;
    if (count === 0) this.#workingOf.delete(merchantId);
    else this.#workingOf.set(merchantId, count);
  }

  #rest(name: string, timeMs: number): void {
    this.#resting.add(name);
    setTimeout(() => this.#resting.delete(name), timeMs).unref();
  }
}

function nameOf({ merchantId, endpointId }: DueEndpoint): string {
  return `${merchantId} ${endpointId}`;
}
