// The table of controls in docs/security.md: every file that it names is there, and what misses a control is a test.
// What belongs here: the table's form. Whether its rows are true was tried by taking each control out.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "./support/files.ts";

const HEADING = "## Controls and the tests that miss them";

const section = readFileSync(join(REPOSITORY, "docs/security.md"), "utf8").split(HEADING)[1]!.split("\n## ")[0]!;
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Control |"))
  .map((line) => line.slice(2, -2).split(" | "));

test("each row names a control, a file and a test, which exist", () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) {
    const [control, ...files] = row;
    expect([row, row.length]).toEqual([row, 3]);
    const [where, miss] = files.map((file) => /^`([^`]+)`$/.exec(file)?.[1] ?? "");
    expect([control, existsSync(join(REPOSITORY, where!)), existsSync(join(REPOSITORY, miss!))]).toEqual([
      control,
      true,
      true,
    ]);
    expect([control, miss]).toEqual([control, expect.stringMatching(/\.test\.ts$/)]);
  }
});

test("no control is listed twice", () => {
  const controls = rows.map(([control]) => control);
  expect(new Set(controls).size).toBe(controls.length);
});
