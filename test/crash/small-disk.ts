// A disk that is small enough to fill up: a tmpfs of its own, where this process may mount one.
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const CHUNK_BYTES = 1024 * 1024;

export class SmallDisk {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Mounts a disk of this size; returns why it could not where it may not. */
  static async mount(sizeMegabytes: number): Promise<SmallDisk | string> {
    const parent = await mkdtemp(join(tmpdir(), "nodal-disk-"));
    await chmod(parent, 0o755);
    const folder = join(parent, "disk");
    await mkdir(folder);
    try {
      await run("mount", ["-t", "tmpfs", "-o", `size=${sizeMegabytes}m,mode=0755`, "nodal-test", folder]);
      return new SmallDisk(folder);
    } catch (error) {
      await rm(parent, { recursive: true });
      const { stderr, message } = error as { stderr?: string; message: string };
      return `a tmpfs can't be mounted: ${stderr?.trim() || message}`;
    }
  }

  /** A folder on it that does not exist yet. */
  get dataDir(): string {
    return join(this.#folder, "data");
  }

  /** Takes all the room that is left. */
  async fill(): Promise<void> {
    const ballast = await open(this.#ballast, "a");
    try {
      for (let bytes = CHUNK_BYTES; bytes >= 1;) {
        const isWritten = await ballast.appendFile(Buffer.alloc(bytes)).then(
          () => true,
          (error: NodeJS.ErrnoException) => {
            if (error.code !== "ENOSPC") throw error;
            return false;
          },
        );
        if (!isWritten) bytes = Math.floor(bytes / 16);
      }
    } finally {
      await ballast.close();
    }
  }

  /** Gives the room back. */
  async free(): Promise<void> {
    await rm(this.#ballast, { force: true });
  }

  /** Removes it with all that is on it. Lazily, since a killed process may hold a file for a moment more. */
  async remove(): Promise<void> {
    await run("umount", ["--lazy", this.#folder]);
    await rm(join(this.#folder, ".."), { recursive: true });
  }

  get #ballast(): string {
    return join(this.#folder, "ballast");
  }
}
