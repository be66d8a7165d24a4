// CSV: values are quoted if needed, and no text of a stranger becomes a formula.
import { expect, test } from "vitest";
import { csvText, type CsvCell } from "./csv.ts";

test.each([
  ["plain text", ["Asha Rao", "", "आशा"], "Asha Rao,,आशा"],
  ["commas, quotes and line breaks", ["a,b", 'say "hi"', "a\r\nb"], '"a,b","say ""hi""","a\r\nb"'],
  ["formulas", ["=1+1", "+91", "-5", "@SUM(A1)", "\tx", "\rx"], `'=1+1,'+91,'-5,'@SUM(A1),'\tx,"'\rx"`],
  ["formulas in full width", ["＝1+1", "＋91", "－5", "＠SUM(A1)"], "'＝1+1,'＋91,'－5,'＠SUM(A1)"],
  ["half a line break", ["a\r=1", "a\n=1"], '"a\r=1","a\n=1"'],
  ["a formula that needs quotes", ['=HYPERLINK("http://x","y")'], '"\'=HYPERLINK(""http://x"",""y"")"'],
  ["such signs inside a text", ["a=b", "x-y", "me@bank"], "a=b,x-y,me@bank"],
  ["amounts", [59_000n, 0n, -1_250n], "590.00,0.00,-12.50"],
] satisfies [string, CsvCell[], string][])("%s", (_, cells, line) => {
  expect(csvText([cells, cells])).toBe(`${line}\r\n${line}\r\n`);
});
