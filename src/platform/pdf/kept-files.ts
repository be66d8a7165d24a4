// A cache of generated files in this process's memory, with limits in bytes for all and for each owner. A key covers
// everything that a file is made from, so that no entry is ever stale.

export type KeptFilesLimits = { readonly maxBytes: number; readonly maxBytesOfOwner: number };

type Kept = { readonly owner: string; readonly file: Uint8Array };

export class KeptFiles {
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Promise<Uint8Array>>();
  readonly #bytesOf = new Map<string, number>();
  readonly #limits: KeptFilesLimits;
  #bytes = 0;

  constructor(limits: KeptFilesLimits) {
    this.#limits = limits;
  }

  /** The file of a key. A missing one is made, once for all concurrent callers. Rejects as `make` does. */
  async take(owner: string, key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    // Owners share nothing: the response time would reveal what another one has.
    const place = `${owner}/${key}`;
    const kept = this.#kept.get(place);
    if (kept) {
      this.#kept.delete(place);
      this.#kept.set(place, kept);
      return kept.file;
    }
    const underWay = this.#underWay.get(place);
    if (underWay) return underWay;
    const making = make();
    this.#underWay.set(place, making);
    try {
      const file = await making;
      this.#keep(place, { owner, file });
      return file;
    } finally {
      this.#underWay.delete(place);
    }
  }

  #keep(place: string, kept: Kept): void {
    const { maxBytes, maxBytesOfOwner } = this.#limits;
    if (kept.file.length > Math.min(maxBytes, maxBytesOfOwner)) return;
    this.#kept.set(place, kept);
    this.#count(kept.owner, kept.file.length);
    for (const [oldest, { owner }] of this.#kept) {
      const isOwnFull = (this.#bytesOf.get(kept.owner) ?? 0) > maxBytesOfOwner;
      if (!isOwnFull && this.#bytes <= maxBytes) return;
      if (!isOwnFull || owner === kept.owner) this.#drop(oldest);
    }
  }

  #drop(place: string): void {
    const { owner, file } = this.#kept.get(place)!;
    this.#kept.delete(place);
    this.#count(owner, -file.length);
  }

  #count(owner: string, bytes: number): void {
    this.#bytes += bytes;
    const total = (this.#bytesOf.get(owner) ?? 0) + bytes;
    if (total > 0) this.#bytesOf.set(owner, total);
    else this.#bytesOf.delete(owner);
  }
}
