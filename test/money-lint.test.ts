// No float holds money: checked over the types of the whole program, the schema and the migrations.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterEach, describe, expect, test } from "vitest";
import { listFiles, plantFiles, REPOSITORY } from "./support/files.ts";
import { findMoneyFloats, findSqlFloats } from "./support/money-types.ts";

const planted: string[] = [];
afterEach(() => planted.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

function compilerOptions(): ts.CompilerOptions {
  const path = join(REPOSITORY, "tsconfig.json");
  const read = ts.readConfigFile(path, (file) => readFileSync(file, "utf8"));
  return ts.parseJsonConfigFileContent(read.config, { ...ts.sys, readDirectory: () => [path] }, REPOSITORY).options;
}

function findPlanted(files: Record<string, string>): string[] {
  const root = plantFiles(files);
  planted.push(root);
  return findMoneyFloats(root, listFiles(root, ".ts"), { ...compilerOptions(), types: [] });
}

describe("in the repository", () => {
  test("no name that says money has a type with `number` in it", () => {
    const paths = ["src", "bench"].flatMap((folder) => listFiles(join(REPOSITORY, folder), ".ts"));
    const checked = paths.filter((path) => !/(\.test|\/test-[^/]+|\/testing)\.ts$/.test(path));
    expect(checked).toContain(join(REPOSITORY, "src/platform/money.ts"));
    expect(findMoneyFloats(REPOSITORY, checked, compilerOptions())).toEqual([]);
  });

  test("no table or function uses a float, numeric or money type", () => {
    const paths = ["schema", "migrations"].flatMap((folder) => listFiles(join(REPOSITORY, folder), ".sql"));
    expect(paths).toContain(join(REPOSITORY, "schema/06_ledger.sql"));
    for (const path of paths) expect(findSqlFloats(readFileSync(path, "utf8")), path).toEqual([]);
  });
});

describe("planted in TypeScript", () => {
  test.each([
    ["a parameter", "export function pay(amount: number): void { void amount; }", "amount: number"],
    ["a property", "export type Transfer = { readonly amountPaise: number };", "amountPaise: number"],
    ["a property in quotes", 'export type Wire = { "total_amount": number };', "total_amount: number"],
    ["an inferred variable", "export const openingBalance = 10.5;", "openingBalance: 10.5"],
    ["a union", "export type Fee = { feePaise: bigint | number | null };", "feePaise: number | bigint | null"],
    ["a list", "export const amounts: readonly number[] = [];", "amounts: readonly number[]"],
    ["a map", "export const balances = new Map<string, number>();", "balances: Map<string, number>"],
    ["a function's answer", "export function totalAmount() { return 1; }", "totalAmount: () => number"],
    ["a promise", "export async function readBalance() { return 1; }", "readBalance: () => Promise<number>"],
    ["what nobody knows the type of", 'export const { amount } = JSON.parse("{}");', "amount: any"],
    ["a conversion", "export const half = (paise: bigint) => Number(paise) / 2;", "Number(paise)"],
    ["a cast in SQL", "export const text = `select sum(x)::numeric from y`;", "SQL ::numeric"],
    ["`string | number` outside routes", "export type Body = { amount: string | number };", "amount: string | number"],
  ])("%s is reported", (_, text, what) => {
    expect(findPlanted({ "src/planted.ts": text })).toContain(`src/planted.ts:1 ${what}`);
  });

  test("the wire's `string | number` is taken in routes, a plain `number` is not", () => {
    const found = findPlanted({
      "src/payouts/transfer-routes.ts": "export type Body = { amount: string | number };\nexport const amount = 1;",
    });
    expect(found).toEqual(["src/payouts/transfer-routes.ts:2 amount: 1"]);
  });

  test("bigint, texts and numbers that are no money pass", () => {
    const text = `
      export type Transfer = { amountPaise: bigint; amount: string; balances: bigint[]; attempts: number };
      export const formatAmount = (paise: bigint | null) => String(paise);
      export const amountOfRetries = 3;`;
    expect(findPlanted({ "src/passes.ts": text })).toEqual([]);
  });
});

describe("planted in SQL", () => {
  test.each(["float8", "real", "double precision", "numeric(18, 2)", "money", "decimal"])("%s is reported", (type) => {
    expect(findSqlFloats(`create table t (amount ${type} not null);`)).not.toEqual([]);
  });

  test("bigint passes, and so do the words in comments and texts", () => {
    const sql = "-- real money\ncreate table t (/* no float */ amount_paise bigint, kind text default 'money');";
    expect(findSqlFloats(sql)).toEqual([]);
  });
});
