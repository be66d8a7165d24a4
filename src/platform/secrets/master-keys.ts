// Finds master keys: NODAL_MASTER_KEY, or a file of mode 0600 next to the data. secrets.ts uses them.
import { randomBytes, createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { link, open, unlink } from "node:fs/promises";
import { join } from "node:path";

const FILE = "master.key";
/** The file of the new key during a rotation. */
const NEXT_FILE = "master.key.new";
const OTHERS_PERMISSIONS = 0o077;

export type MasterKeysOptions = {
  /** The key of NODAL_MASTER_KEY; `null` if it is in a file. */
  readonly given: MasterKey | null;
  /** The key of NODAL_MASTER_KEY_NEW: the target of the current or last rotation. */
  readonly next: MasterKey | null;
  /** The folder of the file. */
  readonly folder: string;
  /** May a missing key be created? */
  readonly mayMake: boolean;
};

export class MasterKeys {
  readonly #options: MasterKeysOptions;

  constructor(options: MasterKeysOptions) {
    this.#options = options;
  }

  /**
   * The keys that may open the database's data keys, the one in use first. Files are read each time, so that a running
   * process follows a rotation. @throws SecretsError if a file can't be used
   */
  list(): MasterKey[] {
    const { given, next } = this.#options;
    const inUse = given ? [given] : [this.#read(FILE), this.#read(NEXT_FILE)];
    return [...inUse, next].filter((key) => key !== null);
  }

  /** The source of the keys, for messages. */
  get source(): string {
    return this.#options.given ? "NODAL_MASTER_KEY" : join(this.#options.folder, FILE);
  }

  /**
   * The key that wraps the data keys of a new database: the given one, or that of the file, which is created if
   * missing. @throws SecretsError if none may be created
   */
  async provide(): Promise<MasterKey> {
    return this.list()[0] ?? (await this.#make(FILE));
  }

  /**
   * The key to rotate to: the given one, or that of a file next to the one in use, which is created if missing. @throws
   * SecretsError if NODAL_MASTER_KEY has the key in use, and NODAL_MASTER_KEY_NEW no other one
   */
  async provideNext(): Promise<MasterKey> {
    const { given, next } = this.#options;
    if (next && next.id === given?.id) {
      throw new SecretsError("NODAL_MASTER_KEY_NEW equals NODAL_MASTER_KEY: set it to a new key.");
    }
    if (next) return next;
    if (given) {
      throw new SecretsError(
        "NODAL_MASTER_KEY_NEW must be the new master key, as NODAL_MASTER_KEY is the current one: " +
          "create one with `openssl rand -base64 32`.",
      );
    }
    return this.#read(NEXT_FILE) ?? (await this.#make(NEXT_FILE));
  }

  /**
   * Call it once `next` is the only key that opens the database: it moves the old key's file aside, and the new one to
   * its place, unless that is done already. Returns the path of the old key; `null` if there is no file.
   */
  settle(next: MasterKey): string | null {
    const { given, folder } = this.#options;
    if (given) return null;
    const earlier = this.#read(FILE);
    let aside: string | null = null;
    if (earlier && earlier.id !== next.id) {
      aside = join(folder, `${FILE}.old-${earlier.id}`);
      renameSync(join(folder, FILE), aside);
    }
    if (this.#read(NEXT_FILE)?.id === next.id) renameSync(join(folder, NEXT_FILE), join(folder, FILE));
    return aside;
  }

  #read(name: string): MasterKey | null {
    const path = join(this.#options.folder, name);
    let text: string;
    try {
      const { mode } = statSync(path);
      if ((mode & OTHERS_PERMISSIONS) !== 0) {
        throw new SecretsError(
          `Other users can read the master key in ${path}, so it is not used: run chmod 600 ${path}`,
        );
      }
      text = readFileSync(path, "utf8");
    } catch (error) {
      if (error instanceof SecretsError) throw error;
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw new SecretsError(
        `The master key in ${path} can't be read: ${(error as Error).message}. Run Nodal as the file's owner.`,
      );
    }
    const key = parseMasterKey(text);
    if (key) return key;
    throw new SecretsError(`${path} does not contain a master key of 32 bytes: restore the file from your copy.`);
  }

  /** Creates a key, and syncs it to disk before anything depends on it. Concurrent callers get the same key. */
  async #make(name: string): Promise<MasterKey> {
    const { folder, mayMake } = this.#options;
    if (!mayMake) {
      throw new SecretsError(
        "NODAL_MASTER_KEY must be set in production: create a key with `openssl rand -base64 32`, and keep a copy.",
      );
    }
    const path = join(folder, name);
    const draft = `${path}.${randomBytes(4).toString("hex")}.partial`;
    mkdirSync(folder, { recursive: true });
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(`${newMasterKeyText()}\n`);
      await file.sync();
      // Linked last, and never over another file: a file with this name is always complete.
      await link(draft, path);
      await syncFolder(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      await file.close();
      await unlink(draft);
    }
    return this.#read(name)!;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const KEY_BYTES = 32;

export type MasterKey = {
  /** 16 hexadecimal digits derived from the key, which reveal nothing about it. */
  readonly id: string;
  readonly key: KeyObject;
};

/** Parses a key of 64 hexadecimal digits, base64 or base64url; `null` for other text. */
export function parseMasterKey(text: string): MasterKey | null {
  const written = text.trim();
  if (/^[0-9a-f]{64}$/i.test(written)) return masterKeyOf(Buffer.from(written, "hex"));
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(written)) return masterKeyOf(Buffer.from(written, "base64"));
  return null;
}

/** A new key as text for a file: base64 of 32 random bytes. */
export function newMasterKeyText(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}

function masterKeyOf(bytes: Buffer): MasterKey {
  const id = createHmac("sha256", bytes).update("nodal master key id").digest("hex").slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}

/** Encrypted values can't be read or written. The message has a remedy and nothing secret. */
export class SecretsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SecretsError";
  }
}
