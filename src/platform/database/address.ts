// Where a database is: what a URL says beyond what the driver reads of it. Who connects, and how, is in pool.ts,
// pooler.ts and hosts.ts.

/** A database's URL, taken apart. */
export type DatabaseAddress = {
  /** For the driver: one URL for each host, without what the driver does not know. */
  readonly urls: readonly [string, ...string[]];
  /** Whether PgBouncer is on the way, which gives each transaction whatever connection is free. */
  readonly isPooled: boolean;
  /** Whether only a host that takes writes is meant. */
  readonly needsPrimary: boolean;
};

/** What a URL says for Nodal and not for PostgreSQL. */
const POOLED = "pgbouncer";
const ATTRIBUTES = "target_session_attrs";
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/;

/** A database's URL can't be used. The message goes on from the name of a setting: `must …`. */
export class DatabaseAddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatabaseAddressError";
  }
}

/**
 * Takes a database's URL apart: `postgres://user:password@host:5432/name`, with `pgbouncer=true` where PgBouncer stands
 * before it in transaction mode. Of several hosts with commas between them, the one is meant that takes writes.
 * @throws DatabaseAddressError
 */
export function readAddress(given: string): DatabaseAddress {
  const [, begin = "", hosts = "", path = "", query = ""] = PARTS.exec(given) ?? [];
  // By hand: a URL that was read and written again could come out with another password.
  const pairs = query.split("&").filter((pair) => pair !== "");
  const kept = pairs.filter((pair) => ![POOLED, ATTRIBUTES].includes(pair.split("=", 1)[0]!));
  const rest = kept.length > 0 ? `${path}?${kept.join("&")}` : path;
  const urls = hosts.split(",").map((host) => `${begin}${host}${rest}`) as [string, ...string[]];
  if (urls.length > 1 && hosts.split(",").includes("")) {
    throw new DatabaseAddressError(
      "must have a host on each side of a comma, as in postgres://user@one:5432,two:5432/nodal",
    );
  }
  if (!urls.every((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url))) {
    throw new DatabaseAddressError("must be a URL that begins with postgres:// or postgresql://");
  }
  const said = new URLSearchParams(query);
  const pooled = said.get(POOLED) ?? "false";
  if (pooled !== "true" && pooled !== "false")
    throw new DatabaseAddressError(`must say ${POOLED}=true, or nothing of it`);
  const attributes = said.get(ATTRIBUTES);
  if (attributes !== null && attributes !== "read-write" && attributes !== "primary") {
    throw new DatabaseAddressError(`must say ${ATTRIBUTES}=read-write, or nothing of it: Nodal writes to its database`);
  }
  return { urls, isPooled: pooled === "true", needsPrimary: urls.length > 1 || attributes !== null };
}

/** The hosts and the name of a database, without the user and the password, for sentences. */
export function describeAddress(url: string): string {
  const { urls } = readAddress(url);
  return `${urls.map((each) => new URL(each).host).join(",")}${new URL(urls[0]).pathname}`;
}
