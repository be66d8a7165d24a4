// Commands among what is around them: files and disks, pipes that close, other people's logins, `sudo`, no server.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Command } from "commander";
import { createProgram, isWriting } from "../src/cli/nodal.ts";
import { REPOSITORY } from "./support/files.ts";
import {
  freePort,
  makeDataDir,
  nodal,
  nodalJson,
  removeDataDir,
  TEST_MASTER_KEY,
  type Environment,
} from "./support/nodal.ts";
import { makePreparedDataDir } from "./support/prepared-data.ts";
import { SmallDisk } from "./crash/small-disk.ts";

/** A start on a busy machine. */
const START_TIMEOUT_MS = 100_000;

type Made = { merchant_id: string; user_email: string; user_password: string; sign_in_url: string };

let dataDir: string;
let environment: Environment;
let folder: string;

beforeAll(async () => {
  dataDir = await makePreparedDataDir();
  environment = { DATA_DIR: dataDir };
});
afterAll(() => removeDataDir(dataDir));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nodal-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

async function refusalOf(settings: Environment, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await nodal(settings, ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^(Database: [^\n]+\n)?nodal: [^\n]+\n$/);
  return stderr;
}

describe("the settings file", () => {
  test("tells a command where the database is, by --settings or by its variable", async () => {
    const file = join(folder, "nodal.env");
    await writeFile(file, `DATA_DIR=${dataDir}\n`, { mode: 0o600 });
    const given = await nodalJson<{ url: string }>({}, "database", "--settings", file);
    expect(await nodalJson({ NODAL_SETTINGS_FILE: file }, "database")).toEqual(given);
    expect(given.url).toContain("127.0.0.1");
  });

  test("gives way to a folder that the environment names: a restore goes there, and says so", async () => {
    const file = join(folder, "nodal.env");
    const backup = join(folder, "nodal.backup");
    await nodalJson(environment, "backup", "--out", backup);
    const url = `postgres://nodal:hunter2@127.0.0.1:${await freePort()}/nodal`;
    await writeFile(file, `DATABASE_URL=${url}\n`, { mode: 0o600 });
    const target = await makeDataDir();
    onTestFinished(() => removeDataDir(target));
    const settings = { NODAL_SETTINGS_FILE: file, DATA_DIR: target };
    const { code, stdout, stderr } = await nodal(settings, "restore", "--from", backup);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Database: ${target}\n` });
    expect(stdout).toMatch(new RegExp(`^database +${target}$`, "m"));
    // Without the folder, it is the file's, which is not there.
    expect(await refusalOf({ NODAL_SETTINGS_FILE: file }, "restore", "--from", backup)).toContain(new URL(url).host);
  });

  test("that is wrong ends a command before it does anything", async () => {
    const file = join(folder, "nodal.env");
    await writeFile(file, "DATADIR=/srv/nodal\n", { mode: 0o600 });
    expect(await refusalOf({}, "merchant", "list", "--settings", file)).toMatch(/line 1: .* Did you mean DATA_DIR\?/);
    expect(await refusalOf({}, "merchant", "list", "--settings", "")).toMatch(/--settings must name a file/);
  });
});

test("a command that changes something says which database it is about, and one that reads does not", async () => {
  const about = `Database: ${dataDir}\n`;
  const [merchant] = await nodalJson<{ merchant_id: string }[]>(
    environment,
    "seed",
    "--merchants",
    "1",
    "--fund",
    "10",
  );
  const ofMerchant = ["--merchant", merchant!.merchant_id];
  const said = async (...args: string[]) => (await nodal(environment, ...args)).stderr;
  expect(await said("merchant", "set", ...ofMerchant, "--city", "Pune")).toBe(about);
  expect(await said("fund", ...ofMerchant, "--amount", "1.00", "--reference", "about")).toBe(about);
  expect(await said("merchant", "show", ...ofMerchant)).toBe("");
  expect(await said("fund", ...ofMerchant, "--amount", "2.00", "--reference", "json", "--json")).toBe("");
});

test("which commands change nothing is known of all of them", () => {
  const all = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(all);
  const pathOf = (command: Command): string =>
    `${command.parent?.parent ? `${pathOf(command.parent)} ` : ""}${command.name()}`;
  // A new command says which database it is about, unless it is among these.
  expect(
    all(createProgram())
      .filter((command) => !isWriting(command))
      .map(pathOf),
  ).toMatchInlineSnapshot(`
    [
      "doctor",
      "database",
      "beneficiary list",
      "customer column list",
      "item list",
      "book show",
      "tds list",
      "franchise list",
      "franchise show",
      "merchant list",
      "merchant show",
      "key list",
      "user list",
      "operator list",
      "operator key list",
      "jobs",
      "template list",
      "template show",
      "invoice list",
      "invoice show",
      "invoice pdf",
      "receipt list",
      "receipt show",
      "credit-note list",
      "credit-note show",
      "credit-note pdf",
      "debit-note list",
      "debit-note show",
      "subscription list",
      "subscription show",
      "subscription preview",
      "clock show",
      "mail list",
      "mail show",
      "reminder show",
      "policy show",
      "provider list",
      "approval list",
      "approval show",
      "transfer list",
      "transfer batches",
      "transfer batch",
      "transfer scheduled",
      "transfer advice",
      "statement",
      "reconcile accounts",
      "reconcile report",
      "reconcile list",
      "verify",
      "event list",
      "audit list",
      "webhook listen",
      "webhook list",
      "webhook show",
      "webhook attempts",
      "simulator book",
    ]
  `);
});

test("with --json a failure is one JSON value on standard error, whatever it is", async () => {
  const failureOf = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await nodal(environment, ...args, "--json");
    expect({ stdout, lines: stderr.split("\n").length }).toEqual({ stdout: "", lines: 2 });
    return { exit: code, ...(JSON.parse(stderr) as object) };
  };
  expect(await failureOf("merchant", "show", "--merchant", "99")).toMatchObject({
    exit: 1,
    code: "merchant_not_found",
  });
  expect(await failureOf("merchant", "show", "--merchant", "x")).toMatchObject({
    exit: 2,
    code: "validation_failed",
    errors: [{ field: "--merchant", code: "invalid" }],
  });
  expect(await failureOf("merchant", "list", "--al")).toMatchObject({ exit: 2, code: "misused" });
  expect(await failureOf("merchant")).toMatchObject({ exit: 2, code: "misused" });
  expect(await failureOf("jobs", "--settings", "/missing/nodal.env")).toMatchObject({
    exit: 1,
    code: "settings_refused",
    error: expect.stringContaining("/missing/nodal.env") as unknown,
  });
});

test("a check of all books is noted beside the schedules", async () => {
  await nodal(environment, "verify");
  const { schedules } = await nodalJson<{ schedules: object[] }>(environment, "jobs");
  expect(schedules).toContainEqual(
    expect.objectContaining({ schedule: "verify", last_error: null, next_run_at: null }),
  );
});

test("the command runs from anywhere, through a link, for a user without a Node of his own", async () => {
  const link = join(folder, "nodal");
  await symlink(join(REPOSITORY, "bin/nodal"), link);
  const { stdout } = await promisify(execFile)(link, ["--version"], { cwd: "/", env: { PATH: "/usr/bin:/bin" } });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe("a backup", () => {
  const backUpTo = (file: string): Promise<string> => refusalOf(environment, "backup", "--out", file);

  test("into a missing folder, a file as folder, a read-only place, or under too long a name", async () => {
    await writeFile(join(folder, "file"), "");
    expect(await backUpTo(join(folder, "missing", "a.backup"))).toMatch(
      /\/missing\/a\.backup: no such file or folder\. Create the folder first/,
    );
    expect(await backUpTo(join(folder, "file", "a.backup"))).toMatch(/part of this path is a file/);
    expect(await backUpTo(join(folder, "x".repeat(250)))).toMatch(/name is too long/);
    expect(await backUpTo("/proc/a.backup")).toMatch(/no such file or folder|permission denied/);
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test("onto a file or a folder that exists", async () => {
    await writeFile(join(folder, "file"), "kept");
    for (const file of [join(folder, "file"), folder])
      expect(await backUpTo(file)).toMatch(/already exists: give a new file name/);
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test("onto a full disk leaves nothing there", async ({ skip }) => {
    const disk = await SmallDisk.mount(1);
    if (typeof disk === "string") return skip(disk);
    onTestFinished(() => disk.remove());
    await disk.fill();
    expect(await backUpTo(join(disk.dataDir, "..", "a.backup"))).toMatch(/disk is full\. Free some space/);
    expect(await readdir(join(disk.dataDir, ".."))).not.toContainEqual(expect.stringContaining("a.backup"));
    return undefined;
  });

  test("that is to be restored and is not there, or is a folder", async () => {
    const empty = { DATA_DIR: join(folder, "data") };
    expect(await refusalOf(empty, "restore", "--from", join(folder, "a.backup"))).toMatch(/no such file or folder/);
    expect(await refusalOf(empty, "restore", "--from", folder)).toMatch(/this is a folder\. Give a file/);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("a pipe that nobody reads any more", () => {
  /** Runs a process with its standard output or error closed at the other end before it says anything. */
  function startUnread(stream: "stdout" | "stderr", settings: Environment, ...args: string[]) {
    const env = { PATH: process.env["PATH"] ?? "", NODAL_MASTER_KEY: TEST_MASTER_KEY, ...environment, ...settings };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    child[stream].destroy();
    let heard = "";
    for (const other of [child.stdout, child.stderr]) {
      if (other !== child[stream]) other.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    }
    return { child, heard: () => heard };
  }

  async function endOf(
    stream: "stdout" | "stderr",
    ...args: string[]
  ): Promise<{ code: number | null; heard: string }> {
    const { child, heard } = startUnread(stream, {}, "bin/nodal.js", ...args);
    await once(child, "exit");
    return { code: child.exitCode, heard: heard() };
  }

  test("ends help, answers and complaints without a word, and with their exit code", async () => {
    expect(await endOf("stdout", "--help")).toEqual({ code: 0, heard: "" });
    expect(await endOf("stdout", "merchant", "list", "--json")).toEqual({ code: 0, heard: "" });
    expect(await endOf("stderr", "merchant", "lst")).toEqual({ code: 2, heard: "" });
    expect(await endOf("stderr", "merchant", "show", "--merchant", "99")).toEqual({ code: 1, heard: "" });
  });

  test("that is a full disk ends a command with a sentence", async () => {
    const env = { PATH: process.env["PATH"] ?? "", NODAL_MASTER_KEY: TEST_MASTER_KEY, ...environment };
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, ["bin/nodal.js", "merchant", "list"], {
      env,
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    let heard = "";
    child.stderr!.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    await once(child, "close");
    expect(child.exitCode).toBe(1);
    expect(heard).toMatch(/^nodal: the output can't be written: .*the disk is full\. Free some space.*\n$/);
  });

  test.each(["stdout", "stderr"] as const)(
    "does not stop the server: %s",
    async (stream) => {
      const port = await freePort();
      const { child, heard } = startUnread(stream, { PORT: String(port) }, "src/main.ts");
      onTestFinished(() => void child.kill("SIGKILL"));
      const isUp = () => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.status);
      await expect.poll(() => isUp().catch(() => heard()), { timeout: START_TIMEOUT_MS }).toBe(200);
      child.kill("SIGTERM");
      await once(child, "exit");
      expect(child.exitCode).toBe(0);
    },
    2 * START_TIMEOUT_MS,
  );
});

test("merchant create with an e-mail that is somebody's login makes another one, and says where each signs in", async () => {
  const create = ["merchant", "create", "--name", "Asha Traders", "--email", "asha@example.com"];
  const [first, second] = [
    await nodalJson<Made>(environment, ...create),
    await nodalJson<Made>(environment, ...create, "--user-email", "Asha@example.com"),
  ];
  for (const made of [first, second]) {
    expect(made.user_email.toLowerCase()).toBe("asha@example.com");
    expect(made.sign_in_url).toBe(`http://127.0.0.1:8080/sign-in?merchant=${made.merchant_id}`);
    expect(await nodalJson<unknown[]>(environment, "user", "list", "--merchant", made.merchant_id)).toHaveLength(1);
  }
  expect(second.user_password).not.toBe(first.user_password);
  const user = ["user", "create", "--merchant", second.merchant_id, "--email"];
  expect(await refusalOf(environment, ...user, "asha@EXAMPLE.com")).toMatch(
    /email is already another user's: use another address/,
  );
  const named = { ...environment, PUBLIC_URL: "https://pay.example.com/" };
  const made = await nodalJson<Made>(named, ...user, "ravi@example.com");
  expect(made.sign_in_url).toBe(`https://pay.example.com/sign-in?merchant=${second.merchant_id}`);
  const operator = await nodalJson<Made>(named, "operator", "create", "--email", "asha@example.com");
  expect(operator.sign_in_url).toBe("https://pay.example.com/sign-in");
});

test("sudo and variables make no second person: what a command has asked for, no command decides", async () => {
  const { merchant_id: id } = await nodalJson<Made>(
    environment,
    "merchant",
    "create",
    "--name",
    "A",
    "--email",
    "s@example.com",
  );
  const merchant = ["--merchant", id];
  await nodalJson(environment, "policy", "set", ...merchant, "--daily-limit", "100.00");
  const weaker = ["policy", "set", ...merchant, "--daily-limit", "off"];
  const { approval_id } = await nodalJson<{ approval_id: string }>({ ...environment, SUDO_USER: "asha" }, ...weaker);
  const others = [{}, { SUDO_USER: "ravi" }, { SUDO_USER: "ravi", USER: "ravi", LOGNAME: "ravi", SUDO_UID: "1234" }];
  for (const decision of ["approve", "reject"]) {
    for (const names of others) {
      const decide = ["approval", decision, ...merchant, "--approval", approval_id, "--note", "No"];
      expect(await refusalOf({ ...environment, ...names }, ...decide)).toContain(
        "The command line, which counts as one person,",
      );
    }
  }
  expect(await nodalJson(environment, "policy", "show", ...merchant)).toMatchObject({ daily_limit: "100.00" });
  const log = await nodalJson<{ type: string; actor: string; address: string }[]>(
    environment,
    "audit",
    "list",
    ...merchant,
  );
  const { username } = userInfo();
  expect(new Set(log.map(({ actor }) => actor))).toEqual(new Set(["command:nodal"]));
  expect(log.find(({ type }) => type === "approval.requested")).toMatchObject({ address: `local:${username}:asha` });
  expect(log.find(({ type }) => type === "merchant.created")).toMatchObject({ address: `local:${username}` });
});

test("webhook test says that no server runs, and leaves nothing to be sent later", async () => {
  const { merchant_id: id } = await nodalJson<Made>(
    environment,
    "merchant",
    "create",
    "--name",
    "W",
    "--email",
    "w@example.com",
  );
  const merchant = ["--merchant", id];
  const { endpoint_id } = await nodalJson<{ endpoint_id: string }>(
    environment,
    "webhook",
    "create",
    ...merchant,
    "--url",
    "https://example.com/hooks",
  );
  const endpoint = ["--endpoint", endpoint_id];
  expect(await refusalOf(environment, "webhook", "test", ...merchant, ...endpoint)).toMatch(
    /No server is running on this database.*`nodal start`.*Nothing was sent/,
  );
  expect(await nodalJson(environment, "webhook", "show", ...merchant, ...endpoint)).toMatchObject({
    waiting: 0,
    attempts: [],
  });
});
