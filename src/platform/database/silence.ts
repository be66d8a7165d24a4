// A database that hangs: connections stay open, new ones are accepted, but nothing is answered. The driver would wait
// forever. hosts.ts finds the primary of several hosts.
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

/** The checked members of a connection. */
export type Watched = {
  /** Is an answer pending? */
  readonly isWaiting: boolean;
  /** The number of bytes received. */
  readonly bytesRead: number;
  /** Ends it at once with this error. */
  breakOff(error: Error): void;
};

/**
 * Health of a database, for all pools of this process that use it. It is silent if answers are pending, no connection
 * receives anything, and a query over a new connection gets no answer either. So a slow statement or a lock does not
 * count as silence. Checks are counted instead of seconds, since a process that was paused has received nothing either.
 */
export class Silence {
  static readonly #known = new Map<string, Silence>();
  readonly #answers: () => Promise<boolean>;
  readonly #close: () => void;
  readonly #silentLooks: number;
  /** The connections, with the bytes received up to the last check. */
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

  /** The health of one host. */
  static of(url: string, isPooled: boolean): Silence {
    const probe = new Probe(url, PATIENCE_MS);
    const [ask, close] = [() => probe.answers(), () => probe.close()];
    return Silence.#once(
      url,
      () => new Silence(ask, close, isPooled ? POOLED_SILENT_AFTER_CHECKS : SILENT_AFTER_CHECKS),
    );
  }

  /** The health of several hosts, with `findPrimary` to find the one that accepts writes. */
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
   * Resolves at once, unless the database was found silent: then it is checked again. @throws Error that counts as a
   * lost connection, if it is still silent
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

  /** Checks it once for all callers. */
  #ask(): Promise<void> {
    return (this.#question ??= this.#answers()
      .then((isThere) => {
        if (isThere) [this.#looks, this.#isAway] = [0, false];
      })
      .finally(() => {
        this.#question = null;
      }));
  }

  /** Fails pending statements with a lost connection: their outcome is unknown. */
  #leave(): void {
    this.#isAway = true;
    this.#looks = 0;
    for (const connection of this.#connections.keys()) connection.breakOff(silentError());
  }
}

function silentError(): Error {
  return Object.assign(new Error("the database accepts connections but does not answer"), { code: "ETIMEDOUT" });
}
