// Statements with the same content in other forms: one account in two formats, dates with the month first, and an account that
// several merchants pay from.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { paymentId } from "../payouts/providers/payment-id.ts";
import { importStatement } from "./import-statement.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { saveBatchPayee } from "../payouts/beneficiaries/save-beneficiary.ts";
import { formatPaise } from "../platform/money.ts";
import type { StatementImport } from "./statement-import.ts";
import type { DateOrder } from "./reading/statement.ts";
import { reconcile } from "./reconcile.ts";
import { bookAsFunding, setAside } from "./resolve.ts";
import { csv, makeSharedAccount, Stage, utrOf } from "./testing.ts";

const NOBODY = { name: "Asha Rao", upi: null };

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

async function take(text: string | Uint8Array, dateOrder: DateOrder | null = null): Promise<StatementImport> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const taken = await importStatement(stage.context, { account: "HDFC", fileName: "day", bytes, dateOrder });
  await reconcile(stage.context);
  return taken;
}

/** A line of MT940 of 20 November 2026: side, paise, the bank's reference, the narration. */
type Swift = readonly [side: "C" | "D", amountPaise: bigint, reference: string, narration: string];

/** A statement in MT940, with sums that agree. */
function mt940(lines: readonly Swift[]): string {
  const comma = (paise: bigint) => formatPaise(paise).replace(".", ",");
  const openingPaise = 100_000n;
  const closingPaise = lines.reduce((sum, [side, paise]) => sum + (side === "C" ? paise : -paise), openingPaise);
  const entries = lines.map(
    ([side, paise, reference, narration]) =>
      `:61:2611201120${side}${comma(paise)}NTRFNONREF//${reference}\n:86:${narration}`,
  );
  const balance = (paise: bigint) => `C261120INR${comma(paise)}`;
  return [
    ":20:1",
    ":25:50100",
    ":28C:1/1",
    `:60F:${balance(openingPaise)}`,
    ...entries,
    `:62F:${balance(closingPaise)}`,
  ].join("\n");
}

const states = async () => (await stage.lines()).map(({ state, difference }) => difference ?? state);

test("a line that the bank did not book matches nothing, and the answer counts it", async () => {
  const [failed, paid] = [await stage.pay(10_000n, ["SUCCESS"]), await stage.pay(10_000n, ["SUCCESS"])];
  const line = (reference: string, status: string) => `20/11/2026,IMPS ${reference},${reference},100.00,,${status}`;
  const rows = ["Date,Narration,UTR,Debit,Credit,Status", line(utrOf(failed), "FAILED"), line(utrOf(paid), "SUCCESS")];
  expect(await take(rows.join("\n"))).toMatchObject({ lineCount: 1, newCount: 1, notBookedCount: 1 });
  expect(await states()).toEqual(["matched"]);
  expect(await stage.clearingOf(failed, paid)).toEqual([10_000n, 0n]);
});

describe("one account in two formats", () => {
  test("counts each line once that has its reference or its balance in both, whichever file comes first", async () => {
    const [one, two] = [await stage.pay(10_000n, ["SUCCESS"]), await stage.pay(10_000n, ["SUCCESS"])];
    const asCsv = csv([
      { reference: utrOf(one), out: 10_000n },
      { reference: utrOf(two), out: 10_000n },
      { narration: "NEFT CR RAVI", reference: "ICICN123456789", in: 500n },
    ]);
    // Another order, one UTR only in the narration, and one more payment that is there twice.
    const later = await stage.pay(10_000n, ["SUCCESS"]);
    const asSwift = mt940([
      ["D", 10_000n, "BANK0000001", `IMPS ${utrOf(later)} UMA`],
      ["D", 10_000n, "BANK0000002", `IMPS ${utrOf(two)} RAVI`],
      ["C", 500n, "ICICN123456789", "NEFT CR"],
      ["D", 10_000n, utrOf(one), "IMPS"],
    ]);
    expect(await take(asCsv)).toMatchObject({ format: "csv", newCount: 3 });
    expect(await take(asSwift)).toMatchObject({ format: "mt940", lineCount: 4, newCount: 1 });
    expect(await take(asSwift)).toMatchObject({ newCount: 0 });
    expect(await take(asCsv)).toMatchObject({ newCount: 0 });
    expect(await states()).toEqual(["matched", "matched", "missing_here", "matched"]);
    expect(await stage.clearingOf(one, two, later)).toEqual([0n, 0n, 0n]);

    await stage.newMerchant();
    expect(await take(asSwift)).toMatchObject({ newCount: 4 });
    expect(await take(asCsv)).toMatchObject({ newCount: 0 });
  });

  test("shows what has only day, side and amount in common as a possible duplicate, which people settle", async () => {
    await take(
      csv([
        { narration: "SMS CHARGES", out: 1770n },
        { narration: "CASH", in: 5000n },
      ]),
    );
    const swift = mt940([
      ["D", 1770n, "CHG000001", "ALERT FEE"],
      ["D", 1770n, "CHG000002", "ALERT FEE"],
      ["C", 5000n, "CSH000001", "DEPOSIT"],
    ]);
    expect(await take(swift)).toMatchObject({ newCount: 3 });
    // Nothing is left for the second charge to match.
    expect(await states()).toEqual(["missing_here", "missing_here", "duplicate", "missing_here", "duplicate"]);
    const [charge, cash, charged, , deposit] = await stage.lines();
    expect([charged!.aboutId, deposit!.aboutId]).toEqual([charge!.lineId, cash!.lineId]);
    await expect(bookAsFunding(stage.context, deposit!.lineId)).rejects.toThrow(/may be line/);
    await setAside(stage.context, { target: charged!.lineId, reason: "The same charge" });
    await setAside(stage.context, { target: deposit!.lineId, reason: null });
    await reconcile(stage.context);
    expect(await states()).toEqual(["missing_here", "missing_here", "noted", "missing_here", "missing_here"]);
    expect(await take(swift)).toMatchObject({ newCount: 0 });
    expect(await states()).toEqual(["missing_here", "missing_here", "noted", "missing_here", "missing_here"]);
    await bookAsFunding(stage.context, deposit!.lineId);
  });

  test("a possible duplicate takes part in no sum, and is matched where it has the UTR of what is open", async () => {
    const paid = await stage.pay(10_000n, ["SUCCESS"]);
    await take(csv([{ narration: "TRANSFER", out: 10_000n }]));
    await take(mt940([["D", 10_000n, utrOf(paid), "IMPS"]]));
    expect(await states()).toEqual(["missing_here", "matched"]);
    expect(await stage.clearingOf(paid)).toEqual([0n]);
  });
});

describe("dates with the month first", () => {
  const file = (...days: string[]) =>
    csv(days.map((day, index) => ({ day, narration: `N${index}`, out: BigInt(index + 1) })));
  const days = async () => (await stage.lines()).map(({ bookedOn }) => bookedOn.toString());

  test("are read so where one of them can be nothing else", async () => {
    await take(file("08/31/2026", "09/01/2026"));
    expect(await days()).toEqual(["2026-08-31", "2026-09-01"]);
  });

  test("are asked about where every date may be both, and the answer is remembered", async () => {
    await expect(take(file("05/11/2026", "06/11/2026"))).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ field: "date_order", code: "required" }],
    });
    expect(await days()).toEqual([]);
    await take(file("05/11/2026"), "month-first");
    await take(file("06/11/2026"));
    expect(await days()).toEqual(["2026-05-11", "2026-06-11"]);
  });

  test("are asked about where the account's files had the day first; what a file shows is remembered", async () => {
    await take(file("31/08/2026"));
    await take(file("01/09/2026"));
    expect(await days()).toEqual(["2026-08-31", "2026-09-01"]);
    await expect(take(file("09/30/2026"))).rejects.toThrow(
      /month first, but earlier files of this account had the day/,
    );
    await take(file("09/30/2026"), "month-first");
    expect(await days()).toEqual(["2026-08-31", "2026-09-01", "2026-09-30"]);
  });

  test("and such with the day first in one file are refused by line; what reads the same in both needs no answer", async () => {
    await expect(take(file("31/08/2026", "08/31/2026"))).rejects.toThrow("Line 3, Date: “08/31/2026” is not a date");
    await take(file("11/11/2026", "12 Nov 2026"));
    expect(await days()).toEqual(["2026-11-11", "2026-11-12"]);
  });
});

test("over an account of several merchants, a line is only that of the merchant whose payment it names", async () => {
  const tag = await makeSharedAccount(stage.db.server);
  const theirs = await stage.pay(100n, ["SUCCESS"]);
  const other = stage.merchant;
  await stage.newMerchant();
  const own = await stage.pay(100n, ["SUCCESS"]);
  const reference = `ORDER-${own.transferId}`;
  // Both merchants use this reference, and both payments are of the same amount.
  const lines = csv([
    { reference: paymentId(tag, theirs), narration: `PAYOUT ${reference}`, out: 100n },
    { reference: paymentId(tag, own), out: 100n },
  ]);
  await take(lines);
  const found = (await stage.lines()).map(({ state, matchedBy, note }) => [state, matchedBy, note]);
  expect(found).toEqual([
    ["noted", null, "Another merchant's payment over this account"],
    ["matched", "payment_id", null],
  ]);
  expect(await stage.clearingOf(own)).toEqual([0n]);
  expect(other.merchantId).not.toBe(stage.merchant.merchantId);
});

test("what a verification cost is told from what is missing, and other rupees are not", async () => {
  const payee = {
    ...NOBODY,
    beneficiaryId: await stage.db.ids.next(),
    accountNumber: "50100012345678",
    ifsc: "HDFC0000001",
  };
  const { merchant, db } = stage;
  await inTransaction(db.server, (connection) => saveBatchPayee({ connection, merchant }, payee));
  await db.owner.query(
    `update beneficiary set verification = 'verified', verified_at = '2026-11-20T10:00:00Z', verification_utr = '0632500000777'
     where beneficiary_id = $1`,
    [payee.beneficiaryId],
  );
  await take(
    csv([
      { reference: "632500000777", narration: "IMPS ASHA", out: 100n },
      { reference: "632500000777", narration: "Fee", out: 236n },
      { reference: "632500000777", narration: "IMPS ASHA", out: 101n },
      { reference: "632500000778", narration: "IMPS ASHA", out: 100n },
    ]),
  );
  const note = `Verification of beneficiary ${payee.beneficiaryId}`;
  expect((await stage.lines()).map((line) => [line.state, line.note])).toEqual([
    ["noted", note],
    ["noted", note],
    ["missing_here", null],
    ["missing_here", null],
  ]);
  expect(await reconcile(stage.context)).toEqual({ matchedLines: 0, openLines: 2 });
});
