// The sources of the dashboard: any change to them triggers a new build.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { listFiles, REPOSITORY } from "../../test/support/files.ts";
import { SHARED } from "./built-files.ts";

/** A file's imports from this repository, without type imports. */
function importsOf(path: string): string[] {
  const found = readFileSync(path, "utf8").matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)";/gms);
  return [...found].map(([, name]) => join(dirname(path), name!));
}

test("what the dashboard's pages share with the server is all named", () => {
  const pages = [".ts", ".tsx"].flatMap((ending) => listFiles(join(REPOSITORY, "web/src"), ending));
  expect(pages.length).toBeGreaterThan(200);
  const found = new Set<string>();
  const follow = (path: string): void => {
    for (const name of importsOf(path)) {
      if (!name.startsWith(join(REPOSITORY, "src/")) || found.has(name)) continue;
      found.add(name);
      follow(name);
    }
  };
  pages.forEach(follow);
  const names = [...found].map((path) => relative(REPOSITORY, path));
  expect(names.toSorted()).toEqual(SHARED.filter((path) => path.startsWith("src/")));
});
