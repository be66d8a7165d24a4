// The program in one piece: it is used where it is of the source as it is, and only there.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { FINGERPRINT_FILE, fingerprintOf } from "../src/platform/fingerprint.ts";
import { BUILT_PROGRAM, ENTRIES, findProgram, listSource, ROOT } from "../src/program.ts";
import { plantFiles } from "./support/files.ts";

let root: string;

beforeEach(() => {
  root = plantFiles({
    "src/cli/nodal.ts": "export const one = 1;",
    "src/cli/nodal.test.ts": "a test",
    "src/names.txt": "no source",
    "scripts/build-program.ts": "how",
    "package-lock.json": "{}",
    "dist/nodal.js": "export const one = 1;",
  });
  put(`${BUILT_PROGRAM}/${FINGERPRINT_FILE}`, fingerprintOf(root, listSource(root)));
});

const put = (path: string, content: string): void => writeFileSync(join(root, path), content);
const urlOf = (path: string): string => pathToFileURL(join(root, path)).href;

test("what was built from the source as it is is used", () => {
  expect(findProgram("nodal", root)).toBe(urlOf("dist/nodal.js"));
  put("src/cli/nodal.test.ts", "another test");
  expect(findProgram("nodal", root)).toBe(urlOf("dist/nodal.js"));
});

test.each([
  ["a changed file", () => put("src/cli/nodal.ts", "export const one = 2;")],
  ["a new file", () => put("src/further.ts", "")],
  ["another library", () => put("package-lock.json", '{"name":""}')],
  ["another way of building", () => put("scripts/build-program.ts", "otherwise")],
  ["a lock file that is gone", () => rmSync(join(root, "package-lock.json"))],
  ["nothing built", () => rmSync(join(root, "dist"), { recursive: true })],
])("with %s, the source is", (_, change) => {
  change();
  expect(findProgram("nodal", root)).toBe(urlOf(ENTRIES.nodal));
});

test("tests run what was built", () => {
  for (const entry of ["nodal", "start"] as const)
    expect(findProgram(entry)).toBe(pathToFileURL(join(ROOT, "dist", `${entry}.js`)).href);
});
