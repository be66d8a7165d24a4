// The simulated clock in the place of Node's: whoever runs in a simulation sees its time, and its timers are events. It
// must be loaded before the code that it deceives.
import { createRequire, syncBuiltinESMExports } from "node:module";
import { running, scheduler, type Actor, type ScheduledEvent } from "./scheduler.ts";

const require = createRequire(import.meta.url);
const timersPromises = require("node:timers/promises") as { setTimeout: unknown };
const os = require("node:os") as { availableParallelism: () => number };

/** What there was before, for what waits in real time. */
export const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  now: performance.now.bind(performance),
};
const realSetInterval = globalThis.setInterval;
const realClearInterval = globalThis.clearInterval;
const realSetImmediate = globalThis.setImmediate;
const realClearImmediate = globalThis.clearImmediate;
const realSleep = timersPromises.setTimeout as (...args: unknown[]) => Promise<unknown>;
const realTimeout = AbortSignal.timeout.bind(AbortSignal);

type Callback = (...args: unknown[]) => void;

/** A timer of an actor. */
class VirtualTimer {
  readonly #actor: Actor;
  readonly #run: () => void;
  readonly #everyMs: number | null;
  #event: ScheduledEvent;

  constructor(actor: Actor, run: () => void, delayMs: number, isRepeated: boolean) {
    this.#actor = actor;
    this.#run = run;
    this.#everyMs = isRepeated ? Math.max(1, delayMs) : null;
    this.#event = this.#arm(delayMs);
  }

  cancel(): void {
    this.#event.isCancelled = true;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  #arm(delayMs: number): ScheduledEvent {
    return scheduler().add(delayMs, this.#actor, () => {
      if (this.#everyMs !== null) this.#event = this.#arm(this.#everyMs);
      this.#run();
    });
  }
}

function timer(callback: Callback, delayMs: number | undefined, args: unknown[], isRepeated: boolean): VirtualTimer {
  return new VirtualTimer(running.getStore()!, () => callback(...args), Number(delayMs) || 0, isRepeated);
}

function sleep(delayMs?: number, value?: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown> {
  const actor = running.getStore();
  if (!actor) return realSleep(delayMs, value, options);
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    const giveUp = (): void =>
      reject(Object.assign(new Error("The operation was aborted", { cause: signal?.reason }), { name: "AbortError" }));
    if (signal?.aborted) return giveUp();
    const event = scheduler().add(Number(delayMs) || 0, actor, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    });
    const onAbort = (): void => {
      event.isCancelled = true;
      giveUp();
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function abortAfter(delayMs: number): AbortSignal {
  const actor = running.getStore();
  if (!actor) return realTimeout(delayMs);
  const controller = new AbortController();
  scheduler().add(delayMs, actor, () =>
    controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")),
  );
  return controller.signal;
}

function instant(): Temporal.Instant {
  return Temporal.Instant.fromEpochNanoseconds(BigInt(Math.floor(scheduler().nowMs * 1000)) * 1000n);
}

/** Puts the simulated clock in place. */
function install(): void {
  const started = scheduler().nowMs;
  Object.assign(globalThis, {
    setTimeout: (callback: Callback, delayMs?: number, ...args: unknown[]) =>
      running.getStore() ? timer(callback, delayMs, args, false) : real.setTimeout(callback, delayMs, ...args),
    setInterval: (callback: Callback, delayMs?: number, ...args: unknown[]) =>
      running.getStore() ? timer(callback, delayMs, args, true) : realSetInterval(callback, delayMs, ...args),
    setImmediate: (callback: Callback, ...args: unknown[]) =>
      running.getStore() ? timer(callback, 0, args, false) : realSetImmediate(callback, ...args),
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(realClearInterval),
    clearImmediate: clear(realClearImmediate as unknown as typeof clearTimeout),
  });
  Object.defineProperty(performance, "now", { value: () => scheduler().nowMs - started, configurable: true });
  Date.now = () => Math.floor(scheduler().nowMs);
  Temporal.Now.instant = instant;
  AbortSignal.timeout = abortAfter;
  timersPromises.setTimeout = sleep;
  // How many batches run at once follows from it, and is to be the same on every machine.
  os.availableParallelism = () => 4;
  syncBuiltinESMExports();
}

function clear(ofReal: typeof clearTimeout): (timer: unknown) => void {
  return (given) => (given instanceof VirtualTimer ? given.cancel() : ofReal(given as NodeJS.Timeout));
}

install();
