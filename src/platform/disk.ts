// The disk of a folder: how much room is left, for metrics and for the check whether the server is ready.
import { statfs } from "node:fs/promises";
import type { Metrics } from "./metrics.ts";

/** Two of PostgreSQL's log segments: with less, a commit may find no room for the next one. */
const NEEDED_BYTES = 32 * 1024 * 1024;

/** Room on a disk, in bytes: what this user may still write, and all of it. */
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

  /** @throws Error where there is too little room to go on, with the folder and what is left */
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
