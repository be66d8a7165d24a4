// A database that hangs: its connections stay open, new ones are taken, and nothing is answered. The driver would wait
// for ever. Which of several hosts is the primary is in hosts.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { Probe } from "./probe.ts";

/** How often connections are checked while there are any. */
const LOOK_MS = 500;
/** After this many checks with an answer pending and nothing received, the database is asked over a separate connection. */
const SUSPECT_AFTER_CHECKS = 2;
/** After this many the database counts as silent: about 5 s. */
const SILENT_AFTER_CHECKS = 10;
/** The same behind PgBouncer, where the separate connection may have to wait too: 10 s. */
const POOLED_SILENT_AFTER_CHECKS = 20;
/** How long the separate connection waits for its answer, also on an overloaded database. */
const PATIENCE_MS = 4000;
/** How long a request for a connection waits for the health check, once the database was found silent. */
const WAIT_MS = 300;

/** A connection, as far as it is looked at here. */
export type Watched = {
  /** Whether an answer is waited for. */
  readonly isWaiting: boolean;
  /** How much has come over it. */
  readonly bytesRead: number;
  /** Ends it at once, with this. */
  breakOff(error: Error): void;
};

/**
 * Whether a database answers, for all pools of this process that use it. It counts as silent where something is waited for, nothing
 * comes over any connection, and a question over a new one is not answered either: so a slow statement, or a lock, is not
 * taken for silence. Looks are counted, and not seconds, as a process that stood still has not heard anything either.
 */
export class Silence {
  static readonly #known = new Map<string, Silence>();
  readonly #answers: () => Promise<boolean>;
  readonly #close: () => void;
  readonly #silentLooks: number;
  /** With how much had come over each at the last look. */
  readonly #connections = new Map<Watched, number>();
  #looks = 0;
  #isAway = false;
  #question: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  private constructor(answers: () => Promise<boolean>, close: () => void, silentLooks: number) {
    this.#answers = answers;
    this.#close = close;
    this.#silentLooks = silentLooks;
  }

  /** That of one host. */
  static of(url: string, isPooled: boolean): Silence {
    const probe = new Probe(url, PATIENCE_MS);
    const [ask, close] = [() => probe.answers(), () => probe.close()];
    return Silence.#once(
      url,
      () => new Silence(ask, close, isPooled ? POOLED_SILENT_AFTER_CHECKS : SILENT_AFTER_CHECKS),
    );
  }

  /** That of several, of which `findPrimary` looks for the one that takes writes. */
  static ofHosts(urls: readonly string[], findPrimary: () => Promise<unknown>): Silence {
    const answers = (): Promise<boolean> =>
      findPrimary().then(
        () => true,
        () => false,
      );
    return Silence.#once(urls.join(" "), () => new Silence(answers, () => {}, SILENT_AFTER_CHECKS));
  }

  static #once(key: string, make: () => Silence): Silence {
    const known = Silence.#known.get(key) ?? make();
    Silence.#known.set(key, known);
    return known;
  }

  /** A connection is being made. */
  add(connection: Watched): void {
    this.#connections.set(connection, connection.bytesRead);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  remove(connection: Watched): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#looks = 0;
    this.#close();
  }

  /**
   * Resolves at once, but where the database was found silent: then it is asked.
   * @throws Error that counts as a lost connection, where it is silent still
   */
  async requireAnswer(): Promise<void> {
    if (!this.#isAway) return;
    await Promise.race([this.#ask(), sleep(WAIT_MS)]);
    if (this.#isAway) throw silentError();
  }

  #look(): void {
    let [isAsked, isHeard] = [false, false];
    for (const [connection, before] of this.#connections) {
      const { bytesRead, isWaiting } = connection;
      if (isWaiting) isAsked = true;
      if (bytesRead === before) continue;
      isHeard = true;
      this.#connections.set(connection, bytesRead);
    }
    this.#looks = isAsked && !isHeard ? this.#looks + 1 : 0;
    if (!isAsked) this.#close();
    if (this.#looks >= this.#silentLooks) this.#leave();
    else if (this.#looks >= SUSPECT_AFTER_CHECKS) void this.#ask();
  }

  /** Asks it, for all who want to know. */
  #ask(): Promise<void> {
    return (this.#question ??= this.#answers()
      .then((isThere) => {
        if (isThere) [this.#looks, this.#isAway] = [0, false];
      })
      .finally(() => {
        this.#question = null;
      }));
  }

  /** Whoever waits is told that the connection is lost: what was sent may have been done or not. */
  #leave(): void {
    this.#isAway = true;
    this.#looks = 0;
    for (const connection of this.#connections.keys()) connection.breakOff(silentError());
  }
}

function silentError(): Error {
  return Object.assign(new Error("the database accepts connections but does not answer"), { code: "ETIMEDOUT" });
}
