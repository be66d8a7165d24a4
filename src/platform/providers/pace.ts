// Limits the calls per second to a provider account, over all processes: docs/rules/rails.md#calls-a-second
import { NotSentError } from "./errors.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { TurnQueue } from "../gate.ts";
import { RateWindow, type TakeRates } from "../rates/rate-window.ts";
import { SHARES, UNPACED, type CallKind, type Pace, type Turn } from "./call-turn.ts";

/** Providers state their limits by the second. */
const WINDOW_MS = 1000;
/** How long to wait after the database was unavailable. */
const UNAVAILABLE_MS = 200;
/** Waits end at slightly different times, so that no process always comes first. */
const SCATTER_MS = 20;
/** A process takes at most a quarter of a second's slots at once, so that others get some too. */
const PART = 4;
const MAX_AT_ONCE = 64;
const REMEMBERED = 10_000;

type Waiting = { readonly kind: CallKind; readonly pass: () => void; isGone: boolean };

/** The pace of one account in this process. Its slots are counted in the database, over all processes. */
export class AccountPace implements Pace {
  readonly #key: string;
  readonly #window: RateWindow;
  readonly #onRoom: () => void;
  readonly #queues = new Map<CallKind, TurnQueue<Waiting>>();
  readonly #waiting = new Map<CallKind, number>();
  /** The used part of each kind's share. The kind that has used least is next. */
  readonly #had = new Map<CallKind, number>();
  #isRunning = false;
  /** May be changed at any time. */
  perSecond: number;

  /** @param onRoom called when a call has passed, so that another may wait */
  constructor(key: string, perSecond: number, window: RateWindow, onRoom: () => void) {
    this.#key = key;
    this.perSecond = perSecond;
    this.#window = window;
    this.#onRoom = onRoom;
  }

  /** Would a call wait for a quarter of a second at most, if only this process used the account? */
  hasRoom(kind: CallKind): boolean {
    return this.perSecond === 0 || (this.#waiting.get(kind) ?? 0) < this.#part;
  }

  take({ kind, merchantId }: Turn, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const end = (): void => {
        signal.removeEventListener("abort", giveUp);
        this.#count(kind, -1);
      };
      const waiting: Waiting = { kind, isGone: false, pass: () => (end(), resolve()) };
      const giveUp = (): void => {
        waiting.isGone = true;
        end();
        reject(tooBusy());
      };
      signal.addEventListener("abort", giveUp);
      this.#count(kind, 1);
      const queue = this.#queues.get(kind) ?? new TurnQueue<Waiting>();
      // A kind without calls for a long time does not get to catch up.
      if (queue.length === 0) this.#had.set(kind, Math.max(this.#had.get(kind) ?? 0, this.#leastHad()));
      this.#queues.set(kind, queue);
      queue.push(String(merchantId), waiting);
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Calls of the same turn share the first request for slots.
    await Promise.resolve();
    for (let wanted = this.#total(); wanted > 0; wanted = this.#total()) {
      const pauseMs = await this.#letPass(Math.min(wanted, this.#part, MAX_AT_ONCE));
      if (pauseMs > 0) await sleep(pauseMs + Math.random() * SCATTER_MS, undefined, { ref: false });
    }
    this.#isRunning = false;
  }

  /** Takes slots, and lets as many calls pass. Returns how long to wait for the next. */
  async #letPass(wanted: number): Promise<number> {
    const { perSecond } = this;
    if (perSecond === 0) {
      for (let count = 0; count < wanted; count += 1) this.#next()?.pass();
      return 0;
    }
    const slots = await Promise.all(
      Array.from({ length: wanted }, () => this.#window.take(this.#key, perSecond).catch(() => null)),
    );
    let pauseMs = 0;
    for (const slot of slots) {
      if (slot === null) pauseMs = Math.max(pauseMs, UNAVAILABLE_MS);
      else if (!slot.allowed) pauseMs = Math.max(pauseMs, slot.resetMs);
      else {
        const next = this.#next();
        if (next) next.pass();
        else slot.giveBack();
      }
    }
    this.#onRoom();
    return pauseMs;
  }

  /** The next call: of the kind that has used least of its share; its merchants take turns. */
  #next(): Waiting | null {
    for (;;) {
      const waiting = [...this.#queues].filter(([, queue]) => queue.length > 0).map(([kind]) => kind);
      const [kind] = waiting.toSorted((one, other) => this.#had.get(one)! - this.#had.get(other)!);
      if (kind === undefined) return null;
      const next = this.#queues.get(kind)!.shift()!;
      if (next.isGone) continue;
      this.#had.set(kind, this.#had.get(kind)! + 1 / SHARES[kind]);
      return next;
    }
  }

  get #part(): number {
    return Math.max(1, Math.floor(this.perSecond / PART));
  }

  #leastHad(): number {
    const waiting = [...this.#queues].filter(([, queue]) => queue.length > 0).map(([kind]) => this.#had.get(kind)!);
    return waiting.length === 0 ? 0 : Math.min(...waiting);
  }

  #count(kind: CallKind, more: number): void {
    this.#waiting.set(kind, (this.#waiting.get(kind) ?? 0) + more);
  }

  #total(): number {
    return [...this.#waiting.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** The paces of all accounts in this process. */
export class Paces {
  readonly #perSecond: number;
  readonly #take: TakeRates;
  #window: RateWindow | null = null;
  readonly #accounts = new LRUCache<string, AccountPace>({ max: REMEMBERED });
  /** Called when a call has passed. */
  onRoom: () => void = () => {};

  /**
   * @param perSecond for accounts without a separate limit; 0 for no limit
   * @param take takes from limits that all processes share
   */
  constructor(perSecond: number, take: TakeRates) {
    this.#perSecond = perSecond;
    this.#take = take;
  }

  /** The pace of an account, by its name. `perSecond` is its separate limit; `null` if it has none. */
  of(account: string, perSecond: number | null): Pace {
    const limit = perSecond ?? this.#perSecond;
    const known = this.#accounts.get(account);
    if (known) {
      known.perSecond = limit;
      return known;
    }
    if (limit === 0) return UNPACED;
    this.#window ??= new RateWindow(this.#take, WINDOW_MS);
    const pace = new AccountPace(`provider ${account}`, limit, this.#window, () => this.onRoom());
    this.#accounts.set(account, pace);
    return pace;
  }

  /** Would a call of this kind to an account pass soon? */
  hasRoom(account: string, kind: CallKind): boolean {
    return this.#accounts.get(account)?.hasRoom(kind) ?? true;
  }

  async close(): Promise<void> {
    await this.#window?.close();
  }
}

function tooBusy(): NotSentError {
  return new NotSentError("busy", "The provider account has reached its call limit: nothing was sent.");
}
