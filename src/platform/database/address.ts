// Where a database is: what a URL says beyond what the driver reads of it.
// What belongs here: reading the URL. Who connects, and how, is in pool.ts and pooler.ts.

/** A database's URL, taken apart. */
export type DatabaseAddress = {
  /** For the driver: the same without what it does not know. */
  readonly url: string;
  /** Whether PgBouncer is on the way, which gives each transaction whatever connection is free. */
  readonly isPooled: boolean;
};

/** What a URL says for Nodal and not for PostgreSQL. */
const POOLED = "pgbouncer";

/** A database's URL can't be used. The message goes on from the name of a setting: `must …`. */
export class DatabaseAddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatabaseAddressError";
  }
}

/**
 * Takes a database's URL apart: `postgres://user:password@host:5432/name`, with `pgbouncer=true` where PgBouncer stands
 * before it in transaction mode.
 * @throws DatabaseAddressError
 */
export function readAddress(given: string): DatabaseAddress {
  if (!/^postgres(ql)?:\/\//.test(given) || !URL.canParse(given)) {
    throw new DatabaseAddressError("must be a URL that begins with postgres:// or postgresql://");
  }
  const [place, query = ""] = splitAt(given, "?");
  // By hand: a URL that was read and written again could come out with another password.
  const kept = query.split("&").filter((pair) => pair !== "" && nameOf(pair) !== POOLED);
  const pooled = new URLSearchParams(query).get(POOLED) ?? "false";
  if (pooled !== "true" && pooled !== "false")
    throw new DatabaseAddressError(`must say ${POOLED}=true, or nothing of it`);
  return { url: kept.length > 0 ? `${place}?${kept.join("&")}` : place, isPooled: pooled === "true" };
}

function nameOf(pair: string): string {
  return splitAt(pair, "=")[0];
}

function splitAt(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
