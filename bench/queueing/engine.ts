// A simulation of things that wait for each other: time that jumps from event to event, processors that are shared, threads
// that do one thing after the other, and lanes that take together what waits. Times are in milliseconds.
// What belongs here: what any system is made of. What Nodal's parts cost is in costs.ts.

/** What a task gets of a core before the next one has its turn. */
const SLICE_MS = 0.2;

type Event = { readonly atMs: number; readonly order: number; readonly happen: () => void };

/** Events in the order of their times. */
export class Clock {
  nowMs = 0;
  readonly #heap: Event[] = [];
  #made = 0;

  /** Has something happen so much later. */
  after(ms: number, happen: () => void): void {
    const event = { atMs: this.nowMs + ms, order: (this.#made += 1), happen };
    let place = this.#heap.push(event) - 1;
    while (place > 0 && isBefore(event, this.#heap[(place - 1) >> 1]!)) {
      this.#heap[place] = this.#heap[(place - 1) >> 1]!;
      place = (place - 1) >> 1;
    }
    this.#heap[place] = event;
  }

  /** Lets time pass until a moment, or until nothing is left to happen. */
  runUntil(endMs: number): void {
    while (this.#heap.length > 0 && this.#heap[0]!.atMs <= endMs) {
      const event = this.#takeFirst();
      this.nowMs = event.atMs;
      event.happen();
    }
    this.nowMs = endMs;
  }

  #takeFirst(): Event {
    const first = this.#heap[0]!;
    const last = this.#heap.pop()!;
    const size = this.#heap.length;
    if (size === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(this.#heap[child + 1]!, this.#heap[child]!)) child += 1;
      if (!isBefore(this.#heap[child]!, last)) break;
      this.#heap[place] = this.#heap[child]!;
      place = child;
    }
    this.#heap[place] = last;
    return first;
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}

/** The processors of one machine: tasks take turns. */
export class Cores {
  readonly #clock: Clock;
  readonly #count: number;
  readonly #waiting: { leftMs: number; readonly done: () => void }[] = [];
  #busy = 0;
  /** Core milliseconds used. */
  usedMs = 0;

  constructor(clock: Clock, count: number) {
    this.#clock = clock;
    this.#count = count;
  }

  /** Works for so long on one core, with others in turns. */
  run(ms: number, done: () => void): void {
    this.#waiting.push({ leftMs: ms, done });
    this.#next();
  }

  #next(): void {
    while (this.#busy < this.#count && this.#waiting.length > 0) {
      const task = this.#waiting.shift()!;
      const sliceMs = Math.min(task.leftMs, SLICE_MS);
      this.#busy += 1;
      this.usedMs += sliceMs;
      this.#clock.after(sliceMs, () => {
        this.#busy -= 1;
        task.leftMs -= sliceMs;
        if (task.leftMs > 1e-9) this.#waiting.push(task);
        else task.done();
        this.#next();
      });
    }
  }
}

/** One thread of a process: its jobs wait for each other. */
export class Thread {
  readonly #cores: Cores;
  readonly #jobs: { readonly ms: number; readonly done: () => void }[] = [];
  #isBusy = false;

  constructor(cores: Cores) {
    this.#cores = cores;
  }

  run(ms: number, done: () => void): void {
    this.#jobs.push({ ms, done });
    this.#next();
  }

  #next(): void {
    const job = this.#isBusy ? undefined : this.#jobs.shift();
    if (!job) return;
    this.#isBusy = true;
    this.#cores.run(job.ms, () => {
      this.#isBusy = false;
      job.done();
      this.#next();
    });
  }
}

/** Takes together what waits, one batch at a time. */
export class Lane<T> {
  readonly #work: (batch: readonly T[], done: () => void) => void;
  readonly #most: number;
  #waiting: T[] = [];
  #isBusy = false;
  batches = 0;
  items = 0;

  constructor(most: number, work: (batch: readonly T[], done: () => void) => void) {
    this.#most = most;
    this.#work = work;
  }

  add(item: T): void {
    this.#waiting.push(item);
    this.#next();
  }

  #next(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, this.#most);
    this.#isBusy = true;
    this.batches += 1;
    this.items += batch.length;
    this.#work(batch, () => {
      this.#isBusy = false;
      this.#next();
    });
  }
}

/** Numbers that look random and are the same in each run: a 32-bit generator by G. Marsaglia (xorshift, 2003). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to less than 1. */
  next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 2 ** 32;
  }

  /** The time until the next of events that come by themselves, so many a millisecond. */
  gapMs(perMs: number): number {
    return -Math.log(1 - this.next()) / perMs;
  }
}
