// The master key as an operator has it: the file of the first start, a key that is wrong or missing, production mode,
// and a rotation beside a loaded server that is killed on the way. The parts are tested beside their code.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkProductionSettings } from "../src/installation/index.ts";
import { ConfigError, readConfig } from "../src/platform/config.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import { SECRET_TABLES } from "../src/secret-tables.ts";
import { REPOSITORY } from "./support/files.ts";
import {
  makeDataDir,
  MerchantClient,
  nodal,
  nodalJson,
  NodalProcess,
  removeDataDir,
  type Environment,
} from "./support/nodal.ts";

/** Long enough that a rotation takes several batches of each table. */
const MERCHANTS = 800;
const ANOTHER_KEY = Buffer.alloc(32, 7).toString("base64");

type Seeded = { access_key_id: string; secret_access_key: string; beneficiary_id: string };

let dataDir: string;
let environment: Environment;
let pool: OwnedPool;
let seeded: Seeded[];

beforeAll(async () => {
  dataDir = await makeDataDir();
  // Empty counts as not set: the key is in a file, as of whoever sets nothing.
  environment = { DATA_DIR: dataDir, NODAL_MASTER_KEY: "" };
  seeded = await nodalJson<Seeded[]>(environment, "seed", "--merchants", String(MERCHANTS), "--fund", "1000");
});
afterAll(async () => {
  await removeDataDir(dataDir);
});

async function refusal(settings: Environment, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await nodal({ ...environment, ...settings }, ...args);
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: "" });
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr;
}

describe("a master key", () => {
  test("is made on the first start, for its owner alone", async () => {
    expect((await stat(join(dataDir, "master.key"))).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(["master.key", "postgresql"]);
  });

  test("that is another one stops a start and a command, says so, and changes nothing", async () => {
    const before = await readFile(join(dataDir, "master.key"), "utf8");
    for (const command of [["start"], ["key", "rotate-master"]]) {
      const sentence = await refusal({ NODAL_MASTER_KEY: ANOTHER_KEY, PORT: "0" }, ...command);
      expect(sentence).toMatch(
        /^nodal: The master key [0-9a-f]{16} of NODAL_MASTER_KEY is not the one of this database/,
      );
      expect(sentence).not.toContain(ANOTHER_KEY);
    }
    await rename(join(dataDir, "master.key"), join(dataDir, "away"));
    expect(await refusal({}, "merchant", "list")).toContain("There is no master key in");
    await rename(join(dataDir, "away"), join(dataDir, "master.key"));
    expect(await readFile(join(dataDir, "master.key"), "utf8")).toBe(before);
    expect(await nodalJson<unknown[]>(environment, "merchant", "list")).toHaveLength(MERCHANTS);
  });

  test("that is none is refused without being shown", async () => {
    const sentence = await refusal({ NODAL_MASTER_KEY: "hunter2" }, "merchant", "list");
    expect(sentence).toContain("NODAL_MASTER_KEY must be 32 bytes in base64 or hexadecimal");
    expect(sentence).not.toContain("hunter2");
  });
});

describe("in production", () => {
  const safe = {
    NODAL_ENV: "production",
    NODAL_MASTER_KEY: ANOTHER_KEY,
    PUBLIC_URL: "https://pay.example.com",
    TRUST_PROXY: "127.0.0.1",
    PORT: "0",
  };

  test.each([
    ["a key beside the data", { NODAL_MASTER_KEY: "" }, "NODAL_MASTER_KEY must be set in production"],
    ["no address for others", { PUBLIC_URL: "" }, "PUBLIC_URL must begin with https://"],
    ["an address without TLS", { PUBLIC_URL: "http://pay.example.com" }, "PUBLIC_URL must begin with https://"],
    ["no trusted proxy", { TRUST_PROXY: "" }, "TRUST_PROXY must be the proxy's address"],
  ])("a start is refused with %s", (_what, setting, sentence) => {
    const config = readConfig({ ...safe, ...setting });
    expect(() => checkProductionSettings(config)).toThrow(ConfigError);
    expect(() => checkProductionSettings(config)).toThrow(sentence);
    expect(() => checkProductionSettings({ ...config, NODAL_ENV: "development" })).not.toThrow();
  });

  test("a start that is refused touches nothing", async () => {
    const fresh = join(dataDir, "..", "untouched");
    expect(await refusal({ ...safe, TRUST_PROXY: "", DATA_DIR: fresh }, "start")).toContain(
      "TRUST_PROXY must be the proxy's address",
    );
    await expect(stat(fresh)).rejects.toThrow("ENOENT");
  });

  test("no command makes a key", async () => {
    const fresh = join(dataDir, "..", "keyless");
    const sentence = await refusal({ ...safe, NODAL_MASTER_KEY: "", DATA_DIR: fresh }, "migrate");
    expect(sentence).toContain("NODAL_MASTER_KEY must be set in production");
    expect(await readdir(fresh)).toEqual(["postgresql"]);
  });

  test("a start makes no demo merchant, and is refused where there is one", async () => {
    const fresh = join(dataDir, "..", "demo");
    const { PORT: _, ...settings } = { ...safe, DATA_DIR: fresh };
    const server = await NodalProcess.start(settings);
    await server.stop();
    expect(await nodalJson(settings, "merchant", "list")).toEqual([]);
    const demo = await NodalProcess.start({ DATA_DIR: fresh, NODAL_MASTER_KEY: ANOTHER_KEY });
    await demo.stop();
    expect(await nodalJson<unknown[]>(settings, "merchant", "list")).toHaveLength(1);
    expect(await refusal({ ...safe, DATA_DIR: fresh }, "start")).toContain("this database has the demo merchant");
  });
});

/** Requests of many merchants, one after the other in each of several lanes, until told to stop. */
class Lanes {
  readonly failures: string[] = [];
  count = 0;
  readonly #lanes: Promise<void>[];
  #isStopped = false;

  constructor(baseUrl: string, merchants: readonly Seeded[]) {
    this.#lanes = merchants.map((merchant, lane) => this.#run(baseUrl, merchant, lane));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#lanes);
  }

  async #run(baseUrl: string, merchant: Seeded, lane: number): Promise<void> {
    const client = await MerchantClient.signIn(baseUrl, merchant);
    for (let turn = 0; !this.#isStopped; turn += 1) {
      const { beneficiary_id } = merchant;
      const account = `55${String(lane).padStart(4, "0")}${String(turn).padStart(8, "0")}`;
      const answers = [
        await client.post("/api/v1/beneficiary/save", { name: "Load", account_number: account, ifsc: "HDFC0000001" }),
        await client.post("/api/v1/beneficiary/transfer", {
          beneficiary_id,
          amount: "0.01",
          reference_id: `T${this.count}-${account}`,
        }),
        // Encrypted by the group commit: transfers encrypt nothing.
        await client.post("/api/v1/payout/withdraw", { amount: "0.01", reference_id: `W${this.count}-${account}` }),
        await client.post("/api/v1/beneficiary/detail", { account_number: account, ifsc: "HDFC0000001" }),
      ];
      this.count += answers.length;
      const bad = answers.filter(({ status, body }) => status !== 200 || body.success?.bank_account_no === "");
      this.failures.push(...bad.map(({ status, body }) => `${status} ${JSON.stringify(body)}`));
    }
  }
}

describe("a rotation", () => {
  let server: NodalProcess;
  beforeAll(async () => {
    server = await NodalProcess.start(environment);
    const { url } = await nodalJson<{ url: string }>(environment, "database");
    pool = createPool({ url, size: 2 });
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  /** Starts a rotation and waits until it has encrypted the first rows again. */
  async function startRotation(settings: Environment): Promise<ChildProcess> {
    const env = { PATH: process.env["PATH"] ?? "", ...environment, ...settings };
    const child = spawn(process.execPath, ["bin/nodal.js", "key", "rotate-master"], { cwd: REPOSITORY, env });
    for await (const said of child.stderr) if (String(said).includes("re-encrypted")) break;
    return child;
  }

  async function masterKeyIds(): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>("select distinct master_key_id as id from data_key order by 1");
    return rows.map(({ id }) => id);
  }

  /** The data keys in use by the values of all tables. */
  async function dataKeyIds(): Promise<number[]> {
    const parts = SECRET_TABLES.flatMap(({ table, columns }) =>
      columns.map((column) => `select split_part(${column}, ':', 2) as id from ${table} where ${column} like 'enc1:%'`),
    );
    const { rows } = await pool.query<{ id: string }>(parts.join(" union "));
    return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
  }

  test("beside a loaded server, killed on the way, and run again", async () => {
    const [earlier] = await masterKeyIds();
    const lanes = new Lanes(server.baseUrl, seeded.slice(0, 4));
    const child = await startRotation({});
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await masterKeyIds()).toHaveLength(2);
    expect((await dataKeyIds()).length).toBeGreaterThan(1);
    const rotated = await nodalJson<Record<string, unknown>>(environment, "key", "rotate-master");
    const countAtEnd = lanes.count;
    await sleep(500);
    await lanes.stop();
    expect(lanes.failures).toEqual([]);
    expect(lanes.count).toBeGreaterThan(countAtEnd);
    expect(countAtEnd).toBeGreaterThan(20);
    expect(rotated).toMatchObject({
      left_under_earlier_keys: 0,
      earlier_key_file: join(dataDir, `master.key.old-${earlier}`),
    });
    expect(await masterKeyIds()).toEqual([rotated["master_key_id"]]);
    expect(await dataKeyIds()).toEqual([rotated["data_key_id"]]);
    expect((await readdir(dataDir)).filter((name) => name.startsWith("master.key"))).toEqual([
      "master.key",
      `master.key.old-${earlier}`,
    ]);
    expect(await nodalJson(environment, "verify", "--deep")).toMatchObject({ ok: true });
    const before = await readFile(join(dataDir, `master.key.old-${earlier}`), "utf8");
    expect(await refusal({ NODAL_MASTER_KEY: before.trim() }, "merchant", "list")).toContain(
      "is not the one of this database",
    );
  });

  test("to a key that the running server does not have: it goes on, and needs the key when it is started again", async () => {
    const lanes = new Lanes(server.baseUrl, seeded.slice(4, 6));
    const next = { NODAL_MASTER_KEY_NEW: ANOTHER_KEY };
    await nodalJson({ ...environment, ...next }, "key", "rotate-master");
    // Longer than a process goes on without looking for newer keys.
    await sleep(2500);
    await lanes.stop();
    expect(lanes.failures).toEqual([]);
    expect(lanes.count).toBeGreaterThan(6);
    await server.stop();
    expect(await refusal({ PORT: "0" }, "start")).toContain("There is no master key in");
    environment = { DATA_DIR: dataDir, NODAL_MASTER_KEY: ANOTHER_KEY };
    server = await NodalProcess.start(environment);
    expect(await nodalJson(environment, "verify", "--deep")).toMatchObject({ ok: true });
    expect(await refusal({ NODAL_MASTER_KEY_NEW: "" }, "key", "rotate-master")).toContain(
      "NODAL_MASTER_KEY_NEW must be",
    );
  });

  test("a backup is restored without its master key, and says that it is missing", async () => {
    const file = join(dataDir, "..", "nodal.backup");
    await nodalJson(environment, "backup", "--out", file);
    const restore = (folder: string, masterKey: string) =>
      nodal(
        { DATA_DIR: join(dataDir, "..", folder), NODAL_MASTER_KEY: masterKey },
        "restore",
        "--from",
        file,
        "--json",
      );
    const keyless = await restore("keyless-copy", "");
    expect(keyless.code, keyless.stderr).toBe(1);
    const { verification } = JSON.parse(keyless.stdout) as { verification: unknown };
    expect(verification).toMatchObject({
      ok: false,
      violations: [{ check: "master_key", message: expect.stringContaining("There is no master key in") }],
    });
    expect(await readdir(join(dataDir, "..", "keyless-copy"))).toEqual(["postgresql"]);
    const copy = { DATA_DIR: join(dataDir, "..", "keyless-copy"), NODAL_MASTER_KEY: ANOTHER_KEY };
    expect(await nodalJson(copy, "verify", "--deep")).toMatchObject({ ok: true });
    await rm(file);
  });
});
