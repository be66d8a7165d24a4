// Metrics of the installation, and records of runs, on a real database; and that the metrics named in dashboards and alerts exist.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listFiles, REPOSITORY } from "../../test/support/files.ts";
import {
  accept,
  claim,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { createPool } from "../platform/database/pool.ts";
import { createLogger } from "../platform/log.ts";
import { createMetrics } from "../platform/metrics.ts";
import { addInstallationMetrics } from "./installation-metrics.ts";
import { recordRun } from "./record-run.ts";

const logger = createLogger("silent");
let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

async function expose(pool = db.server): Promise<string> {
  const metrics = createMetrics();
  addInstallationMetrics(metrics, pool, logger);
  const text = await metrics.expose();
  await metrics.close();
  return text;
}

test("count open transfers by state with the age of the oldest, and leave out what is finished", async () => {
  const [merchant] = await makeMerchants(db, 1, 10_000n);
  const [waiting, sent, unknown, paid] = await Promise.all(
    ["waiting", "sent", "unknown", "paid"].map(async (name) => newTransfer(merchant!, await db.ids.next(), 100n, name)),
  );
  await accept(db.server, [waiting!, sent!, unknown!, paid!]);
  await claim(db.server, [sent!, unknown!, paid!]);
  await report(db.server, unknown!, "UNKNOWN");
  await report(db.server, paid!, "SUCCESS");
  await db.owner.query("update transfer set added_at = now() - interval '2 hours' where transfer_id = $1", [
    unknown!.transferId,
  ]);
  const text = await expose();
  for (const state of ["RESERVED", "SUBMITTING", "UNKNOWN"]) {
    expect(text).toContain(`nodal_transfers_open{state="${state}"} 1\n`);
  }
  expect(text).not.toContain('state="SUCCESS"');
  expect(Number(/nodal_transfers_oldest_seconds\{state="UNKNOWN"\} (.*)/.exec(text)![1])).toBeGreaterThan(7199);
  expect(text).toContain('nodal_queue_waiting{queue="webhooks"} 0\n');
  expect(text).toContain('nodal_metrics_missing{part="schedules"} 0\n');
});

test("tell how the last backup and the last check ended, and when", async () => {
  const noted = { pool: db.owner, logger };
  await recordRun(noted, "backup", () => Promise.resolve());
  await expect(recordRun(noted, "backup", () => Promise.reject(new Error("the disk is full")))).rejects.toThrow("full");
  await recordRun(
    noted,
    "verify",
    () => Promise.resolve({ wrong: 2 }),
    ({ wrong }) => `violations: ${wrong}`,
  );
  const failing = await expose();
  expect(failing).toContain('nodal_schedule_failing{schedule="backup"} 1\n');
  expect(failing).toContain('nodal_schedule_failing{schedule="verify"} 1\n');
  await recordRun(noted, "verify", () => Promise.resolve(0));
  const sound = await expose();
  expect(sound).toContain('nodal_schedule_failing{schedule="verify"} 0\n');
  const at = Number(/nodal_schedule_finished_timestamp_seconds\{schedule="verify"\} (.*)/.exec(sound)![1]);
  expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(60);
  const { rows } = await db.owner.query("select runs, failures from schedule where schedule_name = 'backup'");
  expect(rows).toEqual([{ runs: 2n, failures: 1n }]);
});

test("a run whose end can't be noted is a run all the same", async () => {
  const pool = createPool({ url: "postgres://nobody@127.0.0.1:1/none", size: 1 });
  expect(await recordRun({ pool, logger }, "backup", () => Promise.resolve("done"))).toBe("done");
  await pool.end();
});

test("what takes too long is left out, and all else is told", async () => {
  const pool = createPool({ url: db.url, size: 1, role: "nodal_server", settings: { statement_timeout: "100" } });
  const blocker = await db.owner.connect();
  try {
    await blocker.query("begin");
    await blocker.query("lock table notification in access exclusive mode");
    const text = await expose(pool);
    expect(text).toContain('nodal_metrics_missing{part="mail"} 1\n');
    expect(text).not.toContain('queue="mail"');
    expect(text).toContain('nodal_queue_waiting{queue="webhooks"} 0\n');
  } finally {
    await blocker.query("rollback");
    blocker.release();
    await pool.end();
  }
});

test("what the dashboard, the alerts and the page name is measured, and each alert says what to do", () => {
  const read = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");
  const code = listFiles(join(REPOSITORY, "src"), ".ts")
    .filter((path) => !path.endsWith(".test.ts"))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const measured = new Set(
    [...code.matchAll(/\b(?:gauge|counter|histogram|observedCounter)\(\s*"([a-z_]+)"/g)].map(([, name]) => name!),
  );
  const namesIn = (text: string): Set<string> =>
    new Set(
      [...text.matchAll(/\b(?:nodal|http|process|nodejs)_[a-z_]+\b/g)].map(([name]) => name.replace(/_bucket$/, "")),
    );
  const rules = read("deploy/prometheus/rules.yml");
  const dashboard = JSON.parse(read("deploy/grafana/nodal.json")) as { panels: { targets: { expr: string }[] }[] };
  const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n");
  expect(namesIn(asked).size).toBeGreaterThan(12);
  // The module of the program that asks /readyz.
  for (const text of [rules, asked]) expect([...namesIn(text)].filter((name) => !measured.has(name))).toEqual([]);
  const page = read("docs/metrics.md");
  expect([...measured].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
