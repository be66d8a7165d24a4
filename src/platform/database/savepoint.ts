// Parts of a transaction that are taken back without ending it.
// What belongs here: savepoints. Whole transactions are in pool.ts.
import type { Connection } from "./pool.ts";
import { together } from "./together.ts";

/** Runs `work` in the caller's transaction. What it wrote is taken back, and its locks are given up, when it throws. */
export async function inSavepoint<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.query("savepoint attempt");
  try {
    const result = await work();
    await connection.query("release savepoint attempt");
    return result;
  } catch (error) {
    await connection.query("rollback to savepoint attempt");
    throw error;
  }
}

/**
 * The same for a work that sends all its statements at once, and without waiting for it what comes after it: where that
 * fails, the transaction can't go on.
 */
export async function inSavepointTogether(
  connection: Connection,
  work: () => Promise<unknown>,
  andThen: () => Promise<unknown>,
): Promise<void> {
  try {
    await together(
      connection,
      () => connection.query("savepoint attempt"),
      work,
      () => connection.query("release savepoint attempt"),
      andThen,
    );
  } catch (error) {
    // There is none any more where the work itself went well.
    await connection.query("rollback to savepoint attempt").catch(() => {});
    throw error;
  }
}

/** Runs `work` in the caller's transaction to see whether it throws, and takes back what it wrote in any case. */
export async function inTrial(connection: Connection, work: () => Promise<unknown>): Promise<void> {
  await connection.query("savepoint trial");
  try {
    await work();
  } finally {
    await connection.query("rollback to savepoint trial");
  }
}
