// From one schema to the next: by upgrading in place, and by restoring a backup that was made before. Backups under
// load are in backup.test.ts.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyInstallation } from "../src/installation/index.ts";
import { fundMerchant } from "../src/ledger/index.ts";
import { askAboutRestoredTransfers } from "../src/payouts/index.ts";
import {
  checkRestorable,
  openBackup,
  restoreBackup,
  writeBackup,
  type RestoredBackup,
} from "../src/platform/database/backup.ts";
import { findOccupant, listTables, quote } from "../src/platform/database/backup/catalog.ts";
import { IdSource } from "../src/platform/database/ids.ts";
import { compareSchema, migrate, MigrationError, readMigrations } from "../src/platform/database/migrate.ts";
import { createPool, type OwnedPool, type Pool } from "../src/platform/database/pool.ts";
import { CorruptionStage } from "./corruption/stage.ts";
import { until } from "./crash/site.ts";
import { createDatabase } from "./support/database-copy.ts";
import { fillEveryTable } from "./support/every-table.ts";
import { REPOSITORY } from "./support/files.ts";
import { LATER, laterMigrations as plantLater, makeEarlyDatabase } from "./support/later-release.ts";
import { TEST_ACTOR, withTestSecrets } from "./support/secrets.ts";

let folder: string;
let stage: CorruptionStage;
/** A database of this release with a row in every table, and a backup of it. */
let pool: Pool;
let file: string;
const pools: OwnedPool[] = [];
const plantings: URL[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nodal-schemas-"));
  stage = await CorruptionStage.open();
  await fillEveryTable(stage);
  pool = stage.db.owner;
  file = await backUp(pool, "filled");
});
afterAll(async () => {
  await Promise.all(pools.map((each) => each.end()));
  await stage.db.close();
  await Promise.all([folder, ...plantings].map((each) => rm(each, { recursive: true })));
});

/** The migrations of a later release, for as long as the tests run. */
function laterMigrations(further?: Readonly<Record<string, string>>): URL {
  const planted = plantLater(further);
  plantings.push(planted);
  return planted;
}

/** A new, empty database beside the others, as its owner. */
async function newDatabase(): Promise<OwnedPool> {
  const { url } = await createDatabase(stage.db.url, null);
  const made = withTestSecrets(createPool({ url, size: 2, actor: TEST_ACTOR }));
  pools.push(made);
  return made;
}

async function backUp(from: Pool, name: string): Promise<string> {
  const path = join(folder, `${name}.backup`);
  await writeBackup(from, { file: path, passphrase: null });
  return path;
}

/** Restores a backup, as the release does that has these migrations. */
async function restore(from: string, target: Pool, later?: URL): Promise<RestoredBackup> {
  return restoreBackup(target, await openBackup(from, null), async () => {}, later);
}

/** Another database with all that the filled one has. */
async function copyOfFilled(): Promise<OwnedPool> {
  const copy = await newDatabase();
  await restore(file, copy);
  return copy;
}

/** Every table with a digest of its rows. */
async function digests(of: Pool): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of await listTables(of)) {
    const { rows } = await of.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(kept::text, ';' order by kept::text)), '') as digest
       from ${quote(table)} as kept`,
    );
    found[`${table.schema}.${table.name}`] = rows[0]!.digest;
  }
  return found;
}

/** What `nodal verify` says. */
async function verification(ownerPool: Pool): Promise<unknown> {
  const { summary, violations } = await verifyInstallation(ownerPool, { deep: true });
  return { ...summary, violations };
}

/** Money still comes in, once. */
async function expectInUse(used: Pool): Promise<void> {
  const ids = new IdSource(used);
  const { bucket, merchantId } = stage.merchant;
  const funding = { bucket, merchantId, amountPaise: 700n, reference: "after" };
  expect(await fundMerchant(used, ids, funding)).toMatchObject({ repeated: false });
  expect(await fundMerchant(used, ids, funding)).toMatchObject({ repeated: true });
}

test("the release's migrations are numbered on from the schema's, without a gap", async () => {
  const release = await readMigrations();
  expect(release[0]).toMatchObject({ version: 1, name: "0001_schema" });
  expect(release.map(({ version }) => version)).toEqual(release.map((_, index) => index + 1));
  // A file of another name would not be applied.
  const files = (await readdir(join(REPOSITORY, "schema"))).sort();
  expect(files.map((name) => /^([0-9]{2})_[a-z_]+\.sql$/.exec(name)?.[1])).toEqual(
    files.map((_, index) => String(index + 1).padStart(2, "0")),
  );
  const others = (await readdir(join(REPOSITORY, "migrations"))).filter((name) => name !== "README.md");
  expect(release.slice(1).map(({ name }) => name)).toEqual(others.sort());
});

describe("an upgrade", () => {
  const later = laterMigrations();

  test("brings what is missing, once, also where two processes begin it", async () => {
    const old = await copyOfFilled();
    expect(await compareSchema(old, later)).toMatchObject({ isEmpty: false, missing: [{ name: LATER }] });
    const applied = await Promise.all([migrate(old, later), migrate(old, later)]);
    expect(applied.flat()).toEqual([LATER]);
    expect(await migrate(old, later)).toEqual([]);
    const { rows } = await old.query("select colour from customer_group where name = '\\N'");
    expect(rows).toEqual([{ colour: "blue of \\N" }]);
    expect(await verification(old)).toEqual(await verification(pool));
    await expectInUse(old);
  });

  test("that fails half-way changes nothing", async () => {
    const old = await copyOfFilled();
    const before = await digests(old);
    const broken = laterMigrations({ "0003_broken.sql": "create table half (); select 1 / 0;" });
    await expect(migrate(old, broken)).rejects.toThrow("division by zero");
    expect(await digests(old)).toEqual(before);
    await expectInUse(old);
  });

  test("is made of an older backup too, and comes to the same", async () => {
    const inPlace = await copyOfFilled();
    await migrate(inPlace, later);
    const restored = await newDatabase();
    expect(await restore(file, restored, later)).toMatchObject({ migrated: [LATER], skippedTables: [] });
    const [found, expected] = [await digests(restored), await digests(inPlace)];
    // When each migration was applied differs.
    expect({ ...found, "public.schema_migration": "" }).toEqual({ ...expected, "public.schema_migration": "" });
    expect(Object.keys(found)).toContain("public.colour");
    expect(await verification(restored)).toMatchObject({ ok: true, violations: [] });
    await expectInUse(restored);
  });

  test("that fails in the middle of a restore leaves the database empty", async () => {
    const target = await newDatabase();
    const broken = laterMigrations({ "0003_broken.sql": "select 1 / 0;" });
    await expect(restore(file, target, broken)).rejects.toThrow("division by zero");
    expect(await findOccupant(target)).toBeNull();
  });

  test("an older release refuses what it has made, and a backup of it, and changes nothing", async () => {
    const upgraded = await copyOfFilled();
    await migrate(upgraded, later);
    const before = await digests(upgraded);
    await expect(migrate(upgraded)).rejects.toThrow(MigrationError);
    await expect(migrate(upgraded)).rejects.toThrow(`${LATER}, which this release does not know`);
    expect(await digests(upgraded)).toEqual(before);
    const newer = await backUp(upgraded, "newer");
    await expect(checkRestorable(await openBackup(newer, null))).rejects.toThrow("does not know");
    const target = await newDatabase();
    await expect(restore(newer, target)).rejects.toThrow(`${LATER}, which this release does not know`);
    expect(await findOccupant(target)).toBeNull();
  });

  test("is refused where a file is not the one that was applied: a migration's, or one of the schema's", async () => {
    const upgraded = await copyOfFilled();
    await migrate(upgraded, later);
    const before = await digests(upgraded);
    const changed = laterMigrations({ [LATER]: "select 1;", "0003_more.sql": "create table more ();" });
    await expect(migrate(upgraded, changed)).rejects.toThrow(`(migrations/${LATER} was changed since)`);
    expect(await digests(upgraded)).toEqual(before);
    await upgraded.query("update schema_migration set checksum = md5('') where version = 1");
    const more = laterMigrations({ "0003_more.sql": "create table more ();" });
    await expect(migrate(upgraded, more)).rejects.toThrow(
      "0001_schema differs from the one applied (a file of schema/",
    );
    await expect(compareSchema(upgraded, later)).rejects.toThrow(MigrationError);
    expect((await upgraded.query("select to_regclass('more') as more")).rows).toEqual([{ more: null }]);
  });
});

test("a database from before the first release is refused, and so is its backup; neither is changed", async () => {
  const early = await newDatabase();
  await makeEarlyDatabase(early);
  const before = await digests(early);
  const says = /created before the first release .*0001_ledger\.sql.* create a new database .*Nothing was changed\.$/;
  await expect(migrate(early)).rejects.toThrow(says);
  await expect(compareSchema(early)).rejects.toThrow(says);
  await expect(migrate(early)).rejects.toBeInstanceOf(MigrationError);
  expect(await digests(early)).toEqual(before);
  const old = await openBackup(await backUp(early, "early"), null);
  await expect(checkRestorable(old)).rejects.toThrow(says);
  const target = await newDatabase();
  await expect(restoreBackup(target, old, async () => {})).rejects.toThrow(says);
  expect(await findOccupant(target)).toBeNull();
});

describe("a backup", () => {
  test("has a row of every table", async () => {
    expect(Object.entries(await digests(pool)).filter(([, digest]) => digest.startsWith("0 "))).toEqual([]);
    expect(await verification(pool)).toMatchObject({ ok: true, violations: [], transfers: 6, pending_transfers: 2 });
  });

  test("is restored to the last byte, with ids that were never given", async () => {
    const restored = await newDatabase();
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
    await expect(restored.query("update journal set amount_paise = 1")).rejects.toThrow("permission denied");
  });

  test("has open transfers that are asked about, whatever state they came back in", async () => {
    const restored = await newDatabase();
    await restoreBackup(restored, await openBackup(file, null), async (connection) => {
      expect(await askAboutRestoredTransfers(connection)).toBe(2);
    });
    const { rows } = await restored.query(
      `select reference_id, state, claim_id, due_at <= now() as due
       from transfer join transfer_dispatch using (bucket, merchant_id, transfer_id) order by 1`,
    );
    expect(rows).toEqual([
      { reference_id: "sent", state: "SUBMITTING", claim_id: null, due: true },
      { reference_id: "waiting", state: "UNKNOWN", claim_id: null, due: true },
    ]);
    expect((await restored.query("select from dispatcher")).rowCount).toBe(0);
    expect((await restored.query("select from dispatch_claim")).rowCount).toBe(0);
    expect(await verification(restored)).toMatchObject({ ok: true });
  });

  test("leaves a table out that is not Nodal's, and says so", async () => {
    await pool.query("create schema mine create table notes (note text)");
    await pool.query("insert into mine.notes values ('a'), ('b')");
    const more = await backUp(pool, "with-notes");
    await pool.query("drop schema mine cascade");
    const restored = await newDatabase();
    expect(await restore(more, restored)).toMatchObject({ skippedTables: ["mine.notes"] });
    expect(await verification(restored)).toMatchObject({ ok: true });
  });

  test("with rows that break a rule is refused, and the empty database stays empty", async () => {
    const bent = await copyOfFilled();
    await bent.query("alter table ledger_book drop constraint ledger_book_never_negative");
    await bent.query("update ledger_book set held_paise = -1");
    const target = await newDatabase();
    await expect(restore(await backUp(bent, "bent"), target)).rejects.toThrow("ledger_book_never_negative");
    expect(await findOccupant(target)).toBeNull();
    await restore(file, target);
    await expect(restore(file, target)).rejects.toThrow(/^The database is not empty \(it has public\./);
  });

  test("fails where a migration comes in the middle of it, and can be taken again", async () => {
    const busy = await copyOfFilled();
    const before = await readdir(folder);
    const blocker = await busy.connect();
    await blocker.query("begin; lock table public.journal in access exclusive mode");
    const outcome = backUp(busy, "busy").catch((error: Error) => error.message);
    // The backup has its snapshot once it waits for the table.
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = $1`;
    const { rows } = await blocker.query<{ name: string }>("select current_database() as name");
    await until(async () => (await pool.query(waiting, [rows[0]!.name])).rowCount === 1, 120_000, "the backup waits");
    await blocker.query("insert into schema_migration values (9000, '9000_later.sql', ''); commit");
    blocker.release();
    expect(await outcome).toContain("was migrated while it was read");
    expect(await readdir(folder)).toEqual(before);
    await busy.query("delete from schema_migration where version = 9000");
    await backUp(busy, "busy");
  });

  test("is not written over a file, and of a database that is not Nodal's nothing is left behind", async () => {
    const before = await readdir(folder);
    await expect(backUp(pool, "filled")).rejects.toThrow("already exists");
    await expect(backUp(await newDatabase(), "strange")).rejects.toThrow("There is nothing to back up");
    expect(await readdir(folder)).toEqual(before);
  });
});
