// Connections to PostgreSQL: how they are made and how its values become ours (bigint, timestamptz, date).
// What belongs here: pools and transactions. SQL text belongs to the stores.
import pg from "pg";

export type Pool = pg.Pool;
export type Connection = pg.PoolClient;
/** Whatever can run a statement: a pool, or a connection inside a transaction. */
export type Queryable = Pick<pg.Pool, "query"> | Pick<pg.PoolClient, "query">;

const { types } = pg;
const BIGINT = 20;
const BIGINT_ARRAY = 1016;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/** PostgreSQL prints `2026-11-21 09:12:33.123+00`; Temporal reads that with the hour offset written out. */
function parseInstant(text: string): Temporal.Instant {
  return Temporal.Instant.from(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
}

const parsers = new Map<number, (text: string) => unknown>([
  [BIGINT, BigInt],
  [
    BIGINT_ARRAY,
    (text) =>
      text === "{}"
        ? []
        : text
            .slice(1, -1)
            .split(",")
            .map((item) => (item === "NULL" ? null : BigInt(item))),
  ],
  [DATE, (text) => Temporal.PlainDate.from(text)],
  [TIMESTAMPTZ, parseInstant],
]);

const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers.get(id)) || types.getTypeParser(id, format),
};

export type PoolOptions = {
  readonly url: string;
  readonly size: number;
  /** The database role that the connections take, so that the database itself refuses what they may not do. */
  readonly role?: "nodal_server" | "nodal_simulator";
  /** Server settings of these connections, such as planner switches. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onError?: (error: Error) => void;
};

/** A pool of connections. Errors of idle connections go to `onError`; the pool replaces those connections by itself. */
export function createPool(options: PoolOptions): Pool {
  const settings: Record<string, string> = { timezone: "UTC", ...options.settings };
  if (options.role) settings.role = options.role;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size,
    types: typeParsers,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    application_name: "nodal",
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
  });
  pool.on("error", (error) => options.onError?.(error));
  return pool;
}

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
export async function inTransaction<T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
  begin = "begin",
): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    await connection.query(begin);
    const result = await work(connection);
    await connection.query("commit");
    return result;
  } catch (error) {
    await connection.query("rollback").catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** Resolves when the database answers. */
export async function ping(pool: Pool): Promise<void> {
  await pool.query("select 1");
}
