// Continuous integration and the sets of tests: what is left out of `npm test` is run after it, and both are counted.
import { execFile } from "node:child_process";
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { REPOSITORY } from "./support/files.ts";
import { SETS } from "./support/test-set.ts";

/** What `vitest run FILE` does in the stead of vitest, by the file's name. */
const VITEST = `#!/usr/bin/env bash
echo "again: $NODAL_TESTS \${2#"$PWD/"}"
case "$2" in
  *broken*) echo "2 passed, 1 failed"; exit 1 ;;
  *crashing*) exit 1 ;;
  *) echo "3 passed, 0 failed, 1 skipped" ;;
esac
`;

/** Runs .ci/run where the README's command and the rest are these. Answers all lines it printed, without its stderr. */
async function runWith(first: string, rest: string): Promise<{ code: number; lines: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "nodal-ci-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(REPOSITORY, ".ci"), join(folder, ".ci"), { recursive: true });
  await writeFile(join(folder, "README.md"), `# X\n\n## Test\n\n\`\`\`sh\n${first}\n\`\`\`\n`);
  await writeFile(join(folder, "package.json"), JSON.stringify({ scripts: { "test:rest": rest } }));
  await mkdir(join(folder, "node_modules/.bin"), { recursive: true });
  await writeFile(join(folder, "node_modules/.bin/vitest"), VITEST, { mode: 0o755 });
  const run = promisify(execFile)(join(folder, ".ci/run"), { cwd: folder });
  const ended = run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const { code, stdout } = await ended;
  return { code, lines: stdout.trimEnd().split("\n") };
}

/** A run of which these files failed, each with one test of three. */
function failing(...names: string[]): string {
  const list = names.map((name) => `2 1 0 test/${name}.test.ts\\n`).join("");
  return `printf '${list}' >"$NODAL_FAILED_FILES"; echo "${12 - names.length} passed, ${names.length} failed"; exit 1`;
}

const GOOD = "echo 12 passed, 0 failed, 1 skipped";

test("both runs are counted together in the last line", async () => {
  const { code, lines } = await runWith(GOOD, "echo 30 passed, 0 failed");
  expect({ code, lastLine: lines.at(-1) }).toEqual({ code: 0, lastLine: "42 passed, 0 failed, 1 skipped" });
});

test.each([
  ["fails without naming a file", "echo 30 passed, 1 failed; exit 1"],
  ["says no counts", "echo fine"],
  ["passes nothing", "echo 0 passed, 0 failed"],
  ["ends badly after good counts", "echo 30 passed, 0 failed; exit 3"],
  ["has an error outside of its failed files", failing("a").replace("1 failed", "2 failed")],
  ["ends otherwise than for failed tests", failing("a").replace("exit 1", "exit 139")],
  ["fails before any test, as `npm run check` does", "exit 1"],
  ["has a file that fails twice", failing("broken")],
  ["has a file without counts at the second time", failing("crashing")],
  ["has one that fails twice among flaky ones", failing("a", "broken")],
  ["has four flaky files", failing("a", "b", "c", "d")],
])("a run that %s ends it, whichever of the two it is", async (_what, bad) => {
  for (const [first, rest] of [
    [bad, GOOD],
    [GOOD, bad],
  ]) {
    const { code, lines } = await runWith(first!, rest!);
    expect(code).not.toBe(0);
    expect(lines.at(-1)).not.toMatch(/^(24|42) passed/);
  }
});

test("a failed file is run once more in the set it is of, and named at the end if it passes then", async () => {
  const { code, lines } = await runWith(failing("a", "b"), failing("c"));
  expect(code).toBe(0);
  expect(lines.filter((line) => line.startsWith("again:"))).toEqual([
    "again: short test/a.test.ts",
    "again: short test/b.test.ts",
    "again: rest test/c.test.ts",
  ]);
  expect(lines.slice(-4)).toEqual([
    "flaky: test/a.test.ts",
    "flaky: test/b.test.ts",
    "flaky: test/c.test.ts",
    // 10 and 11 at first, of which 2 in each failed file; then 3 in each, and one skipped.
    "24 passed, 0 failed, 3 skipped",
  ]);
});

test("more than three flaky files in both runs together end it, and are named", async () => {
  const { code, lines } = await runWith(failing("a", "b"), failing("c", "d"));
  expect(code).not.toBe(0);
  expect(lines.slice(-4)).toEqual(["a", "b", "c", "d"].map((name) => `flaky: test/${name}.test.ts`));
});

const filesOf = async ({ include, exclude }: { include: readonly string[]; exclude: readonly string[] }) =>
  (await Array.fromAsync(glob(include, { cwd: REPOSITORY, exclude: [...exclude, "**/node_modules/**"] }))).toSorted();

test("each test file is in the short set or in the rest, and every name leads to a file", async () => {
  const [short, rest, all] = await Promise.all([SETS.short, SETS.rest, SETS.all].map(filesOf));
  expect([...short!, ...rest!].toSorted()).toEqual(all);
  for (const pattern of SETS.rest.include.flatMap(alternatives)) {
    const found = await Array.fromAsync(glob(pattern, { cwd: REPOSITORY }));
    expect({ pattern, isThere: found.length > 0 }).toEqual({ pattern, isThere: true });
  }
});

/** `a/{b,c}.ts` is `a/b.ts` and `a/c.ts`. */
function alternatives(pattern: string): string[] {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return names === undefined ? [pattern] : names.split(",").map((name) => `${before}${name}${after}`);
}

test("the short set has the file that calls every route", async () => {
  const calling: string[] = [];
  for (const file of await filesOf(SETS.short)) {
    const text = await readFile(join(REPOSITORY, file), "utf8");
    if (text.includes("callEveryRoute(") && text.includes("/openapi.json")) calling.push(file);
  }
  expect(calling).toEqual(["test/wire/tenants.test.ts"]);
});
