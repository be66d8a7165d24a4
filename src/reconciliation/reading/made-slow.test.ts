// Files that are made to be slow: seconds if time is linear in the file's size, hours if it is quadratic.
import { describe, expect, test } from "vitest";
import { read } from "./testing.ts";

const SIZE = 1_000_000;
const fill = (text: string, size = SIZE): string => text.repeat(Math.ceil(size / text.length));
const HEAD = "Date,Narration,Debit,Credit\n";
const LINE = "20/11/2026,A,1.00,\n";
const TABLE = "<table><tr><td>Date<td>Narration<td>Debit<td>Credit</tr><tr><td>20/11/2026<td>A<td>1.00<td></tr>";

const ENDS = /^(?:read|refused)$/;
/** How reading a file ended: any outcome will do. */
function outcomeOf(file: string): Promise<string> {
  return read(file).then(
    () => "read",
    () => "refused",
  );
}

describe("a text of a long cell", () => {
  test.each(["(((((((", "11111111", "ccy ccyccyccyccy", "amount ", "1111 (USD ", "XXXXXXXX ", "account no "])(
    "%s",
    async (text) => {
      expect(await outcomeOf(`${HEAD}${LINE}"${fill(text, 900_000)}",,,\n${LINE}`)).toMatch(ENDS);
    },
  );

  test.each(["a", "(", "loan", "currency", "date"])("%s and blanks", async (text) => {
    expect(await outcomeOf(`${HEAD}${LINE}"${text}${" ".repeat(900_000)}x\ny",,,\n${LINE}`)).toMatch(ENDS);
  });

  test.each(["AB12ABCDEFGHABCDEFGHABCDEFGHABCDEFGHx ", "1 1 1 1 ", "benef", "account to to "])(
    "%s, many times",
    async (text) => {
      expect(await outcomeOf(HEAD + LINE + fill(`"${fill(text, 1900)}",,,\n`) + LINE)).toMatch(ENDS);
    },
  );
});

test.each([
  ["cells", HEAD + LINE + fill(`${fill(":,", 1900)}1\n`)],
  ["totals and balances", HEAD + LINE + fill("Total,,1.00,\nB/F,,2.00,\n", 300_000)],
  ["reversed lines", `Date,Narration,Ref,Debit,Credit,Status\n${fill("20/11/2026,A,R1234567,1.00,,REVERSED\n")}`],
  ["cut amounts", `Date,Narration,Debit,Credit,Balance\n${fill("21/11/2026,B,1,234.00,5.00\n")}`],
  ["headings", `${fill("Debit,", 5900)}Date,Credit\n${fill("20/11/2026\n")}`],
])("many %s", async (_what, file) => {
  expect(await outcomeOf(file)).toMatch(ENDS);
});

test.each([
  ["elements in each other", TABLE + fill("<b style='color:red'>")],
  ["plain elements in each other", `${TABLE}<tr><td>${fill("<b>")}</table>`],
  ["cut tags", TABLE + fill("<a ")],
  ["open quotation marks", TABLE + fill(`<a x="`)],
  ["comments", TABLE + fill("<!")],
  ["rules", `<style>${fill(".a .b{color:red}", 600_000)}</style>${TABLE}${fill("<b class=b>x</b>")}</table>`],
  ["blocks in each other", `<style>${fill("@media{")}</style>${TABLE}</table>`],
  ["numbers beside a cell", `${TABLE}<tr><td data-sheets-value='${fill('"3":')}'>1</table>`],
  ["spans", `${TABLE}<tr>${fill("<td rowspan=99999>a", 7000)}</tr>${fill("<tr><td>b</tr>")}</table>`],
])("HTML with many %s", async (_what, file) => {
  expect(await outcomeOf(file)).toMatch(ENDS);
});

test("MT940 with many details and a long narration", async () => {
  const head = ":20:X\n:25:5010000000001\n:28C:1/1\n:60F:C261120INR1,\n:61:2611201120C1,NTRFA\n";
  const file = `${head}${fill("a\n")}:86:${fill("b")}\n:62F:C261120INR2,\n`;
  expect(await outcomeOf(file)).toBe("read");
});
