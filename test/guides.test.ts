// The guides, followed word by word: a shell runs every command of every page, one page after the other, with the demo
// merchant of a fresh installation and its rate limit. Each command must print what the line `#=>` behind it promises.
// The table of errors is compared with the errors that there are.
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { STATUS_OF_CODE } from "../src/platform/errors.ts";
import { settledToday } from "./support/days.ts";
import { dereferenced } from "./support/dereferenced.ts";
import { startDemo, type DemoInstallation } from "./support/demo.ts";
import { REPOSITORY } from "./support/files.ts";
import { nodalJson, send, TEST_MASTER_KEY } from "./support/nodal.ts";

const GUIDES = [
  "sandbox",
  "first-invoice",
  "franchises",
  "subscriptions",
  "sending-again",
  "keys",
  "onboard-a-merchant",
  "reconcile-by-api",
  "gst-invoices",
  "month-end",
];
const EXPECTED = "#=> ";

let demo: DemoInstallation;
let folder: string;

beforeAll(async () => {
  demo = await startDemo({ WEBHOOK_ALLOW_PRIVATE: "on" });
  folder = await mkdtemp(join(tmpdir(), "nodal-guides-"));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${join(REPOSITORY, "bin/nodal.js")}' "$@"\n`;
  await writeFile(join(folder, "nodal"), command);
  await chmod(join(folder, "nodal"), 0o755);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await demo.stop();
});

function read(page: string): Promise<string> {
  return readFile(join(REPOSITORY, `docs/guides/${page}.md`), "utf8");
}

/** The lines of a page's blocks of commands, in order. */
function commandsOf(text: string): string[] {
  const blocks = text.matchAll(/^```sh\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, block]) => block!.split("\n").filter((line) => line !== ""));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** One script of all lines: each command has to end well, and to print what is promised behind it. */
function scriptOf(lines: readonly string[]): string {
  const steps = lines.map((line) => {
    if (line.startsWith(EXPECTED)) return `expect ${quoted(line.slice(EXPECTED.length))}`;
    return `LINE=${quoted(line)}\n{ ${line.endsWith("&") ? line : `${line};`} } >"$OUT" 2>&1 || give_up "ended with $?"`;
  });
  return [
    "set -u -o pipefail",
    'OUT="$PWD/out.txt"',
    'give_up() { printf "%s\\n%s:\\n" "$LINE" "$1" >&2; cat "$OUT" >&2; exit 1; }',
    'expect() { grep -qF -- "$1" "$OUT" || give_up "did not print $1"; }',
    ...steps,
  ].join("\n");
}

test.each(GUIDES)("%s: each command does what the page says", async (page) => {
  const lines = commandsOf(await read(page));
  expect(lines.filter((line) => line.startsWith(EXPECTED)).length).toBeGreaterThan(3);
  await settledToday();
  const run = await paste(lines, demo.keys.secret_access_key);
  if (run.stderr !== "") expect.unreachable(run.stderr);
});

test("wrong keys: the first helper says why, and nothing is sent without a token", async () => {
  const lines = commandsOf(await read("sandbox")).filter((line) => !line.startsWith(EXPECTED));
  const { stderr } = await paste(
    lines.slice(0, lines.findIndex((line) => line.startsWith("GOOD=")) + 1),
    "ns_sandbox_no",
  );
  expect(stderr).toContain("Invalid Keys");
  expect(stderr).not.toContain("missing_token");
});

/** Runs lines in a shell as one who followed the page "Settings" does. */
async function paste(lines: readonly string[], secret: string): Promise<{ readonly stderr: string }> {
  const cwd = await mkdtemp(join(folder, "run-"));
  const { PATH = "", HOME = "" } = process.env;
  const env = {
    PATH: `${folder}${delimiter}${PATH}`,
    HOME,
    NODAL_MASTER_KEY: TEST_MASTER_KEY,
    ...demo.environment,
    BASE: demo.baseUrl,
    KEY_ID: demo.keys.access_key_id,
    KEY_SECRET: secret,
    MERCHANT: demo.merchantId,
  };
  const run = promisify(execFile)("bash", ["-c", scriptOf(lines)], { cwd, env });
  return await run.then(
    () => ({ stderr: "" }),
    ({ stderr }: { stderr: string }) => ({ stderr }),
  );
}

test("a command that fails, or prints something else, is reported", async () => {
  const run = (...lines: string[]) =>
    promisify(execFile)("bash", ["-c", scriptOf(lines)], { cwd: folder }).then(
      () => "fine",
      ({ stderr }: { stderr: string }) => stderr,
    );
  expect(await run("X='a b'", 'echo "$X c"', "#=> a b c")).toBe("fine");
  expect(await run("echo a", "#=> b")).toBe("echo a\ndid not print b:\na\n");
  expect(await run("false")).toBe("false\nended with 1:\n");
});

test("after the guides the books are sound", async () => {
  expect(await nodalJson(demo.environment, "verify")).toMatchObject({ ok: true });
});

test("the table of errors has every code that the API announces, with its status", async () => {
  const page = await read("errors");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [code, Number(status)]);
  const registry: Readonly<Record<string, number>> = STATUS_OF_CODE;
  expect(rows.map(([code]) => [code, registry[code as string]])).toEqual(rows);
  const statuses = rows.map(([, status]) => status as number);
  expect(statuses).toEqual(statuses.toSorted((a, b) => a - b));
  const { body } = await send(demo.baseUrl, "GET", "/openapi.json");
  const operations = Object.values(dereferenced(body as Announcing).paths).flatMap((methods) => Object.values(methods));
  const announced = operations
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ description }) => [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code!));
  expect(announced.length).toBeGreaterThan(100);
  const known = new Set(rows.map(([code]) => code));
  expect([...new Set(announced)].filter((code) => !known.has(code))).toEqual([]);
});

type Announcing = {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, { description: string }>> }>>>
  >;
};
