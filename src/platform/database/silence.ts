// A database that hangs: its connections stay open, new ones are taken, and nothing is answered. The driver would wait for ever.
// What belongs here: noticing that, and leaving its connections. Which of several hosts is the primary is in hosts.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { Probe } from "./probe.ts";

/** How often connections are looked at, while there are any. */
const LOOK_MS = 500;
/** After so many looks at which something was waited for, and nothing had come, it is asked over a connection of its own. */
const DOUBT_LOOKS = 2;
/** How many there are until a database counts as silent: about 5 s. */
const SILENT_LOOKS = 10;
/** The same behind PgBouncer, where all of its connections may be waiting for locks, and a question with them: 10 s. */
const POOLED_LOOKS = 20;
/** How long a question waits for its answer, also at a database that has more to do than it can. */
const PATIENCE_MS = 4000;
/** How long whoever wants a connection waits for that answer, where the database was found silent. */
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
    return Silence.#once(url, () => new Silence(ask, close, isPooled ? POOLED_LOOKS : SILENT_LOOKS));
  }

  /** That of several, of which `findPrimary` looks for the one that takes writes. */
  static ofHosts(urls: readonly string[], findPrimary: () => Promise<unknown>): Silence {
    const answers = (): Promise<boolean> =>
      findPrimary().then(
        () => true,
        () => false,
      );
    return Silence.#once(urls.join(" "), () => new Silence(answers, () => {}, SILENT_LOOKS));
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
    else if (this.#looks >= DOUBT_LOOKS) void this.#ask();
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
  return Object.assign(new Error("the database takes connections and answers nothing"), { code: "ETIMEDOUT" });
}
