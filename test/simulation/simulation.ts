// A simulation: everything that happens in one seed, step by step, and what must be true after each. Who it happens to
// is in world.ts, what must be true in invariants.ts.
import { NOTICE_FAULTS, OUTCOMES } from "../../stand-ins/faults.ts";
import { isInTransaction } from "./database.ts";
import { Invariants } from "./invariants.ts";
import { FAIR } from "./network.ts";
import { Requests } from "./requests.ts";
import { scheduler } from "./scheduler.ts";
import { World, type Process, type Stage } from "./world.ts";

const MAX_PROCESSES = 2;
const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;
/** A simulation that goes on for longer than a month after its last step has something that never ends. */
const LEAPS = 90;
const CALL_FAULTS = ["error_before", "error_after", "malformed", "too_many", "low_balance", "unknown_payee"] as const;
/** What the network loses by itself. */
const KEPT_NOTICE_FAULTS = NOTICE_FAULTS.filter((kind) => ["duplicate", "reordered", "contradicting"].includes(kind));

export type Outcome = {
  readonly seed: number;
  readonly digest: string;
  readonly events: number;
  readonly transfers: number;
  /** `null` where everything was as it must be. */
  readonly failure: { readonly step: number; readonly error: Error; readonly tail: readonly string[] } | null;
};

/** Runs one seed for so many steps. */
export async function simulate(
  seed: number,
  steps: number,
  stage: Stage,
  onLine: ((line: string) => void) | null = null,
): Promise<Outcome> {
  const world = await World.make(seed, stage);
  scheduler().onLine = onLine;
  const simulation = new Simulation(world);
  const failure = await simulation.run(steps);
  const { events } = scheduler();
  const outcome = { seed, digest: scheduler().digest(), events, transfers: simulation.transfers, failure };
  if (!failure) await world.close();
  return outcome;
}

class Simulation {
  readonly #world: World;
  readonly #requests: Requests;
  readonly #invariants: Invariants;
  #step = 0;
  #crash: { readonly process: Process; readonly atEvent: number } | null = null;

  constructor(world: World) {
    this.#world = world;
    this.#requests = new Requests(world);
    this.#invariants = new Invariants(world, this.#requests);
  }

  get transfers(): number {
    return this.#requests.payoutRequests.length;
  }

  async run(steps: number): Promise<Outcome["failure"]> {
    const { dice } = this.#world;
    try {
      this.#giveCharacters();
      this.#world.start();
      await this.#goOn(500);
      for (this.#step = 1; this.#step <= steps; this.#step += 1) {
        await this.#takeStep();
        await this.#goOn(dice.percent(30) ? dice.between(0, 3000) : dice.between(0, 200));
        await this.#invariants.check();
      }
      await this.#bringToItsEnd();
      await this.#invariants.checkEnd();
      return null;
    } catch (error) {
      return { step: this.#step, error: error as Error, tail: scheduler().tail };
    }
  }

  /** Some banks do the same thing wrong again and again. */
  #giveCharacters(): void {
    const { dice, banks } = this.#world;
    for (const { desk } of banks) {
      for (const kind of ["contradicting", "failed_then_paid", "paid_then_reversed"])
        if (dice.percent(40)) desk.faults.add({ kind, percent: 25 });
    }
  }

  async #takeStep(): Promise<void> {
    const { dice } = this.#world;
    const step = dice.pickWeighted<() => void | Promise<void>>([
      [26, () => this.#requests.ask(this.#requests.payoutRequest(), this.#process())],
      [8, () => this.#askTwice()],
      [8, () => this.#askForMany()],
      [8, () => this.#askAgain()],
      [3, () => this.#requests.ask(this.#requests.payoutRequest({ amountPaise: 10n ** 12n }), this.#process())],
      [2, () => this.#requests.askForNobody(this.#process())],
      [5, () => this.#requests.fund(this.#process())],
      [8, () => this.#requests.changeTerms(this.#process())],
      [12, () => this.#planFault()],
      [6, () => this.#changeWeather()],
      [4, () => this.#breakBankDown()],
      [8, () => this.#planCrash()],
      [8, () => this.#startOne()],
      [2, () => this.#stopOne()],
      [4, () => this.#standStill()],
      [5, () => this.#breakConnection()],
      [4, () => this.#bankChangesItsMind()],
      [4, () => this.#goOn(dice.between(2000, 30_000))],
    ]);
    await step();
  }

  /** Lets the clock go on, and a process crash at the event at which it is to. */
  async #goOn(forMs: number): Promise<void> {
    const untilMs = scheduler().nowMs + forMs;
    while (await scheduler().next(untilMs)) {
      if (this.#crash && scheduler().events >= this.#crash.atEvent) {
        const { process } = this.#crash;
        this.#crash = null;
        if (process.isAlive) await this.#world.crash(process);
      }
    }
    scheduler().leapTo(untilMs);
  }

  #process(): Process | undefined {
    const { ready } = this.#world;
    return ready.length === 0 ? undefined : this.#world.dice.pick(ready);
  }

  #askTwice(): void {
    const payoutRequest = this.#requests.payoutRequest();
    this.#requests.ask(payoutRequest, this.#process());
    this.#requests.ask(payoutRequest, this.#process());
  }

  #askForMany(): void {
    for (let left = this.#world.dice.whole(2, 8); left > 0; left -= 1)
      this.#requests.ask(this.#requests.payoutRequest(), this.#process());
  }

  #askAgain(): void {
    const { payoutRequests } = this.#requests;
    if (payoutRequests.length > 0) this.#requests.ask(this.#world.dice.pick(payoutRequests), this.#process());
  }

  /** What the bank does wrong with the next calls or payments. */
  #planFault(): void {
    const { dice, banks } = this.#world;
    const { faults } = dice.pick(banks).desk;
    const count = dice.whole(1, 3);
    const kind = dice.pickWeighted<string>([
      [5, dice.pick(CALL_FAULTS)],
      [4, dice.pick(OUTCOMES)],
      [3, dice.pick(KEPT_NOTICE_FAULTS)],
    ]);
    scheduler().note("chance", `${kind} for ${count}`);
    faults.add({ kind, count });
  }

  #changeWeather(): void {
    const { dice, network } = this.#world;
    const isBad = dice.percent(60);
    const upTo = (most: number): number => (isBad ? dice.whole(0, most) : 0);
    network.weather = { refused: upTo(10), lostBefore: upTo(12), lostAfter: upTo(15), silence: upTo(6), late: upTo(8) };
    scheduler().note("chance", `weather ${JSON.stringify(network.weather)}`);
  }

  /** A bank can't be reached for a while: what its merchants want then happens with what was never sent. */
  #breakBankDown(): void {
    const { dice, banks, network } = this.#world;
    const { name, origin } = dice.pick(banks);
    const forMs = dice.between(1000, dice.percent(30) ? 600_000 : 60_000);
    scheduler().note("chance", `${name} is down for ${Math.round(forMs)} ms`);
    network.breakDown(origin, forMs);
  }

  #planCrash(): void {
    const { dice, alive } = this.#world;
    if (alive.length === 0) return;
    this.#crash = { process: dice.pick(alive), atEvent: scheduler().events + dice.whole(1, 60) };
  }

  #startOne(): void {
    if (this.#world.alive.length < MAX_PROCESSES) this.#world.start();
  }

  #stopOne(): void {
    const process = this.#process();
    if (process) this.#world.stop(process);
  }

  #standStill(): void {
    const process = this.#process();
    if (process) this.#world.standStill(process, this.#world.dice.between(1000, 15_000));
  }

  async #breakConnection(): Promise<void> {
    const { dice } = this.#world;
    const process = this.#process();
    if (!process) return;
    for (let events = dice.whole(0, 30); events > 0; events -= 1) await scheduler().next(scheduler().nowMs + 100);
    if (process.isAlive) await this.#world.breakConnection(process);
  }

  /** A payment comes back, or one that was stuck is decided. */
  #bankChangesItsMind(): void {
    const { dice, banks } = this.#world;
    const { book, clock, notices } = dice.pick(banks).desk;
    // What waits for balance goes on.
    book.fund(0n);
    const payments = book.listPayments().filter(({ state }) => state === "PAID");
    if (payments.length === 0) return;
    const { providerId, narrative } = dice.pick(payments);
    scheduler().note("chance", `${narrative} comes back`);
    const moved = book.move(providerId, "REVERSED", "RETURNED_FROM_BENEFICIARY: It came back.", clock.nowMs());
    notices.add(moved!);
  }

  /** Nothing goes wrong any more, and the clock goes on until everything has ended. */
  async #bringToItsEnd(): Promise<void> {
    const { world } = { world: this.#world };
    scheduler().note("chance", "nothing goes wrong any more");
    this.#crash = null;
    world.network.weather = FAIR;
    for (const bank of world.banks) {
      bank.loseNoNotices();
      bank.desk.faults.clear();
      // What waits for balance goes on.
      bank.desk.book.fund(0n);
    }
    if (world.ready.length === 0) world.start();
    await this.#goOn(15_000);
    if (world.ready.length === 0) world.start();
    // Transactions end within a moment by now.
    while (isInTransaction() && (await scheduler().next(scheduler().nowMs + DAY_MS)));
    await this.#requests.liftSuspensions();
    let leapMs = SECOND_MS;
    for (let leaps = 0; leaps < LEAPS; leaps += 1) {
      if (leaps === 8) this.#decideStuck();
      if (leaps > 8 && (await this.#invariants.hasEnded())) return;
      scheduler().leapTo(scheduler().nowMs + leapMs);
      await this.#goOn(1500);
      leapMs = Math.min(leapMs * 1.7, DAY_MS);
    }
  }

  /** Payments that would stay pending for ever are decided by the bank. */
  #decideStuck(): void {
    const { dice, banks } = this.#world;
    for (const { desk } of banks) {
      for (const { providerId, state } of desk.book.listPayments()) {
        if (state !== "PENDING") continue;
        const decided = dice.percent(50) ? ("PAID" as const) : ("FAILED" as const);
        const reason = decided === "FAILED" ? "BANK_GATEWAY_ERROR: It did not go through." : null;
        desk.notices.add(desk.book.move(providerId, decided, reason, desk.clock.nowMs())!);
      }
    }
  }
}
