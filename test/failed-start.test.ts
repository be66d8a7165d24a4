// A start that fails leaves nothing behind, and ends; and `nodal doctor` refuses the settings that a start refuses.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Diagnosis } from "../src/installation/index.ts";
import { SETTINGS } from "../src/platform/config.ts";
import { REPOSITORY } from "./support/files.ts";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "./support/ledger.ts";
import { nodal, TEST_MASTER_KEY, type Environment } from "./support/nodal.ts";

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

test("what fails before the server listens ends the process with 1, and gives its dispatcher's lease back", async () => {
  const { PATH = "", HOME = "/tmp" } = process.env;
  const settings = { DATABASE_URL: db.url, NODAL_MASTER_KEY: TEST_MASTER_KEY, NODAL_SETTINGS_FILE: "", PORT: "0" };
  const child = spawn(
    process.execPath,
    ["--import", "./test/support/end-with-parent.ts", "test/support/failing-start.ts"],
    {
      cwd: REPOSITORY,
      env: { PATH, HOME, LOG_LEVEL: "warn", ...settings },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    },
  );
  const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr!)]);
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining("invalid range on address") as string });
  const { rows } = await db.owner.query("select process_id from dispatcher");
  expect(rows).toEqual([]);
});

/** The settings for which not every text will do. */
const CHECKED = Object.entries(SETTINGS).flatMap(([name, { parse }]) => {
  try {
    parse("\u0001");
    return [];
  } catch {
    return [name];
  }
});

describe("a start and the doctor refuse", () => {
  const SAFE = {
    NODAL_ENV: "production",
    NODAL_MASTER_KEY: TEST_MASTER_KEY,
    PUBLIC_URL: "https://nodal.example",
    TRUST_PROXY: "127.0.0.1",
  };

  test.each<[string, Environment, readonly string[]]>([
    ["everybody as a proxy", { TRUST_PROXY: "0.0.0.0/0" }, ["TRUST_PROXY"]],
    ["everybody as a proxy, by IPv6", { TRUST_PROXY: "10.0.0.1, ::/0" }, ["TRUST_PROXY"]],
    ["everybody as a proxy, in halves", { TRUST_PROXY: "0.0.0.0/1,128.0.0.0/1" }, ["TRUST_PROXY"]],
    ["everybody as a proxy, mapped into IPv6", { TRUST_PROXY: "::ffff:0:0/96" }, ["TRUST_PROXY"]],
    [
      "all that is wrong at once",
      { PORT: "http", LOG_LEVEL: "loud", UPI_LIMIT: "0" },
      ["PORT", "LOG_LEVEL", "UPI_LIMIT"],
    ],
    ["every setting that can be wrong", Object.fromEntries(CHECKED.map((name) => [name, "\u0001"])), CHECKED],
    ["a way past a PgBouncer that is not there", { DATABASE_DIRECT_URL: "postgres://u@h/d" }, ["DATABASE_DIRECT_URL"]],
    [
      "an unsafe production, with all that is missing",
      { NODAL_ENV: "production", NODAL_MASTER_KEY: "", PORT: "-1" },
      ["PORT", "NODAL_MASTER_KEY", "PUBLIC_URL", "TRUST_PROXY"],
    ],
    ["a production without https", { ...SAFE, PUBLIC_URL: "http://nodal.example" }, ["PUBLIC_URL"]],
  ])("%s", async (_what, settings, variables) => {
    const environment = { DATABASE_URL: db.url, PORT: "0", ...settings };
    const started = await nodal(environment, "start");
    const lines = started.stderr.trimEnd().replace("nodal: ", "").split("\n");
    expect([started.code, lines.map((line) => line.split(" ", 1)[0])]).toEqual([1, variables]);
    const { code, stdout } = await nodal(environment, "doctor", "--json");
    const found = (JSON.parse(stdout) as Diagnosis[]).find(({ check }) => check === "settings");
    expect({ code, ...found }).toMatchObject({ code: 1, state: "wrong", remedy: lines.join("\n") });
  });

  test("the demo merchant in production", async () => {
    await makeMerchants(db, 1);
    await db.owner.query("update merchant set name = 'Demo Traders', email = 'demo@example.com'");
    const environment = { DATABASE_URL: db.url, PORT: "0", ...SAFE };
    const started = await nodal(environment, "start");
    expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining("has the demo merchant") as string });
    const { code, stdout } = await nodal(environment, "doctor", "--json");
    const found = (JSON.parse(stdout) as Diagnosis[]).find(({ check }) => check === "database");
    const remedy = started.stderr.trimEnd().replace("nodal: ", "");
    expect({ code, ...found }).toMatchObject({ code: 1, state: "wrong", remedy });
  });
});
