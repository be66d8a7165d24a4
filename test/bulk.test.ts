// The page on many payouts, followed word by word: each of its commands is run on the files that it shows. Only ids and
// the places of files are others than on the page.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { REPOSITORY } from "./support/files.ts";
import { Installation, type Members, type TestMerchant } from "./support/installation.ts";
import { nodal, nodalJson } from "./support/nodal.ts";

let installation: Installation;
let merchant: TestMerchant;
const folder = mkdtempSync(join(tmpdir(), "nodal-bulk-"));

beforeAll(async () => {
  installation = await Installation.shared();
  merchant = await installation.newMerchant({ fund: "10000.00" });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await installation.stop();
});

function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block]) => block!);
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** What a file's preview says, as `line field`. */
async function notesOf(name: string, lines: readonly string[]) {
  const file = write(name, `${lines.join("\n")}\n`);
  const { code, stdout } = await nodal(
    ...([installation.environment, "--json", "transfer", "import", "--merchant", merchant.id, "--file", file] as const),
  );
  type Note = { readonly line: number; readonly field: string };
  const { errors, warnings } = JSON.parse(stdout) as { errors: Note[]; warnings: Note[] };
  const brief = (notes: Note[]): string[] => notes.map(({ line, field }) => `${line} ${field}`);
  return { code, errors: brief(errors), warnings: brief(warnings) };
}

test("each command of the page does what it says", async () => {
  const page = readFileSync(join(REPOSITORY, "docs/bulk.md"), "utf8");
  const [salaries, november, staff] = blocksOf(page, "csv");
  const ids: Record<string, string> = {
    "1000001": merchant.id,
    "salaries.csv": write("salaries.csv", salaries!),
    "november.csv": write("november.csv", november!),
    "result.csv": join(folder, "result.csv"),
    "staff.csv": write("staff.csv", staff!),
    "staff-ids.csv": join(folder, "staff-ids.csv"),
  };
  const run = async (command: string) => {
    const words = command.split(" ");
    expect(words[0]).toBe("nodal");
    const given = words.slice(1).map((word) => ids[word] ?? word);
    return nodal(installation.environment, "--json", ...given);
  };
  const [bad, good, confirm, list, result, cancel, scheduled, look, save, ...others] = blocksOf(page, "sh").flatMap(
    (block) => block.trim().split("\n"),
  );
  const before = await merchant.snapshot();
  const refused = await run(bad!);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ lines: 3, errors: [{ line: 4, field: "scheduled_for" }] });
  expect(JSON.parse((await run(good!)).stdout)).toMatchObject({
    lines: 2,
    errors: [],
    amount_of_good_lines: "1790.50",
  });
  expect(await merchant.snapshot()).toEqual(before);
  const { batch_id: id } = JSON.parse((await run(confirm!)).stdout) as { batch_id: string };
  ids["<batch>"] = id;
  expect(JSON.parse((await run(list!)).stdout)).toMatchObject([{ batch_id: id, name: "november.csv", payouts: 2 }]);
  await vi.waitFor(async () => expect(await merchant.available()).toBe("8209.50"), { timeout: 180_000 });
  await vi.waitFor(
    async () => expect(JSON.parse((await run(result!)).stdout)).toMatchObject({ batch_status: "FINISHED" }),
    { timeout: 180_000 },
  );
  const file = readFileSync(ids["result.csv"]!, "utf8").trimEnd().split("\r\n");
  expect(file).toHaveLength(3);
  expect(file[2]).toMatch(/^3,salary-2,\d+,Ravi Kumar,1200.50,,SUCCESS,\d+,\w+,,,Salary November$/);
  const late = await run(cancel!);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("This batch has nothing left to cancel")]);
  expect(JSON.parse((await run(scheduled!)).stdout)).toEqual([]);
  expect(others).toEqual([]);
  await importStaff(
    () => run(look!),
    () => run(save!),
    ids["staff-ids.csv"]!,
  );
});

/** The page's last two commands: the first one saves nothing, the second one all but the one who is there. */
async function importStaff(look: () => ReturnType<typeof nodal>, save: () => ReturnType<typeof nodal>, result: string) {
  const before = await merchant.snapshot();
  const preview = JSON.parse((await look()).stdout) as Members;
  expect(preview).toMatchObject({ lines: 3, to_be_saved: 2, errors: [], there: [{ line: 2, name: "Asha Rao" }] });
  expect(await merchant.snapshot()).toEqual(before);
  expect(JSON.parse((await save()).stdout)).toMatchObject({ lines: 3, saved: 2, there_already: 1 });
  const file = readFileSync(result, "utf8").trimEnd().split("\r\n");
  expect(file[0]).toBe("\uFEFFline,name,account_number,ifsc,upi,beneficiary_id,status");
  expect(file[1]).toMatch(/^2,Asha Rao,XXXX1772,HDFC0000001,,\d+,THERE_ALREADY$/);
  expect(file[3]).toMatch(/^4,Uma Iyer,,,XXXX@upi,\d+,SAVED$/);
  expect(JSON.parse((await save()).stdout)).toMatchObject({ lines: 3, saved: 0, there_already: 3 });
}

test("a file's preview says what is wrong, and what looks odd", async () => {
  const saved = await merchant.addBeneficiary({ account_number: "00987654321", ifsc: "HDFC0000009" });
  const head = "Beneficiary ID,Name,Account-Number,IFSC,UPI,Amount,Reference_ID";
  const found = await notesOf("odd.csv", [
    head,
    `${saved},,,,,10.00,odd-1`,
    `77,,,,,10.00,odd-2`,
    `,Uma,,,uma@upi,"1000,00",odd-3`,
    `,Uma,,,uma@upi,1.00,odd-1`,
    `,Uma,123456789,,,1.00,odd-4`,
    `${saved},,,,,10.00,`,
    `,Somebody,00987654321,hdfc0000009,,5.00,`,
    `,Uma,,,uma@upi,5.00,salary-1`,
  ]);
  expect(found).toEqual({
    code: 1,
    errors: ["3 beneficiary_id", "4 amount", "5 reference_id", "6 ifsc", "9 reference_id"],
    warnings: ["7 amount", "8 name"],
  });
  const again = await notesOf("november.csv", readFileSync(join(folder, "november.csv"), "utf8").trimEnd().split("\n"));
  expect(again.warnings).toEqual(["1 file"]);
  const none = write("none.csv", "name,amount_in_rupees\nUma,1\n");
  const refused = await nodal(
    ...([installation.environment, "transfer", "import", "--merchant", merchant.id, "--file", none] as const),
  );
  expect(refused.stderr).toContain("lacks amount");
  const listed = await nodalJson<Members[]>(installation.environment, "transfer", "batches", "--merchant", merchant.id);
  expect(listed).toHaveLength(1);
});

test("commands that change something leave who did it, and what", async () => {
  const day = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 40 }).toString();
  const lines = ["one", "two"].map((reference) => `Uma,uma@upi,1.00,${reference},${day}`);
  const file = write("later.csv", `name,upi,amount,reference_id,scheduled_for\n${lines.join("\n")}\n`);
  const run = (...args: string[]) =>
    nodalJson<Members>(installation.environment, "transfer", ...args, "--merchant", merchant.id);
  const { batch_id: batch } = await run("import", "--file", file, "--confirm");
  await run("cancel", "--reference", "one");
  await run("cancel-batch", "--batch", String(batch));
  type Entry = { readonly type: string; readonly actor: string; readonly after: Members | null };
  const log = await nodalJson<Entry[]>(installation.environment, "audit", "list", "--merchant", merchant.id);
  const told = log.slice(0, 3).map(({ type, actor, after }) => ({ type, actor, after }));
  expect(told).toMatchObject([
    { type: "payout_batch.cancelled", actor: "command:nodal", after: { cancelled_payouts: 1 } },
    { type: "scheduled_payout.cancelled", actor: "command:nodal", after: { reference_id: "one" } },
    {
      type: "payout_batch.requested",
      actor: "command:nodal",
      after: { name: "later.csv", line_count: 2, total: "2.00" },
    },
  ]);
});

const HEAD = "name,account_number,ifsc,amount,reference_id,narrative";
const ASHA = "Asha Rao,00011020001772,HDFC0000001";

/** What a file's preview answers, or the refusal of the whole file. */
async function previewOf(lines: readonly string[], ...options: string[]) {
  const file = write("shape.csv", `${lines.join("\r\n")}\r\n`);
  const { code, stdout, stderr } = await nodal(
    ...([installation.environment, "--json", "transfer", "import", "--merchant", merchant.id, "--file", file] as const),
    ...options,
  );
  const answer = stdout === "" ? null : (JSON.parse(stdout) as Members & { errors: Members[]; warnings: Members[] });
  return { code, answer, stderr };
}

test("an amount is read with its digits grouped, and refused with a decimal comma", async () => {
  const amounts = ["1,000.50", "1,23,456.00", "123,456.00", "1500,50", "12,34"];
  const { answer } = await previewOf([HEAD, ...amounts.map((amount, index) => `${ASHA},"${amount}",g-${index},`)]);
  expect(answer).toMatchObject({ good_lines: 3, amount_of_good_lines: "247912.50" });
  expect(answer!.errors.map(({ line, field }) => [line, field])).toEqual([
    [5, "amount"],
    [6, "amount"],
  ]);
});

test("a currency other than INR is refused, and ignored columns about money are warnings", async () => {
  const other = await previewOf([`${HEAD},currency`, `${ASHA},5.00,c-1,,INR`, `${ASHA},6.00,c-2,,USD`], "--confirm");
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("line 3: currency must be INR: “USD”")]);
  const lines = [`${HEAD},tds,status`, `${ASHA},5.00,c-3,,0.50,PAID`];
  const { code, answer } = await previewOf(lines, "--confirm");
  expect(code).toBe(1);
  expect(answer!.warnings).toMatchObject([
    { line: 2, field: "tds" },
    { line: 2, field: "status" },
  ]);
  expect((await previewOf(lines, "--confirm", "--accept-warnings")).answer).toMatchObject({
    payouts: 1,
    amount: "5.00",
  });
});

test("an amount that may be cut at its comma is a warning that --confirm alone does not pass", async () => {
  const lines = [HEAD, `${ASHA},1,590`];
  const { code, answer } = await previewOf(lines, "--confirm");
  const message =
    "amount 1 followed by 590: was this 1,590? Put amounts with commas in quotation marks, or write 1.00 if it is right.";
  expect(code).toBe(1);
  expect(answer).toMatchObject({ good_lines: 1, errors: [] });
  expect(answer!.warnings[0]).toEqual({ line: 2, field: "amount", message });
  expect((await previewOf(lines, "--accept-warnings")).stderr).toContain("needs --confirm");
  const accepted = await previewOf(lines, "--confirm", "--accept-warnings");
  expect([accepted.code, accepted.answer]).toEqual([0, expect.objectContaining({ payouts: 1, amount: "1.00" })]);
  const right = await previewOf([HEAD, `${ASHA},1.00,591`], "--confirm");
  expect([right.code, right.answer]).toEqual([0, expect.objectContaining({ payouts: 1, amount: "1.00" })]);
});

test("a cut amount, a row of totals and a misspelt column are refused, and a mode in capitals is read", async () => {
  const { answer } = await previewOf([
    `${HEAD},mode`,
    `${ASHA},2,500,Salary`,
    `${ASHA},3500,r-2,Salary,BankTransfer`,
    `${ASHA},000.50,r-3,Salary,BANKTRANSFER`,
    "Total,,,4000.50",
  ]);
  expect(answer).toMatchObject({ lines: 4, good_lines: 1, amount_of_good_lines: "3500.00" });
  expect(answer!.errors.map(({ line, message }) => [line, message])).toEqual([
    [2, expect.stringMatching(/^amount 2 followed by 500: was this 2,500\?/)],
    [4, expect.stringMatching(/^amount 000.50 begins with zeros/)],
    [5, "The line is a total: remove it from the file."],
  ]);
  const misspelt = await previewOf(
    ["name,account_number,ifsc,amount,refrence_id", `${ASHA},500.00,b22-1`],
    "--confirm",
  );
  expect(misspelt.code).toBe(2);
  expect(misspelt.stderr).toContain("The column refrence_id is unknown. Did you mean reference_id?");
});

test("an amount that its commas divided is refused, also in a line that has no more cells than headings", async () => {
  const { answer } = await previewOf([
    HEAD,
    `${ASHA},1,590.00,salary-9`,
    `${ASHA},1,23,456.00`,
    `${ASHA},4,000.00`,
    `${ASHA},500,101,Reference of three digits`,
  ]);
  expect(answer).toMatchObject({ lines: 4, good_lines: 1, amount_of_good_lines: "500.00" });
  expect(answer!.errors.map(({ line, message }) => [line, message])).toEqual(
    [2, 3, 4].map((line) => [line, expect.stringContaining("by its commas") as string]),
  );
  const unnamed = await previewOf([HEAD.replace(/narrative$/, ""), `${ASHA},590.00,ref-99,Salary`]);
  expect(unnamed.answer).toMatchObject({ good_lines: 0 });
  expect(unnamed.answer!.errors[0]!.message).toContain("below an empty heading");
});

test("a line with more cells than headings is refused, and a shorter one is told", async () => {
  const { answer } = await previewOf([
    HEAD,
    `${ASHA},1,590.00,salary-9,Salary November`,
    `${ASHA},590.00,salary-10,Salary, November`,
    `${ASHA},1,590.00,,`,
    `${ASHA},591.00`,
    `${ASHA},592.00`,
  ]);
  expect(answer).toMatchObject({ lines: 5, good_lines: 2, amount_of_good_lines: "1183.00" });
  expect(answer!.errors).toEqual(
    [2, 3, 4].map((line) => ({
      line,
      field: "",
      message: expect.stringMatching(/^The line has 7 cells under 6 headings: .*in quotation marks/) as string,
    })),
  );
  expect(answer!.warnings).toEqual([
    {
      line: 5,
      field: "",
      message: "The line ends before reference_id, narrative, as do 1 more lines: missing cells are read as empty.",
    },
  ]);
  const file = write("more.csv", `${HEAD}\n${ASHA},1,590.00,salary-9,Salary\n`);
  const refused = await nodal(
    ...([installation.environment, "transfer", "import", "--merchant", merchant.id, "--file", file] as const),
    "--confirm",
  );
  expect(refused.stderr).toContain("line 2");
  const cut = write("cut.csv", `${HEAD}\n${ASHA},590.00,salary-9,Salary\n${ASHA},59`);
  const half = await nodal(
    ...([installation.environment, "transfer", "import", "--merchant", merchant.id, "--file", cut] as const),
  );
  expect(half.stdout).toMatch(/3 +- +The line ends after 4 of 6 cells at the end of the file/);
});

test("lines have the numbers of the file in its preview, its errors, its batch and its result", async () => {
  const file = write(
    "numbers.csv",
    `\uFEFFsep=;\r\nname;upi;amount;narrative\r\n\r\nUma;uma@upi;1.00;"two\r\nlines"\r\n;;;\r\nUma;uma@upi;2.00;x\r\n`,
  );
  const command = (...options: string[]) =>
    nodal(installation.environment, "--json", "transfer", ...options, "--merchant", merchant.id);
  const asked = await command("import", "--file", file);
  const { errors, warnings } = JSON.parse(asked.stdout) as { errors: Members[]; warnings: Members[] };
  expect([errors, warnings]).toEqual([[expect.objectContaining({ line: 4, field: "narrative" })], []]);
  writeFileSync(file, readFileSync(file, "utf8").replace("two\r\nlines", '=""two""'));
  const { batch_id: batch } = JSON.parse((await command("import", "--file", file, "--confirm")).stdout) as {
    batch_id: string;
  };
  const result = join(folder, "numbers-result.csv");
  await command("batch", "--batch", batch, "--result", result);
  const told = readFileSync(result, "utf8");
  expect(told.startsWith("\uFEFFline,reference_id,")).toBe(true);
  const lines = told.trim().split("\r\n").slice(1);
  expect(lines.map((line) => line.split(",").slice(0, 2))).toEqual([
    ["4", `B${batch}-4`],
    ["6", `B${batch}-6`],
  ]);
  expect(lines[0]!.endsWith(",two")).toBe(true);
});

test("dates in numbers alone are asked about, in a file that has no other", async () => {
  const near = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 60 });
  const unclear = near.with({ day: near.month === 2 ? 3 : 2 });
  const written = (date: Temporal.PlainDate) =>
    [date.day, date.month].map((part) => String(part).padStart(2, "0")).join("/") + `/${date.year}`;
  const head = "name,upi,amount,reference_id,scheduled_for";
  const lines = [head, `Uma,uma@upi,1.00,d-1,${written(unclear)}`, `Uma,uma@upi,2.00,d-2,${unclear.toString()}`];
  const refused = await previewOf(lines);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`${written(unclear)} on line 2 is ambiguous: the day or the month may come first`);
  expect((await previewOf(lines, "--dates", "day-first")).answer).toMatchObject({ good_lines: 2, errors: [] });
  const clear = near.with({ day: 27 });
  const told = await previewOf([...lines, `Uma,uma@upi,3.00,d-3,${written(clear)}`]);
  expect(told.answer).toMatchObject({ good_lines: 3, errors: [] });
});
