// Free space on a folder's disk, for metrics and the readiness check.
import { statfs } from "node:fs/promises";
import type { Metrics } from "./metrics.ts";

/** Two WAL segments of PostgreSQL: with less, a commit may have no room for the next segment. */
const NEEDED_BYTES = 32 * 1024 * 1024;

/** Disk space in bytes: what this user may still write, and the total. */
export type Room = { readonly freeBytes: number; readonly sizeBytes: number };

export class Disk {
  readonly #folder: string;
  readonly #neededBytes: number;

  constructor(folder: string, neededBytes = NEEDED_BYTES) {
    this.#folder = folder;
    this.#neededBytes = neededBytes;
  }

  async room(): Promise<Room> {
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  }

  /** @throws Error if there is too little free space, with the folder and the free space */
  async requireRoom(): Promise<void> {
    const { freeBytes } = await this.room();
    if (freeBytes >= this.#neededBytes) return;
    throw new Error(
      `the disk of ${this.#folder} is full: ${freeBytes} bytes are left, and ${this.#neededBytes} needed`,
    );
  }

  addTo(metrics: Metrics): void {
    metrics.gauge("nodal_disk_free_bytes", "Free space on the disk of DATA_DIR.", async (observe) =>
      observe((await this.room()).freeBytes),
    );
    metrics.gauge("nodal_disk_size_bytes", "Size of the disk of DATA_DIR.", async (observe) =>
      observe((await this.room()).sizeBytes),
    );
  }
}
