// Backups as an operator makes them: beside a loaded server, encrypted, and restored by the command line into a new
// place. Schemas are in backup-schemas.test.ts.
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyInstallation } from "../src/installation/index.ts";
import { PayoutWriter } from "../src/payouts/batch/payout-writer.ts";
import { Dispatcher } from "../src/payouts/dispatch/dispatcher.ts";
import { ProcessLease } from "../src/payouts/dispatch/process-lease.ts";
import type { Rail } from "../src/payouts/rails/rail.ts";
import { Rails } from "../src/payouts/providers/rails.ts";
import { createSimulator } from "../src/payouts/rails/simulator.ts";
import { JOIN_PAYEE, PAYEE_COLUMNS } from "../src/payouts/transfer-store.ts";
import { askAboutRestoredTransfers } from "../src/payouts/index.ts";
import { openEmbeddedDatabase, type EmbeddedDatabase } from "../src/platform/database/embedded.ts";
import { IdSource } from "../src/platform/database/ids.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import { createLogger } from "../src/platform/log.ts";
import { Load, seededRandom } from "./crash/load.ts";
import { CrashSite, PAYEES, until } from "./crash/site.ts";
import { makeDataDir, nodalJson, nodalProcess as nodal, removeDataDir, type Environment } from "./support/nodal.ts";
import { readWithPayees } from "./support/payees.ts";
import { TEST_ACTOR, withTestSecrets } from "./support/secrets.ts";

const PASSPHRASE = "correct horse battery staple";
const CLIENTS = 16;
/** Long enough that the bank has booked what the ledger does not know of yet, at any moment. */
const SETTINGS = { SIMULATOR_LATENCY_MS: "150" };
const logger = createLogger("error");

type BackupAnswer = { file: string; bytes: number; encrypted: boolean; rows: number; tables: number };
type RestoreAnswer = {
  rows: number;
  transfers_to_ask_about: number;
  verification: { ok: boolean; violations: unknown[]; transfers: number };
};

let site: CrashSite;
let load: Load;
let copyDir: string;
let file: string;
let written: BackupAnswer;
let sentMeanwhile: number;

beforeAll(async () => {
  site = await CrashSite.open(SETTINGS);
  copyDir = await makeDataDir();
  file = join(dirname(copyDir), "loaded.backup");
  const merchants = await site.newMerchants([100_000_000n, 100_000_000n, 3_000_000n, 200_000n]);
  await site.pool.query(
    `with signed_in as (
       insert into login_session (
         bucket, merchant_id, session_id, login_id, secret_hash, state, address, user_agent, created_at, last_seen_at,
         expires_at)
       select bucket, merchant_id, 1, 1, '', 'signed_in', '', '', now(), now(), now() + interval '1 day' from merchant
     ), moving as (
       insert into email_change (bucket, merchant_id, login_id, token_hash, email, expires_at)
       select bucket, merchant_id, 1, '', '', now() + interval '1 hour' from merchant
     )
     insert into password_reset (bucket, merchant_id, login_id, token_hash, expires_at)
     select bucket, merchant_id, 1, '', now() + interval '1 hour' from merchant`,
  );
  load = new Load({ site, merchants, random: seededRandom(5) });
  load.start(CLIENTS);
  await sleep(700);
  const before = load.entries.length;
  const environment = { ...site.environment, NODAL_BACKUP_PASSPHRASE: PASSPHRASE };
  written = await nodalJson<BackupAnswer>(environment, "backup", "--out", file, "--encrypt");
  sentMeanwhile = load.entries.length - before;
  await load.stop();
});
afterAll(async () => {
  await site.close();
  await removeDataDir(copyDir);
});

/** A rail that remembers which transfers it had to pay, and which it told of first: asked or unasked. */
function recording(rail: Rail): { rail: Rail; submitted: Set<bigint>; answered: Set<bigint> } {
  const submitted = new Set<bigint>();
  const answered = new Set<bigint>();
  return {
    submitted,
    answered,
    rail: {
      name: rail.name,
      submit: (instruction, signal) => {
        submitted.add(instruction.transferId);
        return rail.submit(instruction, signal);
      },
      status: (reference, signal) => {
        answered.add(reference.transferId);
        return rail.status(reference, signal);
      },
      start: (onReport) =>
        rail.start((report) => {
          if (!submitted.has(report.transferId)) answered.add(report.transferId);
          return onReport(report);
        }),
      stop: () => rail.stop(),
    },
  };
}

async function listIds(pool: OwnedPool, sql: string): Promise<Set<bigint>> {
  const { rows } = await pool.query<{ transfer_id: bigint }>(sql);
  return new Set(rows.map((row) => row.transfer_id));
}

/** Every transfer that is open, but for those that the bank leaves open for ever. */
async function listOpen(pool: OwnedPool): Promise<Set<bigint>> {
  const opened = await readWithPayees<{ transfer_id: bigint }>(
    pool,
    `select transfer.*, ${PAYEE_COLUMNS} from transfer ${JOIN_PAYEE}
     where transfer.state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')`,
  );
  const open = opened.filter(({ payee }) => payee.accountNumber !== PAYEES.staysPending.accountNumber);
  return new Set(open.map((row) => row.transfer_id));
}

/** Runs a dispatcher on a database until nothing is open. Returns which transfers it sent to the bank, and which it heard of. */
async function dispatchAll(url: string, owner: OwnedPool): Promise<{ submitted: Set<bigint>; answered: Set<bigint> }> {
  const pool = withTestSecrets(createPool({ url, size: 4, role: "nodal_server", actor: TEST_ACTOR }));
  const options = { databaseUrl: url, latencyMs: 0, declinePercent: 0, errorPercent: 0, logger };
  const { rail, submitted, answered } = recording(createSimulator(options));
  const ids = new IdSource(pool);
  const lease = new ProcessLease(pool, ids, await ids.next(), logger);
  await lease.begin(false);
  const dispatcher = new Dispatcher({
    pool,
    writer: new PayoutWriter({ pool, lease, lanes: 2, heldMs: 5000, findRoom: () => new Set(), logger }),
    rails: new Rails(pool, rail, 5000),
    lease,
    concurrency: 64,
    bankTimeoutMs: 5000,
    logger,
  });
  dispatcher.start();
  try {
    await until(async () => (await listOpen(owner)).size === 0, 60_000, "every restored transfer is finished");
  } finally {
    await dispatcher.stop(1000);
    await pool.end();
  }
  return { submitted, answered };
}

describe("a backup that was taken under load", () => {
  let copy: EmbeddedDatabase;
  let owner: OwnedPool;
  let restored: RestoreAnswer;
  beforeAll(async () => {
    const environment: Environment = { DATA_DIR: copyDir, NODAL_BACKUP_PASSPHRASE: PASSPHRASE };
    restored = await nodalJson<RestoreAnswer>(environment, "restore", "--from", file);
    copy = await openEmbeddedDatabase({ dataDir: copyDir, isDefaultDataDir: false, purpose: "command", logger });
    owner = withTestSecrets(createPool({ url: copy.url, size: 2, actor: TEST_ACTOR }));
  });
  afterAll(async () => {
    await owner.end();
    await copy.release();
  });

  test("is a file for its owner alone, and no request noticed it", async () => {
    expect(written).toMatchObject({ file, encrypted: true });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(dirname(file))).filter((name) => name.includes("partial"))).toEqual([]);
    expect(sentMeanwhile).toBeGreaterThan(CLIENTS);
    expect(load.entries.filter(({ outcome }) => outcome === "unknown")).toEqual([]);
  });

  test("is restored with every row, and its books hold", async () => {
    expect(restored).toMatchObject({ rows: written.rows, verification: { ok: true, violations: [] } });
    expect(restored.verification.transfers).toBeGreaterThan(CLIENTS);
    expect(restored.transfers_to_ask_about).toBeGreaterThan(0);
    // What was acknowledged before the backup began is in it.
    const kept = await listIds(owner, "select transfer_id from transfer");
    const first = load.entries
      .filter(({ kind, outcome }) => kind === "transfer" && outcome === "acknowledged")
      .slice(0, 20);
    expect(first.map(({ ids }) => [...ids].every((id) => kept.has(BigInt(id))))).toEqual(first.map(() => true));
  });

  test("nobody is signed in to the copy, and no link to a new password or address is good: it may have been ended since", async () => {
    const isAnyThere = `exists (select from login_session) as sessions, exists (select from password_reset) as links,
      exists (select from email_change) as addresses`;
    const look = async (db: OwnedPool) => (await db.query(`select ${isAnyThere}`)).rows;
    expect(await look(site.pool)).toEqual([{ sessions: true, links: true, addresses: true }]);
    expect(await look(owner)).toEqual([{ sessions: false, links: false, addresses: false }]);
  });

  test("the copy asks about what was open, and sends nothing that the bank has", async () => {
    const open = await listOpen(owner);
    const booked = await listIds(owner, "select transfer_id from simulator.payment");
    expect(open.intersection(booked).size, "open transfers that the bank has booked").toBeGreaterThan(0);
    // One that was not sent when the backup was taken, and was before it was restored.
    const [unsent] = open.intersection(booked);
    await owner.query("update transfer set state = 'RESERVED' where transfer_id = $1", [unsent]);
    await askAboutRestoredTransfers(owner);

    const { submitted, answered } = await dispatchAll(copy.url, owner);
    expect(submitted.intersection(booked)).toEqual(new Set());
    // The bank may report one before it is asked.
    expect(open.difference(answered)).toEqual(new Set());
    expect(await verifyInstallation(owner)).toMatchObject({
      summary: { ok: true },
      violations: [],
    });
  });

  test("the copy never gives an id that the original gives", async () => {
    const { rows } = await site.pool.query<{ last_value: bigint }>("select last_value from id_block");
    expect(await new IdSource(owner).next()).toBeGreaterThan((rows[0]!.last_value + 1_000_000n) * 1000n);
  });
});

describe("what can't be restored", () => {
  /** Runs a restore that must fail. Returns its sentence. */
  async function refusal(environment: Environment, from: string): Promise<string> {
    const { code, stdout, stderr } = await nodal(environment, "restore", "--from", from, "--json");
    expect(stdout).toBe("");
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/\n\s+at /);
    return stderr;
  }

  test("anything into the place of a running server", async () => {
    const count = async (): Promise<unknown> => (await site.pool.query("select count(*)::int from journal")).rows;
    const before = await count();
    const environment = { ...site.environment, NODAL_BACKUP_PASSPHRASE: PASSPHRASE };
    expect(await refusal(environment, file)).toContain("The database is not empty");
    expect(await count()).toEqual(before);
  });

  test("a damaged file: nothing is created", async () => {
    const target = join(dirname(copyDir), "untouched");
    const damagedFile = join(dirname(copyDir), "damaged.backup");
    await writeFile(damagedFile, (await readFile(file)).subarray(0, -1));
    const environment = { DATA_DIR: target, NODAL_BACKUP_PASSPHRASE: PASSPHRASE };
    expect(await refusal(environment, damagedFile)).toContain("The backup is damaged: its end is missing");
    await expect(stat(target)).rejects.toThrow("ENOENT");
  });

  test("nothing is encrypted with a short passphrase, which is not shown", async () => {
    const environment = { ...site.environment, NODAL_BACKUP_PASSPHRASE: "short one" };
    const refused = await nodal(environment, "backup", "--out", `${file}.2`, "--encrypt");
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("must have at least 12 characters"),
    });
    expect(refused.stderr).not.toContain("short one");
    await expect(stat(`${file}.2`)).rejects.toThrow("ENOENT");
  });
});
