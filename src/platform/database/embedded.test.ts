// The embedded database with a real PostgreSQL, real processes and real kills. Each test has a separate data folder and
// leaves no process behind.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "../log.ts";
import {
  type EmbeddedDatabase,
  DatabaseInUseError,
  EmbeddedDatabaseError,
  findEmbeddedDatabaseUrl,
  openEmbeddedDatabase,
} from "./embedded.ts";
import { isRoot } from "./embedded/account.ts";
import {
  findTestPostgresPid,
  killTestPostgres,
  makeTestDataDir,
  removeTestDataDir,
} from "../../../test/support/data-folders.ts";

let dataDir: string;
let opened: EmbeddedDatabase[];
let processes: ChildProcess[];

beforeEach(async () => {
  dataDir = await makeTestDataDir();
  opened = [];
  processes = [];
});

afterEach(async () => {
  for (const child of processes) child.kill("SIGKILL");
  await Promise.all(opened.map((database) => database.release().catch(() => {})));
  await removeTestDataDir(dataDir);
});

async function open(purpose: "server" | "command"): Promise<EmbeddedDatabase> {
  const database = await openEmbeddedDatabase({
    dataDir,
    isDefaultDataDir: false,
    purpose,
    logger: createLogger("silent"),
  });
  opened.push(database);
  return database;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Waits until PostgreSQL answers. */
async function untilAnswered(url: string): Promise<void> {
  await expect.poll(() => query(url, "select 1 as one").catch(String)).toEqual([{ one: 1 }]);
}

/** Another process, in a process group of its own, that opens the database and releases it on SIGTERM. */
async function openInOtherProcess(purpose: "server" | "command"): Promise<ChildProcess> {
  const script = `
    import { openEmbeddedDatabase } from ${JSON.stringify(import.meta.resolve("./embedded.ts"))};
    import { createLogger } from ${JSON.stringify(import.meta.resolve("../log.ts"))};
    const options = { dataDir: ${JSON.stringify(dataDir)}, isDefaultDataDir: false, purpose: "${purpose}" };
    const database = await openEmbeddedDatabase({ ...options, logger: createLogger("silent") });
    process.on("SIGTERM", () => void database.release());
    process.stdout.write("open");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  processes.push(child);
  await once(child.stdout, "data");
  return child;
}

async function endWith(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, "exit");
  process.kill(-(child.pid ?? 0), signal);
  await ended;
}

describe("creating and opening", () => {
  it("creates a cluster, keeps its data and URL, and stops PostgreSQL on release", async () => {
    const first = await open("server");
    expect(first.created).toBe(true);
    await query(first.url, "create table kept as select 7::int as value");
    await first.release();
    expect(await findTestPostgresPid(dataDir)).toBeNull();

    const second = await open("server");
    expect(second.created).toBe(false);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, "select value from kept")).toEqual([{ value: 7 }]);
  });

  it("creates a durable, checksummed UTF-8 database that only this machine can reach", async () => {
    const { url } = await open("command");
    const names = [
      "fsync",
      "synchronous_commit",
      "full_page_writes",
      "data_checksums",
      "listen_addresses",
      "unix_socket_directories",
    ];
    const rows = await query(
      url,
      `select name, setting from pg_settings where name in (${names.map((name) => `'${name}'`).join()})`,
    );
    expect(Object.fromEntries(rows.map((row) => [row["name"], row["setting"]]))).toEqual({
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      data_checksums: "on",
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
    });
    const locale =
      "select pg_encoding_to_char(encoding) as encoding, datlocale as locale from pg_database where datname = 'nodal'";
    expect(await query(url, locale)).toEqual([{ encoding: "UTF8", locale: "C.UTF-8" }]);
    await expect(query(url.replace(/:[0-9a-f]+@/, ":wrong@"), "select 1")).rejects.toThrow(/password/);
  });

  it("keeps the cluster and its password from other users", async () => {
    await open("command");
    const home = join(dataDir, "postgresql");
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect((await stat(join(home, "connection.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o755);
    expect(await readdir(home)).not.toContain("password");
  });

  it("says the URL without starting anything", async () => {
    const options = { dataDir, isDefaultDataDir: false };
    expect(await findEmbeddedDatabaseUrl(options)).toBeNull();
    await expect(stat(dataDir)).rejects.toThrow(/ENOENT/);
    const database = await open("command");
    expect(await findEmbeddedDatabaseUrl(options)).toBe(database.url);
    await database.release();
    expect(await findEmbeddedDatabaseUrl(options)).toBe(database.url);
    expect(await findTestPostgresPid(dataDir)).toBeNull();
  });

  it("gives both of two that create it at once the same cluster", async () => {
    const [first, second] = await Promise.all([open("command"), open("command")]);
    expect([first.created, second.created].filter(Boolean)).toHaveLength(1);
    expect(first.url).toBe(second.url);
    expect(await readdir(dataDir)).toEqual(["postgresql"]);
    await Promise.all([first.release(), second.release()]);
    expect(await findTestPostgresPid(dataDir)).toBeNull();
  });

  it("clears away a creation that was cut off", async () => {
    const gone = spawn(process.execPath, ["-e", ""]);
    await once(gone, "exit");
    await mkdir(join(dataDir, `.postgresql-new-${gone.pid}-00000000`, "cluster"), { recursive: true });
    await chmod(dataDir, 0o755);
    expect((await open("command")).created).toBe(true);
    expect(await readdir(dataDir)).toEqual(["postgresql"]);
  });

  it("moves to another port, for good, when another program has taken its own", async () => {
    const first = await open("command");
    await first.release();
    const port = Number(new URL(first.url).port);
    const squatter = createServer().listen(port, "127.0.0.1");
    await once(squatter, "listening");
    try {
      const second = await open("command");
      expect(second.url).not.toBe(first.url);
      await second.release();
    } finally {
      squatter.close();
    }
    const third = await open("command");
    expect(third.url).toBe(opened[1]?.url);
  });
});

it.runIf(process.platform === "linux")(
  "a data folder that no file system makes is refused, not waited for",
  async () => {
    const options = { dataDir: "/proc/nodal", isDefaultDataDir: false, purpose: "command" } as const;
    await expect(openEmbeddedDatabase({ ...options, logger: createLogger("silent") })).rejects.toThrow(
      "set DATA_DIR to another folder",
    );
  },
);

describe("sharing", () => {
  it("refuses a second server, and names the folder and the remedy", async () => {
    await open("server");
    const refusal = await open("server").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseInUseError);
    expect(String(refusal)).toContain(dataDir);
    expect(String(refusal)).toContain("DATA_DIR");
  });

  it("lets a command use the running server's database and leave it running", async () => {
    const server = await open("server");
    const pid = await findTestPostgresPid(dataDir);
    const command = await open("command");
    expect(command).toMatchObject({ url: server.url, created: false });
    await command.release();
    expect(await findTestPostgresPid(dataDir)).toBe(pid);
    await server.release();
    await server.release();
    expect(await findTestPostgresPid(dataDir)).toBeNull();
  });

  it("leaves PostgreSQL to the command that outlasts the server", async () => {
    const server = await open("server");
    const command = await open("command");
    await server.release();
    expect(await query(command.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await command.release();
    expect(await findTestPostgresPid(dataDir)).toBeNull();
  });

  it("survives starts and ends that cross each other", async () => {
    await (await open("command")).release();
    for (let round = 0; round < 8; round += 1) {
      const command = await open("command");
      const [, server] = await Promise.all([command.release(), sleep(round * 5).then(() => open("server"))]);
      expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
      await Promise.all([server.release(), open("command").then((other) => other.release())]);
    }
    expect(await findTestPostgresPid(dataDir)).toBeNull();
  });

  it("stops PostgreSQL exactly when the last of several processes lets go", async () => {
    const children = await Promise.all([
      openInOtherProcess("server"),
      openInOtherProcess("command"),
      openInOtherProcess("command"),
    ]);
    expect(await findTestPostgresPid(dataDir)).not.toBeNull();
    await Promise.all(children.map((child) => endWith(child, "SIGTERM")));
    expect(await findTestPostgresPid(dataDir)).toBeNull();
  });
});

describe("crashes", () => {
  it("attaches to the PostgreSQL that a killed server's process group left running", async () => {
    const child = await openInOtherProcess("server");
    const pid = await findTestPostgresPid(dataDir);
    await endWith(child, "SIGKILL");
    // PostgreSQL notices that its client is gone.
    const url = (await findEmbeddedDatabaseUrl({ dataDir, isDefaultDataDir: false }))!;
    await expect.poll(() => query(url, "select 1 from pg_locks where locktype = 'advisory'")).toEqual([]);
    const server = await open("server");
    expect(await findTestPostgresPid(dataDir)).toBe(pid);
    expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("recovers when server and PostgreSQL were killed together", async () => {
    const child = await openInOtherProcess("server");
    const url = (await findEmbeddedDatabaseUrl({ dataDir, isDefaultDataDir: false })) ?? "";
    await query(url, "create table kept as select 7::int as value");
    await Promise.all([killTestPostgres(dataDir), endWith(child, "SIGKILL")]);
    const server = await open("server");
    expect(await query(server.url, "select value from kept")).toEqual([{ value: 7 }]);
  });

  it("starts a killed PostgreSQL again, more than once, and is still the only server", async () => {
    const server = await open("server");
    for (let round = 0; round < 3; round += 1) {
      await killTestPostgres(dataDir);
      await untilAnswered(server.url);
      await expect.poll(() => query(server.url, "select 1 from pg_locks where locktype = 'advisory'")).toHaveLength(2);
    }
    await expect(open("server")).rejects.toThrow(DatabaseInUseError);
  });

  it("does not wait for the statements that a killed PostgreSQL left running", async () => {
    const server = await open("server");
    const busy = query(server.url, "select count(*) from generate_series(1, 200000000) as n where sin(n) > 2");
    const outcome = busy.catch(String);
    const running = "select 1 from pg_stat_activity where state = 'active' and query like '%sin(n) > 2'";
    await expect.poll(() => query(server.url, running)).toHaveLength(1);
    await killTestPostgres(dataDir);
    await expect.poll(() => findTestPostgresPid(dataDir), { timeout: 180_000 }).not.toBeNull();
    await untilAnswered(server.url);
    expect(await outcome).toMatch(/terminat/);
  });

  it("also supervises a PostgreSQL that it only attached to", async () => {
    const command = await open("command");
    const server = await open("server");
    await killTestPostgres(dataDir);
    await untilAnswered(server.url);
    await command.release();
    expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("does not restart PostgreSQL once it lets go, and stops one that it was just restarting", async () => {
    const server = await open("server");
    await killTestPostgres(dataDir);
    await sleep(30);
    await server.release();
    await sleep(300);
    expect(await findTestPostgresPid(dataDir)).toBeNull();
  });

  it("is not fooled by a pid file whose number belongs to another process now", async () => {
    await (await open("command")).release();
    // The lines of a real one: pid, folder, start time, port, socket folder, address, shared memory, status.
    const file = join(dataDir, "postgresql", "cluster", "postmaster.pid");
    await writeFile(file, `${process.pid}\n${dirname(file)}\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready   \n`);
    const server = await open("server");
    expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(Number((await readFile(file, "utf8")).split("\n")[0])).not.toBe(process.pid);
  });
});

describe("folders that can't be used", () => {
  it.runIf(isRoot())("names the folder that keeps PostgreSQL's user out", async () => {
    const closed = join(dirname(dataDir), "closed");
    await mkdir(closed, { mode: 0o700 });
    const options = {
      dataDir: join(closed, "deep", "data"),
      isDefaultDataDir: false,
      purpose: "server",
      logger: createLogger("silent"),
    } as const;
    const refusal = await openEmbeddedDatabase(options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EmbeddedDatabaseError);
    expect(String(refusal)).toContain(`DATA_DIR ${options.dataDir}`);
    expect(String(refusal)).toContain(`may not enter ${closed}.`);
    expect(await readdir(closed)).toEqual([]);
  });

  it.runIf(isRoot())(
    "keeps to an existing database that has become unreachable, rather than start an empty one",
    async () => {
      await (await open("command")).release();
      await chmod(dataDir, 0o700);
      const options = { dataDir, isDefaultDataDir: true, purpose: "command", logger: createLogger("silent") } as const;
      await expect(openEmbeddedDatabase(options)).rejects.toThrow(`may not enter ${dataDir}`);
    },
  );

  it.runIf(isRoot())("puts default data where PostgreSQL's user can reach it, and finds it again", async () => {
    const closed = join(dirname(dataDir), "closed");
    await mkdir(closed, { mode: 0o700 });
    const options = {
      dataDir: join(closed, "data"),
      isDefaultDataDir: true,
      purpose: "command",
      logger: createLogger("silent"),
    } as const;
    const database = await openEmbeddedDatabase(options);
    try {
      expect(database.dataDir).toMatch(/^\/var\/lib\/nodal\/data-[0-9a-f]{8}$/);
      expect(await findEmbeddedDatabaseUrl(options)).toBe(database.url);
    } finally {
      await database.release();
      await rm(database.dataDir, { recursive: true });
    }
  });

  it.runIf(!isRoot())("names a folder that it may not write to", async () => {
    await mkdir(dataDir, { mode: 0o500 });
    await expect(open("command")).rejects.toThrow(EmbeddedDatabaseError);
    await expect(open("command")).rejects.toThrow(dataDir);
  });

  it("names a data folder that is a file", async () => {
    await writeFile(dataDir, "");
    await expect(open("command")).rejects.toThrow(dataDir);
  });
});
