// From every earlier schema to the newest: by upgrading in place, and by restoring a backup that was made there.
// What belongs here: migrations and backups of databases with a little of everything. Backups under load are in backup.test.ts.
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyBooks } from "../src/cli/verify.ts";
import { vouchForEarlier } from "../src/database.ts";
import { fundMerchant } from "../src/ledger/index.ts";
import { questionRestoredTransfers } from "../src/payouts/index.ts";
import { openBackup, restoreBackup, writeBackup, type RestoredBackup } from "../src/platform/database/backup.ts";
import { findOccupant, listTables, quote } from "../src/platform/database/backup/catalog.ts";
import { IdSource } from "../src/platform/database/ids.ts";
import { migrate, MigrationError, readMigrations } from "../src/platform/database/migrate.ts";
import { sealBooks } from "../src/audit/seal-books.ts";
import { createPool, inTransaction, type OwnedPool } from "../src/platform/database/pool.ts";
import { openEmbeddedDatabase, type EmbeddedDatabase } from "../src/platform/database/embedded.ts";
import { createLogger } from "../src/platform/log.ts";
import { hasDataKeys, prepareSecrets } from "../src/platform/secrets/index.ts";
import { SECRET_TABLES } from "../src/secret-tables.ts";
import { until } from "./crash/site.ts";
import { REPOSITORY } from "./support/files.ts";
import { isAtLength } from "./support/test-set.ts";
import { makeDataDir, removeDataDir } from "./support/nodal.ts";
import { fillLaterSchema, fillSchema, fundAtAnySchema, STAGE_MERCHANT } from "./support/schema-stages.ts";
import { prepareTestSecrets, testSecrets, TEST_ACTOR, withTestSecrets } from "./support/secrets.ts";

const MIGRATIONS = join(REPOSITORY, "migrations");
const RELEASE = await readMigrations();
const NEWEST = RELEASE.at(-1)!.version;
/** The last schema that takes account numbers as they are. */
const LAST_PLAIN = 14;

let dataDir: string;
let folder: string;
let cluster: EmbeddedDatabase;
let admin: OwnedPool;
const pools: OwnedPool[] = [];

beforeAll(async () => {
  dataDir = await makeDataDir();
  folder = await mkdtemp(join(tmpdir(), "nodal-schemas-"));
  cluster = await openEmbeddedDatabase({
    dataDir,
    isDefaultDataDir: false,
    purpose: "command",
    logger: createLogger("warn"),
  });
  admin = createPool({ url: cluster.url, size: 1 });
});
afterAll(async () => {
  await Promise.all([admin, ...pools].map((pool) => pool.end()));
  await cluster.release();
  await removeDataDir(dataDir);
  await rm(folder, { recursive: true });
});

/** A new, empty database beside the others, as its owner. */
async function newDatabase(name: string): Promise<OwnedPool> {
  await admin.query(`create database ${name}`);
  const pool = withTestSecrets(
    createPool({ url: cluster.url.replace(/\/nodal$/, `/${name}`), size: 2, actor: TEST_ACTOR }),
  );
  pools.push(pool);
  return pool;
}

/** A folder with the migrations of an earlier release, and further files. */
async function releaseFolder(version: number, further: Readonly<Record<string, string>> = {}): Promise<URL> {
  const target = await mkdtemp(join(folder, `release-${version}-`));
  for (const name of await readdir(MIGRATIONS)) {
    if (Number(name.slice(0, 4)) <= version) await cp(join(MIGRATIONS, name), join(target, name));
  }
  for (const [name, text] of Object.entries(further)) await writeFile(join(target, name), text);
  return pathToFileURL(`${target}/`);
}

/** A database of an earlier release, with data of every kind that it knew. */
async function databaseOf(version: number, name: string): Promise<OwnedPool> {
  const pool = await newDatabase(name);
  // What the stages write is plain, as it was before there was encryption.
  await migrate(pool, await releaseFolder(Math.min(version, LAST_PLAIN)));
  await fillSchema(pool, version);
  if (version > LAST_PLAIN) {
    await upgrade(pool, version);
    await fillLaterSchema(pool, version);
  }
  return pool;
}

/** Brings a database to a schema, as a server does when it starts. Answers the migrations that it was given. */
async function upgrade(pool: OwnedPool, version = NEWEST): Promise<string[]> {
  const applied = await migrate(pool, await releaseFolder(version));
  await prepareTestSecrets(pool);
  if (version === NEWEST) await inTransaction(pool, vouchForEarlier);
  return applied;
}

/** Every table with a digest of its rows. */
async function digests(pool: OwnedPool): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of await listTables(pool)) {
    const { rows } = await pool.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(kept::text, ';' order by kept::text)), '') as digest
       from ${quote(table)} as kept`,
    );
    found[`${table.schema}.${table.name}`] = rows[0]!.digest;
  }
  return found;
}

/** What `nodal verify` says. */
async function verification(ownerPool: OwnedPool): Promise<unknown> {
  return (await verifyBooks({ ownerPool }, { merchant: null, deep: true })).json;
}

async function backUp(pool: OwnedPool, name: string): Promise<string> {
  const file = join(folder, `${name}.backup`);
  await writeBackup(pool, { file, passphrase: null });
  return file;
}

async function restore(file: string, target: OwnedPool): Promise<RestoredBackup> {
  return restoreBackup(target, await openBackup(file, null), async (connection) => {
    if (!(await hasDataKeys(connection))) {
      await prepareSecrets(
        (work) => work(connection),
        testSecrets(),
        SECRET_TABLES,
        () => {},
      );
    }
    await vouchForEarlier(connection);
  });
}

/** Money still comes in, once. */
async function expectInUse(pool: OwnedPool): Promise<void> {
  const ids = new IdSource(pool);
  const funding = { ...STAGE_MERCHANT, amountPaise: 700n, reference: "after" };
  expect(await fundMerchant(pool, ids, funding)).toMatchObject({ repeated: false });
  expect(await fundMerchant(pool, ids, funding)).toMatchObject({ repeated: true });
}

const everyEarlier = RELEASE.slice(0, -1).map(({ version }) => version);
/** A database is made for each: `npm test` upgrades from the first schema and from the one before this. */
const earlier = isAtLength ? everyEarlier : [everyEarlier[0]!, everyEarlier.at(-1)!];

/** The names of the migrations that came after a schema. */
function laterThan(version: number): string[] {
  return RELEASE.filter((migration) => migration.version > version).map(({ name }) => name);
}

describe("from earlier schemas", () => {
  let broken: URL;
  beforeAll(async () => {
    broken = await releaseFolder(NEWEST, { "9999_broken.sql": "create table half (); select 1 / 0;" });
  });

  const some = isAtLength ? earlier.filter((version) => version % 4 === 0) : [earlier[0]!];

  test.each(earlier.filter((version) => !some.includes(version)))("%i: the upgrade holds", async (version) => {
    const pool = await databaseOf(version, `upgraded_${version}`);
    expect(await upgrade(pool)).toEqual(laterThan(version));
    expect(await verification(pool)).toMatchObject({ ok: true, violations: [] });
  });

  test.each(some)(
    "%i: an upgrade that fails half-way changes nothing, and a backup is upgraded too",
    async (version) => {
      const pool = await databaseOf(version, `old_${version}`);
      const before = await digests(pool);
      await expect(migrate(pool, broken)).rejects.toThrow("division by zero");
      expect(await digests(pool)).toEqual(before);
      // Money still comes in.
      await fundAtAnySchema(pool);

      const restored = await newDatabase(`restored_${version}`);
      const file = await backUp(pool, `schema-${version}`);
      expect(await restore(file, restored)).toMatchObject({ migrated: laterThan(version), skippedTables: [] });
      await upgrade(pool);
      expect(await verification(restored)).toEqual(await verification(pool));
      expect(await verification(restored)).toMatchObject({ ok: true });
      expect(Object.keys(await digests(restored))).toEqual(Object.keys(await digests(pool)));
    },
  );
});

describe("the newest schema", () => {
  let pool: OwnedPool;
  let file: string;
  beforeAll(async () => {
    pool = await databaseOf(NEWEST, "newest");
    await inTransaction(pool, vouchForEarlier);
    await sealBooks(pool);
    file = await backUp(pool, "newest");
  });

  test("every table has a row, but for what is only there in passing", async () => {
    const empty = Object.entries(await digests(pool)).filter(([, digest]) => digest.startsWith("0 "));
    expect(empty.map(([name]) => name)).toEqual(["public.credit_note_refund"]);
    expect(await verification(pool)).toMatchObject({ ok: true, violations: [], transfers: 4, pending_transfers: 2 });
  });

  test("is restored to the last byte, with ids that were never given", async () => {
    const restored = await newDatabase("restored_newest");
    const lastBlock = "select last_value from id_block";
    const { rows: before } = await pool.query<{ last_value: bigint }>(lastBlock);
    expect(await restore(file, restored)).toMatchObject({ migrated: [], skippedTables: [] });
    expect(await digests(restored)).toEqual(await digests(pool));
    const { rows: after } = await restored.query<{ last_value: bigint }>(lastBlock);
    expect(after[0]!.last_value - before[0]!.last_value).toBe(1_000_000_000n);
    expect(await new IdSource(restored).next()).toBeLessThan(2n ** 53n / 1000n);
    await expectInUse(restored);
    // The server's role may do what it may, and no more.
    await restored.query("set role nodal_server");
    await expect(restored.query("update ledger_posting set amount_paise = 1")).rejects.toThrow("permission denied");
  });

  test("open transfers are asked about, whatever state they came back in", async () => {
    const restored = await newDatabase("questioned");
    await restoreBackup(restored, await openBackup(file, null), async (connection) => {
      expect(await questionRestoredTransfers(connection)).toBe(2);
    });
    const { rows } = await restored.query(
      `select transfer_id::int, state, claimed_by, due_at <= now() as due
       from transfer join transfer_dispatch using (bucket, merchant_id, transfer_id) order by 1`,
    );
    expect(rows).toEqual([
      { transfer_id: 22, state: "SUBMITTING", claimed_by: null, due: true },
      { transfer_id: 23, state: "UNKNOWN", claimed_by: null, due: true },
    ]);
    expect((await restored.query("select from dispatcher")).rowCount).toBe(0);
    expect(await verification(restored)).toMatchObject({ ok: true });
  });

  test("a table that is not Nodal's is left out, and said to be", async () => {
    await pool.query("create schema mine create table notes (note text)");
    await pool.query("insert into mine.notes values ('a'), ('b')");
    const more = await backUp(pool, "with-notes");
    await pool.query("drop schema mine cascade");
    const restored = await newDatabase("without_notes");
    expect(await restore(more, restored)).toMatchObject({ skippedTables: ["mine.notes"] });
    expect(await verification(restored)).toMatchObject({ ok: true });
  });

  test("rows that break a rule are refused, and the empty database stays empty", async () => {
    const bent = await databaseOf(NEWEST, "bent");
    await bent.query("alter table ledger_book drop constraint ledger_book_never_negative");
    await bent.query("update ledger_book set held_paise = -1");
    const target = await newDatabase("refused");
    await expect(restore(await backUp(bent, "bent"), target)).rejects.toThrow("ledger_book_never_negative");
    expect(await findOccupant(target)).toBeNull();
    await restore(file, target);
    await expect(restore(file, target)).rejects.toThrow(/^The database is not empty \(it has public\./);
  });

  test("an older release refuses the database and the backup, and changes nothing", async () => {
    const older = await releaseFolder(NEWEST - 1);
    const before = await digests(pool);
    await expect(migrate(pool, older)).rejects.toThrow(MigrationError);
    await expect(migrate(pool, older)).rejects.toThrow("which this release does not know");
    expect(await digests(pool)).toEqual(before);
  });

  test("a backup of a newer release is refused before anything is touched", async () => {
    const newer = await newDatabase("newer");
    await migrate(newer, await releaseFolder(NEWEST, { "9000_later.sql": "create table later (id integer);" }));
    const target = await newDatabase("kept_empty");
    const later = await backUp(newer, "newer");
    await expect(restore(later, target)).rejects.toThrow("9000_later.sql, which this release does not know");
    expect(await findOccupant(target)).toBeNull();
  });

  test("a migration in the middle of a backup makes it fail, and it can be taken again", async () => {
    const busy = await databaseOf(1, "busy");
    const before = await readdir(folder);
    const blocker = await busy.connect();
    await blocker.query("begin; lock table public.ledger_posting in access exclusive mode");
    const outcome = backUp(busy, "busy").catch((error: Error) => error.message);
    // The backup has its snapshot once it waits for the table.
    const waiting = "select from pg_stat_activity where datname = 'busy' and wait_event_type = 'Lock'";
    await until(async () => (await admin.query(waiting)).rowCount === 1, 5000, "the backup waits");
    await blocker.query("insert into schema_migration values (9000, '9000_later.sql', ''); commit");
    blocker.release();
    expect(await outcome).toContain("was migrated while it was read");
    expect(await readdir(folder)).toEqual(before);
    await busy.query("delete from schema_migration where version = 9000");
    await backUp(busy, "busy");
  });

  test("nothing is written over a file, or left behind of a database that is not Nodal's", async () => {
    const before = await readdir(folder);
    await expect(backUp(pool, "newest")).rejects.toThrow("exists already");
    await expect(backUp(await newDatabase("strange"), "strange")).rejects.toThrow("There is nothing to back up");
    expect(await readdir(folder)).toEqual(before);
  });
});
