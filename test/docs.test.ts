// What comments and pages point at is there: files, pages, and the rules of docs/rules, each of which is cited by code.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { POSTING_RULES } from "../src/ledger/posting-rules.ts";
import { SECRET_TABLES } from "../src/secret-tables.ts";
import {
  anchorsOf,
  commentsOf,
  findBrokenLinks,
  findBrokenPointers,
  findForeignDocuments,
  findUnknownNames,
  type Place,
} from "./support/pointers.ts";
import { listFiles, REPOSITORY } from "./support/files.ts";

const CODE_FOLDERS = ["src", "schema", "test", "bench", "scripts", "stand-ins", "templates", "web/src"];
/** Names of other programs' settings. */
const OTHERS_NAMES = ["recovery_target_time"];
const CODE = /\.(ts|tsx|mjs|sql|css|typ)$/;

const pages = [
  ...readdirSync(REPOSITORY)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(REPOSITORY, name)),
  ...listFiles(join(REPOSITORY, "docs"), ".md"),
].map(read);
const sources = CODE_FOLDERS.flatMap((folder) => listFiles(join(REPOSITORY, folder), ""))
  .filter((path) => CODE.test(path))
  .map(read);
const comments = sources.map(({ path, text }) => ({ path, text: commentsOf(path, text) }));

const place: Place = {
  exists: (path) => existsSync(join(REPOSITORY, path)),
  fileNames: new Set([...sources.map(({ path }) => basename(path)), ...readdirSync(REPOSITORY)]),
  anchorsOf: (path) => anchorsOf(readFileSync(join(REPOSITORY, path), "utf8")),
};

function read(path: string): { path: string; text: string } {
  return { path: relative(REPOSITORY, path), text: readFileSync(path, "utf8") };
}

test("links, citations, and names of files lead to what is there", () => {
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.flatMap((page) => findBrokenLinks(page, place))).toEqual([]);
  expect([...pages, ...comments].flatMap((file) => findBrokenPointers(file, place))).toEqual([]);
});

test("names between backticks are names of the code", () => {
  const others = sources.filter(({ path }) => path !== "test/docs.test.ts");
  const known = new Set([...OTHERS_NAMES, ...others.flatMap(({ text }) => text.match(/\w+/g) ?? [])]);
  // The changelog says what was, and may name what is no more.
  const current = pages.filter(({ path }) => path !== "CHANGELOG.md");
  expect(current.flatMap((page) => findUnknownNames(page, known))).toEqual([]);
  const page = { path: "docs/a.md", text: "`oneName` `otherName(x)` `gone_name` `TIMES` `GONE_MS` plainWord `a-b`" };
  expect(findUnknownNames(page, new Set(["oneName"]))).toEqual([
    "docs/a.md: otherName",
    "docs/a.md: gone_name",
    "docs/a.md: GONE_MS",
  ]);
});

test("no example fetches somebody else's package", () => {
  const isFetched = ({ text }: { text: string }): boolean => /npx (-\S+ )*nodal\b/.test(text);
  expect(
    [...pages, ...sources]
      .filter((file) => file.path !== "test/docs.test.ts" && isFetched(file))
      .map(({ path }) => path),
  ).toEqual([]);
  expect(["npx nodal verify", "npx --yes nodal"].every((text) => isFetched({ text }))).toBe(true);
});

test("nothing cites a document that is not in the repository", () => {
  expect([...pages, ...comments].flatMap((file) => findForeignDocuments(file, place))).toEqual([]);
});

test("every rule is cited where it is applied", () => {
  const rules = pages.filter(({ path }) => dirname(path) === "docs/rules" && basename(path) !== "README.md");
  expect(rules.length).toBeGreaterThan(5);
  const applied = comments.filter(({ path }) => /^(src|schema)\//.test(path) && !path.endsWith(".test.ts"));
  const cited = new Set(applied.flatMap(({ text }) => text.match(/docs\/rules\/[a-z-]+\.md#[a-z0-9-]+/g) ?? []));
  const all = rules.flatMap(({ path, text }) => [...anchorsOf(text)].slice(1).map((anchor) => `${path}#${anchor}`));
  expect(all.filter((rule) => !cited.has(rule))).toEqual([]);
});

test("the table of postings has the accounts of every kind", () => {
  const page = readFileSync(join(REPOSITORY, "docs/rules/payouts.md"), "utf8").split("## Postings")[1]!;
  const rows = [...page.matchAll(/^\| `(\w+)` \| `(\w+)` \| `(\w+)` \|/gm)].map(([, ...names]) => names);
  expect(rows).toEqual(Object.entries(POSTING_RULES).map(([kind, accounts]) => [kind, ...accounts]));
});

test("the table of encrypted columns has all of them", () => {
  const text = readFileSync(join(REPOSITORY, "docs/security.md"), "utf8");
  const [, table = ""] = text.split("### What is encrypted");
  const rows = table.split("Everything else", 1)[0]!.matchAll(/^\| `(\w+)` \| ([^|]*)\|$/gm);
  const said = [...rows].flatMap(([, name, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, column]) => `${name} ${column}`),
  );
  const kept = SECRET_TABLES.flatMap(({ table: name, columns }) => columns.map((column) => `${name} ${column}`));
  expect(said.toSorted()).toEqual(kept.toSorted());
});

test("what points at nothing is found", () => {
  const planted: Place = {
    exists: (path) => path === "docs/a.md" || path === "src/a.ts",
    fileNames: new Set(["a.ts"]),
    anchorsOf: () => new Set(["top"]),
  };
  const links = "[a](a.md#top) [b](b.md) [c](a.md#gone) [d](#top) [e](#away) [f](https://example.com/x.md)";
  expect(findBrokenLinks({ path: "docs/a.md", text: links }, planted)).toEqual([
    "docs/a.md: b.md",
    "docs/a.md: a.md#gone",
    "docs/a.md: #away",
  ]);
  const pointers = "docs/a.md#top docs/a.md#gone src/a.ts src/b.ts a.ts b.ts `src/a*.ts` migrations/0001_x.sql";
  expect(findBrokenPointers({ path: "src/c.ts", text: pointers }, planted)).toEqual([
    "src/c.ts: docs/a.md#gone",
    "src/c.ts: src/b.ts",
    "src/c.ts: b.ts",
  ]);
  const foreign =
    "docs/a.md decisions.md the specification's fields; the Standard Webhooks specification; group B; decision 12";
  expect(findForeignDocuments({ path: "src/c.ts", text: foreign }, planted)).toEqual([
    "src/c.ts: decisions.md",
    "src/c.ts: the specification",
    "src/c.ts: group B",
    "src/c.ts: decision 12",
  ]);
});

test("anchors are those that GitHub makes", () => {
  const page =
    "# One `two`, three\n\n```sh\n# no heading\n```\n\n## PAN, GSTIN & Aadhaar\n\n## Twice\n\n## Twice\n\n## [A](b.md) link";
  expect([...anchorsOf(page)]).toEqual(["one-two-three", "pan-gstin--aadhaar", "twice", "twice-1", "a-link"]);
});
