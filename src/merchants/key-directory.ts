// Who holds an access key: looked up in batches and remembered for moments, since every request asks.
// What belongs here: the memory. Its age bounds how long a revocation or suspension takes to reach this process.
import { Batcher } from "../platform/batcher.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { AccessKeyName } from "./access-key.ts";
import { findKeyHolders, type KeyHolder } from "./merchant-store.ts";

const REMEMBERED_MS = 2000;

type Remembered = { readonly holder: Promise<KeyHolder | null>; readonly untilMs: number };

export class KeyDirectory {
  readonly #remembered = new Map<string, Remembered>();
  readonly #lookUps: Batcher<AccessKeyName, KeyHolder | null>;

  constructor(database: Queryable) {
    this.#lookUps = new Batcher({ run: (names) => findKeyHolders(database, names), maxBatch: 500, lanes: 2 });
  }

  /** The key and its merchant, at most 2 s old; `null` where there is no such key. */
  find(name: AccessKeyName): Promise<KeyHolder | null> {
    const now = performance.now();
    const known = this.#remembered.get(name.accessKeyId);
    if (known && known.untilMs > now) return known.holder;
    const holder = this.#lookUps.add(name);
    this.#remembered.delete(name.accessKeyId);
    this.#remembered.set(name.accessKeyId, { holder, untilMs: now + REMEMBERED_MS });
    // A failed look-up must not be the answer for the next two seconds.
    holder.catch(() => this.#remembered.delete(name.accessKeyId));
    this.#forgetOld(now);
    return holder;
  }

  /** The map is in order of age, so the old ones come first. */
  #forgetOld(now: number): void {
    for (const [accessKeyId, { untilMs }] of this.#remembered) {
      if (untilMs > now) break;
      this.#remembered.delete(accessKeyId);
    }
  }
}
