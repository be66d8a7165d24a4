// Encryption for tests: one master key for all servers and commands that they start, and for their own connections. No assertions.
import { insertInstallationSecret } from "../../src/merchants/index.ts";
import type { OwnedPool, Pool } from "../../src/platform/database/pool.ts";
import {
  MasterKeys,
  ownTransactions,
  parseMasterKey,
  prepareSecrets,
  readSecretRows,
  Secrets,
  withSecrets,
  type RowPath,
  type SecretTable,
} from "../../src/platform/secrets/index.ts";
import { actorOf } from "../../src/platform/origin.ts";
import { TEST_MASTER_KEY } from "./nodal.ts";

/** The actor of the tests' own connections. */
export const TEST_ACTOR = actorOf("command", "test");

/** The secrets of a test's database, with the master key of all tests. */
function testSecrets(): Secrets {
  const given = parseMasterKey(TEST_MASTER_KEY);
  return new Secrets(new MasterKeys({ given, next: null, folder: "", mayMake: false }));
}

/** Gives a pool the secrets that a server of the tests has. */
export function withTestSecrets(pool: OwnedPool): OwnedPool {
  return withSecrets(pool, testSecrets());
}

/** Prepares the keys of a database that no server has opened, as a server does. The pool must be the owner's. */
export async function prepareTestSecrets(owner: Pool): Promise<void> {
  await prepareSecrets(ownTransactions(owner), testSecrets(), insertInstallationSecret);
}

/**
 * The rows with their encrypted columns decrypted. They must have the key columns, and those that the encrypted ones are bound to.
 */
export function openRows<Row extends object>(db: Pool, table: SecretTable, rows: readonly Row[]): Promise<Row[]> {
  return readSecretRows(db, rows, (row, secrets) => {
    const values = row as Record<string, unknown>;
    const path = table.path.map((column) => values[column]) as unknown as RowPath;
    const opened = table.columns
      .filter((column) => column in values)
      .map((column) => {
        const beside = (table.beside?.[column] ?? []).map((other) => values[other] as string);
        return [column, secrets.unseal(`${table.table}.${column}`, path, values[column] as string | null, beside)];
      });
    return { ...row, ...(Object.fromEntries(opened) as Partial<Row>) };
  });
}
