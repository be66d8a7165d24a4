// Look-ups that every request needs, such as the owner of a key. They are batched, and answers are cached for a moment.
// The cache's age limits how long a change takes to reach this process.
import { type Batcher, type LookUp, sharedLookUps } from "./batcher.ts";

const REMEMBERED_MS = 1000;
/** A used entry is refreshed from this age on, before it expires, so that no request waits for it. */
const REFRESHED_AFTER_MS = 600;
/** Refreshes are gathered for this long: one by one, they are a tenth of the database's statements under load. */
const GATHERING_MS = 100;

export type DirectoryOptions<Name, Found> = LookUp<Name, Found> & {
  readonly keyOf: (name: Name) => string;
  /** May an answer be cached? Temporary refusals and missing entries are looked up each time. */
  readonly keeps?: (found: Found) => boolean;
};

type Remembered<Found> = {
  readonly found: Promise<Found>;
  readonly askedAtMs: number;
  isBeingRefreshed: boolean;
};
type Refresh<Name, Found> = {
  readonly name: Name;
  readonly known: Remembered<Found>;
  readonly askedAtMs: number;
};

export class Directory<Name, Found> {
  readonly #options: DirectoryOptions<Name, Found>;
  readonly #remembered = new Map<string, Remembered<Found>>();
  readonly #lookUps: Batcher<Name, Found>;
  #refreshes: Refresh<Name, Found>[] = [];

  constructor(options: DirectoryOptions<Name, Found>) {
    this.#options = options;
    this.#lookUps = sharedLookUps(options);
  }

  /** The entry with a name, at most 1 s old. */
  find(name: Name): Promise<Found> {
    const now = performance.now();
    const known = this.#remembered.get(this.#options.keyOf(name));
    if (known && now < known.askedAtMs + REMEMBERED_MS) {
      if (now >= known.askedAtMs + REFRESHED_AFTER_MS && !known.isBeingRefreshed) this.#refresh(name, known, now);
      return known.found;
    }
    const found = this.#lookUps.add(name);
    this.#remember(name, found, now);
    this.#forgetOld(now);
    return found;
  }

  /** Drops a name that has just changed, so that the next call looks it up. */
  forget(name: Name): void {
    this.#remembered.delete(this.#options.keyOf(name));
  }

  #refresh(name: Name, known: Remembered<Found>, askedAtMs: number): void {
    known.isBeingRefreshed = true;
    this.#refreshes.push({ name, known, askedAtMs });
    if (this.#refreshes.length === 1) setTimeout(() => this.#runRefreshes(), GATHERING_MS).unref();
  }

  #runRefreshes(): void {
    const byPlace = Map.groupBy(this.#refreshes, ({ name }) => this.#options.placeOf(name));
    this.#refreshes = [];
    for (const refreshes of byPlace.values()) void this.#refreshTogether(refreshes);
  }

  async #refreshTogether(refreshes: readonly Refresh<Name, Found>[]): Promise<void> {
    const { keyOf, lookUp } = this.#options;
    // If this fails, the first request that finds the entry too old looks it up.
    const found = await lookUp(refreshes.map(({ name }) => name)).catch(() => null);
    if (!found) return;
    refreshes.forEach(({ name, known, askedAtMs }, index) => {
      const isLatest = this.#remembered.get(keyOf(name)) === known;
      const answer = found[index]!;
      if (isLatest && !(answer instanceof Error)) this.#remember(name, Promise.resolve(answer), askedAtMs);
    });
  }

  #remember(name: Name, found: Promise<Found>, askedAtMs: number): void {
    const { keyOf, keeps } = this.#options;
    const key = keyOf(name);
    const remembered = { found, askedAtMs, isBeingRefreshed: false };
    this.#remembered.delete(key);
    this.#remembered.set(key, remembered);
    const drop = (): void => {
      if (this.#remembered.get(key) === remembered) this.#remembered.delete(key);
    };
    // A failed look-up must not be the answer for the next second.
    found.then((answer) => keeps && !keeps(answer) && drop(), drop);
  }

  /** The map is in order of age, except during a refresh, so old entries come first. */
  #forgetOld(now: number): void {
    for (const [key, { askedAtMs }] of this.#remembered) {
      if (now < askedAtMs + REMEMBERED_MS) break;
      this.#remembered.delete(key);
    }
  }
}
