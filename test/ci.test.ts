// Continuous integration and the sets of tests: what is left out of `npm test` is run after it, and both are counted.
// What belongs here: .ci/run with stand-ins for the tests, and that the names of the sets lead to files.
import { execFile } from "node:child_process";
import { cp, glob, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { REPOSITORY } from "./support/files.ts";
import { SETS } from "./support/test-set.ts";

/** Runs .ci/run where the README's command and the rest do no more than say these last lines. */
async function runWith(first: string, rest: string): Promise<{ code: number; lastLine: string }> {
  const folder = await mkdtemp(join(tmpdir(), "nodal-ci-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(REPOSITORY, ".ci"), join(folder, ".ci"), { recursive: true });
  await writeFile(join(folder, "README.md"), `# X\n\n## Test\n\n\`\`\`sh\n${first}\n\`\`\`\n`);
  await writeFile(join(folder, "package.json"), JSON.stringify({ scripts: { "test:rest": rest } }));
  const run = promisify(execFile)(join(folder, ".ci/run"), { cwd: folder });
  const ended = run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const { code, stdout } = await ended;
  return { code, lastLine: stdout.trimEnd().split("\n").at(-1)! };
}

const GOOD = "echo 12 passed, 0 failed, 1 skipped";

test("both runs are counted together in the last line", async () => {
  expect(await runWith(GOOD, "echo 30 passed, 0 failed")).toEqual({
    code: 0,
    lastLine: "42 passed, 0 failed, 1 skipped",
  });
});

test.each([
  ["fails", "echo 30 passed, 1 failed"],
  ["says no counts", "echo fine"],
  ["passes nothing", "echo 0 passed, 0 failed"],
  ["ends badly after good counts", "echo 30 passed, 0 failed; exit 3"],
])("a run that %s ends it, whichever of the two it is", async (_what, bad) => {
  for (const [first, rest] of [
    [bad, GOOD],
    [GOOD, bad],
  ]) {
    const { code, lastLine } = await runWith(first!, rest!);
    expect(code).not.toBe(0);
    expect(lastLine).not.toMatch(/^42 passed|^24 passed/);
  }
});

test("what is left out of the short set is in the rest, and every name leads to a file", async () => {
  expect(SETS.rest.include).toEqual(expect.arrayContaining([...SETS.short.exclude]));
  expect(SETS.all).toEqual({ include: SETS.short.include, exclude: [] });
  for (const pattern of SETS.rest.include) {
    const found = await Array.fromAsync(glob(pattern, { cwd: REPOSITORY }));
    expect({ pattern, isThere: found.length > 0 }).toEqual({ pattern, isThere: true });
  }
});
