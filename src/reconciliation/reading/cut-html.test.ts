// HTML tables that end too early: no line of a statement disappears without an error.
import { describe, expect, test } from "vitest";
import { linesOf, read } from "./testing.ts";

const row = (...cells: string[]): string => `<tr><td>${cells.join("</td><td>")}</td></tr>`;
const HEAD = row("Date", "Narration", "Debit", "Credit");
const WITH_BALANCE = row("Date", "Narration", "Debit", "Credit", "Balance");

/** How often a file was refused when cut after each of its characters. A cut that is accepted must still have all lines. */
async function cutsRefused(text: string): Promise<number> {
  const whole = await linesOf(text);
  let refused = 0;
  for (let length = 0; length < text.length; length += 1) {
    const outcome = await linesOf(text.slice(0, length)).catch(() => null);
    if (outcome === null) refused += 1;
    else expect(outcome, `cut after ${text.slice(0, length)}`).toEqual(whole);
  }
  return refused;
}

const ONE = row("20/11/2026", "A", "", "10.00");
const TWO = row("21/11/2026", "B", "", "15.00");
const REFUSAL =
  /^Line \d+: .* so the file seems to be cut off\. Download the statement again\. Nothing was imported\.$/;

describe("a statement in HTML that is cut off", () => {
  test("in a cell, a row or the table is refused with its line", async () => {
    const text = `<html><body><table>\n${HEAD}\n${ONE}\n<tr><td>21/11/2026</td><td>B</td><td></td><td>15`;
    for (const end of ["", "</td>", "</td></tr>", "</td></tr></tabl"]) {
      await expect(read(text + end)).rejects.toThrow("Line 1: the table that begins here is not closed");
      await expect(read(text + end)).rejects.toThrow(REFUSAL);
    }
    expect(await linesOf(`${text}</table></body></html>`)).toHaveLength(2);
  });

  test("anywhere is refused, or has every line", async () => {
    const parts = [HEAD, ONE, TWO].join("\n");
    const files = [
      `<table>\n${parts}</table>`,
      `<!DOCTYPE html>\n<html><head><title>A</title></head><body class="a > b">\n<table border="1">${parts}</table>\n</body></html>\n`,
      // Several tables, where nothing after the first one announces more.
      `<html><body><table>${HEAD}${ONE}</table><!-- <p> --><style>td { color: red }</style><table>${TWO}</table></body></html>`,
      `<div><table>${HEAD}${ONE}</table><div>Page 2</div><table>${TWO}</table></div>`,
      // A table in a cell of another table.
      `<table><tr><td><table>${HEAD}${ONE}</table></td></tr><tr><td><table>${TWO}</table></td></tr></table>`,
    ];
    for (const file of files) expect(await cutsRefused(file)).toBeGreaterThan(file.indexOf(TWO) + TWO.length - 1);
    const balances = [row("20/11/2026", "A", "", "10.00", "10.00"), row("21/11/2026", "B", "", "15.00", "25.00")];
    await cutsRefused(`<html><body><table>${WITH_BALANCE}${balances.join("")}</table></body></html>`);
  });

  test("in a comment, a script or a tag behind the table is refused", async () => {
    const table = `<table>${HEAD}${ONE}</table>\n`;
    for (const end of ["<!-- page 2", "<script>page()", "<style>td {", '<table class="a', "</tabl", "<"]) {
      await expect(read(table + end)).rejects.toThrow(REFUSAL);
    }
    for (const end of ["", "\n", "<!-- page 2 -->", "A < B"]) expect(await linesOf(table + end)).toHaveLength(1);
  });

  test("with more rows than are read is refused, whatever the rows are", async () => {
    const notes = "<tr><td><td>A</tr>".repeat(202_000);
    const file = `<table>${HEAD}${ONE}${notes}${TWO}</table>`;
    await expect(read(file)).rejects.toThrow("more than 200000 lines. Split it by days.");
  });

  test("end tags that HTML allows to leave out are not missed", async () => {
    const bare = (text: string): string => text.replaceAll(/<\/t[dr]>/g, "");
    const text = `<table>${bare(HEAD + ONE + TWO)}</table>`;
    expect(await linesOf(text)).toHaveLength(2);
    await cutsRefused(text);
    // The end of either one ends the page.
    for (const end of ["</body>", "</html>"]) expect(await linesOf(`<html><body>${text}${end}`)).toHaveLength(2);
  });
});
