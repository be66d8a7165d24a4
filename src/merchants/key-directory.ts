// Who holds an access key: looked up in batches and remembered for moments, since every request asks.
// What belongs here: the memory. Its age bounds how long a revocation or suspension takes to reach this process.
import { Batcher } from "../platform/batcher.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { AccessKeyName } from "./access-key.ts";
import { findKeyHolders, type KeyHolder } from "./merchant-store.ts";

const REMEMBERED_MS = 2000;
/** A key in use is looked up again from this age on, while it is still remembered, so that no request waits for it. */
const REFRESHED_AFTER_MS = 1000;
/** Keys to be refreshed are gathered this long: one by one, they are a tenth of the database's statements under load. */
const GATHERING_MS = 100;

type Remembered = {
  readonly holder: Promise<KeyHolder | null>;
  readonly askedAtMs: number;
  isBeingRefreshed: boolean;
};
type Refresh = { readonly name: AccessKeyName; readonly known: Remembered; readonly askedAtMs: number };

export class KeyDirectory {
  readonly #database: Queryable;
  readonly #remembered = new Map<string, Remembered>();
  readonly #lookUps: Batcher<AccessKeyName, KeyHolder | null>;
  #refreshes: Refresh[] = [];

  constructor(database: Queryable) {
    this.#database = database;
    this.#lookUps = new Batcher({ run: (names) => findKeyHolders(database, names), maxBatch: 500, lanes: 2 });
  }

  /** The key and its merchant, at most 2 s old; `null` where there is no such key. */
  find(name: AccessKeyName): Promise<KeyHolder | null> {
    const now = performance.now();
    const known = this.#remembered.get(name.accessKeyId);
    if (known && now < known.askedAtMs + REMEMBERED_MS) {
      if (now >= known.askedAtMs + REFRESHED_AFTER_MS && !known.isBeingRefreshed) this.#refresh(name, known, now);
      return known.holder;
    }
    const holder = this.#lookUps.add(name);
    this.#remember(name, holder, now);
    // A failed look-up must not be the answer for the next two seconds.
    holder.catch(() => this.#remembered.delete(name.accessKeyId));
    this.#forgetOld(now);
    return holder;
  }

  #refresh(name: AccessKeyName, known: Remembered, askedAtMs: number): void {
    known.isBeingRefreshed = true;
    this.#refreshes.push({ name, known, askedAtMs });
    if (this.#refreshes.length === 1) setTimeout(() => void this.#runRefreshes(), GATHERING_MS).unref();
  }

  async #runRefreshes(): Promise<void> {
    const refreshes = this.#refreshes;
    this.#refreshes = [];
    // What fails here is looked up by the first request that finds it too old.
    const holders = await findKeyHolders(
      this.#database,
      refreshes.map(({ name }) => name),
    ).catch(() => null);
    if (!holders) return;
    refreshes.forEach(({ name, known, askedAtMs }, index) => {
      const isLatest = this.#remembered.get(name.accessKeyId) === known;
      if (isLatest) this.#remember(name, Promise.resolve(holders[index] ?? null), askedAtMs);
    });
  }

  #remember({ accessKeyId }: AccessKeyName, holder: Promise<KeyHolder | null>, askedAtMs: number): void {
    this.#remembered.delete(accessKeyId);
    this.#remembered.set(accessKeyId, { holder, askedAtMs, isBeingRefreshed: false });
  }

  /** The map is in order of age, but for the moments that a refresh takes, so the old ones come first. */
  #forgetOld(now: number): void {
    for (const [accessKeyId, { askedAtMs }] of this.#remembered) {
      if (now < askedAtMs + REMEMBERED_MS) break;
      this.#remembered.delete(accessKeyId);
    }
  }
}
