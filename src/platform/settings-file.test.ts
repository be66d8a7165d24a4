// The settings file: which one is read, what wins, and refusals that name file, line and remedy.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findSettingsFile, readSettings, readSettingsFile } from "./settings-file.ts";

const NOBODY = 65_534;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nodal-settings-"));
  // So that somebody else can get to the files.
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(text: string, mode = 0o600, name = "nodal.env"): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function settingsOf(text: string, environment: Record<string, string> = {}) {
  return readSettings({ NODAL_SETTINGS_FILE: write(text), ...environment });
}

test("gives what the environment leaves out, and the environment wins", () => {
  const text = "# Where it listens\n\nPORT=9000\r\nHOST='0.0.0.0'\n  MAIL_FROM=\"billing@example.com\"\nUPI_LIMIT=\n";
  expect(settingsOf(text)).toMatchObject({
    PORT: 9000,
    HOST: "0.0.0.0",
    MAIL_FROM: "billing@example.com",
    UPI_LIMIT: 10_000_000n,
  });
  expect(settingsOf(text, { PORT: "9001" })).toMatchObject({ PORT: 9001, HOST: "0.0.0.0" });
});

test("is overruled by a variable that is empty, also by the one that names it", () => {
  const text = "PORT=9000\nHOST=0.0.0.0\nSMTP_URL=smtps://u:p@h\n";
  expect(settingsOf(text, { HOST: " ", SMTP_URL: "" })).toMatchObject({
    PORT: 9000,
    HOST: "127.0.0.1",
    SMTP_URL: null,
  });
  const wellKnown = write("PORT=9002\n", 0o600, "well-known.env");
  expect(readSettings({ NODAL_SETTINGS_FILE: "" }, { wellKnownFile: wellKnown }).PORT).toBe(8080);
});

describe("names another database than the environment, which", () => {
  const file = [
    "DATA_DIR=/srv/nodal/data",
    "DATABASE_URL=postgres://u@file/d?pgbouncer=true",
    "DATABASE_DIRECT_URL=postgres://u@file-direct/d",
    "DATABASE_REPLICA_URL=postgres://u@file-replica/d",
    "PORT=9000",
  ].join("\n");
  const NONE = { DATABASE_URL: null, DATABASE_DIRECT_URL: null, DATABASE_REPLICA_URL: null };

  test.each([
    ["a folder", { DATA_DIR: "/srv/new" }, { ...NONE, DATA_DIR: "/srv/new" }],
    [
      "a URL, while the master key stays in the file's folder",
      { DATABASE_URL: "postgres://u@own/d" },
      { ...NONE, DATABASE_URL: "postgres://u@own/d", DATA_DIR: "/srv/nodal/data" },
    ],
    ["no URL", { DATABASE_URL: "" }, { ...NONE, DATA_DIR: "/srv/nodal/data" }],
    [
      "both",
      { DATA_DIR: "/srv/new", DATABASE_URL: "postgres://u@own/d" },
      { ...NONE, DATABASE_URL: "postgres://u@own/d", DATA_DIR: "/srv/new" },
    ],
    ["nothing", { PORT: "9001" }, { DATABASE_URL: "postgres://u@file/d?pgbouncer=true", DATA_DIR: "/srv/nodal/data" }],
    ["an empty folder", { DATA_DIR: "" }, { DATABASE_URL: "postgres://u@file/d?pgbouncer=true", DATA_DIR: "./data" }],
  ])("names %s", (_what, environment, expected) => {
    expect(settingsOf(file, environment)).toMatchObject(expected);
  });
});

test("all that is wrong is said at once, each in its place", () => {
  const text = "PROT=1\nPORT=http\nLOG_LEVEL=loud\nnonsense\n";
  const path = join(folder, "nodal.env");
  expect(() => settingsOf(text, { LOG_LEVEL: "louder", TRUST_PROXY: "0.0.0.0/0" })).toThrow(
    new RegExp(
      [
        `^${path}, line 1: there is no setting PROT\\..*`,
        `${path}, line 4: is not NAME=value\\..*`,
        `${path}: PORT must be a whole number.*`,
        "TRUST_PROXY must not have the range 0\\.0\\.0\\.0/0.*",
        "LOG_LEVEL must be one of .*louder.*$",
      ].join("\n"),
    ),
  );
});

test("is the one that is named, or the well-known one, or none", () => {
  const wellKnown = write("PORT=9002\n", 0o600, "well-known.env");
  const named = write("PORT=9003\n");
  expect(readSettings({}, { wellKnownFile: wellKnown }).PORT).toBe(9002);
  expect(readSettings({ NODAL_SETTINGS_FILE: named }, { wellKnownFile: wellKnown }).PORT).toBe(9003);
  expect(readSettings({ NODAL_SETTINGS_FILE: "/dev/null" }, { wellKnownFile: wellKnown }).PORT).toBe(8080);
  expect(findSettingsFile({}, join(folder, "missing.env"))).toBeNull();
  expect(() => readSettings({ NODAL_SETTINGS_FILE: join(folder, "missing.env") })).toThrow(/missing\.env no such/);
});

describe("refuses", () => {
  test.each([
    ["PROT=1", /line 1: there is no setting PROT\. Did you mean PORT\?/],
    ["\n# a\nnodal_master_keys=x", /line 3: there is no setting nodal_master_keys\. Did you mean NODAL_MASTER_KEY\?/],
    ["XYZZY_PLUGH_FROTZ=1", /there is no setting XYZZY_PLUGH_FROTZ\. docs\/settings\.md lists all settings\./],
    ["PROVIDER_SECRET=x", /PROVIDER_SECRET is no setting: `nodal provider` reads it from the environment alone/],
    ["PROVIDER_WEBHOOK_SECRETS=x", /PROVIDER_WEBHOOK_SECRETS is no setting: `nodal provider` reads it/],
    ["PORT=1\nPORT=2", /line 2: PORT is set twice/],
    ["DATA_DIR=./data", /DATA_DIR must be an absolute path/],
    ["PORT=http", /nodal\.env: PORT must be a whole number/],
  ])("%j", (text, message) => {
    expect(() => settingsOf(text)).toThrow(message);
  });

  test.each([
    "PORT",
    "PORT = 1",
    "export PORT=1",
    "PORT=1 # one",
    "MAIL_FROM=a b",
    'MAIL_FROM="a\nb"',
    "HOST=$HOME",
    'HOST="a"b',
  ])("what others would read otherwise: %j", (text) => {
    expect(() => settingsOf(text)).toThrow(/line 1: is not NAME=value/);
  });

  test("a value without showing it", () => {
    for (const text of ["DATABASE_URL=mysql://u:hunter2@h/d", "SMTP_URL=smtps://u:hunter2 x@h"]) {
      expect(() => settingsOf(text)).toThrow(/^(?!.*hunter2)/);
    }
  });

  test("a file that others may write, and secrets that everybody may read", () => {
    for (const mode of [0o620, 0o602]) expect(() => readSettingsFile(write("PORT=1", mode))).toThrow(/chmod go-w/);
    const secret = "SMTP_URL=smtps://u:p@h";
    expect(() => readSettingsFile(write(secret, 0o644))).toThrow(/contains SMTP_URL.*chmod o-r/);
    expect(readSettingsFile(write(secret, 0o640))).toEqual({ SMTP_URL: "smtps://u:p@h" });
    expect(readSettingsFile(write("PORT=1", 0o644))).toEqual({ PORT: "1" });
  });

  test("a file that this user may not read", () => {
    const path = write("PORT=1", 0o200);
    const isRoot = process.geteuid!() === 0;
    if (isRoot) process.seteuid!(NOBODY);
    try {
      expect(() => readSettingsFile(path)).toThrow(/can't read the settings\. Run this as Nodal's user/);
    } finally {
      if (isRoot) process.seteuid!(0);
    }
  });
});
