// The import rules and the placement of SQL: the repository keeps them, and a violation of each is reported.
// The planted tree is checked by the same command and configuration as `npm run check`, so that it can't pass silently.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listFiles, plantFiles, REPOSITORY } from "./support/files.ts";
import { findMisplacedSql } from "./support/misplaced-sql.ts";

const CONFIGURATION = join(REPOSITORY, ".dependency-cruiser.mjs");
const DEPCRUISE = join(REPOSITORY, "node_modules/.bin/depcruise");
const DOMAINS_IN_ORDER = [
  "ledger",
  "merchants",
  "payouts",
  "items",
  "books",
  "customers",
  "franchises",
  "invoices",
  "drafts",
  "estimates",
  "documents",
  "subscriptions",
  "webhooks",
  "reconciliation",
];
const PLACES = new Set([
  ...DOMAINS_IN_ORDER,
  "approvals",
  "installation",
  "audit",
  "notifications",
  "api",
  "api-reference",
  "platform",
  "cli",
  "main.ts",
  "program.ts",
  "secret-tables.ts",
  "server-base.ts",
  "server.ts",
  "database.ts",
]);

/** Its folders are tools, which know no domain and may use each other; `no-cycles` holds for their files. */
const FREE = new Set(["platform"]);

/** The folders of each domain that has some, lowest first. */
const FOLDERS_IN_ORDER: Readonly<Record<string, readonly string[]>> = {
  merchants: ["approvals", "users", "keys"],
  payouts: [
    "rails",
    "fees",
    "providers",
    "beneficiaries",
    "batch",
    "bulk",
    "dispatch",
    "statement",
    "tags",
    "attachments",
    "lists",
    "verify",
  ],
  invoices: [
    "lines",
    "numbers",
    "templates",
    "register",
    "dues",
    "advances",
    "credit-notes",
    "settlements",
    "saves",
    "lists",
    "opening",
    "debit-notes",
    "receipts",
    "tds",
  ],
  reconciliation: ["reading"],
};

/** In each folder, an import of the next one; in the last, of one that the rules don't know. */
const FOLDER_VIOLATIONS = Object.fromEntries(
  Object.entries(FOLDERS_IN_ORDER).flatMap(([domain, folders]) =>
    folders.map((folder, place) => {
      const text = `import "../${folders[place + 1] ?? "new-folder"}/inside.ts";`;
      return [`src/${domain}/${folder}/looks-up.ts`, { text, rules: [`${domain}-folders`] }];
    }),
  ),
);

/** Planted files, each of which breaks the rules named beside its text. */
const VIOLATIONS: Record<string, { text: string; rules: string[] }> = {
  "src/platform/knows.ts": { text: 'import "../ledger/index.ts";', rules: ["platform-knows-no-domain"] },
  "src/ledger/looks-up.ts": { text: 'import "../merchants/index.ts";', rules: ["ledger-order"] },
  "src/merchants/looks-up.ts": { text: 'import "../customers/index.ts";', rules: ["merchants-order"] },
  "src/audit/looks-up.ts": { text: 'import "../payouts/index.ts";', rules: ["audit-order"] },
  "src/books/looks-up.ts": { text: 'import "../invoices/index.ts";', rules: ["books-order"] },
  "src/items/looks-up.ts": { text: 'import "../customers/index.ts";', rules: ["items-order"] },
  "src/franchises/looks-up.ts": { text: 'import "../invoices/index.ts";', rules: ["franchises-order"] },
  "src/customers/looks-up.ts": { text: 'import "../franchises/index.ts";', rules: ["customers-order"] },
  "src/approvals/looks-up.ts": { text: 'import "../invoices/index.ts";', rules: ["approvals-order"] },
  "src/payouts/pays-upwards.ts": {
    text: 'import type { Value } from "../franchises/index.ts"; export const it: Value = 1;',
    rules: ["payouts-order"],
  },
  "src/payouts/looks-up.ts": { text: 'export * from "../invoices/index.ts";', rules: ["payouts-order"] },
  "src/reconciliation/looks-up.ts": { text: 'import "../documents/index.ts";', rules: ["reconciliation-order"] },
  "src/payouts/rails/looks-out.ts": { text: 'import "../../webhooks/index.ts";', rules: ["payouts-order"] },
  "src/invoices/looks-up.ts": {
    text: 'export const late = import("../subscriptions/index.ts");',
    rules: ["invoices-order"],
  },
  "src/drafts/looks-up.ts": { text: 'import "../documents/index.ts";', rules: ["drafts-order"] },
  "src/estimates/looks-up.ts": { text: 'import "../documents/index.ts";', rules: ["estimates-order"] },
  "src/documents/looks-up.ts": {
    text: 'export const late = import("../subscriptions/index.ts");',
    rules: ["documents-order"],
  },
  "src/subscriptions/looks-up.ts": { text: 'import "../webhooks/index.ts";', rules: ["subscriptions-order"] },
  "src/notifications/looks-aside.ts": { text: 'import "../webhooks/index.ts";', rules: ["notifications-order"] },
  "src/webhooks/looks-aside.ts": { text: 'import "../notifications/index.ts";', rules: ["webhooks-order"] },
  "src/webhooks/looks-up.ts": { text: 'import "../api/index.ts";', rules: ["webhooks-order"] },
  "src/merchants/type-only.ts": {
    text: 'import type { Value } from "../payouts/index.ts"; export const it: Value = 1;',
    rules: ["merchants-order"],
  },
  "src/payouts/reaches-in.ts": { text: 'import "../ledger/inside.ts";', rules: ["only-through-index"] },
  "src/cli/reaches-in.ts": { text: 'import "../ledger/inside.ts";', rules: ["only-through-index"] },
  "src/main.ts": { text: 'import "./ledger/inside.ts";', rules: ["only-through-index"] },
  "src/payouts/calls-root.ts": { text: 'import "../server.ts";', rules: ["roots-import-and-are-not-imported"] },
  "src/payouts/first.ts": { text: 'import "./second.ts";', rules: ["no-cycles"] },
  "src/payouts/request-transfer.ts": { text: 'import pg from "pg"; void pg;', rules: ["sql-only-in-stores"] },
  "src/payouts/typed.ts": {
    text: 'import type { Pool } from "pg"; export type Own = Pool;',
    rules: ["sql-only-in-stores"],
  },
  "src/ledger/node.ts": { text: 'import "../platform/database/citus/nodes.ts";', rules: ["citus-through-index"] },
  "src/platform/reports.ts": { text: 'import { Pool } from "pg"; void Pool;', rules: ["sql-only-in-stores"] },
  "src/payouts/transfer.ts": {
    text: 'import { fastify } from "fastify"; void fastify;',
    rules: ["http-only-in-routes"],
  },
  "src/server.ts": { text: 'import "@fastify/formbody";', rules: ["http-only-in-routes"] },
  "src/payouts/tested.ts": { text: 'import "../../test/support/help.ts";', rules: ["no-test-code-in-production"] },
  "src/payouts/helped.ts": { text: 'import "./test-bank.ts";', rules: ["no-test-code-in-production"] },
  "src/payouts/checked.ts": {
    text: 'import { assert } from "fast-check"; void assert;',
    rules: ["no-development-packages-in-production"],
  },
  "src/webhooks/shows.ts": { text: 'import "../api/index.ts";', rules: ["webhooks-order"] },
  "src/api/reaches-in.ts": { text: 'import "../ledger/inside.ts";', rules: ["only-through-index"] },
  "src/api/calls-root.ts": {
    text: 'import "../cli/nodal.ts";',
    rules: ["roots-import-and-are-not-imported"],
  },
  "src/platform/draws.ts": { text: 'import "../../web/src/main.tsx";', rules: ["server-apart-from-application"] },
  "web/src/api/reaches-over.ts": {
    text: 'import "../../../src/ledger/index.ts";',
    rules: ["dashboard-knows-its-api-only"],
  },
  "web/src/api/runs-server.ts": {
    text: 'import { type Value, run } from "../../../src/api/index.ts"; export const it: Value = run();',
    rules: ["dashboard-knows-its-api-as-types"],
  },
  "web/src/pages/home/borrows.ts": { text: 'import "../security/page.ts";', rules: ["areas-apart"] },
  "web/src/forms/knows-page.ts": {
    text: 'import "../pages/security/page.ts";',
    rules: ["building-blocks-know-no-page"],
  },
  "src/payouts/lost.ts": { text: 'import "./nowhere.ts";', rules: ["resolvable"] },
  ...FOLDER_VIOLATIONS,
};

/** Planted files that keep the rules, or that are the innocent end of a cycle, which is reported once. */
const PASSES: Record<string, string> = {
  ...Object.fromEntries(
    [...PLACES]
      .filter((place) => !/cli|platform|\.ts/.test(place))
      .map((domain) => [`src/${domain}/index.ts`, "export type Value = number;"]),
  ),
  ...Object.fromEntries(
    Object.entries(FOLDERS_IN_ORDER).flatMap(([domain, folders]) =>
      [...folders, "new-folder"].map((folder, place) => [
        `src/${domain}/${folder}/inside.ts`,
        `import "../beside.ts";${place > 0 && place < folders.length ? ` import "../${folders[place - 1]}/inside.ts";` : ""}`,
      ]),
    ),
  ),
  ...Object.fromEntries(
    Object.keys(FOLDERS_IN_ORDER).map((domain) => [`src/${domain}/beside.ts`, "export const it = 1;"]),
  ),
  "src/ledger/inside.ts": 'import "../platform/help.ts";',
  "src/platform/help.ts": "export const help = 1;",
  "src/payouts/second.ts": 'import "./first.ts";',
  "src/payouts/uses.ts": DOMAINS_IN_ORDER.slice(0, 2)
    .map((domain) => `import "../${domain}/index.ts";`)
    .join("\n"),
  "src/payouts/transfer-store.ts": 'import pg from "pg"; void pg;',
  "src/payouts/transfer-routes.ts": 'import { fastify } from "fastify"; void fastify;',
  "src/platform/http/server.ts": 'import { fastify } from "fastify"; import "@fastify/formbody"; void fastify;',
  "src/platform/database/pool.ts": 'import pg from "pg"; import "./citus/nodes.ts"; void pg;',
  "src/platform/database/citus/nodes.ts": "export const nodes = 1;",
  "src/platform/database/citus/index.ts": 'export * from "./nodes.ts";',
  "src/merchants/spread.ts": 'import "../platform/database/citus/index.ts";',
  "src/ledger/whole.test.ts": 'import "../payouts/index.ts"; import "../../test/support/help.ts"; import "pg";',
  "src/payouts/test-bank.ts": 'import "../webhooks/index.ts"; import "pg";',
  "src/cli/nodal.ts": 'import "../payouts/index.ts"; import "../server.ts";',
  "web/src/main.tsx": 'import "./pages/security/page.ts"; import "../../src/platform/money.ts";',
  "web/src/pages/security/page.ts": 'import "../../../../src/api/sections.ts";',
  "web/src/api/contract.ts": 'import type { Value } from "../../../src/api/index.ts"; export const it: Value = 1;',
  "src/api/sections.ts": "export const SECTIONS = [];",
  "src/platform/money.ts": "export const rupee = 100n;",
  "test/support/help.ts": 'import "../../src/payouts/uses.ts";',
};

type Violation = { readonly from: string; readonly rule: { readonly name: string } };
type Report = {
  readonly summary: {
    readonly violations: readonly Violation[];
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] };
  };
};

function checkImports(folder: string): Report["summary"] {
  const options = ["--config", CONFIGURATION, "--output-type", "json", "src", "web/src"];
  const run = spawnSync(process.execPath, [DEPCRUISE, ...options], { cwd: folder, encoding: "utf8" });
  expect(run.stderr).toBe("");
  return (JSON.parse(run.stdout) as Report).summary;
}

describe("import rules", () => {
  let folder: string;
  let summary: Report["summary"];

  beforeAll(() => {
    const broken = Object.entries(VIOLATIONS).map(([path, { text }]) => [path, text]);
    const manifest = { type: "module", dependencies: { pg: "*", fastify: "*", "@fastify/formbody": "*" } };
    folder = plantFiles({
      ...PASSES,
      ...Object.fromEntries(broken),
      "package.json": JSON.stringify({ ...manifest, devDependencies: { "fast-check": "*" } }),
    });
    symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
    summary = checkImports(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(Object.entries(VIOLATIONS))("%s is reported", (path, { rules }) => {
    const reported = summary.violations.filter(({ from }) => from === path).map(({ rule }) => rule.name);
    expect([...new Set(reported)]).toEqual(rules);
  });

  test("what keeps the rules is not reported", () => {
    const reported = new Set(summary.violations.map(({ from }) => from));
    expect([...reported].filter((path) => path in PASSES)).toEqual([]);
  });

  test("every rule of the configuration has a planted violation", () => {
    const planted = new Set(Object.values(VIOLATIONS).flatMap(({ rules }) => rules));
    const names = summary.ruleSetUsed.forbidden.map(({ name }) => name);
    expect(names.filter((name) => !planted.has(name))).toEqual([]);
  });
});

describe("in the repository", () => {
  test("every file is in a folder that the import rules know", () => {
    expect(readdirSync(join(REPOSITORY, "src")).filter((name) => !PLACES.has(name))).toEqual([]);
  });

  test("every folder of a domain is one that the import rules know", () => {
    const found = [...PLACES]
      .filter((place) => !FREE.has(place) && !place.endsWith(".ts"))
      .flatMap((domain) => {
        const folders = readdirSync(join(REPOSITORY, "src", domain), { withFileTypes: true }).filter((entry) =>
          entry.isDirectory(),
        );
        return folders.map(({ name }) => `${domain}/${name}`);
      });
    const known = new Set(
      Object.entries(FOLDERS_IN_ORDER).flatMap(([domain, folders]) => folders.map((folder) => `${domain}/${folder}`)),
    );
    expect(found.filter((folder) => !known.has(folder))).toEqual([]);
  });

  test("SQL is in stores only", () => {
    const paths = listFiles(join(REPOSITORY, "src"), ".ts");
    expect(paths.flatMap((path) => findMisplacedSql(REPOSITORY, path, readFileSync(path, "utf8")))).toEqual([]);
  });
});

describe("planted SQL", () => {
  const find = (name: string, text: string) => findMisplacedSql("/r", `/r/src/payouts/${name}`, text);

  test.each([
    ["a call", "await pool.query(READ_BALANCE);", "runs a query"],
    ["a text", 'const text = "insert into transfer values (1)";', "holds SQL"],
    ["a template", "const text = `\n select id\n from transfer where id = ${id}`;", "holds SQL"],
    ["an update", 'const text = "update ledger_account set balance = 0";', "holds SQL"],
  ])("%s is reported", (_, text, what) => {
    expect(find("request-transfer.ts", text)).toEqual([`src/payouts/request-transfer.ts:1 ${what}`]);
    expect(find("transfer-store.ts", text)).toEqual([]);
    expect(find("transfer.test.ts", text)).toEqual([]);
  });

  test("prose is not SQL", () => {
    expect(find("transfer.ts", 'const help = ["Select a merchant.", "Update the account."];')).toEqual([]);
  });
});
