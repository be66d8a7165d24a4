// Cells of HTML tables whose text differs from the amount that people see.
import { describe, expect, test } from "vitest";
import { linesOf, read } from "./testing.ts";

const row = (...cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => (cell.startsWith("<td") ? cell : `<td>${cell}</td>`)).join("")}</tr>\n`;
const table = (...lines: readonly string[]): string =>
  `<table>${row("Date", "Narration", "Debit", "Credit")}${lines.join("")}</table>`;
const debit = (cell: string): string => table(row("20/11/2026", "A", cell, ""));

describe("a cell with an amount", () => {
  test.each([
    ["superscript text", "100<sup>50</sup>"],
    ["subscript text", "100<sub>50</sub>"],
    ["hidden text", "<span style='display:none'>9</span>100.00"],
    ["hidden text", "<span style='color: red; visibility: hidden'>9</span>100.00"],
    ["hidden text", '<span style="font-size:0px">9</span>100.00'],
    ["hidden text", "<span hidden>9</span>100.00"],
    ["hidden text", "<span style='display:none'>-</span>100.00"],
    ["hidden text", "<i><b style='mso-hide:all'><u>9</u></b></i>100.00"],
    ["hidden text", "<td style='display:none'>100.00</td>"],
    ["hidden text", "<template>9</template>100.00"],
    ["struck out text", "<s>100.00</s>"],
    ["struck out text", "<del>2</del>100.00"],
    ["struck out text", "<span style='text-decoration: line-through'>100.00</span>"],
    ["struck out text", "<td style='text-decoration-line:line-through'>100.00</td>"],
    ["struck out text", "<style>.x{text-decoration:line-through;}</style><b class=x>100.00</b>"],
    ["text in another order", "<bdo dir=rtl>11.29</bdo>"],
    ["text in another order", "<td style='unicode-bidi:bidi-override;direction:rtl'>11.29</td>"],
    ["several parts", "<font>1,5</font><font>00.00</font>"],
    ["several parts", "<span class='x'>9</span>100.00"],
    ["several parts", "1<!-- -->00.00"],
    ["a form field", '<input value="100.00">'],
  ])("with %s is refused: %s", async (what, cell) => {
    await expect(read(debit(cell))).rejects.toThrow(new RegExp(`^Line 2, Debit: the cell “.*” has ${what}`, "s"));
  });

  test("and in a hidden row is refused", async () => {
    const hidden = row("20/11/2026", "A", "100.00", "").replace("<tr>", "<tr style='display:none'>");
    await expect(read(table(hidden))).rejects.toThrow("Line 2, Date: the cell “20/11/2026” has hidden text");
  });

  const head = row("Date", "Narration", "Debit", "Credit");
  const line = (narration: string): string => row("20/11/2026", narration, "100.00", "");

  test.each([
    ["group of rows", `<table>${head}<tbody hidden>${line("A")}</tbody></table>`],
    ["group of rows", `<table>${head}<tbody style='display:none'>${line("A")}<tbody>${line("B")}</table>`],
    ["table", `<table style='display:none'>${head}${line("A")}</table>`],
    ["block around it", `<div hidden><div>x</div><table>${head}${line("A")}</table></div>`],
  ])("and in a hidden %s is refused", async (_what, file) => {
    await expect(read(file)).rejects.toThrow("Line 2, Date: the cell “20/11/2026” has hidden text");
  });

  test.each([
    `<div hidden>Menu<div>x</div></div><table>${head}${line("A")}</table>`,
    `<table>${head}<tbody hidden></tbody><tbody>${line("A")}</tbody></table>`,
    `<table hidden><tr><td>Menu</td></tr></table><table>${head}${line("A")}</table>`,
    `<img hidden><table>${head}${line("A")}</table>`,
  ])("beside something hidden is read: %s", async (file) => {
    expect(await linesOf(file)).toEqual(["2026-11-20 | -100.00 | none | A"]);
  });

  test("with a date that has hidden digits is refused", async () => {
    const cell = "<span style='display:none'>1</span>1/11/2026";
    await expect(read(table(row(cell, "A", "1.00", "")))).rejects.toThrow(
      "Line 2, Date: the cell “11/11/2026” has hidden",
    );
  });

  test.each([
    "<b>100.00</b>",
    "<font color=red><b>₹</b> 100.00</font>",
    "<span>100.00</span>&nbsp;<span>Dr</span>",
    "<td class=xl65 style='display:table-cell;font-size:0.9em'>100.00</td>",
    "<td data-hidden='hidden'><input type=hidden value=1>100.00</td>",
    "1&#48;0.00",
  ])("%s is plain", async (cell) => {
    expect(await linesOf(debit(cell))).toEqual(["2026-11-20 | -100.00 | none | A"]);
  });

  test("may have a narration, a reference and a heading of several parts beside it", async () => {
    const head = row("Date", "Narration", "Ref No", "Debit<sup>1</sup>", "Credit");
    const line = row("20/11/2026 <i>10:22</i>", "A<sup>2</sup> B", "<b>6326</b>00000001", "100.00", "");
    const notes = `<tr><td colspan=5><sup>1</sup> 2026 <s>notes</s></td></tr>`;
    const [line1 = ""] = await linesOf(`<table>${head}${line}${notes}</table>`, {
      date: "Date",
      narration: "Narration",
      reference: "Ref No",
      debit: "Debit1",
      credit: "Credit",
    });
    expect(line1).toBe("2026-11-20 | -100.00 | 632600000001 | A2 B");
  });
});

describe("the number that a spreadsheet keeps beside a rounded text", () => {
  test.each([
    ["<td x:num='1500.55'>1,501</td>", "1500.55"],
    ['<td class=xl1 x:num="1500.5499999999999" align=right>1,501</td>', "1500.55"],
    ['<td sdval="1500.55" sdnum="16393;">1,501</td>', "1500.55"],
    ['<td data-sheets-value="{&quot;1&quot;:3,&quot;3&quot;:1500.55}">1,501</td>', "1500.55"],
    ["<td x:num=1500.55>1,500.6</td>", "1500.55"],
    ["<td x:num>1,501</td>", "1501.00"],
    ["<td x:num='1501'>1,501.00</td>", "1501.00"],
    ["<td x:num='1501'>₹ 1,501.00 Dr</td>", "1501.00"],
    ["<td x:num='123456.5'>123,457</td>", "123456.50"],
  ])("%s is %s", async (cell, amount) => {
    expect(await linesOf(debit(cell))).toEqual([`2026-11-20 | -${amount} | none | A`]);
  });

  test.each([
    "<td x:num='15000000'>1,500</td>",
    "<td x:num='1500.555'>1,501</td>",
    "<td x:num='1.5E3'>1,501</td>",
    "<td x:num='100'></td>",
    "<td x:num='1500.55'>1,501 Dr</td>",
    "<td x:num='-1501'>+1,501</td>",
  ])("%s contradicts its text", async (cell) => {
    await expect(read(debit(cell))).rejects.toThrow(/^Line 2, Debit: the cell shows “.*”, but its value is “/);
  });

  test("may be below zero where the text has no sign", async () => {
    const signed = (cell: string) =>
      linesOf(
        `<table>${row("Date", "Narration", "Amount")}${row("20/11/2026", "A", cell)}${row("21/11/2026", "B", "<td x:num='-5'>(5.00)</td>")}</table>`,
      );
    expect(await signed("<td x:num='-1500.55'>1,501</td>")).toEqual([
      "2026-11-20 | -1500.55 | none | A",
      "2026-11-21 | -5.00 | none | B",
    ]);
  });
});
