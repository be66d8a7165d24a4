// What a failed statement means: the connection is gone (the outcome is unknown), or the database refused.
// What belongs here: reading errors. What to do about them is the caller's.
import pg from "pg";
import { NodalError } from "../errors.ts";

/** SQLSTATE classes and codes that end the connection, or say that the server can't be used at the moment. */
const LOST = /^(08|57P|53300|25006)/;

/** Whether the connection broke or the server is away, so that a statement may or may not have taken effect. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof NodalError || !(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) return LOST.test(error.code ?? "");
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/.test(code) ||
    /connection (terminated|timeout)|timeout exceeded when trying to connect|not queryable/i.test(error.message)
  );
}

/** The answer to a caller whose request met a database that is away. */
export function unavailable(cause: unknown, remedy = "Send the same request again in a few seconds."): NodalError {
  return new NodalError("unavailable", `The service can't reach its database. ${remedy}`, { cause });
}
