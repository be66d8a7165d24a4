// What every file of results says of where its numbers are from.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { describeCommit } from "./report.ts";

test("the commit is named, and whether anything was changed since", async ({ skip }) => {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" });
  skip(!isWorkingCopy(), "not in a working copy");
  const commit = await describeCommit();
  expect(commit!.slice(0, 40)).toBe(git("rev-parse", "HEAD").trim());
  const isChanged = git("status", "--porcelain", "--", ":/", ":!/bench/results") !== "";
  expect(commit!.slice(40)).toBe(isChanged ? "+" : "");
});

function isWorkingCopy(): boolean {
  try {
    execFileSync("git", ["rev-parse", "HEAD"], { cwd: import.meta.dirname, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
