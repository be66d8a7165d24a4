// The page on reconciliation, followed word by word: each of its commands is run on the statement that it shows. Only
// ids and the place of the file are others than on the page.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REPOSITORY } from "./support/files.ts";
import { Installation, type TestMerchant } from "./support/installation.ts";
import { Invoices } from "./support/invoices.ts";
import { nodal } from "./support/nodal.ts";

let installation: Installation;
let merchant: TestMerchant;
const folder = mkdtempSync(join(tmpdir(), "nodal-statement-"));

beforeAll(async () => {
  installation = await Installation.shared();
  const shop = await Invoices.ofNewMerchant(installation);
  await shop.addCustomer({ customer_code: "ACME", customer_name: "Acme Ltd" });
  merchant = shop.merchant;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await installation.stop();
});

/** The lines of the page's blocks of a language, in order. */
function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block]) => block!);
}

type Line = { readonly line_id: string; readonly reference: string | null };

test("each command of the page does what it says", async () => {
  const page = readFileSync(join(REPOSITORY, "docs/reconciliation.md"), "utf8");
  const file = join(folder, "statement.csv");
  writeFileSync(file, blocksOf(page, "csv")[0]!);
  const ids: Record<string, string> = { "1000001": merchant.id, "statement.csv": file };
  const answers = new Map<string, unknown>();
  const commands = blocksOf(page, "sh").flatMap((block) => block.trim().split("\n"));
  expect(commands.length).toBeGreaterThan(8);
  for (const command of commands) {
    const words = command.split(" ");
    expect(words[0]).toBe("nodal");
    const given = words.slice(1).map((word) => ids[word] ?? word);
    const { code, stdout, stderr } = await nodal(installation.environment, "--json", ...given);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: "" });
    answers.set(command.replace(/ --merchant.*--state/, "").replace(/ --merchant.*/, ""), JSON.parse(stdout));
    for (const line of command.endsWith("missing-here") ? (JSON.parse(stdout) as Line[]) : []) {
      const isPayment = line.reference?.startsWith("HDFC");
      ids[line.reference === null ? "<charge>" : isPayment ? "<payment>" : "<funds>"] = line.line_id;
    }
  }
  expect(answers.get("nodal reconcile import")).toMatchObject({
    format: "csv",
    lines: 3,
    new_lines: 3,
    opening_balance: "0.00",
    closing_balance: "101482.30",
    open: 3,
  });
  expect(answers.get("nodal reconcile list missing-here")).toHaveLength(3);
  expect(answers.get("nodal reconcile list different")).toEqual([]);
  expect(answers.get("nodal reconcile report")).toMatchObject([
    { state: "matched", side: "in", amount: "100000.00", matched_by: "utr" },
    { state: "noted", note: "Bank-charges" },
    { state: "noted", side: "in", amount: "1500.00", note: "Receipt RCT-2627-00001" },
  ]);
  expect(answers.get("nodal receipt create")).toMatchObject({
    amount: "1500.00",
    advance_amount: "1500.00",
    statement_line_id: ids["<payment>"],
  });
  expect(answers.get("nodal verify")).toMatchObject({ ok: true });
});

test("a refused file says what is wrong, and is exit code 2", async () => {
  const file = join(folder, "bad.csv");
  writeFileSync(file, "Date,Narration,Ref No,Debit,Credit\n20/11/2026,IMPS,4.12E+11,5.00,\n");
  const named = ["--merchant", merchant.id, "--account", "HDFC", "--file", file];
  const { code, stderr } = await nodal(installation.environment, "reconcile", "import", ...named);
  expect(code).toBe(2);
  expect(stderr).toContain("Line 2, Ref No: a spreadsheet turned the reference into a number (4.12E+11)");
  const mapped = await nodal(installation.environment, "reconcile", "import", ...named, "--map", "date=Date");
  expect(mapped.stderr).toContain("The mapping must have a date, and either an amount or a debit and a credit.");
  const none = await nodal(installation.environment, "reconcile", "resolve", "--merchant", merchant.id, "--line", "5");
  expect(none.stderr).toContain("--reason");
});
