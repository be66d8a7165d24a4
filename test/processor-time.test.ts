// The processor time that a run of the tests prints: of all processes that descend from it.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { REPOSITORY } from "./support/files.ts";

const SECONDS = 4;
/** Asks after each thousand roots: asking takes processor time, too. */
const BURN = `
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
  while (used() < ${SECONDS}) for (let each = 0; each < 1e6; each++) Math.sqrt(each);`;
/** Burns, says so, and goes when its parent has gone. */
const ORPHAN = `${BURN} process.send("burnt"); process.once("disconnect", () => process.exit());`;

async function countOf(script: string): Promise<{ code: number; seconds: number }> {
  const args = [join(REPOSITORY, "scripts/processor-time.ts"), process.execPath, "-e", script];
  const ended = promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const { code, stdout } = await ended;
  return { code, seconds: Number(/^processor time: (\d+) s$/m.exec(stdout)?.[1]) };
}

test.skipIf(process.platform !== "linux").each([
  ["the command's own", BURN],
  [
    "a child's that it waits for",
    `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(BURN)}])`,
  ],
  [
    "a child's that outlives it",
    `require("node:child_process")
      .spawn(process.execPath, ["-e", ${JSON.stringify(ORPHAN)}], { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] })
      .once("message", () => process.exit())`,
  ],
])("counts %s processor time", async (_whose, script) => {
  const { code, seconds } = await countOf(script);
  expect(code).toBe(0);
  // Starting Node takes some more, on a busy machine up to a second for each process. Nothing is counted twice.
  expect(seconds).toBeGreaterThanOrEqual(SECONDS);
  expect(seconds).toBeLessThan(2 * SECONDS);
});

test("ends with the command's exit code", async () => {
  expect(await countOf("process.exit(7)")).toMatchObject({ code: 7 });
});
