// ISO 20022's camt messages and RazorpayX's transactions: the meaning of their elements and members.
import { describe, expect, test } from "vitest";
import { formatPaise } from "../../platform/money.ts";
import { readStatementFile } from "./read-statement.ts";
import { signed, type ReadStatement } from "./statement.ts";

const read = (text: string): Promise<ReadStatement> =>
  readStatementFile(new TextEncoder().encode(text), { key: "test" });

/** Each line as a text: day, signed amount, reference, narration. */
async function linesOf(text: string): Promise<string[]> {
  const { lines } = await read(text);
  return lines.map((line) => {
    return [line.bookedOn.toString(), formatPaise(signed(line)), line.reference ?? "none", line.narration].join(" | ");
  });
}

type Balance = readonly [code: string, amount: string];

function camt(
  balances: readonly Balance[],
  entries: readonly string[],
  { account = "1", message = "BkToCstmrStmt", element = "Stmt" } = {},
): string {
  const bals = balances.map(
    ([code, amount]) =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="INR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`,
  );
  return `<Document><${message}><GrpHdr><MsgId>1</MsgId></GrpHdr><${element}><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>
${bals.join("\n")}\n${entries.join("\n")}</${element}></${message}></Document>`;
}

/** Joins two files into one message. */
const joined = (one: string, other: string): string =>
  one.replace("</BkToCstmrStmt></Document>", other.replace(/^.*<\/GrpHdr>/s, ""));

const entry = (amount: string, details = "", { side = "DBIT", day = "<Dt>2026-11-20</Dt>", more = "" } = {}): string =>
  `<Ntry><Amt Ccy="INR">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt>${day}</BookgDt>
<AcctSvcrRef>BANK${amount.replace(".", "")}</AcctSvcrRef>${more}<NtryDtls>${details}</NtryDtls></Ntry>`;

const payment = (reference: string, amount: string | null, more = ""): string =>
  `<TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs>${amount === null ? "" : `<Amt Ccy="INR">${amount}</Amt>`}${more}</TxDtls>`;

describe("camt", () => {
  test("a statement begins with OPBD or PRCD, and pages with ITBD; what doesn't add up is refused", async () => {
    const lines = [entry("10.00")];
    for (const [first, last] of [
      ["OPBD", "CLBD"],
      ["PRCD", "CLBD"],
      ["ITBD", "CLBD"],
      ["OPBD", "ITBD"],
      ["ITBD", "ITBD"],
    ] as const) {
      expect(
        await read(
          camt(
            [
              [first, "100.00"],
              [last, "90.00"],
            ],
            lines,
          ),
        ),
      ).toMatchObject({ openingPaise: 10_000n, closingPaise: 9000n });
      await expect(
        read(
          camt(
            [
              [first, "100.00"],
              [last, "91.00"],
            ],
            lines,
          ),
        ),
      ).rejects.toThrow("do not add up to the closing balance");
    }
    const both: Balance[] = [
      ["PRCD", "99.00"],
      ["OPBD", "100.00"],
      ["CLBD", "90.00"],
      ["CLAV", "1.00"],
    ];
    await expect(read(camt(both, lines))).rejects.toThrow("differs from the previous closing balance (PRCD)");
    expect(await linesOf(camt([["PRCD", "100.00"], ...both.slice(1)], lines))).toHaveLength(1);
  });

  test("several statements of one account, also the newest first; a gap and another account are refused", async () => {
    const one = camt(
      [
        ["OPBD", "100.00"],
        ["CLBD", "90.00"],
      ],
      [entry("10.00")],
    );
    const two = camt(
      [
        ["OPBD", "90.00"],
        ["CLBD", "85.00"],
      ],
      [entry("5.00", "", { day: "<Dt>2026-11-21</Dt>" })],
    );
    for (const text of [joined(one, two), joined(two, one)]) {
      expect(await read(text)).toMatchObject({
        openingPaise: 10_000n,
        closingPaise: 8500n,
        lines: [{ reference: "BANK1000" }, { reference: "BANK500" }],
      });
    }
    const late = camt(
      [
        ["OPBD", "86.00"],
        ["CLBD", "85.00"],
      ],
      [entry("1.00")],
    );
    await expect(read(joined(one, late))).rejects.toThrow(
      "begins with ₹86.00, but the statement before it ends with ₹90.00",
    );
    const other = camt(
      [
        ["OPBD", "90.00"],
        ["CLBD", "85.00"],
      ],
      [entry("5.00")],
      { account: "2" },
    );
    await expect(read(joined(one, other))).rejects.toThrow("statements of two accounts");
  });

  test("reports (camt.052) and notifications (camt.054) are read; a report of a day that goes on needs no whole balances", async () => {
    const report = { message: "BkToCstmrAcctRpt", element: "Rpt" };
    expect(
      await linesOf(
        camt(
          [
            ["OPBD", "100.00"],
            ["ITBD", "70.00"],
          ],
          [entry("10.00")],
          report,
        ),
      ),
    ).toHaveLength(1);
    await expect(
      read(
        camt(
          [
            ["OPBD", "100.00"],
            ["CLBD", "70.00"],
          ],
          [entry("10.00")],
          report,
        ),
      ),
    ).rejects.toThrow("do not add up");
    const notification = { message: "BkToCstmrDbtCdtNtfctn", element: "Ntfctn" };
    expect(await linesOf(camt([], [entry("10.00")], notification))).toEqual(["2026-11-20 | -10.00 | BANK1000 | "]);
  });

  test("an entry of payments without amounts is one line that keeps all references", async () => {
    const details =
      payment("632600000001", null) +
      payment("632600000002", "3.00") +
      payment("NOTPROVIDED", null, "<RmtInf><Ustrd>LAST</Ustrd></RmtInf>");
    expect(await linesOf(camt([], [entry("10.00", details)]))).toEqual([
      "2026-11-20 | -10.00 | 632600000001 | LAST 632600000002 BANK1000",
    ]);
  });

  test("charges beside payments are lines of their own where they make up the entry's amount", async () => {
    const record = (amount: string, more = "") => `<Chrgs><Rcrd><Amt Ccy="INR">${amount}</Amt>${more}</Rcrd></Chrgs>`;
    const two = payment("632600000001", "60.00", record("2.00")) + payment("632600000002", "30.00", record("3.00"));
    expect(await linesOf(camt([], [entry("95.00", two)]))).toEqual([
      "2026-11-20 | -60.00 | 632600000001 | BANK9500",
      "2026-11-20 | -30.00 | 632600000002 | BANK9500",
      "2026-11-20 | -2.00 | 632600000001 | Charges BANK9500",
      "2026-11-20 | -3.00 | 632600000002 | Charges BANK9500",
    ]);
    // Charges that are for information only, since they are booked elsewhere.
    expect(await linesOf(camt([], [entry("90.00", two)]))).toHaveLength(2);
    const one = payment("632600000001", "90.00", '<Chrgs><Amt Ccy="INR">5.00</Amt></Chrgs>');
    expect(await linesOf(camt([], [entry("95.00", one)]))).toEqual([
      "2026-11-20 | -90.00 | 632600000001 | BANK9500",
      "2026-11-20 | -5.00 | 632600000001 | Charges BANK9500",
    ]);
    const credit = entry("85.00", payment("632600000001", "90.00"), {
      side: "CRDT",
      more: record("5.00", "<CdtDbtInd>DBIT</CdtDbtInd>"),
    });
    expect(await linesOf(camt([], [credit]))).toEqual([
      "2026-11-20 | 90.00 | 632600000001 | BANK8500",
      "2026-11-20 | -5.00 | 632600000001 | Charges BANK8500",
    ]);
    await expect(read(camt([], [entry("96.00", two)]))).rejects.toThrow("do not add up to the entry's amount");
  });

  test.each(["1<!-- -->01.00", "<![CDATA[1]]>01.00", "1<?x y?>01.00", "1&#48;1.00"])(
    "%s is 101.00",
    async (written) => {
      expect((await linesOf(camt([], [entry(written)])))[0]).toContain("2026-11-20 | -101.00 | ");
      const two = `${payment("632600000001", written)}${payment("632600000002", "1.00")}`;
      expect((await linesOf(camt([], [entry("102.00", two)])))[0]).toContain("-101.00 | 632600000001");
      const statement = await read(
        camt(
          [
            ["OPBD", written],
            ["CLBD", "100.00"],
          ],
          [entry("1.00")],
        ),
      );
      expect(statement.openingPaise).toBe(101_00n);
    },
  );

  test("a reference and a status that are divided are read whole", async () => {
    for (const written of ["6326<!-- x -->00000001", "6326<![CDATA[00000001]]>", "6326<?x?>00000001"])
      expect((await linesOf(camt([], [entry("1.00", payment(written, "1.00"))])))[0]).toContain("| 632600000001 |");
    const pending = entry("1.00").replace("BOOK", "PD<!-- -->NG");
    expect(await linesOf(camt([], [pending, entry("2.00")]))).toHaveLength(1);
  });

  test("elements inside a text are refused", async () => {
    for (const written of ["1<b>0</b>1.00", "<b>1</b>01.00", "101.00<b/>"])
      await expect(read(camt([], [entry(written)]))).rejects.toThrow("Line 3, Amt: it has elements inside its text.");
    await expect(read(camt([], [entry("1.00", payment("6326<b>0</b>0000001", "1.00"))]))).rejects.toThrow(
      "EndToEndId: it has elements inside its text.",
    );
    await expect(read(camt([], [entry("<b>101.00</b>")]))).rejects.toThrow("is not an amount");
  });

  test("an entry with a status of the bank's own is booked only if it says so", async () => {
    const own = (status: string) => entry("1.00").replace(/<Sts>.*?<\/Sts>/, `<Sts><Prtry>${status}</Prtry></Sts>`);
    expect(await linesOf(camt([], [own("WAITING"), own("BOOK")]))).toHaveLength(1);
  });

  test("an entry of 0.00 is passed over, one without an amount is not", async () => {
    expect(
      await linesOf(
        camt(
          [
            ["OPBD", "5.00"],
            ["CLBD", "4.00"],
          ],
          [entry("0.00"), entry("1.00")],
        ),
      ),
    ).toHaveLength(1);
    await expect(read(camt([], [entry("x")]))).rejects.toThrow("“x” is not an amount.");
  });

  test("an amount with a comma is refused wherever it is, with its element and line; a sign and few decimals are read", async () => {
    const plain = (amount: string) => linesOf(camt([], [entry(amount)]));
    for (const [written, paise] of [
      ["1.5", "1.50"],
      ["1.50", "1.50"],
      ["+1.50", "1.50"],
      ["1", "1.00"],
      ["1.50000", "1.50"],
    ] as const)
      expect((await plain(written))[0]).toContain(`2026-11-20 | -${paise} | `);
    const refused = async (text: string, place: string, written: string) => {
      const remedy =
        "Download the statement again, or ask the bank for one whose amounts are digits with a point, such as 1000.00.";
      const sentence = `${place}: “${written}” is not an amount. ${remedy} Nothing was imported.`;
      await expect(read(text)).rejects.toThrow(sentence);
    };
    for (const written of ["1,000", "2,000", "1,50", "1,000.00", "-1.50", "1.000,00", "1 000", ".", "+"]) {
      await refused(camt([], [entry(written)]), "Line 3, Ntry/Amt", written);
    }
    await refused(camt([["OPBD", "1,000"]], []), "Line 2, Bal/Amt", "1,000");
    const two = `${payment("632600000001", "1.00")}\n${payment("632600000002", "1,000")}`;
    await refused(camt([], [entry("2.00", two)]), "Line 5, TxDtls/Amt", "1,000");
    const charge = (amount: string) => `<Chrgs><Rcrd><Amt Ccy="INR">${amount}</Amt></Rcrd></Chrgs>`;
    const charged = payment("632600000001", "1.00", charge("1,000"));
    await refused(camt([], [entry("2.00", charged)]), "Line 4, TxDtls/Chrgs/Rcrd/Amt", "1,000");
    await refused(camt([], [entry("2.00", "", { more: charge("1,000") })]), "Line 3, Ntry/Chrgs/Rcrd/Amt", "1,000");
    // Entries that aren't booked are skipped.
    const pending = entry("1,000").replace("BOOK", "PDNG");
    expect(await linesOf(camt([], [pending, entry("1.00")]))).toHaveLength(1);
  });

  test("a statement that is in the file twice is refused; another one of the same number is not", async () => {
    const zero: Balance[] = [
      ["OPBD", "100.00"],
      ["CLBD", "100.00"],
    ];
    const entries = [entry("10.00"), entry("10.00", "", { side: "CRDT" })];
    const numbered = (lines: readonly string[], id = "S-17") =>
      camt(zero, lines).replace("<Stmt>", `<Stmt><Id>${id}</Id>`);
    await expect(read(joined(numbered(entries), numbered(entries)))).rejects.toThrow(
      "Line 7, Bal: statement S-17 is in the file twice, first on line 1. Remove one of the two, and import the file again. Nothing was imported.",
    );
    expect(await linesOf(joined(numbered(entries), numbered(entries, "S-18")))).toHaveLength(4);
    const others = [entry("11.00"), entry("11.00", "", { side: "CRDT" })];
    expect(await linesOf(joined(numbered(entries), numbered(others)))).toHaveLength(4);
  });

  test("a reversal is on the side that it says", async () => {
    const back = entry("5.00", "", { side: "CRDT", more: "<RvslInd>true</RvslInd>" });
    expect(
      await linesOf(
        camt(
          [
            ["OPBD", "1.00"],
            ["CLBD", "6.00"],
          ],
          [back],
        ),
      ),
    ).toEqual(["2026-11-20 | 5.00 | BANK500 | "]);
  });

  test("a time with a zone is a day in India", async () => {
    const at = async (day: string) => (await linesOf(camt([], [entry("1.00", "", { day })])))[0]!.split(" | ")[0];
    expect(await at("<DtTm>2026-11-20T18:29:59Z</DtTm>")).toBe("2026-11-20");
    expect(await at("<DtTm>2026-11-20T18:30:00.000Z</DtTm>")).toBe("2026-11-21");
    expect(await at("<DtTm>2026-11-20T23:59:59-08:00</DtTm>")).toBe("2026-11-21");
    expect(await at("<DtTm>2026-11-20T23:59:59+05:30</DtTm>")).toBe("2026-11-20");
    expect(await at("<DtTm>2026-11-20T23:59:59</DtTm>")).toBe("2026-11-20");
    expect(await at("<Dt>2026-11-20+01:00</Dt>")).toBe("2026-11-20");
  });
});

describe("RazorpayX", () => {
  const base = { currency: "INR", account_number: "7878780000000001", created_at: 1_795_000_000 };
  const payout = { id: "pout_1", entity: "payout", amount: 20_000, fees: 708, tax: 108, utr: "632600000001" };

  test("a payout and its fee, of which the tax is a part; and both back", async () => {
    const items = [
      {
        ...base,
        id: "txn_2",
        credit: 20_708,
        debit: 0,
        balance: 100_000,
        source: { ...payout, id: "rvrsl_1", entity: "reversal", fees: undefined, fee: 708 },
      },
      { ...base, id: "txn_1", credit: 0, debit: 20_708, balance: 79_292, source: payout },
    ];
    const { lines, openingPaise } = await read(JSON.stringify({ items }));
    expect(openingPaise).toBe(100_000n);
    expect(
      lines.map((line) => `${formatPaise(signed(line))} ${formatPaise(line.balancePaise!)} ${line.narration}`),
    ).toEqual([
      "-200.00 800.00 pout_1 txn_1",
      "-7.08 792.92 Fee, of which tax ₹1.08 pout_1 txn_1",
      "200.00 992.92 rvrsl_1 txn_2",
      "7.08 1000.00 Fee, of which tax ₹1.08 rvrsl_1 txn_2",
    ]);
  });

  test("a transaction whose amount is not its debit or credit is refused", async () => {
    const item = { ...base, id: "txn_1", amount: 99_900, credit: 0, debit: 20_708, balance: 79_292, source: payout };
    await expect(read(JSON.stringify([item]))).rejects.toThrow("Line 1, amount: it differs from the debit or credit.");
    expect(await linesOf(JSON.stringify([{ ...item, amount: 20_708 }]))).toHaveLength(2);
  });

  test("a payout whose debit has no fee in it is one line; what moved nothing is none; two accounts are refused", async () => {
    const item = { ...base, id: "txn_1", credit: 0, debit: 20_000, balance: 80_000, source: payout };
    const nothing = { ...base, id: "txn_2", credit: 0, debit: 0, balance: 80_000, source: null };
    expect(await linesOf(JSON.stringify([nothing, item]))).toEqual([
      "2026-11-18 | -200.00 | 632600000001 | pout_1 txn_1",
    ]);
    const other = { ...item, account_number: "7878780000000002" };
    await expect(read(JSON.stringify([other, item]))).rejects.toThrow("statements of two accounts");
  });
});
