// HTML with parts that may hide, move or replace what people see: the whole file is refused.
import { describe, expect, test } from "vitest";
import { linesOf, read } from "./testing.ts";

const row = (...cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => (cell.startsWith("<td") ? cell : `<td>${cell}</td>`)).join("")}</tr>\n`;
const HEAD = row("Date", "Narration", "Debit", "Credit");
const table = (debit = "100.00", narration = "A"): string =>
  `<table>${HEAD}${row("20/11/2026", narration, debit, "")}</table>`;
const REFUSAL =
  / has .*, so what people see in it is not sure\. Open the file in a spreadsheet program, check it, save it as CSV \(UTF-8\)/;
const LINE = ["2026-11-20 | -100.00 | none | A"];

describe("a property that is not known to be harmless", () => {
  const properties = [
    "transform: translateX(-40px)",
    "zoom: 0.1",
    "filter: blur(9px)",
    "clip: rect(0,0,0,0)",
    "clip-path: circle(0)",
    "position: absolute",
    "position: fixed; top: 0",
    "position: relative; left: 40px",
    "text-indent: -40px",
    "margin-left: -40px",
    "letter-spacing: -9px",
    "line-height: 0",
    "writing-mode: vertical-rl",
    "float: right",
    "order: 2",
    "overflow: hidden; width: 20px",
    "content-visibility: hidden",
    "mask: url(a.png)",
    "mix-blend-mode: difference",
    "animation: a 1s",
    "text-shadow: 40px 0 black",
    "-webkit-text-fill-color: transparent",
    "background: url(nine.png)",
    "background-image: linear-gradient(red, blue)",
    "color: var(--c)",
    "color: color-mix(in srgb, red, blue)",
    "width: expression(1)",
    "font-family: Wingdings",
    "padding: 0 30px; border-left: 40px solid white",
    "font-feature-settings: 'sups'",
    "mso-number-format: '\\;\\;\\;'",
    "mso-number-format: '0\\,'",
    "mso-number-format: '\\0022 9\\0022 0.00'",
    "some-new-property: 1",
  ];

  test.each(properties)("%s is refused in a cell, in a part of one and in a style sheet", async (style) => {
    const inSpan = `<span style="${style}">100.00</span>`;
    for (const file of [
      table(inSpan),
      `<style>span { ${style} }</style>${table("<span>100.00</span>")}`,
      `<style>@media screen { .x td > span.y { ${style} } }</style>${table("<span class='y'>100.00</span>")}`,
    ]) {
      await expect(read(file)).rejects.toThrow(REFUSAL);
    }
  });

  test("also on the table, around it and beside it", async () => {
    const style = "style='position:absolute'";
    for (const file of [
      `<div ${style}>${table()}</div>`,
      table().replace("<table>", `<table ${style}>`),
      table().replace("<tr>", `<tr ${style}>`),
      `${table()}<div ${style}>900.00</div>`,
      table().replace("<table>", "<table background=nine.png>"),
    ]) {
      await expect(read(file)).rejects.toThrow(REFUSAL);
    }
  });

  test("changes nothing where no element has it, or nobody sees the element", async () => {
    const sheet =
      "<style>.a, b > i.c, a:hover, ruby, v\\:* { transform: scale(2); position: absolute } p:hover { color: white }</style>";
    expect(await linesOf(sheet + table())).toEqual(LINE);
    const hidden = "<div style='display:none;position:absolute'><i style='zoom:3'>x</i></div>";
    const menu = "<style>.m { display:none; position:absolute; left:-99px }</style><ul class=m><li>Print</ul>";
    expect(await linesOf(hidden + menu + table())).toEqual(LINE);
  });
});

describe("other parts", () => {
  test.each([
    ["a text of a style sheet", "<style>td:nth-child(3)::before { content: '9' }</style>", ""],
    ["an imported style sheet", "<style>@import 'a.css';</style>", ""],
    ["a font", "<style>@font-face { font-family: A; src: url(a.woff) }</style>", ""],
    ["a style sheet in another file", "<link rel='stylesheet' href='a.css'>", ""],
    ["a script", "<script>document.body.innerHTML = ''</script>", ""],
    ["a script in another file", "<script src=a.js></script>", ""],
    ["a script that begins by itself", "", "<img src=x onerror='change()'>"],
    ["nested rules", "<style>td { & span { display: none } }</style>", ""],
    ["a style sheet that is cut off", "<style>td { color: red </style>", ""],
    ["rows for some programs", "<!--[if mso]><table><tr><td>9</td></tr></table><![endif]-->", ""],
    ["details", "", "<details>x</details>"],
  ])("%s: the file is refused", async (_what, head, part) => {
    await expect(read(`${head}${table("100.00", `A${part}`)}`)).rejects.toThrow(REFUSAL);
  });

  test.each(["<svg><text>9</text></svg>", "<canvas></canvas>", "<object data=9.png></object>", "<x-y>9</x-y>"])(
    "%s in a line is refused",
    async (part) => {
      for (const file of [table("100.00", `A${part}`), table(`100.00${part}`)])
        await expect(read(file)).rejects.toThrow(/has a part that is no plain text/);
    },
  );

  test("an order from right to left is refused in each cell of a line", async () => {
    for (const file of [
      table().replace("<table>", "<table dir=rtl>"),
      table("100.00", "<span style='direction:rtl'>A</span>"),
      `<style>tr { direction: rtl }</style>${table()}`,
    ])
      await expect(read(file)).rejects.toThrow(/Line 2, .* has text in another order/);
  });

  test("a picture beside an amount is refused, one beside a narration is not", async () => {
    await expect(read(table("<img src=9.png>100.00"))).rejects.toThrow("has a picture");
    expect(await linesOf(table("100.00", "<img src=logo.png>A"))).toEqual(LINE);
  });

  test("what changes nothing is read", async () => {
    for (const head of [
      "<script>window.onload = function() { window.print(); }</script>",
      "<script type='application/json'>{}</script>",
      "<!--[if gte mso 9]><xml><x:ExcelWorkbook></x:ExcelWorkbook></xml><![endif]-->",
      "<style>tr:hover { background: #eee } td::selection { color: white } .clearfix:after { content: ' '; clear: both }</style>",
      "<style>@page { margin: 1in } @media print { .no { display: none } } @font-face { font-family: A; panose-1: 2 4 }</style>",
    ]) {
      expect(await linesOf(head + table())).toEqual(LINE);
    }
    expect(await linesOf(`<body onload="window.print()" onclick="go()">${table()}</body>`)).toEqual(LINE);
  });
});

describe("tags are cut where browsers cut them", () => {
  test.each([
    ["<td title='colspan=2 style=display:none'>A</td>"],
    ["<td data-colspan=2 data1style='display:none' x'y=1>A</td>"],
    ['<td title=5">A</td>'],
    ["<td title='&quot; style=&quot;display:none'>A</td>"],
    ["<td><!-->A<!-- --></td>"],
    ["<td><![if !vml]>A<![endif]></td>"],
    ["<td/>A"],
    ["<td STYLE='color:red' style='display:none'>A</td>"],
  ])("%s", async (cell) => {
    expect(await linesOf(table("100.00", cell))).toEqual(LINE);
  });

  test("a style sheet within an attribute or a comment is none", async () => {
    const white = "<td style='color:#fff'>A</td>";
    for (const fake of [
      "<p title='<style>td{background:#000}</style>'></p>",
      "<!-- <style>td{background:#000}</style> -->",
    ])
      expect(await linesOf(fake + table("100.00", white))).toEqual(["2026-11-20 | -100.00 | none | "]);
  });

  test("a file with too many elements in each other, or too many cells in a row, is refused", async () => {
    await expect(read(table("100.00", `${"<b style='color:red'>".repeat(300)}A`))).rejects.toThrow(REFUSAL);
    await expect(read(`<table>${row(...Array.from({ length: 500 }, () => "x"))}</table>`)).rejects.toThrow(
      "has more than 400 cells",
    );
  });
});
