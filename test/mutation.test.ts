// The mutation run's own rules: it mutates files that there are, with tests that there are, and reports what is not noticed.
// What belongs here: what can be checked without running it. The run itself is `npm run mutate`: docs/mutation.md.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ACCEPTED } from "../scripts/mutation/accepted.ts";
import { GROUPS, LEAST_SCORE, SQL_TESTS } from "../scripts/mutation/groups.ts";
import type { Outcome } from "../scripts/mutation/outcome.ts";
import { describeOutcomes, isAbout, replaceReport } from "../scripts/mutation/report.ts";
import { mutateDefinition } from "../scripts/mutation/sql-mutants.ts";
import { REPOSITORY } from "./support/files.ts";

const FILES = GROUPS.flatMap(({ files }) => Object.keys(files));

describe("what is mutated", () => {
  test("is there, once, and so are the tests", () => {
    const named = [...FILES, ...GROUPS.flatMap(({ tests }) => tests), ...SQL_TESTS];
    expect(named.filter((file) => !existsSync(join(REPOSITORY, file)))).toEqual([]);
    expect(new Set(FILES).size).toBe(FILES.length);
  });

  test("must be noticed in nine cases of ten at least", () => expect(LEAST_SCORE).toBeGreaterThanOrEqual(90));

  test("is excused with a reason, where the line is still there", () => {
    const isThere = ({ file, line }: (typeof ACCEPTED)[number]): boolean =>
      !FILES.includes(file) || readFileSync(join(REPOSITORY, file), "utf8").includes(line);
    expect(ACCEPTED.filter((accepted) => !isThere(accepted))).toEqual([]);
    expect(ACCEPTED.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});

describe("the report", () => {
  const [excused] = ACCEPTED;
  const survivor: Outcome = { ...excused!, status: "Survived" };
  const killed: Outcome = { ...survivor, file: "src/x.ts", status: "Killed" };
  const outcomes = (count: number, outcome: Outcome): Outcome[] => Array.from({ length: count }, () => outcome);

  test("is good where nine of ten are killed and the others have a reason", () => {
    const { isGood, text } = describeOutcomes([...outcomes(9, killed), survivor], "2026-11-21");
    expect(isGood).toBe(true);
    expect(text).toContain("9 of 10 mutants killed: 90.0 %. Run of 2026-11-21.");
    expect(text).toContain("| `src/x.ts` | 9 | 9 | 100.0 % |");
    expect(text).toContain(excused!.reason);
  });

  test("is not good where fewer are killed", () => {
    expect(describeOutcomes([...outcomes(8, killed), survivor], "2026-11-21").isGood).toBe(false);
  });

  test("is not good where one has no reason, or no test at all", () => {
    for (const status of ["Survived", "NoCoverage"] as const) {
      const { isGood, text } = describeOutcomes([...outcomes(99, killed), { ...killed, status }], "2026-11-21");
      expect(isGood).toBe(false);
      expect(text).toContain("**not explained**");
    }
  });

  test("takes its group's place in the page, or the end", () => {
    const page = "# Page\n\nWords.\n\n### one\n\nold\n\n### two\n\nkept\n";
    expect(replaceReport(page, "one", "new\n")).toBe("# Page\n\nWords.\n\n### one\n\nnew\n\n### two\n\nkept\n");
    expect(replaceReport(page, "three", "new\n")).toBe(`${page}\n### three\n\nnew\n`);
  });

  test("takes a reason for the mutant that it is about only", () => {
    expect(isAbout(excused!, survivor)).toBe(true);
    expect(isAbout(excused!, { ...survivor, file: "src/x.ts" })).toBe(false);
    expect(isAbout(excused!, { ...survivor, line: "" })).toBe(false);
    expect(isAbout(excused!, { ...survivor, replacement: "" })).toBe(false);
  });
});

test("a view's mutants have one mistake each, and none in a comment", () => {
  const definition =
    "create or replace view f with (security_invoker = true) as\n  select a + 1 -- not 1 + 1\n  where rule.credit_kind is not null";
  expect(mutateDefinition("f", definition).map(({ file, replacement }) => [file, replacement])).toEqual([
    ["f", "select a - 1"],
    ["f", "select a + 2"],
    ["f", "where rule.credit_kind is null"],
  ]);
});
