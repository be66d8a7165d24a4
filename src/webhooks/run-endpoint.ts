// One turn of a claimed endpoint: sends its events, one at a time, in order. Results are written after the answer, so that a
// crash repeats an event rather than losing it.
import { findEvents, listEvents, recordEvents } from "../ledger/index.ts";
import { findMerchantByKey } from "../merchants/index.ts";
import { inTransaction, type Pool, type Queryable } from "../platform/database/pool.ts";
import type { AddressGuard } from "./address.ts";
import { insertAttempts, type Attempt } from "./attempt-store.ts";
import {
  listDueDeliveries,
  postponeDelivery,
  removeDeliveries,
  type Delivery,
  type Postponement,
} from "./delivery-store.ts";
import {
  endpointEvent,
  holdsUp,
  INSTALLATION_OWNER,
  pauseAfter,
  takesType,
  type Backoff,
  type Endpoint,
  type EndpointKey,
  type EventOwner,
} from "./endpoint.ts";
import { claimEndpoint, disableEndpoint, lockClaim, writeProgress, type Progress } from "./endpoint-store.ts";
import { composeEvents, type MessageParts, type OutgoingEvent } from "./event-message.ts";
import { ReceiverConnection } from "./exchange.ts";
import { listSecrets } from "./secret-store.ts";
import { sendMessage } from "./send-message.ts";

/**
 * Longer than an exchange and its write, so that an endpoint is never taken from a process that works on it.
 */
const LEASE_MS = 20_000;
/** A process that was paused for longer checks its claim before it sends anything. */
const RENEW_MS = 5000;
/** The length of a turn. */
const TURN_MS = 1000;
/** Events are read in pages of the outbox, and composed in smaller ones, since that reads their objects. */
const PAGE_EVENTS = 200;
const MAX_NAMED_EVENTS = 25;
const PAGE_DELIVERIES = 25;
/** The greatest age of an object when it is sent. */
const COMPOSED_FRESH_MS = 5000;
/** Results are written together. Those that are lost in a crash are sent again. */
const WRITE_AFTER_MS = 250;
const WRITE_AFTER_EVENTS = 50;
const GONE = 410;
const CHANGED_PAUSE_MS = 60_000;

export type RunParts = {
  readonly pool: Pool;
  readonly guard: AddressGuard;
  readonly messages: MessageParts;
  readonly backoff: Backoff;
  /** For one exchange, in ms. */
  readonly timeoutMs: number;
  readonly holder: string;
  /** Called when an exchange with an endpoint begins; the returned function is called at its end. */
  readonly watch: (endpoint: EndpointKey) => () => void;
  /** Once aborted, no further event is sent. */
  readonly stopping: AbortSignal;
  /** Once aborted, the current exchange ends and counts as not sent. */
  readonly cutOff: AbortSignal;
};

/**
 * Sends an endpoint's due events, for a few seconds at most, and returns whether more may be due. Does nothing if another process has
 * claimed it.
 */
export async function runEndpoint(parts: RunParts, key: EndpointKey): Promise<boolean> {
  const endpoint = await claimEndpoint(parts.pool, key, parts.holder, LEASE_MS);
  if (!endpoint) return false;
  if (endpoint.isChanged) {
    await pauseChanged(parts, endpoint);
    return false;
  }
  const isInstallations = key.merchantId === INSTALLATION_OWNER.merchantId;
  const owner = isInstallations ? INSTALLATION_OWNER : (await findMerchantByKey(parts.pool, key))!;
  const secrets = (await listSecrets(parts.pool, key)).map(({ secret }) => secret);
  const connection = new ReceiverConnection(endpoint.url, parts.guard, parts.timeoutMs);
  const run = new EndpointRun(parts, { endpoint, owner, secrets, connection, claimedAt: endpoint.now });
  try {
    return await run.sendDue();
  } finally {
    connection.close();
    await run.letGo();
  }
}

/** Pauses an endpoint that was changed with SQL, so that no events go elsewhere. It is checked again later. */
async function pauseChanged({ pool, holder }: RunParts, endpoint: Endpoint): Promise<void> {
  const { cursorEventNo, headTries, headFirstAt, failingSince } = endpoint;
  const isFailing = failingSince !== null;
  await inTransaction(pool, async (connection) => {
    if (!(await lockClaim(connection, endpoint, holder))) return;
    const progress = { cursorEventNo, headTries, headFirstAt, isFailing, pauseMs: CHANGED_PAUSE_MS, keepMs: null };
    await writeProgress(connection, endpoint, progress);
  });
}

type Turn = {
  readonly endpoint: Endpoint;
  readonly owner: EventOwner;
  readonly secrets: readonly string[];
  readonly connection: ReceiverConnection;
  /** By the database's clock. */
  readonly claimedAt: Temporal.Instant;
};

class EndpointRun {
  readonly #parts: RunParts;
  readonly #turn: Turn;
  readonly #endsAtMs = performance.now() + TURN_MS;
  /** The progress, written or not. */
  #progress: Omit<Progress, "keepMs">;
  /** Whether the event after the cursor waits for a retry. */
  #isHeld: boolean;
  #outgoing: OutgoingEvent[] = [];
  #composedAtMs = 0;
  /** The last event that was read; events up to it that are not in `#outgoing` have other types. */
  #lookedUpTo: bigint;
  #due: DueDelivery[] | null = null;
  #isDeliveryNext = true;
  /** Attempts that are not written yet. */
  #attempts: Attempt[] = [];
  #taken: bigint[] = [];
  #writtenAtMs = performance.now();
  #isLost = false;

  constructor(parts: RunParts, turn: Turn) {
    this.#parts = parts;
    this.#turn = turn;
    const { cursorEventNo, headTries, headFirstAt, failingSince, nextAttemptAt } = turn.endpoint;
    this.#progress = { cursorEventNo, headTries, headFirstAt, isFailing: failingSince !== null, pauseMs: null };
    this.#lookedUpTo = cursorEventNo;
    this.#isHeld = Temporal.Instant.compare(nextAttemptAt, turn.claimedAt) > 0;
  }

  /** Sends retried events and events in order alternately. Returns whether more may be due. */
  async sendDue(): Promise<boolean> {
    while (!this.#isLost && !this.#parts.stopping.aborted && performance.now() < this.#endsAtMs) {
      if (performance.now() - this.#writtenAtMs > RENEW_MS) await this.#write({ keepMs: LEASE_MS });
      const delivery = this.#isDeliveryNext ? await this.#nextDelivery() : null;
      this.#isDeliveryNext = !this.#isDeliveryNext;
      if (delivery) {
        await this.#sendDelivery(delivery);
        continue;
      }
      const outgoing = this.#isHeld ? null : await this.#nextEvent();
      if (outgoing) await this.#sendInOrder(outgoing);
      else if (!(await this.#hasDelivery())) return false;
      else this.#isDeliveryNext = true;
    }
    return !this.#isLost;
  }

  /** Writes the rest, and releases the endpoint. */
  async letGo(): Promise<void> {
    await this.#write({ keepMs: null });
  }

  async #hasDelivery(): Promise<boolean> {
    this.#due ??= await readDueDeliveries(this.#parts.pool, this.#turn, this.#parts.messages);
    return this.#due.length > 0;
  }

  async #nextDelivery(): Promise<DueDelivery | null> {
    if (!(await this.#hasDelivery())) return null;
    const next = this.#due!.shift()!;
    // These rows have to be written before the next query for due events.
    if (this.#due!.length === 0) this.#due = null;
    return next;
  }

  /** The next event of the endpoint's types; `null` if there is none, or the turn is over. */
  async #nextEvent(): Promise<OutgoingEvent | null> {
    const { pool, messages, stopping } = this.#parts;
    const { endpoint, owner } = this.#turn;
    if (this.#outgoing.length > 0 && performance.now() - this.#composedAtMs > COMPOSED_FRESH_MS) {
      this.#outgoing = [];
      this.#lookedUpTo = this.#progress.cursorEventNo;
    }
    while (this.#outgoing.length === 0 && !stopping.aborted && performance.now() < this.#endsAtMs) {
      const page = await listEvents(pool, endpoint, { after: this.#lookedUpTo, limit: PAGE_EVENTS });
      const wanted = page.filter(({ type }) => takesType(endpoint, type)).slice(0, MAX_NAMED_EVENTS);
      const last = wanted.length === MAX_NAMED_EVENTS ? wanted.at(-1) : page.at(-1);
      if (!last) return null;
      this.#lookedUpTo = last.eventNo;
      if (wanted.length === 0) this.#progress = { ...this.#progress, cursorEventNo: last.eventNo };
      this.#outgoing = await composeEvents(pool, owner, wanted, messages);
      this.#composedAtMs = performance.now();
    }
    return this.#outgoing.shift() ?? null;
  }

  /** Sends one event. Returns `null` if it was cut off, which says nothing about the event. */
  async #attempt(outgoing: OutgoingEvent): Promise<{ attempt: Attempt; retryAfterMs: number | null } | null> {
    const { owner, secrets, connection } = this.#turn;
    const end = this.#parts.watch(this.#turn.endpoint);
    const result = await sendMessage(connection, secrets, owner, outgoing, this.#parts.cutOff).finally(end);
    if (this.#parts.cutOff.aborted && !result.attempt.succeeded) return null;
    this.#attempts.push(result.attempt);
    return result;
  }

  async #sendInOrder(outgoing: OutgoingEvent): Promise<void> {
    const result = await this.#attempt(outgoing);
    if (!result) return;
    const { attempt, retryAfterMs } = result;
    if (attempt.succeeded) return this.#moveOn(attempt.eventNo, false);
    if (attempt.httpStatus === GONE) return this.#disable();
    const { headTries, headFirstAt } = this.#progress;
    const tries = headTries + 1;
    const firstAttemptAt = headFirstAt ?? attempt.attemptedAt;
    const pauseMs = pauseAfter(this.#parts.backoff, tries, retryAfterMs);
    if (holdsUp(this.#parts.backoff, tries)) {
      this.#isHeld = true;
      this.#progress = { ...this.#progress, headTries: tries, headFirstAt: firstAttemptAt, isFailing: true, pauseMs };
      return this.#write({ keepMs: LEASE_MS });
    }
    return this.#moveOn(attempt.eventNo, true, { eventNo: attempt.eventNo, tries, firstAttemptAt, pauseMs });
  }

  /** Moves on after a settled event: delivered, or set aside. */
  async #moveOn(eventNo: bigint, isFailing: boolean, setAside?: Postponement): Promise<void> {
    // Events of other types that were read after it are settled too.
    const cursorEventNo = this.#outgoing.length === 0 ? this.#lookedUpTo : eventNo;
    this.#progress = { cursorEventNo, headTries: 0, headFirstAt: null, isFailing, pauseMs: null };
    await (setAside ? this.#write({ keepMs: LEASE_MS, postponed: setAside }) : this.#writeSometimes());
  }

  async #sendDelivery({ delivery, outgoing }: DueDelivery): Promise<void> {
    const result = await this.#attempt(outgoing);
    if (!result) return;
    const { attempt, retryAfterMs } = result;
    if (attempt.httpStatus === GONE) return this.#disable();
    if (!attempt.succeeded) {
      return this.#write({ keepMs: LEASE_MS, postponed: this.#postpone(delivery, attempt, retryAfterMs) });
    }
    this.#taken.push(attempt.eventNo);
    // Before the next query for due events, which would find it again.
    await (this.#due === null ? this.#write({ keepMs: LEASE_MS }) : this.#writeSometimes());
  }

  #postpone(delivery: Delivery, attempt: Attempt, retryAfterMs: number | null): Postponement {
    const { backoff } = this.#parts;
    const { eventNo, attemptedAt } = attempt;
    const tries = delivery.tries + 1;
    const firstAttemptAt = delivery.firstAttemptAt ?? attemptedAt;
    const leftMs = backoff.giveUpAfterMs - (attemptedAt.epochMilliseconds - firstAttemptAt.epochMilliseconds);
    // The last attempt is made at the very end of that time.
    const pauseMs = leftMs <= 0 ? null : Math.min(pauseAfter(backoff, tries, retryAfterMs), leftMs);
    return { eventNo, tries, firstAttemptAt, pauseMs };
  }

  /** The receiver wants no more events: those that wait stay. */
  async #disable(): Promise<void> {
    await this.#write({ keepMs: LEASE_MS, disabledBecause: `It answered ${GONE} Gone.` });
    this.#isLost = true;
  }

  async #writeSometimes(): Promise<void> {
    const isDue = performance.now() - this.#writtenAtMs > WRITE_AFTER_MS || this.#attempts.length >= WRITE_AFTER_EVENTS;
    if (isDue) await this.#write({ keepMs: LEASE_MS });
  }

  async #write(change: {
    readonly keepMs: number | null;
    readonly postponed?: Postponement;
    readonly disabledBecause?: string;
  }): Promise<void> {
    const { pool, holder } = this.#parts;
    const { endpoint } = this.#turn;
    const wasLost = this.#isLost;
    // If it can't be written, the state here is useless: the database says where to continue.
    this.#isLost = true;
    const [attempts, taken] = [this.#attempts, this.#taken];
    [this.#attempts, this.#taken] = [[], []];
    const isKept = await inTransaction(pool, async (connection) => {
      await insertAttempts(connection, endpoint, attempts);
      if (wasLost || !(await lockClaim(connection, endpoint, holder))) return false;
      await removeDeliveries(connection, endpoint, taken);
      if (change.postponed) await postponeDelivery(connection, endpoint, change.postponed);
      await writeProgress(connection, endpoint, { ...this.#progress, keepMs: change.keepMs });
      if (change.disabledBecause) {
        await disableEndpoint(connection, endpoint, change.disabledBecause);
        const disabled = { ...endpoint, status: "Disabled" as const, disabledReason: change.disabledBecause };
        await recordEvents(connection, endpoint, [endpointEvent("webhook_endpoint.disabled", endpoint, disabled)]);
      }
      return true;
    });
    // The pause counts from its first write.
    this.#progress = { ...this.#progress, pauseMs: null };
    this.#isLost = wasLost || !isKept;
    this.#writtenAtMs = performance.now();
  }
}

type DueDelivery = { readonly delivery: Delivery; readonly outgoing: OutgoingEvent };

/** The first page of an endpoint's due retries, longest due first. */
async function readDueDeliveries(
  db: Queryable,
  { endpoint, owner }: { readonly endpoint: EndpointKey; readonly owner: EventOwner },
  messages: MessageParts,
): Promise<DueDelivery[]> {
  const deliveries = await listDueDeliveries(db, endpoint, PAGE_DELIVERIES);
  if (deliveries.length === 0) return [];
  const eventNos = deliveries.map(({ eventNo }) => eventNo);
  const outgoing = await composeEvents(db, owner, await findEvents(db, owner, eventNos), messages);
  const byNumber = new Map(outgoing.map((item) => [item.event.eventNo, item]));
  return deliveries.map((delivery) => ({ delivery, outgoing: byNumber.get(delivery.eventNo)! }));
}
