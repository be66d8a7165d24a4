// Which command may make or change a database, and what every command says where PostgreSQL refuses. Their answers are
// in cli.test.ts.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeFailure } from "../src/cli/failure.ts";
import { createProgram } from "../src/cli/nodal.ts";
import { DISPATCHER_NAME } from "../src/payouts/index.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import { createDatabase, startDatabase, type TestDatabase } from "./support/database-copy.ts";
import type { CommandResult } from "./support/command-host.ts";
import { LATER, makeEarlyDatabase, makeLaterRelease } from "./support/later-release.ts";
import {
  makeDataDir,
  nodal,
  nodalJson,
  nodalProcess,
  nodalProcessOf,
  removeDataDir,
  type Environment,
} from "./support/nodal.ts";
import { makePreparedDataDir } from "./support/prepared-data.ts";

/** They make an installation where there is none. */
const MAKERS = ["start", "migrate", "seed", "restore"];
/** Complete but for the database: each would work on an installation that has what it names. */
const COMPLETE = [
  "verify",
  "database",
  "jobs",
  "merchant list",
  "merchant show --merchant 1",
  "merchant create --name Asha --email asha@example.com",
  "operator list",
  "key rotate-master",
  "fund --merchant 1 --amount 1.00 --reference R",
  "approval list --merchant 1",
  "webhook test --merchant 1 --endpoint 1",
  "backup --out /tmp/never-written.backup",
];

/** Every command of the command line that does something itself, such as `merchant create`. */
function leavesOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(" ")];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

async function refusalOf(environment: Environment, command: string): Promise<string> {
  const { code, stdout, stderr } = await nodal(environment, ...command.split(" "));
  expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: "" });
  expect(stderr).toMatch(/^(Database: [^\n]+\n)?nodal: [^\n]+\n$/);
  return stderr.trim().replace("nodal: ", "");
}

describe("where there is no database", () => {
  let dataDir: string;
  let environment: Environment;

  beforeEach(async () => {
    dataDir = await makeDataDir();
    // A master key of its own would be made in DATA_DIR.
    environment = { DATA_DIR: dataDir, NODAL_MASTER_KEY: "" };
  });
  afterEach(() => removeDataDir(dataDir));

  const left = (): Promise<string[]> => readdir(join(dataDir, ".."));

  test.each(COMPLETE)("%s says where it looked and what to run, and makes nothing", async (command) => {
    const sentence = await refusalOf(environment, command);
    expect(sentence).toContain(`There is no Nodal database in DATA_DIR ${dataDir}.`);
    expect(sentence).toContain("`nodal start`, `nodal migrate` or `nodal restore`");
    expect(await left()).toEqual([]);
  });

  test("a folder that is there already stays empty", async () => {
    await mkdir(dataDir);
    await refusalOf(environment, "verify");
    expect(await readdir(dataDir)).toEqual([]);
  });

  test("no command makes anything without its options, nor by its help, nor by a slip of the pen", async () => {
    const leaves = leavesOf(createProgram()).filter((name) => !MAKERS.includes(name));
    expect(leaves).toEqual(expect.arrayContaining(["verify", "merchant list", "policy set", "operator create"]));
    for (const words of leaves) {
      const { code } = await nodal(environment, ...words.split(" "));
      expect({ words, code: code === 1 || code === 2 }).toEqual({ words, code: true });
    }
    for (const words of [
      "--help",
      "help",
      "",
      "merchant --help",
      "verify --help",
      "start --portt",
      "verifi",
      "merchant x",
    ]) {
      await nodal(environment, ...words.split(" ").filter((word) => word !== ""));
    }
    expect((await nodal(environment, "restore", "--from", "/nowhere/a.backup")).code).toBe(1);
    expect((await nodal(environment, "seed", "--merchants", "x")).code).toBe(2);
    expect(await left()).toEqual([]);
  });

  test("migrate makes it, and then the others work", async () => {
    expect((await nodalJson<{ applied: string[] }>(environment, "migrate")).applied[0]).toBe("0001_schema");
    expect(await nodalJson(environment, "verify")).toMatchObject({ ok: true });
    expect(await readdir(dataDir)).toEqual(["master.key", "postgresql"]);
  });

  test("seed makes it too", async () => {
    expect(await nodalJson(environment, "seed", "--merchants", "1", "--fund", "1.00")).toHaveLength(1);
  });
});

describe("on a database of ours", () => {
  let server: TestDatabase;
  let admin: OwnedPool;
  let empty: TestDatabase;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await makePreparedDataDir();
    server = await startDatabase(dataDir);
    admin = createPool({ url: server.url, size: 2 });
    empty = await createDatabase(server.url, null);
  });
  afterAll(async () => {
    await admin.end();
    await empty.release();
    await server.release();
  });

  /** The URL of a database with another user or name, or wherever `change` leads. */
  function urlWith(change: (url: URL) => void): Environment {
    const url = new URL(server.url);
    change(url);
    return { DATABASE_URL: url.href };
  }

  /** Makes a user that may sign in, with a setting or limit of its own. */
  async function urlOfUser(name: string, ...properties: string[]): Promise<Environment> {
    await admin.query(`create role ${name} login password 'word' nosuperuser`);
    for (const property of properties) await admin.query(`alter role ${name} ${property}`);
    return urlWith((url) => {
      url.username = name;
      url.password = "word";
    });
  }

  async function changeSchema(sql: string): Promise<void> {
    await admin.query(sql);
  }

  test("an empty database stays empty", async () => {
    const environment = { DATABASE_URL: empty.url };
    const { host, pathname } = new URL(empty.url);
    expect(await refusalOf(environment, "verify")).toContain(`There is no Nodal database at ${host}${pathname}.`);
    const pool = createPool({ url: empty.url, size: 1 });
    const { rows } = await pool.query("select from pg_class where relnamespace = 'public'::regnamespace");
    await pool.end();
    expect(rows).toEqual([]);
  });

  describe("of an earlier release", () => {
    let release: string;
    let later: TestDatabase;

    beforeAll(() => {
      release = makeLaterRelease();
    });
    afterAll(() => rm(release, { recursive: true }));
    beforeEach(async () => {
      later = await createDatabase(server.url, null);
      await nodalJson({ DATABASE_URL: later.url }, "migrate");
    });
    afterEach(() => later.release());

    /** Runs a command of the later release. */
    const run = (command: string): Promise<CommandResult> =>
      nodalProcessOf(release, { DATABASE_URL: later.url }, ...command.split(" "));

    const applied = async (): Promise<unknown[]> => {
      const pool = createPool({ url: later.url, size: 1 });
      const { rows } = await pool.query<{ name: string }>("select name from schema_migration order by version");
      await pool.end();
      return rows.map(({ name }) => name);
    };

    test("a command says that it must be migrated, and does not do it; migrate does", async () => {
      const { code, stderr } = await run("verify");
      expect(code).toBe(1);
      expect(stderr).toContain(`the schema of an earlier release (it lacks ${LATER}). Run \`nodal migrate\``);
      expect(await applied()).toEqual(["0001_schema"]);
      expect(await run("migrate")).toMatchObject({ code: 0, stdout: `Applied:\n${LATER}\n` });
      expect(await applied()).toEqual(["0001_schema", LATER]);
      expect(await run("verify")).toMatchObject({ code: 0 });
      expect(await refusalOf({ DATABASE_URL: later.url }, "verify")).toContain(
        `${LATER}, which this release does not know`,
      );
    });

    test("under a server no command migrates, not even the one for it", async () => {
      const pool = createPool({ url: later.url, size: 1, name: DISPATCHER_NAME });
      const running = await pool.connect();
      try {
        const commands = ["verify", "merchant list", "migrate", "seed --merchants 1 --fund 1.00"];
        for (const { code, stderr } of await Promise.all(commands.map(run))) {
          expect(code).toBe(1);
          expect(stderr).toContain("A server of that release is running on it: stop it");
          expect(stderr).toContain("`nodal migrate`");
        }
        expect(await applied()).toEqual(["0001_schema"]);
      } finally {
        running.release();
        await pool.end();
      }
    });
  });

  test("of before the first release is one sentence with the remedy, for every command and the server", async () => {
    const early = await createDatabase(server.url, null);
    const pool = createPool({ url: early.url, size: 1 });
    try {
      await makeEarlyDatabase(pool);
      const environment = { DATABASE_URL: early.url };
      const says =
        /created before the first release .*an empty location, .*`nodal start` or `nodal migrate`\. Nothing was/;
      for (const command of ["verify", "migrate", "seed --merchants 1 --fund 1.00", "merchant list"]) {
        expect(await refusalOf(environment, command)).toMatch(says);
      }
      const { code, stderr } = await nodalProcess({ ...environment, PORT: "0" }, "start");
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(says) as unknown });
      const { rows } = await pool.query(
        "select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
      );
      expect(rows).toHaveLength(2);
    } finally {
      await pool.end();
      await early.release();
    }
  });

  test("of a newer release says so", async () => {
    await changeSchema("insert into schema_migration (version, name, checksum) values (9999, '9999_later.sql', '')");
    try {
      for (const command of ["verify", "migrate"]) {
        expect(await refusalOf({ DATABASE_URL: server.url }, command)).toContain(
          "migration 9999_later.sql, which this release does not know: use the newer release",
        );
      }
    } finally {
      await changeSchema("delete from schema_migration where version = 9999");
    }
  });

  const REFUSALS: readonly [what: string, environment: () => Promise<Environment> | Environment, says: RegExp][] = [
    ["nobody listens", () => urlWith((url) => (url.port = "9")), /can't be reached: .*Check DATABASE_URL/],
    ["no such host", () => urlWith((url) => (url.hostname = "no.invalid")), /can't be reached: .*Check DATABASE_URL/],
    ["a wrong password", () => urlWith((url) => (url.password = "x")), /refuses the password in DATABASE_URL/],
    ["no such database", () => urlWith((url) => (url.pathname = "/none")), /database "none" does not exist: create it/],
    [
      "no right to sign in",
      () => urlOfUser("locked", "nologin"),
      /not permitted to log in\): correct the user in DATABASE_URL/,
    ],
    ["no connection left", () => urlOfUser("crowded", "connection limit 0"), /no connections left .*max_connections/],
    [
      "no rights",
      () => urlOfUser("guest"),
      /lacks the right to do that .*permission denied.*must be the database's owner/,
    ],
    ["no encryption", () => urlWith((url) => url.searchParams.set("sslmode", "verify-full")), /correct sslmode/],
    [
      "a PostgreSQL of before",
      async () => {
        await admin.query("create schema past");
        await admin.query(`create function past.current_setting(name text) returns text language sql
          as $$ select case name when 'server_version_num' then '140005' else '14.5' end $$`);
        return urlOfUser("antique", "superuser", "set search_path = past, pg_catalog, public");
      },
      /PostgreSQL 14\.5, but Nodal needs 15 or later/,
    ],
  ];

  test.each(REFUSALS)(
    "%s is one sentence with the remedy, for a command and for the server",
    async (_what, make, says) => {
      const environment = await make();
      expect(await refusalOf(environment, "merchant list")).toMatch(says);
      const { code, stderr } = await nodalProcess({ ...environment, PORT: "0" }, "start");
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(says) as unknown });
      expect(stderr).not.toMatch(/\n\s+at |word@/);
    },
  );

  test("a statement timeout is one sentence with the remedy", async () => {
    const environment = await urlOfUser("hasty", "superuser", "set statement_timeout = 200");
    const holder = await admin.connect();
    try {
      await holder.query("begin; lock table schema_migration in access exclusive mode");
      expect(await refusalOf(environment, "merchant list")).toMatch(/statement timeout\): raise statement_timeout/);
    } finally {
      await holder.query("rollback");
      holder.release();
    }
  });

  test("what no test can bring about is a sentence with the remedy too", () => {
    const full = new pg.DatabaseError("could not extend file: No space left on device", 0, "error");
    full.code = "53100";
    expect(describeFailure(full)).toMatch(/database's disk is full .*free some space .*DATA_DIR/);
    const noPassword = new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string");
    expect(describeFailure(noPassword)).toMatch(/needs a password, and DATABASE_URL has none/);
  });

  test("a standby is one sentence with the remedy, for whatever writes", async () => {
    const environment = await urlOfUser("standby", "superuser", "set default_transaction_read_only = on");
    expect(await refusalOf(environment, "merchant create --name Asha --email asha@example.com")).toMatch(
      /read-only .*DATABASE_URL must point to the primary/,
    );
    const { code, stderr } = await nodalProcess({ ...environment, PORT: "0" }, "start");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/must point to the primary/) as unknown,
    });
  });
});
