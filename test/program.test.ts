// The program in one piece: it is used where it is of the source as it is, and only there.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { FINGERPRINT_FILE, fingerprintOf } from "../src/platform/fingerprint.ts";
import { BUILT_PROGRAM, isProgramBuilt, listSource } from "../src/program.ts";
import { plantFiles } from "./support/files.ts";
import { NodalProcess, nodalProcess, removeDataDir } from "./support/nodal.ts";
import { makePreparedDataDir } from "./support/prepared-data.ts";

let root: string;

beforeEach(() => {
  root = plantFiles({
    "src/cli/nodal.ts": "export const one = 1;",
    "src/cli/nodal.test.ts": "a test",
    "src/names.txt": "no source",
    "scripts/build-program.ts": "how",
    "src/examples.json": "[]",
    "package-lock.json": lockFile("1.0.0"),
    "dist/nodal.js": "export const one = 1;",
  });
  put(`${BUILT_PROGRAM}/${FINGERPRINT_FILE}`, fingerprintOf(root, listSource(root)));
});

const put = (path: string, content: string): void => writeFileSync(join(root, path), content);
const lockFile = (version: string, more = ""): string =>
  `{"packages": {"node_modules/pg": {${more}"version": "${version}"}}}`;

function replaceByFolder(path: string): void {
  rmSync(join(root, path));
  mkdirSync(join(root, path));
}

test("what was built from the source as it is is used", () => {
  expect(isProgramBuilt(root)).toBe(true);
  put("src/cli/nodal.test.ts", "another test");
  put("package-lock.json", lockFile("1.0.0", '"libc": ["glibc"], '));
  expect(isProgramBuilt(root)).toBe(true);
});

test.each([
  ["a changed file", () => put("src/cli/nodal.ts", "export const one = 2;")],
  ["a new file", () => put("src/further.ts", "")],
  ["a changed file of data", () => put("src/examples.json", "{}")],
  ["another version of a library", () => put("package-lock.json", lockFile("1.0.1"))],
  ["another way of building", () => put("scripts/build-program.ts", "otherwise")],
  ["a lock file that is gone", () => rmSync(join(root, "package-lock.json"))],
  ["a fingerprint that can't be read", () => replaceByFolder(`${BUILT_PROGRAM}/${FINGERPRINT_FILE}`)],
  ["nothing built", () => rmSync(join(root, "dist"), { recursive: true })],
])("with %s, the source is", (_, change) => {
  change();
  expect(isProgramBuilt(root)).toBe(false);
});

test("commands and servers run what was built, or the source where that is wanted", async () => {
  expect(isProgramBuilt()).toBe(true);
  const dataDir = await makePreparedDataDir();
  const stacks = [];
  for (const NODAL_PROGRAM of ["", "source"]) {
    const environment = { DATA_DIR: dataDir, LOG_LEVEL: "info", NODAL_PROGRAM };
    expect(await nodalProcess(environment, "--version")).toMatchObject({ code: 0, stderr: "" });
    const server = await NodalProcess.start(environment);
    await server.stop();
    stacks.push(server.output.includes("running from the source"));
  }
  await removeDataDir(dataDir);
  expect(stacks).toEqual([false, true]);
});
