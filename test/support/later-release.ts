// Later releases, for tests of upgrades: their migrations, and whole ones with commands to run. No assertions.
import { cpSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Pool } from "../../src/platform/database/pool.ts";
import { plantFiles, REPOSITORY } from "./files.ts";

/** One more column, filled in existing rows, and one more table of merchants. */
export const LATER = "0002_colours.sql";
const LATER_SQL = `
  alter table customer_group add column colour text not null default '';
  update customer_group set colour = 'blue of ' || name;
  create table colour (
    bucket smallint not null, merchant_id bigint not null, name text not null, primary key (bucket, merchant_id, name));
  insert into colour select bucket, merchant_id, 'blue' from merchant;
  grant select, insert on colour to nodal_server;
  select protect_tenant_table('colour');`;

/** The migrations/ of another release of the same schema/: LATER, and further files. */
export function laterMigrations(further: Readonly<Record<string, string>> = {}): URL {
  return pathToFileURL(`${plantFiles({ [LATER]: LATER_SQL, ...further })}/`);
}

/** A whole release with LATER beside this one: the folder in which its commands run. */
export function makeLaterRelease(): string {
  const folder = mkdtempSync(join(tmpdir(), "nodal-later-"));
  // What finds its own place must be there itself; the rest is the same.
  const own = ["bin", "dist", "src", "migrations"];
  for (const name of own) cpSync(join(REPOSITORY, name), join(folder, name), { recursive: true });
  for (const name of readdirSync(REPOSITORY)) {
    if (!own.includes(name) && name !== ".git") symlinkSync(join(REPOSITORY, name), join(folder, name));
  }
  writeFileSync(join(folder, "migrations", LATER), LATER_SQL);
  return folder;
}

/** Turns an empty database into that of a build before the first release: its first tables, and its record. */
export async function makeEarlyDatabase(pool: Pool): Promise<void> {
  await pool.query(`
    create table schema_migration (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now());
    insert into schema_migration (version, name, checksum) values
      (1, '0001_ledger.sql', repeat('a', 64)), (2, '0002_merchants.sql', repeat('b', 64)),
      (35, '0035_verify.sql', repeat('c', 64));
    create table installation (singleton boolean primary key default true, secret text not null);
    insert into installation (secret) values ('enc1:2:AAAA');
    create sequence id_block start with 1000;`);
}
