// The list of controls in docs/security.md: each test file that it names exists, and says what it holds.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "./support/files.ts";

const HEADING = "## Controls and their tests";

const section = readFileSync(join(REPOSITORY, "docs/security.md"), "utf8").split(HEADING)[1]!.split("\n## ")[0]!;
const items = section.split("\n").filter((line) => line.startsWith("- "));

test("each item names a test, which exists, and the controls that it holds", () => {
  expect(items.length).toBeGreaterThan(40);
  for (const item of items) {
    const [, file, controls] = /^- `([^`]+\.test\.ts)`: (.+)$/.exec(item) ?? [];
    expect([item, file !== undefined && existsSync(join(REPOSITORY, file)), controls !== undefined]).toEqual([
      item,
      true,
      true,
    ]);
  }
});

test("no test is listed twice", () => {
  const files = items.map((item) => item.split(":")[0]);
  expect(new Set(files).size).toBe(files.length);
});
