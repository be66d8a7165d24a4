// CSV from spreadsheets is read as it was written.
import { expect, test } from "vitest";
import { csvLine } from "./csv.ts";
import { readCsv } from "./csv-reader.ts";

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
  ["nothing", "", []],
])("%s", (_, text, expected) => {
  expect(readCsv(text).map(({ cells }) => cells)).toEqual(expected);
});

test("a record is named by the line on which it begins", () => {
  expect(readCsv('a\n\n"x\ny"\nz').map(({ line }) => line)).toEqual([1, 3, 5]);
});

test("what is written is read again", () => {
  const cells = ["plain", 'with "quotes"', "with, comma", "two\nlines", "", "नमस्ते"];
  expect(readCsv(`head,er\n${csvLine(cells)}`)[1]!.cells).toEqual(cells);
});
