// HTML that shows people something else than its texts.
import { describe, expect, test } from "vitest";
import { linesOf, read } from "./testing.ts";

const row = (...cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => (cell.startsWith("<td") ? cell : `<td>${cell}</td>`)).join("")}</tr>\n`;
const HEAD = row("Date", "Narration", "Ref No", "Debit", "Credit");
const line = (narration: string, reference = "632600000001"): string =>
  row("20/11/2026", narration, reference, "100.00", "");
const table = (...lines: readonly string[]): string => `<table>${HEAD}${lines.join("")}</table>`;
const SEEN = ["2026-11-20 | -100.00 | 632600000001 | SEEN"];

describe("hidden text in a narration or reference is no part of it", () => {
  test.each([
    "<span style='display:none'>NO</span>SEEN",
    "<span style='display:/**/none'>NO</span>SEEN",
    "<span style='display&#58; none'>NO</span>SEEN",
    "<span style='d\\69splay:none'>NO</span>SEEN",
    "<span style=display:none>NO</span>SEEN",
    "SEEN<b hidden>NO</b>",
    "SEEN<b style='visibility: hidden'>NO</b>",
    "SEEN<i style='font-size:0'>NO</i>",
    "SEEN<i style='font-size:1px'>NO</i>",
    "SEEN<i style='font:0/0 a'>NO</i>",
    "SEEN<i style='opacity:0.01'>NO</i>",
    "SEEN<i style='color:#fff'>NO</i>",
    "SEEN<i style='color: white !important'>NO</i>",
    "SEEN<i style='color:#fefefe'>NO</i>",
    "SEEN<i style='color:rgb(255, 255, 255)'>NO</i>",
    "SEEN<i style='color:transparent'>NO</i>",
    "<td style='background:navy'>SEEN<i style='color:#000080'>NO</i></td>",
    "<td style='background:hsl(0, 100%, 50%)'>SEEN<i style='color:red'>NO</i></td>",
    "SEEN<i style='color:rgba(0,0,0,.05)'>NO</i>",
    "SEEN<i style='font-size:50%'><i style='font-size:50%'>NO</i></i>",
    "SEEN<i style='opacity:0.5'><i style='opacity:50%'>NO</i></i>",
    "SEEN<i style='color:rgba(0,0,0,0)'>NO</i>",
    "SEEN<font color=white>NO</font>",
    "<td bgcolor='#ccc'>SEEN<font color='#cccccc'>NO</font></td>",
    "<td style='background:#123456;color:red'>SEEN<i style='color:#123456'>NO</i></td>",
    "SEEN<i style='display:block;height:0;overflow:hidden'>NO</i>",
    "SEEN<template>NO</template><noscript>NO</noscript>",
  ])("%s", async (narration) => {
    expect(await linesOf(table(line(narration)))).toEqual(SEEN);
  });

  test("also the whole cell, a column, and a row between lines", async () => {
    expect(await linesOf(table(line("SEEN", "<td style='display:none'>632600000009</td>")))).toEqual([
      "2026-11-20 | -100.00 | none | SEEN",
    ]);
    for (const hidden of ["style='visibility:collapse'", "style='display:none;width:0'", "hidden"]) {
      const columns = `<colgroup><col span=2><col ${hidden}><col></colgroup>`;
      const file = table(line("SEEN", "632600000009")).replace("<table>", `<table>${columns}`);
      expect(await linesOf(file)).toEqual(["2026-11-20 | -100.00 | none | SEEN"]);
      const group = `<colgroup span=2></colgroup><colgroup ${hidden}><col></colgroup>`;
      expect(await linesOf(file.replace(columns, group))).toEqual(["2026-11-20 | -100.00 | none | SEEN"]);
    }
    const below = row("", "NO", "", "", "").replace("<tr>", "<tr style='display:none'>");
    expect(await linesOf(table(line("SEEN"), below))).toEqual(SEEN);
  });

  test.each([
    "<b style='display:inline'>SE</b>EN",
    "<b style='font-size:0.9em;opacity:0.5'>SEEN</b>",
    "<b style='font-size:8pt;font:bold 10px Arial'>SEEN</b>",
    "<td style='background:#003366;color:white'>SEEN</td>",
    "<td bgcolor=navy><font color=#ffffff>SEEN</font></td>",
    "<td style='background-color:transparent;color:#000'>SEEN</td>",
    "<td style='margin-left:-1px;width:0;height:0'>SEEN</td>",
  ])("%s is seen", async (narration) => {
    expect(await linesOf(table(line(narration)))).toEqual(SEEN);
  });

  test("white headings on a dark row are read", async () => {
    const dark = HEAD.replace("<tr>", "<tr bgcolor='#003366'>").replaceAll("<td>", "<td style='color:#fff'>");
    expect(await linesOf(`<table>${dark}${line("SEEN")}</table>`)).toEqual(SEEN);
    const styled = HEAD.replace("<tr>", "<tr class='top x'>").replaceAll("<td>", "<td style='color:#fff'>");
    const sheet = "<style><!-- /* a */ td, table .top { background: #036; } --></style>";
    expect(await linesOf(`${sheet}<table>${styled}${line("SEEN")}</table>`)).toEqual(SEEN);
  });
});

describe("a style sheet that hides a part of a line", () => {
  const REFUSAL = /^Line \d+, (?:Narration|Ref No|Debit|Date): the cell “.*” has text that a style sheet hides/;

  test.each([
    [".h { display: none }", "SEEN<i class=h>NO</i>"],
    ["table td span.a.b { visibility:hidden }", "SEEN<span class='b c a'>NO</span>"],
    ["#x { font-size: 0 }", "SEEN<i id='x'>NO</i>"],
    ["i { display:none !important }", "SEEN<i style='display:inline'>NO</i>"],
    ["@media screen { .h { opacity: 0 } }", "SEEN<i class=h>NO</i>"],
    [".w { color: #fff }", "SEEN<i class=w>NO</i>"],
    [".n{display:none}", "<td class='n'>NO</td>"],
  ])("%s is refused", async (sheet, narration) => {
    await expect(read(`<style>${sheet}</style>${table(line(narration))}`)).rejects.toThrow(REFUSAL);
  });

  test("also in a row, and in an amount", async () => {
    const sheet = "<style type='text/css'>.h{display:none}</style>";
    const hidden = line("NO").replace("<tr>", "<tr class=h>");
    await expect(read(sheet + table(line("SEEN"), hidden))).rejects.toThrow(REFUSAL);
    const amount = row("20/11/2026", "SEEN", "", "<i class=h>9</i>100.00", "");
    await expect(read(sheet + table(amount))).rejects.toThrow(REFUSAL);
  });

  test.each([
    [".h { display: none }", "SEEN"],
    [".h:hover { display: none }", "SEEN<i class=h></i>"],
    ["i.h { display: none }", "<b class=h>SEEN</b>"],
    [".h { display: none } .s { display: inline }", "<b class=h style='display:inline'>SEEN</b>"],
    [".h { display: table-cell; color: #000 }", "<b class=h>SEEN</b>"],
  ])("%s hides nothing in %s", async (sheet, narration) => {
    const menu = "<div class=h>Print</div>";
    expect(await linesOf(`<style>${sheet}</style>${menu}${table(line(narration))}`)).toEqual(SEEN);
  });
});

describe("texts outside of tables", () => {
  const file = (above: string, between: string, second = table(line("B"))) =>
    `<html><body>${above}${table(line("A"))}${between}${second}</body></html>`;

  test.each([
    "<p>Account No N</p>",
    "<div>Account <b>No</b>:</div><div>N</div>",
    "<h3>खाता संख्या: <span>N</span></h3>",
    "CC/OD Account Number: N<br>",
    "<p>IBAN: N",
  ])("%s before a second table names its account", async (text) => {
    const named = (number: string) => text.replace(/\bN\b/, number);
    const refusal = "two accounts: one ends in 0001, the other in 0002.";
    await expect(read(file(named("5010000000001"), named("5010000000002")))).rejects.toThrow(refusal);
    expect(await linesOf(file(named("5010000000001"), named("5010000000001")))).toHaveLength(2);
    await expect(
      read(
        file(
          named("5010000000001"),
          "",
          `<table><caption>${named("5010000000002")}</caption>${HEAD}${line("B")}</table>`,
        ),
      ),
    ).rejects.toThrow(refusal);
  });

  test("titles, currencies, and what nobody sees", async () => {
    await expect(read(file("", "<h2>Loan account</h2>"))).rejects.toThrow("“Loan account” on line");
    await expect(read(file("<p>Currency: USD</p>", ""))).rejects.toThrow("the currency is “USD”, not INR");
    await expect(read(file("", "<h4>Upcoming payments</h4>", `<table>${line("B")}</table>`))).rejects.toThrow(
      "begins another table",
    );
    const hidden = "<p style='display:none'>Account No: 5010000000002</p><!-- Account No: 5010000000003 -->";
    expect(await linesOf(file("<p>Account No: 5010000000001</p>", hidden))).toHaveLength(2);
    const below = "<p>Account No: 5010000000002</p>";
    expect(await linesOf(file("<p>Account No: 5010000000001</p>", "", "") + below)).toHaveLength(1);
  });

  test("too many are refused", async () => {
    await expect(read(file("<p>a</p>".repeat(20_001), ""))).rejects.toThrow("more than 20000 texts outside");
  });
});
