// Tables other than plain CSV: HTML, other separators, times with zones, and cut narrations.
import { describe, expect, test } from "vitest";
import { balancesOf, linesOf, read, rows } from "./testing.ts";

describe("files that are not plain", () => {
  const HTML = `<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style>td { color: red }</style></head>
<body><!-- <table><tr><td>no</td></tr></table> --><table border="1"><tr><td colspan="7">Account No : 50100000000001</td></tr>
<tr><th>Txn Date</th><th>Value Date<th>Description</th><th>Ref No./Cheque No.</th><th>Debit</th><th>Credit</th><th>Balance</th></tr>
<TR><TD>20/11/2026</TD><TD>20/11/2026<TD>BY TRANSFER&nbsp;A &amp; B&#39;S<br/>MORE</TD><TD>&nbsp;632600000020</TD><TD></TD><TD>1,00,000.00</TD><TD>1,00,000.00</TD></TR>
<tr><td>21/11/2026</td><td>21/11/2026</td><td>TO TRANSFER</td><td></td><td>5.00</td><td>&nbsp;</td><td>99,995.00</td>
</table></body></html>`;

  test("HTML that is named as Excel", async () => {
    expect(await linesOf(HTML)).toEqual([
      "2026-11-20 | 100000.00 | 632600000020 | BY TRANSFER A & B'S MORE",
      "2026-11-21 | -5.00 | none | TO TRANSFER",
    ]);
    expect(await balancesOf(HTML)).toEqual(["0.00", "99995.00"]);
    await expect(read(HTML.replace("99,995.00", "99,996.00"))).rejects.toThrow(/^Line 5, balance: /);
    await expect(read("<html><body>Session expired</body></html>")).rejects.toThrow("is a web page");
  });

  test("the separator is what the first line says, or what is between the headings", async () => {
    const line = "20/11/2026;A, B, C, D, E, F, G;5.00;";
    expect(await linesOf(rows("sep=;", "Date;Narration;Debit;Credit", line))).toEqual([
      "2026-11-20 | -5.00 | none | A, B, C, D, E, F, G",
    ]);
    const above = "MERCHANT PVT LTD, 5, MAIN ROAD, KAROL BAGH, NEW DELHI, DELHI, INDIA";
    expect(await linesOf(rows(above, "Date\tNarration\tDebit\tCredit", line.replaceAll(";", "\t")))).toHaveLength(1);
  });

  test("XML in the encoding that it declares, and else in Windows-1252", async () => {
    const camt = (declared: string, byte: number): Uint8Array => {
      const [before, after] = [
        `<?xml version="1.0"${declared}?><Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="INR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
        <BookgDt><Dt>2026-11-20</Dt></BookgDt><AddtlNtryInf>A `,
        "</AddtlNtryInf></Ntry></Stmt></BkToCstmrStmt></Document>",
      ];
      return Buffer.concat([Buffer.from(before), Buffer.from([byte]), Buffer.from(after)]);
    };
    const narrationOf = async (file: Uint8Array) => (await read(file)).lines[0]!.narration;
    expect(await narrationOf(camt(' encoding="ISO-8859-15"', 0xa4))).toBe("A €");
    for (const declared of ["", ' encoding="ISO-8859-1"', ' encoding="UTF-8"', ' encoding="no-such"']) {
      expect(await narrationOf(camt(declared, 0x80))).toBe("A €");
      expect(await narrationOf(camt(declared, 0xe9))).toBe("A é");
    }
  });

  test("times with a zone are days in India", async () => {
    const head = "Created At,Narration,Debit,Credit";
    const days = async (...times: string[]) =>
      (await read(rows(head, ...times.map((time) => `${time},A,5.00,`)))).lines.map(({ bookedOn }) =>
        bookedOn.toString(),
      );
    expect(
      await days(
        "2026-11-20T18:29:59Z",
        "2026-11-20T18:30:00Z",
        "2026-11-20T23:00:00.123+00:00",
        "2026-11-21 20:00:00 UTC",
        "2026-11-21T23:59:59+05:30",
        "2026-11-21T23:59:59",
        "22/11/2026 11:00:00 PM +0000",
      ),
    ).toEqual(["2026-11-20", "2026-11-21", "2026-11-21", "2026-11-22", "2026-11-21", "2026-11-21", "2026-11-23"]);
  });

  test("a reference that is cut by a row of the narration is found in both readings", async () => {
    const text = rows(
      "Date,Narration,Debit,Credit",
      '20/11/2026,"UTR 6326000\n00021",5.00,',
      ",PAID,,",
      "21/11/2026,UTR 6326,5.00,",
      ",00000022 RENT,,",
    );
    const { lines } = await read(text);
    expect(lines.map(({ narration, otherWords }) => [narration, otherWords])).toEqual([
      ["UTR 6326000 00021 PAID", ["632600000021", "00021PAID", "632600000021PAID"]],
      ["UTR 6326 00000022 RENT", ["632600000022"]],
    ]);
  });
});
