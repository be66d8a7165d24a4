// `nodal database` and `nodal migrate`: show the installation's database, and migrate it.
import { describeDatabase, prepareDatabase, requireDatabaseUrl } from "../database.ts";
import { createPool, ping } from "../platform/database/pool.ts";
import { readSettings } from "../platform/settings-file.ts";
import { command, flag } from "./command.ts";
import { createCommandLogger, printDatabase } from "./on-database.ts";
import { recordAnswer } from "./output.ts";

export const database = command(
  {
    description: "print the database's URL, with its owner, and whether it is running; starts nothing",
    example: 'psql "$(nodal database --json | jq -r .url)"',
  },
  async () => {
    const url = await requireDatabaseUrl(readSettings(process.env));
    return recordAnswer({ url, running: await isReached(url) });
  },
);

async function isReached(url: string): Promise<boolean> {
  const pool = createPool({ url, size: 1 });
  try {
    await ping(pool);
    return true;
  } catch {
    return false;
  } finally {
    await pool.end();
  }
}

/** The same migration as at a server's start. */
export const migrate = command(
  {
    description: "migrate the database to the newest schema; creates it if it is missing",
    example: "DATABASE_URL=postgres://nodal@db.example/nodal nodal migrate",
    options: {
      citus: flag("distribute the merchants' tables over Citus nodes, by bucket; DATABASE_URL is the coordinator"),
    },
  },
  async ({ citus }) => {
    const config = readSettings(process.env);
    const prepared = await prepareDatabase(config, "command", createCommandLogger(config), citus ?? false);
    printDatabase(config);
    await prepared.release();
    const { migrations, spread } = prepared;
    const applied = migrations.length === 0 ? "The database was up to date." : `Applied:\n${migrations.join("\n")}`;
    return {
      json: { database: describeDatabase(config), applied: migrations, ...(spread === null ? {} : { spread }) },
      text: spread === null ? applied : `${applied}\n${spreadText(spread)}`,
    };
  },
);

function spreadText(tables: readonly string[]): string {
  return tables.length === 0 ? "All tables are distributed." : `Distributed: ${tables.join(", ")}.`;
}
