// CSV from spreadsheets is read as it was written.
import { expect, test } from "vitest";
import { csvFile, csvText, isCutAmountAt, readCsv, shapeProblem } from "./csv.ts";

const LIMITS = { field: "file", maxRecords: 1000, key: "1" };

test.each([
  [
    "plain lines",
    "a,b\n1,2\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "a byte order mark and CRLF",
    "\uFEFFa,b\r\n1,2\r\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "semicolons",
    "a;b\n1,5;2\n",
    [
      ["a", "b"],
      ["1,5", "2"],
    ],
  ],
  [
    "tabs",
    "a\tb\n1\t2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "quotes, and quotes in them",
    'a,b\n"x, ""y""",2',
    [
      ["a", "b"],
      ['x, "y"', "2"],
    ],
  ],
  ["a quote that is not at the start", 'a\n5" pipe', [["a"], ['5" pipe']]],
  [
    "separators in a quoted heading",
    '"a;b;c",d\n1,2',
    [
      ["a;b;c", "d"],
      ["1", "2"],
    ],
  ],
  [
    "empty cells and lines without content",
    "a,b\n\n,\n1,\n",
    [
      ["a", "b"],
      ["1", ""],
    ],
  ],
  [
    "a line that names the separator",
    "sep=;\r\na,b;c\r\n1;2",
    [
      ["a,b", "c"],
      ["1", "2"],
    ],
  ],
  [
    "such a line in quotation marks, before commas",
    '\uFEFF"sep=,"\na,b\n1;2,3',
    [
      ["a", "b"],
      ["1;2", "3"],
    ],
  ],
  [
    "formulas that keep texts",
    'a,b,c\n="0042","=""x, """"y""""""",="1"&"2"',
    [
      ["a", "b", "c"],
      ["0042", 'x, "y"', '="1"&"2"'],
    ],
  ],
  ["a text that is such a formula", csvText([["a"], ['="0042"']]), [["a"], ['="0042"']]],
  ["nothing", "", []],
])("%s", async (_, text, expected) => {
  expect((await readCsv(text, LIMITS)).map(({ cells }) => cells)).toEqual(expected);
});

test("a record is named by the line on which it begins", async () => {
  const lines = async (text: string): Promise<number[]> => (await readCsv(text, LIMITS)).map(({ line }) => line);
  expect(await lines('a\n\n"x\ny"\nz')).toEqual([1, 3, 5]);
  expect(await lines('a\r\n\r\n"x\r\ny"\r\nz')).toEqual([1, 3, 5]);
  expect(await lines('\uFEFFsep=;\r\na;b\r\n\r\n"x\r\ny";1\r\nz;2')).toEqual([2, 4, 6]);
  expect(await lines("a\r1\r2")).toEqual([1, 2, 3]);
  expect(await lines('a,b\n"\n","\n"\n1,2')).toEqual([1, 5]);
});

test("a line whose cells are more than the headings, or whose file ends within it, is told", async () => {
  const problems = async (text: string): Promise<(string | null)[]> => {
    const [head, ...rows] = await readCsv(text, LIMITS);
    return rows.map((row) => shapeProblem(row, head!.cells.length));
  };
  const more = expect.stringMatching(/^has 4 cells under 3 headings: .*"1,590.00"\.$/) as string;
  const cut = expect.stringMatching(/^ends after 2 of 3 cells at the end of the file/) as string;
  expect(await problems("a,b,c\n1,590.00,x,\n1,2,3\n1,2\n1,2")).toEqual([more, null, null, cut]);
  expect(await problems("a,b,c\n1,2\n")).toEqual([null]);
  expect(await problems("a,b,c\n1,2\n,")).toEqual([null]);
  expect(await problems('a,b,c\n"1\n2",2')).toEqual([cut]);
  expect(await problems("a,b,\n1,2,\n")).toEqual([null]);
});

test("what is written is read again, wherever a piece of the file ends", async () => {
  const cells = ["plain", 'with "quotes"', "with, comma", "two\nlines", "", "नमस्ते 🙏", "=1+1", "+91 98", "-x", "＝1"];
  const rows = Array.from({ length: 1000 }, (_, index) => [...cells, "x".repeat(index % 7)]);
  const records = await readCsv(csvFile([["head"], ...rows]), { ...LIMITS, maxRecords: 5000 });
  expect(records.slice(1).map((record) => record.cells)).toEqual(rows);
});

test.each([
  ["a quotation mark that nothing closes", 'a,b\n1,2\n3,"4\n5,6', "an unclosed quotation mark after line 2"],
  ["text behind a closing mark", 'a,b\n1,"1,000"5\n', "closing quotation mark on line 2"],
  ["far too many cells", `a\n${",".repeat(1001)}x`, "has 1002 cells on line 2"],
  ["a line that is far too long", `a\n${"x".repeat(2 ** 20 + 1)},y`, "after line 1"],
])("%s is refused", async (_, text, problem) => {
  await expect(readCsv(text, LIMITS)).rejects.toMatchObject({
    code: "validation_failed",
    message: expect.stringContaining(problem),
    errors: [{ field: "file", code: "invalid" }],
  });
});

test("no more is read than was asked for, and others get their turn meanwhile", async () => {
  const text = "1,2\n".repeat(100_000);
  expect(await readCsv(text, { ...LIMITS, maxRecords: 3 })).toHaveLength(3);
  let turns = 0;
  const others = setInterval(() => (turns += 1), 0);
  await readCsv(text, { ...LIMITS, maxRecords: 100_000 });
  clearInterval(others);
  expect(turns).toBeGreaterThan(3);
});

test("many files of one leave others their turn, and are refused where too many wait", async () => {
  const text = "1,2\n".repeat(20_000);
  const done: string[] = [];
  const read = async (key: string): Promise<string> => {
    const outcome = await readCsv(text, { ...LIMITS, maxRecords: 20_000, key }).then(
      (records) => String(records.length),
      (error: { code: string }) => error.code,
    );
    done.push(key);
    return outcome;
  };
  const greedy = Array.from({ length: 8 }, () => read("greedy"));
  const other = read("other");
  expect(await other).toBe("20000");
  expect(done.filter((key) => key === "greedy").length).toBeLessThan(8);
  const outcomes = await Promise.all(greedy);
  expect(outcomes.toSorted()).toEqual([...Array<string>(5).fill("20000"), ...Array<string>(3).fill("unavailable")]);
});

test.each([
  [["1", "23", "456.00"], true],
  [["1", "590.00"], true],
  [["4", "000.00", "ref"], true],
  [["12", "34", "567.5"], true],
  [["590.00", "100.00"], false],
  [["500", "101"], false],
  [["18", "5000.00"], false],
  [["1", "23", "ref-1"], false],
  [["1"], false],
])("an amount in the cells %s was cut at its commas: %s", (cells, isCut) => {
  expect(isCutAmountAt(cells, 0)).toBe(isCut);
});
