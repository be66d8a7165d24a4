// Checks a new connection's role and settings before it is used.
import type pg from "pg";
import { markSpread } from "./citus/spread.ts";

/** The role and the settings that a connection must have. */
export type ConnectionSpec = {
  readonly role: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  /** Do its statements name a Citus node's shards, so that PostgreSQL runs them without Citus? */
  readonly isNode?: boolean;
};

/** A connection has a different role, different settings, or more rights than requested. */
export class ConnectionSettingsError extends Error {
  constructor(lost: readonly string[], remedy: string) {
    super(`The database connection lacks its settings: ${lost.join("; ")}. ${remedy}`);
    this.name = "ConnectionSettingsError";
  }
}

const CHECK = `select
    current_user as role, session_user as login,
    coalesce(row_security_active(to_regclass('public.merchant')), true) as walled,
    coalesce(has_table_privilege(session_user, to_regclass('public.merchant'), 'select, insert, update, delete'), false) as mighty,
    array(
      select name from unnest($1::text[], $2::text[]) as asked (name, value)
      where case when name like 'nodal.%' then current_setting(name, true) is distinct from value
        else not exists (select from pg_settings own where lower(own.name) = lower(asked.name) and source = $3) end
    ) as missing,
    (select name from pg_prepared_statements where starts_with(name, $4)) as named,
    to_regclass('pg_catalog.pg_dist_partition') is not null as spread`;

type Found = {
  readonly role: string;
  readonly login: string;
  readonly walled: boolean;
  readonly mighty: boolean;
  readonly missing: readonly string[];
  /** The name of the prepared statement on this connection, if it equals or begins with the name it was sent with. */
  readonly named: string | null;
  /** Does the database have Citus? */
  readonly spread: boolean;
};

async function find(
  client: pg.ClientBase,
  { settings }: ConnectionSpec,
  source: string,
  name: string | null,
): Promise<Found> {
  const names = Object.keys(settings);
  const values = [names, names.map((each) => settings[each]), source, name];
  const { rows } = await client.query<Found>({ text: CHECK, values, ...(name === null ? {} : { name }) });
  return rows[0]!;
}

function lostIn({ role, walled, missing }: Found, asked: ConnectionSpec): string[] {
  const lost = missing.map((name) => `${name} is not set`);
  if (asked.role !== undefined && role !== asked.role) lost.unshift(`it has the role ${role}, not ${asked.role}`);
  else if (asked.role !== undefined && !walled) lost.unshift(`row-level security is off for ${asked.role}`);
  return lost;
}

/**
 * Checks that a new connection has the requested role and settings. A pooler that drops the start-up options would
 * silently make every connection the owner's: without isolation of merchants, time limits or an actor.
 * @throws ConnectionSettingsError
 */
export async function checkConnection(client: pg.ClientBase, asked: ConnectionSpec): Promise<void> {
  const found = await find(client, asked, "client", null);
  const lost = lostIn(found, asked);
  if (lost.length > 0) {
    throw new ConnectionSettingsError(
      lost,
      "Something in front of PostgreSQL drops the start-up options, as PgBouncer does with " +
        "ignore_startup_parameters = options: connect to PostgreSQL itself, or add pgbouncer=true to DATABASE_URL (docs/scale.md).",
    );
  }
  if (!found.spread || asked.isNode) return;
  markSpread(client);
  // Citus plans by the values, since they decide to which node a statement goes.
  if (asked.settings["plan_cache_mode"] !== undefined) await client.query("set plan_cache_mode = auto");
}

/**
 * The same for a connection through PgBouncer, which must get role and settings from `scope` at the beginning of a
 * transaction. Outside of one its user must have no rights, so that a statement without its scope is refused instead of
 * running as the owner. Returns whether PgBouncer carries named statements from one connection to another: it then
 * renames them.
 * @throws ConnectionSettingsError
 */
export async function checkPooledConnection(
  client: pg.ClientBase,
  asked: ConnectionSpec,
  scope: string,
): Promise<boolean> {
  // A unique name: another client may have prepared a statement on the same server connection.
  const name = `check ${crypto.randomUUID()}`;
  await client.query(`begin; ${scope}`);
  const found = await find(client, asked, "session", name);
  if (found.named !== null) await client.query(`deallocate "${found.named}"`);
  await client.query("commit");
  const lost = lostIn(found, asked);
  if (lost.length > 0) {
    throw new ConnectionSettingsError(lost, "PgBouncer must run in transaction mode (docs/scale.md).");
  }
  if (found.spread) {
    throw new ConnectionSettingsError(
      ["its database uses Citus, which does not work through PgBouncer"],
      "Set DATABASE_URL to the coordinator itself (docs/scale.md).",
    );
  }
  if (found.mighty) {
    throw new ConnectionSettingsError(
      [`its user ${found.login} can read or change rows without a role`],
      "Through PgBouncer, DATABASE_URL needs a user that can only take Nodal's roles: docs/scale.md shows how to " +
        "create one. Put the owner in DATABASE_DIRECT_URL.",
    );
  }
  return found.named === null;
}
