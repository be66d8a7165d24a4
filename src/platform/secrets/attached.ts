// Which secrets belong to which connections: those of the database that they lead to.
// What belongs here: finding them where a store has nothing but a connection.
import type { OwnedPool, Queryable } from "../database/pool.ts";
import { UnknownDataKeyError, type Secrets } from "./secrets.ts";

/** By pool and by connection. */
const attached = new WeakMap<object, Secrets>();

/** Gives a pool, and every connection that it will make, the secrets of its database. Answers the pool. */
export function withSecrets(pool: OwnedPool, secrets: Secrets): OwnedPool {
  attached.set(pool, secrets);
  pool.on("connect", (client) => attached.set(client, secrets));
  return pool;
}

/**
 * The secrets of the connection's database, fit for encrypting.
 * @throws SecretsError where the data keys can't be read
 */
export async function secretsOf(db: Queryable): Promise<Secrets> {
  const secrets = attachedTo(db);
  await secrets.keepFresh(db);
  return secrets;
}

/**
 * Turns rows into what they mean, with their encrypted values opened by `read`.
 * @throws SecretsError where a value does not open
 */
export async function readSecretRows<Row, T>(
  db: Queryable,
  rows: readonly Row[],
  read: (row: Row, secrets: Secrets) => T,
): Promise<T[]> {
  const secrets = attachedTo(db);
  try {
    return rows.map((row) => read(row, secrets));
  } catch (error) {
    // Another process has begun to use a new key, or this one has read none yet.
    if (!(error instanceof UnknownDataKeyError)) throw error;
    await secrets.refresh(db);
    return rows.map((row) => read(row, secrets));
  }
}

function attachedTo(db: Queryable): Secrets {
  const secrets = attached.get("beneath" in db ? db.beneath : db);
  if (!secrets) throw new Error("These connections were made without the secrets of their database.");
  return secrets;
}
