// References outside the reference column of a bank's file, and in other spacing, after its import.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { formatPaise } from "../platform/money.ts";
import { importStatement } from "./import-statement.ts";
import type { StatementImport } from "./statement-import.ts";
import { reconcile } from "./reconcile.ts";
import { Stage, utrOf } from "./testing.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.db.close());
beforeEach(() => stage.newMerchant());
afterEach(async () => {
  const violations = await stage.violations();
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
});

async function take(text: string): Promise<StatementImport> {
  const bytes = new TextEncoder().encode(text);
  const taken = await importStatement(stage.context, { account: "HDFC", fileName: "day", bytes });
  await reconcile(stage.context);
  return taken;
}

const states = async () => (await stage.lines()).map(({ state }) => state);

function mt940(outPaise: bigint, ...entries: string[]): string {
  const comma = (paise: bigint) => formatPaise(paise).replace(".", ",");
  return [
    ":20:1",
    ":25:50100",
    ":28C:1/1",
    ":60F:C261120INR1000,00",
    ...entries,
    `:62F:C261120INR${comma(100_000n - outPaise)}`,
  ].join("\n");
}

test("a payout is found by the reference in :61:, beside that of the bank and a :86:", async () => {
  const paid = await stage.pay(10_000n, ["SUCCESS"]);
  await take(mt940(10_000n, `:61:2611201120D100,00NTRF${utrOf(paid)}//S98765432`, ":86:IMPS OUTWARD ASHA RAO"));
  expect(await states()).toEqual(["matched"]);
  expect(await stage.clearingOf(paid)).toEqual([0n]);
});

test("a payout is found by a reference that the bank has cut at the end of a row, short or full", async () => {
  const [one, two, three] = [
    await stage.pay(10_000n, ["SUCCESS"]),
    await stage.pay(10_000n, ["SUCCESS"]),
    await stage.pay(500n, ["SUCCESS"]),
  ];
  const cut = (text: string) => `${text.slice(0, 5)}\n${text.slice(5)}`;
  const full = `IMPS OUTWARD TO ASHA RAO OF HDFC BANK, BRANCH AT KAROL BAGH, UTR ${utrOf(two)}`;
  const entries = [
    ":61:2611201120D100,00NTRFNONREF//B1",
    `:86:UTR ${cut(utrOf(one))} THANK YOU`,
    ":61:2611201120D100,00NTRFNONREF//B2",
    `:86:${full.slice(0, 65)}\n${full.slice(65)} THANK YOU`,
  ];
  await take(mt940(20_000n, ...entries));
  await take(`Date,Narration,Debit,Credit\n20/11/2026,"IMPS ${cut(utrOf(three))}",5.00,\n`);
  expect(await states()).toEqual(["matched", "matched", "matched"]);
});

test("a batch without amounts is found by the references of its payments", async () => {
  const [one, two] = [await stage.pay(10_000n, ["SUCCESS"]), await stage.pay(500n, ["SUCCESS"])];
  const payments = [one, two]
    .map((paid) => `<TxDtls><Refs><EndToEndId>${utrOf(paid)}</EndToEndId></Refs></TxDtls>`)
    .join("");
  await take(`<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="INR">100.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>
    <BookgDt><Dt>2026-11-20</Dt></BookgDt><AcctSvcrRef>BATCH1</AcctSvcrRef><NtryDtls>${payments}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`);
  expect(await states()).toEqual(["matched"]);
  expect(await stage.clearingOf(one)).toEqual([0n]);
});

test("a payout and its fee in RazorpayX's transactions are found", async () => {
  const paid = await stage.pay(100n, ["SUCCESS"], { feePaise: 100n, taxPaise: 18n });
  const source = { id: "pout_1", entity: "payout", amount: 100, fees: 118, tax: 18, utr: utrOf(paid) };
  await take(
    JSON.stringify([
      { id: "txn_1", credit: 0, debit: 218, currency: "INR", balance: 0, source, created_at: 1_795_000_000 },
    ]),
  );
  expect(await states()).toEqual(["matched", "matched"]);
  expect(await stage.clearingOf(paid)).toEqual([0n]);
});

test("the same line with other spacing counts once, and two that differ by spacing in one file are two", async () => {
  const file = (...narrations: string[]) =>
    ["Date,Narration,Chq./Ref.No.,Debit,Credit", ...narrations.map((text) => `20/11/2026,${text},,,5000.00`)].join(
      "\n",
    ) + "\n";
  expect(await take(file("CASH DEPOSIT  BRANCH 0455"))).toMatchObject({ newCount: 1 });
  for (const again of [
    "CASH DEPOSIT BRANCH 0455",
    " CASH  DEPOSITBRANCH 0455 ",
    '"CASH DEPOSIT\nBRANCH 0455"',
    "CASH DEPOSIT\u00A0BRANCH 0455",
  ]) {
    expect(await take(file(again))).toMatchObject({ lineCount: 1, newCount: 0 });
  }
  expect(await take(file("CASH DEPOSIT BRANCH 0456"))).toMatchObject({ newCount: 1 });
  const two = file("CASH DEPOSIT  BRANCH 0455", "CASH DEPOSIT BRANCH 0455");
  expect(await take(two)).toMatchObject({ lineCount: 2, newCount: 1 });
  expect(await take(two)).toMatchObject({ newCount: 0 });
});
