// Database URLs: the parts that the driver does not read. Connections are made in pool.ts, pooler.ts and hosts.ts.

/** A database's URL, taken apart. */
export type DatabaseAddress = {
  /** For the driver: one URL for each host, without what the driver does not know. */
  readonly urls: readonly [string, ...string[]];
  /** Is PgBouncer in between? It runs each transaction on any free connection. */
  readonly isPooled: boolean;
  /** Must the host accept writes? */
  readonly needsPrimary: boolean;
};

/** A URL parameter for Nodal, not for PostgreSQL. */
const POOLED = "pgbouncer";
const ATTRIBUTES = "target_session_attrs";
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/;

/** A database's URL can't be used. The message follows the name of a setting: `must …`. */
export class DatabaseAddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatabaseAddressError";
  }
}

/**
 * Takes a database's URL apart: `postgres://user:password@host:5432/name`, with `pgbouncer=true` behind PgBouncer in
 * transaction mode. Of several hosts, separated by commas, the one that accepts writes is used.
 * @throws DatabaseAddressError
 */
export function readAddress(given: string): DatabaseAddress {
  const [, begin = "", hosts = "", path = "", query = ""] = PARTS.exec(given) ?? [];
  // By hand: parsing and printing the URL could change the password.
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
