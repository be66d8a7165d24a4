// The files and tests that `npm run mutate` names. The run itself takes hours.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GROUPS, LEAST_SCORE } from "../scripts/mutation-groups.ts";
import { REPOSITORY } from "./support/files.ts";

test("the mutated files and their tests exist, and no file is in two groups", () => {
  const files = GROUPS.flatMap((group) => Object.keys(group.files));
  const named = [...files, ...GROUPS.flatMap(({ tests }) => tests)];
  expect(named.filter((file) => !existsSync(join(REPOSITORY, file)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
});

test("a group passes if tests notice at least 90 % of its mutants", () =>
  expect(LEAST_SCORE).toBeGreaterThanOrEqual(90));
