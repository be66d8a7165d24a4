// The secrets of one database: encryption with its data keys, which are opened once and kept in memory.
import { createHmac, createSecretKey, randomBytes, type KeyObject } from "node:crypto";
import { type Queryable, type OwnedPool, inTransaction, type Connection, type Pool } from "../database/pool.ts";
import { LRUCache } from "lru-cache";
import { decrypt, encrypt } from "./cipher.ts";
import {
  listDataKeys,
  type DataKeyPurpose,
  type WrappedDataKey,
  hasDataKeys,
  hasDataKeyTable,
  insertDataKeys,
  lockDataKeys,
} from "./data-key-store.ts";
import { type MasterKey, type MasterKeys, SecretsError } from "./master-keys.ts";

/** The prefix of encrypted text. The number of the data key follows. */
const PREFIX = "enc1:";
const SEALED = /^enc1:([0-9]{1,9}):([A-Za-z0-9_-]+)$/;

const DATA_KEY_BYTES = 32;
/** The size of the cache of owners' keys. */
const OWNERS_REMEMBERED = 10_000;
/** A limit, so that made-up key numbers in rows can't fill the memory. */
const MISSING_REMEMBERED = 1000;
/** How long a process encrypts under a key before it checks for a newer one. */
export const FRESH_MS = 2000;

/** The owner of a row, in two numbers, then the row's key. */
export type RowPath = readonly [number, bigint, ...bigint[]];

/** A value was encrypted under a data key that this process has not opened yet. */
export class UnknownDataKeyError extends SecretsError {
  readonly dataKeyId: number;

  constructor(message: string, dataKeyId: number) {
    super(message);
    this.dataKeyId = dataKeyId;
  }
}

export class Secrets {
  readonly masterKeys: MasterKeys;
  readonly #openedIds = new Set<number>();
  /** Missing data keys that values refer to. A key always exists before the first value under it. */
  readonly #missingIds = new LRUCache<number, true>({ max: MISSING_REMEMBERED });
  readonly #fieldKeys = new Map<number, KeyObject>();
  readonly #ownerKeys = new LRUCache<string, KeyObject>({ max: OWNERS_REMEMBERED });
  #indexKey: KeyObject | null = null;
  #currentId = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Called with table and key of each row whose proof is wrong. A server logs it. */
  onChangedRow: (table: string, key: string) => void = () => {};

  constructor(masterKeys: MasterKeys) {
    this.masterKeys = masterKeys;
  }

  /** The number of the data key that encrypts now. */
  get currentId(): number {
    return this.#currentId;
  }

  /**
   * Reads the data keys again if that was long ago, so that a rotation can rely on every process to follow.
   * @throws SecretsError as `refresh`
   */
  async keepFresh(db: Queryable): Promise<void> {
    const nowMs = performance.now();
    const earlierMs = this.#readAtMs;
    if (nowMs - earlierMs < FRESH_MS) return;
    // Others use the current keys meanwhile: if they waited, they might wait for each other's connections.
    if (this.#indexKey) this.#readAtMs = nowMs;
    try {
      await this.refresh(db);
    } catch (error) {
      this.#readAtMs = earlierMs;
      throw error;
    }
  }

  /**
   * Reads the data keys, and opens new ones. @throws SecretsError if no available master key opens them
   */
  async refresh(db: Queryable): Promise<void> {
    const nowMs = performance.now();
    const wrapped = await listDataKeys(db);
    this.open(wrapped);
    this.#readAtMs = nowMs;
  }

  /** Notes that a data key was not among those just read: values that refer to it were changed, and can't be decrypted. */
  noteMissing(dataKeyId: number): void {
    if (!this.#fieldKeys.has(dataKeyId)) this.#missingIds.set(dataKeyId, true);
  }

  /** Opens data keys that were read. @throws SecretsError if no available master key opens them */
  open(wrapped: readonly WrappedDataKey[]): void {
    const missing = new Set(wrapped.map((key) => key.dataKeyId).filter((id) => !this.#openedIds.has(id)));
    const masterKeys = missing.size > 0 ? this.masterKeys.list() : [];
    for (const id of missing) {
      const opened = openWithAny(
        wrapped.filter((key) => key.dataKeyId === id),
        masterKeys,
      );
      if (!opened) throw notOpened(this.masterKeys, masterKeys, wrapped);
      if (opened.purpose === "index") this.#indexKey = opened.key;
      else this.#fieldKeys.set(id, opened.key);
      this.#openedIds.add(id);
    }
    if (!this.#indexKey) throw new SecretsError("The database has no data keys: run `nodal migrate`.");
    this.#currentId = Math.max(...this.#fieldKeys.keys());
  }

  /**
   * Encrypts a text, bound to this place (`table.column`) of this row, and to `beside`: values of other columns that
   * must not change without the text. Empty text and null stay as they are.
   */
  seal<T extends string | null>(place: string, row: RowPath, text: T, beside: readonly string[] = []): T | string {
    if (text === null || text === "") return text;
    const id = this.#currentId;
    const sealed = encrypt(this.#ownerKey(id, row), text, boundTo(id, place, row, beside));
    return `${PREFIX}${id}:${sealed.toString("base64url")}`;
  }

  /**
   * Decrypts the result of `seal` for the same place, row and `beside`. @throws UnknownDataKeyError if the data keys
   * have to be read again @throws SecretsError if it is not encrypted, was changed, or belongs to another place or row
   */
  unseal<T extends string | null>(place: string, row: RowPath, sealed: T, beside: readonly string[] = []): T | string {
    if (sealed === null || sealed === "") return sealed;
    const parts = SEALED.exec(sealed);
    if (!parts) throw refused(place, row, "is not encrypted");
    const id = Number(parts[1]);
    if (!this.#fieldKeys.has(id)) {
      if (this.#missingIds.has(id)) throw refused(place, row, `needs the data key ${id}, which is not there`);
      throw new UnknownDataKeyError(`${nameOf(place, row)} needs the data key ${id}.`, id);
    }
    const bound = boundTo(id, place, row, beside);
    const plain = decrypt(this.#ownerKey(id, row), Buffer.from(parts[2]!, "base64url"), bound);
    if (plain === null) {
      const what = beside.length === 0 ? "" : ", or a column that is bound to it was changed";
      throw refused(place, row, `can't be decrypted: it was changed, or belongs to another row${what}`);
    }
    return plain.toString("utf8");
  }

  /**
   * The same, but `undefined` if it can't be decrypted. For values that are read together with others.
   * @throws UnknownDataKeyError as `unseal`
   */
  tryUnseal<T extends string | null>(
    place: string,
    row: RowPath,
    sealed: T,
    beside: readonly string[] = [],
  ): T | string | undefined {
    return whereItOpens<T | string | undefined>(
      () => this.unseal(place, row, sealed, beside),
      () => undefined,
    );
  }

  /**
   * The hash that exact look-ups compare instead of the values. Equal values of the same owner have the same hash,
   * which reveals nothing without the key. `null` if a value is missing.
   */
  blindIndex(place: string, [group, owner]: RowPath, values: readonly (string | Buffer | null)[]): Buffer | null {
    if (!this.#indexKey) throw new SecretsError("The data keys have not been read.");
    const hash = createHmac("sha256", this.#indexKey).update(`${place}\0${group}/${owner}`);
    for (const value of values) {
      if (value === null || value === "") return null;
      hash.update("\0").update(value);
    }
    return hash.digest();
  }

  /**
   * A keyed hash of texts. It can't be made without the master key, so it proves that this installation wrote them. It
   * does not change when data keys rotate.
   */
  mac(purpose: string, texts: readonly (string | Buffer)[]): Buffer {
    if (!this.#indexKey) throw new SecretsError("The data keys have not been read.");
    const hash = createHmac("sha256", this.#indexKey);
    let run = `mac\0${purpose}`;
    for (const text of texts) {
      // With their lengths, so that two lists are never the same text.
      run += `\0${Buffer.byteLength(text)}:`;
      if (typeof text === "string") {
        run += text;
        continue;
      }
      hash.update(run).update(text);
      run = "";
    }
    return hash.update(run).digest();
  }

  /** Each owner has a separate key, so that random nonces suffice for any number of owners. */
  #ownerKey(id: number, [group, owner]: RowPath): KeyObject {
    const name = `${id}:${group}/${owner}`;
    const known = this.#ownerKeys.get(name);
    if (known) return known;
    const dataKey = this.#fieldKeys.get(id);
    if (!dataKey) throw new SecretsError("The data keys have not been read.");
    const key = createSecretKey(createHmac("sha256", dataKey).update(`owner\0${group}/${owner}`).digest());
    this.#ownerKeys.set(name, key);
    return key;
  }
}

/** A new data key, wrapped by each of the master keys. */
export function newDataKey(
  dataKeyId: number,
  purpose: DataKeyPurpose,
  masterKeys: readonly MasterKey[],
): WrappedDataKey[] {
  const bytes = randomBytes(DATA_KEY_BYTES);
  return masterKeys.map((master) => wrap(dataKeyId, purpose, bytes, master));
}

/** Wraps the data key by another master key too. @throws SecretsError if no available master key opens it */
export function rewrap(
  wraps: readonly WrappedDataKey[],
  masterKeys: readonly MasterKey[],
  next: MasterKey,
): WrappedDataKey {
  const opened = openWithAny(wraps, masterKeys);
  if (!opened) throw new SecretsError("A data key can't be decrypted: nothing was changed.");
  return wrap(wraps[0]!.dataKeyId, opened.purpose, opened.key.export(), next);
}

function wrap(dataKeyId: number, purpose: DataKeyPurpose, bytes: Buffer, master: MasterKey): WrappedDataKey {
  const wrapped = encrypt(master.key, bytes, wrapBoundTo(dataKeyId, purpose));
  return { dataKeyId, masterKeyId: master.id, purpose, wrapped };
}

function openWithAny(
  wraps: readonly WrappedDataKey[],
  masterKeys: readonly MasterKey[],
): { readonly purpose: DataKeyPurpose; readonly key: KeyObject } | null {
  for (const { dataKeyId, masterKeyId, purpose, wrapped } of wraps) {
    const master = masterKeys.find((candidate) => candidate.id === masterKeyId);
    const bytes = master && decrypt(master.key, wrapped, wrapBoundTo(dataKeyId, purpose));
    if (bytes) return { purpose, key: createSecretKey(bytes) };
  }
  return null;
}

function wrapBoundTo(dataKeyId: number, purpose: DataKeyPurpose): string {
  return `data_key/${dataKeyId}/${purpose}`;
}

function boundTo(dataKeyId: number, place: string, row: RowPath, beside: readonly string[]): string {
  // With their lengths, so that two lists are never the same text.
  const values = beside.map((value) => `\0${Buffer.byteLength(value)}:${value}`);
  return `${PREFIX}${dataKeyId}/${nameOf(place, row)}${values.join("")}`;
}

function nameOf(place: string, row: RowPath): string {
  return `${place}/${row.join("/")}`;
}

function refused(place: string, row: RowPath, what: string): SecretsError {
  return new SecretsError(`${nameOf(place, row)} ${what}. \`nodal verify --deep\` lists all such values.`);
}

function notOpened(
  source: MasterKeys,
  masterKeys: readonly MasterKey[],
  wrapped: readonly WrappedDataKey[],
): SecretsError {
  const needed = [...new Set(wrapped.map((key) => key.masterKeyId))].join(" or ");
  const found = masterKeys.map(({ id }) => id).join(", ");
  const what =
    found === "" ? `There is no master key in ${source.source}` : `The master key ${found} of ${source.source}`;
  const rest =
    found === "" ? ", and this database was encrypted" : " is not the one of this database, which was encrypted";
  return new SecretsError(
    `${what}${rest} under the master key ${needed}: set NODAL_MASTER_KEY to that one, or put its file back. ` +
      "After a rotation, that is the new key. Nothing was changed.",
  );
}

/** By pool and by connection. */
const attached = new WeakMap<object, Secrets>();

/** Attaches the database's secrets to a pool and all its future connections. Returns the pool. */
export function withSecrets<P extends Pool>(pool: P, secrets: Secrets): P {
  attached.set(pool, secrets);
  if ("on" in pool) (pool as unknown as OwnedPool).on("connect", (client) => attached.set(client, secrets));
  return pool;
}

/**
 * The secrets of the connection's database, fresh enough for encrypting. @throws SecretsError if the data keys can't be read
 */
export async function secretsOf(db: Queryable): Promise<Secrets> {
  const secrets = attachedTo(db);
  await secrets.keepFresh(db);
  return secrets;
}

/**
 * Reads rows, with their encrypted values decrypted by `read`. @throws SecretsError if a value can't be decrypted
 */
export async function readSecretRows<Row, T>(
  db: Queryable,
  rows: readonly Row[],
  read: (row: Row, secrets: Secrets) => T,
): Promise<T[]> {
  const secrets = attachedTo(db);
  for (;;) {
    try {
      return rows.map((row) => read(row, secrets));
    } catch (error) {
      // Another process uses a new key, or this one has read none yet. A key that is still missing after that is not
      // searched again, so this loop ends.
      if (!(error instanceof UnknownDataKeyError)) throw error;
      await secrets.refresh(db);
      secrets.noteMissing(error.dataKeyId);
    }
  }
}

/**
 * The result of `read`, or of `otherwise` if a value can't be decrypted, for checks that search for such values.
 * @throws UnknownDataKeyError as `unseal`
 */
export function whereItOpens<T>(read: () => T, otherwise: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnknownDataKeyError || !(error instanceof SecretsError)) throw error;
    return otherwise();
  }
}

function attachedTo(db: Queryable): Secrets {
  const secrets = attached.get("beneath" in db && db.beneath ? db.beneath : db);
  if (!secrets) throw new Error("These connections were opened without the database's secrets.");
  return secrets;
}

const INDEX_KEY_ID = 1;
const FIRST_FIELD_KEY_ID = 2;

/** Runs a step in a separate transaction, or in the caller's. */
type InTransaction = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

/** Every step in a separate transaction. */
export function ownTransactions(pool: Pool): InTransaction {
  return (work) => inTransaction(pool, work);
}

/**
 * Checks that the available master keys open the database's data keys, before anything is changed. Any key will do for
 * a database without data keys. @throws SecretsError if they don't
 */
export async function checkMasterKeys(db: Queryable, masterKeys: MasterKeys): Promise<void> {
  if (!(await hasDataKeyTable(db))) return;
  const wrapped = await listDataKeys(db);
  if (wrapped.length > 0) new Secrets(masterKeys).open(wrapped);
}

/**
 * Opens the secrets of a migrated database. A new database gets data keys, and a master key file unless a master key
 * was given. In the same transaction, `begin` writes the first encrypted rows. The connections' user must own the
 * database, and they get these secrets. @throws SecretsError if the available master keys don't open the data keys, or
 * none may be created
 */
export async function prepareSecrets(
  run: InTransaction,
  secrets: Secrets,
  begin: (connection: Connection) => Promise<void>,
): Promise<void> {
  if (!(await run(hasDataKeys))) {
    await run(async (connection) => {
      await lockDataKeys(connection);
      // Another process may have created them meanwhile.
      if (await hasDataKeys(connection)) return;
      const master = await secrets.masterKeys.provide();
      await insertDataKeys(connection, [
        ...newDataKey(INDEX_KEY_ID, "index", [master]),
        ...newDataKey(FIRST_FIELD_KEY_ID, "field", [master]),
      ]);
      await begin(connection);
    });
  }
  await run((connection) => secrets.refresh(connection));
}
