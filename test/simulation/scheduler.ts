// What happens next in a simulation: events in order of a clock that stands still meanwhile, one at a time. What they
// do is their makers' business.
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, type Hash } from "node:crypto";

/** Someone whose events end with it: a process of Nodal, or a bank. */
export class Actor {
  readonly name: string;
  isAlive = true;
  /** It does nothing before then: a process that the system has stopped for a while. */
  standsStillUntilMs = 0;

  constructor(name: string) {
    this.name = name;
  }
}

/** Who runs at the moment; nobody for what sets the stage. */
export const running = new AsyncLocalStorage<Actor | undefined>();

/** What an event does. `false` says that there was nothing to do, so that nothing follows from it and it was none. */
type Happening = () => void | false | Promise<void>;

export type ScheduledEvent = {
  dueMs: number;
  order: number;
  readonly actor: Actor | null;
  readonly run: Happening;
  isCancelled: boolean;
};

/** The real ones, which the simulation itself needs. */
const nextTurn = globalThis.setImmediate;
const FIRST_DAY_MS = Date.UTC(2026, 10, 2, 4, 30);
const TAIL_LINES = 60;

export class Scheduler {
  /** Milliseconds since 1970, by the simulated clock. */
  nowMs = FIRST_DAY_MS;
  readonly #heap: ScheduledEvent[] = [];
  #nextOrder = 0;
  #trace: Hash = createHash("sha256");
  #tail: string[] = [];
  /** Told each line of the trace. */
  onLine: ((line: string) => void) | null = null;
  events = 0;

  /** Adds an event. One of an actor is dropped when the actor ends, and waits while it stands still. */
  add(delayMs: number, actor: Actor | null, run: Happening): ScheduledEvent {
    const dueMs = this.nowMs + Math.max(0, delayMs);
    const event: ScheduledEvent = { dueMs, order: (this.#nextOrder += 1), actor, run, isCancelled: false };
    this.#push(event);
    return event;
  }

  /** Notes what happens, for the hash and the tail. */
  note(who: string, what: string): void {
    const line = `${((this.nowMs - FIRST_DAY_MS) / 1000).toFixed(4)} ${who}: ${what}`;
    this.#trace.update(line).update("\n");
    this.#tail.push(line);
    if (this.#tail.length > TAIL_LINES * 2) this.#tail = this.#tail.slice(-TAIL_LINES);
    this.onLine?.(line);
  }

  /** What was noted last. */
  get tail(): readonly string[] {
    return this.#tail.slice(-TAIL_LINES);
  }

  /** A hash of all that was noted: the same for the same seed. */
  digest(): string {
    return this.#trace.copy().digest("hex").slice(0, 16);
  }

  /** Runs the next event that is due before a time, and what follows from it at once. Returns whether there was one. */
  async next(beforeMs: number): Promise<boolean> {
    for (;;) {
      const event = this.#heap[0];
      if (!event || event.dueMs > beforeMs) return false;
      this.#shift();
      const { actor } = event;
      if (event.isCancelled || actor?.isAlive === false) continue;
      if (actor && actor.standsStillUntilMs > Math.max(event.dueMs, this.nowMs)) {
        event.dueMs = actor.standsStillUntilMs;
        this.#push(event);
        continue;
      }
      this.nowMs = Math.max(this.nowMs, event.dueMs);
      const happening = running.run(actor ?? undefined, event.run);
      if (happening === false) continue;
      this.events += 1;
      await happening;
      await settle();
      return true;
    }
  }

  /** Runs what is due until then, and lets the clock go on to it. */
  async runUntil(untilMs: number): Promise<void> {
    while (await this.next(untilMs));
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  /** Moves the clock ahead with nothing done meanwhile, as on a machine that sleeps. */
  leapTo(ms: number): void {
    this.nowMs = Math.max(this.nowMs, ms);
  }

  /** When the next event is due; infinity for none. */
  get nextMs(): number {
    return this.#heap[0]?.dueMs ?? Infinity;
  }

  #push(event: ScheduledEvent): void {
    const heap = this.#heap;
    let place = heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = event;
  }

  #shift(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(one: ScheduledEvent, other: ScheduledEvent): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

/** Resolves when nothing more follows from what has happened but by events. */
export function settle(): Promise<void> {
  return new Promise((resolve) => nextTurn(() => resolve()));
}

/** The scheduler of the simulation that runs: a process runs one at a time. */
let current = new Scheduler();

export function scheduler(): Scheduler {
  return current;
}

/** Begins anew, with nothing left of what was. */
export function renewScheduler(): Scheduler {
  current = new Scheduler();
  return current;
}
