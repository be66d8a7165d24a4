// `nodal database` and `nodal migrate`: where the installation's database is, and bringing it to the newest schema.
import { prepareDatabase, requireDatabaseUrl } from "../database.ts";
import { createPool, ping } from "../platform/database/pool.ts";
import { readSettings } from "../platform/settings-file.ts";
import { command } from "./command.ts";
import { createCommandLogger } from "./on-database.ts";
import { recordAnswer } from "./output.ts";

export const database = command(
  {
    description: "print the URL of the database in use, as its owner, and whether it runs; starts nothing",
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

/** As a start of the server does it. */
export const migrate = command(
  {
    description: "bring the database to the newest schema, creating it where there is none",
    example: "DATABASE_URL=postgres://nodal@db.example/nodal nodal migrate",
  },
  async () => {
    const config = readSettings(process.env);
    const prepared = await prepareDatabase(config, "command", createCommandLogger(config));
    await prepared.release();
    const { migrations } = prepared;
    return {
      json: { applied: migrations },
      text: migrations.length === 0 ? "The database was up to date." : `Applied:\n${migrations.join("\n")}`,
    };
  },
);
