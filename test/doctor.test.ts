// `nodal doctor` beside a server, and where each thing that it looks at is wrong.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chown, stat } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Diagnosis } from "../src/installation/index.ts";
import { Installation } from "./support/installation.ts";
import { MailServer } from "./support/mail.ts";
import { REPOSITORY } from "./support/files.ts";
import { freePort, nodal, removeDataDir, type Environment } from "./support/nodal.ts";
import { makePreparedDataDir } from "./support/prepared-data.ts";

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

async function doctor(settings: Environment): Promise<{ code: number; of: (check: string) => Partial<Diagnosis> }> {
  const environment = { ...installation.environment, PORT: "0", ...settings };
  const { code, stdout } = await nodal(environment, "doctor", "--json");
  const found = JSON.parse(stdout) as Diagnosis[];
  return { code, of: (check) => found.find((diagnosis) => diagnosis.check === check) ?? {} };
}

async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

test("finds nothing wrong beside a server, its database and its mail server", async () => {
  const mail = await MailServer.start();
  onTestFinished(() => mail.stop());
  const { port } = new URL(installation.server.baseUrl);
  const { code, of } = await doctor({ PORT: port, SMTP_URL: mail.url });
  expect(code).toBe(0);
  expect(of("database")).toMatchObject({ state: "ok", finding: expect.stringContaining("master key") as unknown });
  expect(of("database clock")).toMatchObject({ state: "ok" });
  expect(of("port")).toMatchObject({ state: "ok", finding: `a Nodal server answers at 127.0.0.1:${port}` });
  expect(of("mail")).toMatchObject({ state: "ok" });
  expect(of("settings")).toMatchObject({ state: "note", remedy: expect.stringContaining("NODAL_ENV") as unknown });
});

describe("says what is wrong, with the remedy, and ends with 1:", () => {
  test("a database that can't be reached", async () => {
    const port = await freePort();
    const { code, of } = await doctor({ DATABASE_URL: `postgres://nodal:hunter2@127.0.0.1:${port}/nodal` });
    expect(code).toBe(1);
    expect(of("database")).toMatchObject({
      state: "wrong",
      remedy: expect.stringContaining("DATABASE_URL") as unknown,
    });
    expect(JSON.stringify(of("database"))).not.toContain("hunter2");
  });

  test("another master key", async () => {
    const { of } = await doctor({ NODAL_MASTER_KEY: "0".repeat(64) });
    expect(of("database")).toMatchObject({ state: "wrong", remedy: expect.stringContaining("master key") as unknown });
  });

  test("a port that somebody else has", async () => {
    const { server, port } = await listen();
    server.on("connection", (socket) => socket.destroy());
    const { code, of } = await doctor({ PORT: String(port) });
    expect({ code, ...of("port") }).toMatchObject({
      code: 1,
      state: "wrong",
      finding: expect.stringContaining("in use") as unknown,
    });
  });

  test("a proxy that is not there, and one that shows everybody the metrics", async () => {
    const away = await doctor({ PUBLIC_URL: `http://127.0.0.1:${await freePort()}` });
    expect(away.of("proxy")).toMatchObject({
      state: "wrong",
      finding: expect.stringContaining("Nodal does not answer") as unknown,
    });
    const open = await doctor({ PUBLIC_URL: installation.server.baseUrl });
    expect(open.of("proxy")).toMatchObject({
      state: "wrong",
      finding: expect.stringContaining("is public") as unknown,
    });
  });

  test("a mail server that does not answer, without its password", async () => {
    const { of } = await doctor({ SMTP_URL: `smtp://u:hunter2@127.0.0.1:${await freePort()}` });
    expect(of("mail")).toMatchObject({ state: "wrong", remedy: expect.stringContaining("SMTP_URL") as unknown });
    expect(JSON.stringify(of("mail"))).not.toContain("hunter2");
  });

  test("settings that production refuses", async () => {
    const { code, of } = await doctor({ NODAL_ENV: "production" });
    expect({ code, ...of("settings") }).toMatchObject({
      code: 1,
      state: "wrong",
      remedy: expect.stringContaining("PUBLIC_URL") as unknown,
    });
  });
});

describe.runIf(process.geteuid?.() === 0)("tells a wrong owner from damage:", () => {
  const NOBODY = 65_534;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await makePreparedDataDir();
  });
  afterAll(() => removeDataDir(dataDir));

  test("a file of another user", async () => {
    const file = join(dataDir, "postgresql/cluster/global/pg_control");
    const { uid, gid } = await stat(file);
    await chown(file, NOBODY, NOBODY);
    const { code, stdout } = await nodal({ DATA_DIR: dataDir, PORT: "0" }, "doctor", "--json");
    await chown(file, uid, gid);
    expect(code).toBe(1);
    const found = (JSON.parse(stdout) as Diagnosis[]).find(({ check }) => check === "database");
    expect(found).toMatchObject({ state: "wrong" });
    expect(found!.remedy).toMatch(/pg_control belongs to the user nobody.*Nothing is damaged.*chown -R postgres /);
  });

  test("a user to whom the database does not belong", async ({ skip }) => {
    const { PATH = "" } = process.env;
    const { error, stdout } = spawnSync(process.execPath, ["bin/nodal.js", "doctor", "--json"], {
      cwd: REPOSITORY,
      env: { PATH, DATA_DIR: dataDir, PORT: "0", NODAL_SETTINGS_FILE: "/dev/null" },
      encoding: "utf8",
      uid: NOBODY,
      gid: NOBODY,
    });
    // A clone in a folder of root's own is closed to others.
    if (error || stdout === "") skip("another user can't run this clone");
    const found = (JSON.parse(stdout) as Diagnosis[]).find(({ check }) => check === "database");
    expect(found!.remedy).toMatch(/belongs to the user postgres\. Run Nodal as root or as that user/);
  });
});

test("without a database it says where one would be, and makes none", async () => {
  const { DATABASE_URL: _, ...rest } = installation.environment;
  const { code, stdout } = await nodal({ ...rest, DATA_DIR: "/tmp/nodal-doctor-nothing", PORT: "0" }, "doctor");
  expect(code).toBe(1);
  expect(stdout).toMatch(/database: There is no Nodal database in DATA_DIR \/tmp\/nodal-doctor-nothing/);
});
