// Damage to cells by unquoted commas and by spreadsheets, in files that people fill in.
import { describe, expect, test } from "vitest";
import { isLostNumber } from "./csv-damage.ts";
import { readCsvTable } from "./csv-table.ts";

const COLUMNS = ["name", "account_number", "amount", "narrative", "reference_id"];

async function problemsOf(...lines: string[]): Promise<string[]> {
  const { misshapen } = await readCsvTable(new TextEncoder().encode(`${lines.join("\n")}\n`), {
    items: "payouts",
    maxRows: 100,
    columns: COLUMNS.map((name) => [name, name] as const),
    required: [],
    key: "test",
  });
  return misshapen.map(({ record, field, problem }) => `${record.line} ${field} ${problem}`);
}

describe("a text that was cut at a comma", () => {
  const HEAD = "amount,narrative,reference_id";

  test("is refused by its blank, although the line is as wide as the headings, or shorter", async () => {
    const expected =
      '2 reference_id has “November” behind a comma and a blank: a text seems to be cut there. Put it in quotation marks, such as "Salary, November", or remove the blank if nothing is cut.';
    expect(await problemsOf(HEAD, "590.00,Salary, November")).toEqual([expected]);
    expect(await problemsOf(`${HEAD},name`, "590.00,Salary, November")).toEqual([expected]);
    expect(await problemsOf(HEAD.replaceAll(",", ";"), "590.00;Salary; November")).toHaveLength(1);
    expect(await problemsOf(HEAD, "590.00,Salary,r-1", "591.00,Rent, 2026", "592.00,Fee, May")).toEqual([
      expect.stringMatching(/^3 reference_id has “2026”/),
      expect.stringMatching(/^4 reference_id has “May”/),
    ]);
    expect(await problemsOf("name,narrative,amount", "Rao, Asha,590.00")).toHaveLength(1);
  });

  test.each([
    ["quoted", HEAD, '590.00,"Salary, November",r-1', '590.00,"Salary, May", r-2'],
    ["blanks behind each comma", HEAD, "590.00, Salary, r-1", "591.00, Rent, r-2"],
    ["blanks behind each comma of the headings", "amount, narrative, reference_id", "590.00,Salary, r-1"],
    ["a blank behind a number", HEAD, "590.00,Salary, r-1", "591.00, Rent,r-2"],
    ["a blank before an account", "amount,name,account_number", "590.00,Asha, 00011020001772"],
    ["a blank before an amount", "narrative,amount", "Salary, 590.00"],
    ["blanks at the end of a cell", HEAD, "590.00,Salary ,r-1 "],
    ["tabs", HEAD.replaceAll(",", "\t"), "590.00\tSalary\t r-1"],
    ["an empty cell", HEAD, "590.00,Salary, "],
  ])("a sound file is not: %s", async (_, ...lines) => {
    expect(await problemsOf(...lines)).toEqual([]);
  });
});

test("a number that a spreadsheet has made of a text is refused in each column that means something", async () => {
  for (const [heading, cell] of [
    ["reference_id", "4.12E+11"],
    ["account_number", "5.0123E+13"],
    ["narrative", "1e+05"],
  ]) {
    expect(await problemsOf(`name,${heading}`, `Asha,${cell}`)).toEqual([
      `2 ${heading} has ${cell}: a spreadsheet turned it into a number and lost digits. Format the column as text and enter it again.`,
    ]);
  }
  expect(await problemsOf("name,phone of the office", "Asha,4.12E+11")).toEqual([]);
  expect(await problemsOf("name,reference_id", "Asha,E+11", "Uma,2E11A")).toEqual([]);
});

test("a formula that nothing closes is refused by its line", async () => {
  await expect(problemsOf("name,reference_id", "Asha,r-1", 'Uma,="00')).rejects.toThrow(
    'The file has a cell ="00 on line 3 that nothing closes',
  );
  await expect(problemsOf("name,narrative,reference_id", 'Uma,="A, B",r-1')).rejects.toThrow("that nothing closes");
  expect(await problemsOf("name,reference_id", 'Uma,="0042"', 'Asha,"=""0043"""')).toEqual([]);
});

test.each([
  ["4.12E+11", true],
  ["4.12e+11", true],
  ["4.12e11", true],
  ["4,12E+11", true],
  ["4E+11", true],
  ["-4.1E11", true],
  ["4E11", false],
  ["41E+11", false],
  ["4.12F11", false],
  ["E11", false],
])("%s is a number whose digits are lost: %s", (text, isLost) => expect(isLostNumber(text)).toBe(isLost));
