// Credit notes on a database: their effects on the invoice, the franchise and the merchant's balance, also concurrently.
// test/wire/credit-notes.test.ts tests the command line and the bank.
import { afterAll, beforeAll, expect, test } from "vitest";
import { commissionOf, makeFranchise } from "../../../test/support/franchises.ts";
import { claim, openLedgerDatabase, report, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { CommissionPayer, type Franchise } from "../../franchises/index.ts";
import { readBalances } from "../../ledger/index.ts";
import { changePayoutPolicy } from "../../merchants/index.ts";
import { OwnPayouts } from "../../payouts/index.ts";
import { readConfig } from "../../platform/config.ts";
import { owedOf, type CreditNote } from "./credit-note.ts";
import { Invoicing, PAYEE } from "../../../test/support/invoicing.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db, 1_000_000n);
});
afterAll(() => db.close());

const PERCENTAGE = {
  onlineSettlement: true,
  commissionType: "Percentage",
  commissionHundredths: 1000n,
  settlementType: "Auto",
} as const;
const FIXED = { ...PERCENTAGE, commissionType: "Fixed", commissionHundredths: 5000n } as const;

function available({ merchant }: Invoicing): Promise<bigint> {
  return readBalances(db.server, merchant.bucket, merchant.merchantId).then((balances) => balances.availablePaise);
}

/** Reports this status of the latest transfer of a note's refund. */
async function bankSays(note: CreditNote, ...statuses: ("SUCCESS" | "FAILED" | "REVERSED")[]): Promise<void> {
  const { bucket, merchantId } = note;
  await carry({ bucket, merchantId, transferId: note.refund.lastTransferId! }, ...statuses);
}

async function carry(
  transfer: { bucket: number; merchantId: bigint; transferId: bigint },
  ...statuses: ("SUCCESS" | "FAILED" | "REVERSED")[]
): Promise<void> {
  await claim(db.server, [transfer]);
  await db.owner.query(
    `insert into simulator.payment (bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr,
       acknowledged)
     select bucket, merchant_id, transfer_id, amount_paise, rail_mode, payee.name, $4, 'UTR' || transfer_id, true
     from transfer join beneficiary payee using (bucket, merchant_id, beneficiary_id) where bucket = $1 and merchant_id = $2 and transfer_id = $3`,
    [transfer.bucket, transfer.merchantId, transfer.transferId, statuses.at(-1)],
  );
  await report(db.server, transfer, ...statuses);
}

async function payCommission(franchise: Franchise): Promise<bigint> {
  const context = { pool: db.server, ids: db.ids, merchant: franchise };
  const payer = new CommissionPayer(new OwnPayouts(readConfig({})));
  const payout = await payer.settle(context, { franchiseId: franchise.franchiseId, expectedPaise: null });
  if (payout.outcome !== "accepted") return 0n;
  const { bucket, merchantId } = franchise;
  await carry({ bucket, merchantId, transferId: payout.transferId }, "SUCCESS");
  return payout.amountPaise;
}

test("an unpaid invoice that is credited in full is taken back, not paid", async () => {
  const invoice = await shop.save();
  const half = await shop.credit(invoice, 5900n);
  expect(half.invoice).toMatchObject({ status: "Unpaid", creditedPaise: 5900n, paidPaise: 0n });
  expect(half.note).toMatchObject({ taxablePaise: 5000n, taxPaise: 900n, reducesDuePaise: 5900n, refundPaise: 0n });
  expect((await shop.credit(invoice, null)).invoice).toMatchObject({ status: "Cancelled", creditedPaise: 11_800n });
  await expect(shop.credit(invoice, 1n)).rejects.toMatchObject({ code: "invoice_cancelled" });
  await expect(shop.pay(invoice, 1n)).rejects.toMatchObject({ code: "invoice_cancelled" });
});

test("what was paid is owed back, and what is due goes first", async () => {
  const invoice = await shop.save();
  await shop.pay(invoice, 10_000n);
  const { note, invoice: after } = await shop.credit(invoice, 5000n);
  expect(note).toMatchObject({ reducesDuePaise: 1800n, refundPaise: 3200n });
  expect(owedOf(note)).toBe(3200n);
  expect(after).toMatchObject({ status: "Paid offline", paidPaise: 10_000n, creditedPaise: 1800n });
  await expect(shop.credit(invoice, 6801n)).rejects.toMatchObject({ code: "credit_exceeds_invoice" });
});

test("previous dues can't be credited", async () => {
  const invoice = await shop.save({ previousDuesPaise: 5000n });
  await expect(shop.credit(invoice, 11_801n)).rejects.toMatchObject({ code: "credit_exceeds_invoice" });
  const { invoice: after } = await shop.credit(invoice, null);
  expect(after).toMatchObject({ status: "Unpaid", creditedPaise: 11_800n, amountPaise: 16_800n });
  await expect(shop.credit(invoice, null)).rejects.toMatchObject({ code: "credit_exceeds_invoice" });
});

test("a note is not dated before its invoice, and counts in the financial year of its own date", async () => {
  const invoice = await shop.save({ billDate: Temporal.PlainDate.from("2024-06-01") });
  const before = Temporal.PlainDate.from("2024-05-31");
  await expect(shop.credit(invoice, 100n, { noteDate: before })).rejects.toMatchObject({ code: "validation_failed" });
  const next = await shop.credit(invoice, 100n, { noteDate: Temporal.PlainDate.from("2025-04-01") });
  expect(next.note.creditNoteNumber).toBe("CN-2526-00001");
  const last = await shop.credit(invoice, 100n, { noteDate: Temporal.PlainDate.from("2025-03-31") });
  expect(last.note.creditNoteNumber).toBe("CN-2425-00001");
});

test("20 notes at once credit no more than the invoice, with consecutive numbers", async () => {
  const busy = await Invoicing.ofNewMerchant(db);
  const [one, other] = [await busy.save(), await busy.save()];
  const noteDate = Temporal.PlainDate.from("2026-06-02");
  const settled = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => busy.credit(index % 2 === 0 ? one : other, 3000n, { noteDate })),
  );
  const issued = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value.note] : []));
  const refusals = settled.flatMap((result) =>
    result.status === "rejected" ? [(result.reason as { code: string }).code] : [],
  );
  expect(issued.map((note) => note.creditNoteNumber).sort()).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => `CN-2627-0000${number}`),
  );
  expect(new Set(refusals)).toEqual(new Set(["credit_exceeds_invoice"]));
  expect((await busy.read(one)).creditedPaise + (await busy.read(other)).creditedPaise).toBe(18_000n);
  expect(await busy.violations()).toEqual([]);
});

test("notes, payments and reversals of one invoice at once leave it adding up", async () => {
  const invoice = await shop.save();
  const first = await shop.pay(invoice, 5000n);
  await Promise.allSettled([
    shop.credit(invoice, 4000n),
    shop.pay(invoice, 6800n),
    shop.takeBack(first),
    shop.credit(invoice, 4000n),
    shop.pay(invoice, 2000n),
    shop.credit(invoice, 4000n),
  ]);
  const { amountPaise, paidPaise, creditedPaise } = await shop.read(invoice);
  expect(paidPaise + creditedPaise <= amountPaise).toBe(true);
});

test("a refund leaves once, however often and at once it is asked for", async () => {
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const { note } = await shop.credit(invoice, null);
  const before = await available(shop);
  const asked = await Promise.allSettled(Array.from({ length: 6 }, () => shop.refund(note)));
  expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const refusals = asked.flatMap((result) =>
    result.status === "rejected" ? [(result.reason as { code: string }).code] : [],
  );
  expect(refusals).toEqual(Array.from({ length: 5 }, () => "refund_not_owed"));
  expect(await available(shop)).toBe(before - 11_800n);
});

test("a refund that failed or came back is owed again, and goes to the same account without being told", async () => {
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const { note, refund } = await shop.credit(invoice, null, { refundTo: PAYEE });
  expect({ refund, owed: owedOf(note) }).toEqual({ refund: { transferId: expect.any(BigInt) as unknown }, owed: 0n });
  await bankSays(note, "FAILED");
  const again = await shop.refund(note, null);
  expect(again.refund).toMatchObject({ attempts: 2, underWayPaise: 11_800n, refundedPaise: 0n });
  await bankSays(again, "SUCCESS", "REVERSED");
  const third = await shop.refund(note, { ...PAYEE, accountNumber: null, ifsc: null, upi: "asha@upi" });
  await bankSays(third, "SUCCESS");
  await expect(shop.refund(note)).rejects.toMatchObject({ code: "refund_not_owed" });
  const { rows } = await db.owner.query<{ reference_id: string; narrative: string }>(
    "select reference_id, narrative from transfer where reference_id like $1 order by transfer_id",
    [`refund-${note.creditNoteId}-%`],
  );
  const narrative = `Refund ${note.creditNoteNumber}`;
  expect(rows).toEqual(
    [1, 2, 3].map((attempt) => ({ reference_id: `refund-${note.creditNoteId}-${attempt}`, narrative })),
  );
  expect(await takenOff(note)).toEqual([]);
  const { rows: told } = await db.owner.query<{
    type: string;
    before: unknown;
    after: { refund_beneficiary_id?: string };
  }>(
    "select type, before, after from journal where subject_id = $1 and type like 'credit_note.refund%' order by entry_no",
    [note.creditNoteId],
  );
  const [asked, changed] = ["credit_note.refund_asked", "credit_note.refund_payee_changed"];
  expect(told.map(({ type }) => type)).toEqual([changed, asked, asked, changed, asked]);
  expect(told[0]!.before).toEqual({ refund_beneficiary_id: null });
  expect(told[3]!.before).toEqual(told[0]!.after);
  expect(told[3]!.after).toEqual({ refund_beneficiary_id: String(third.refundBeneficiaryId) });
});

/** The amounts of a note's events about reductions of the due amount, in order. */
async function takenOff({ creditNoteId }: CreditNote): Promise<string[]> {
  const { rows } = await db.owner.query<{ amount: string }>(
    `select after ->> 'amount' as amount from journal
     where subject_id = $1 and type = 'credit_note.taken_off_due' order by entry_no`,
    [creditNoteId],
  );
  return rows.map(({ amount }) => amount);
}

test("a refund is refused in words that say what to do, and stays as it was", async () => {
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const { note } = await shop.credit(invoice, null);
  await expect(shop.refund({ creditNoteId: 1n })).rejects.toMatchObject({
    code: "credit_note_not_found",
    message: "This credit note does not exist: check its id in the list.",
  });
  await expect(shop.refund(note, null)).rejects.toMatchObject({
    code: "no_bank_account",
    message: "This refund has no payee: give the customer's bank account or UPI handle.",
  });
  for (const other of [
    { owedPaise: 11_799n, attempts: 0 },
    { owedPaise: 11_800n, attempts: 1 },
  ]) {
    await expect(shop.refund(note, PAYEE, other)).rejects.toMatchObject({
      code: "refund_changed",
      message: expect.stringContaining("118.00 is owed now") as unknown,
    });
  }
  expect(await shop.refund(note, PAYEE, { owedPaise: 11_800n, attempts: 0 })).toMatchObject({
    refund: { attempts: 1, underWayPaise: 11_800n },
  });
  await expect(shop.refund(note)).rejects.toMatchObject({
    code: "refund_not_owed",
    message: "This credit note has nothing to refund, or its refund is already in progress.",
  });
  const { note: unpaid } = await shop.credit(await shop.save(), 5900n);
  await expect(shop.refund(unpaid)).rejects.toMatchObject({ code: "refund_not_owed" });
  expect(await takenOff(unpaid)).toEqual([]);
});

test("a refund that the merchant's policy does not let leave is refused by the policy's rule", async () => {
  const careful = await Invoicing.ofNewMerchant(db, 1_000_000n);
  await changePayoutPolicy(
    { pool: db.server, ids: db.ids, merchant: careful.merchant },
    { transferLimitPaise: 11_799n },
  );
  const invoice = await careful.save();
  await careful.pay(invoice, 11_800n);
  const { note } = await careful.credit(invoice, null);
  await expect(careful.refund(note)).rejects.toMatchObject({ code: "limit_exceeded" });
  expect(await careful.violations()).toEqual([]);
});

test("too little balance leaves the refund owed", async () => {
  const poor = await Invoicing.ofNewMerchant(db, 1000n);
  const invoice = await poor.save();
  await poor.pay(invoice, 11_800n);
  const { note, refund } = await poor.credit(invoice, null, { refundTo: PAYEE });
  expect({ refund, owed: owedOf(note), available: await available(poor) }).toEqual({
    refund: { refusal: expect.objectContaining({ code: "insufficient_balance" }) as unknown, isPayeeNew: false },
    owed: 11_800n,
    available: 1000n,
  });
  await expect(poor.refund(note, null)).rejects.toMatchObject({
    code: "insufficient_balance",
    message:
      "The available balance is too low for the refund of ₹118.00, which stays owed. Add funds, then refund again.",
  });
  expect(await poor.violations()).toEqual([]);
});

test("more than UPI carries changes nothing", async () => {
  const rows = [{ item: "Car", sacCode: "", description: "", gstThousandths: 0n, amountPaise: 10_000_001n }];
  const invoice = await shop.save({ rows });
  await shop.pay(invoice, 10_000_001n);
  const refundTo = { ...PAYEE, accountNumber: null, ifsc: null, upi: "rich@upi" };
  await expect(shop.credit(invoice, null, { refundTo })).rejects.toMatchObject({ code: "limit_exceeded" });
  expect((await shop.credit(invoice, null)).note.refundPaise).toBe(10_000_001n);
});

test("a payment that is reversed takes what is still owed back off what is due again", async () => {
  const invoice = await shop.save();
  const settlementId = await shop.pay(invoice, 11_800n);
  const { note } = await shop.credit(invoice, 5900n);
  expect(await shop.takeBack(settlementId)).toMatchObject({ status: "Unpaid", paidPaise: 0n, creditedPaise: 5900n });
  await expect(shop.refund(note)).rejects.toMatchObject({ code: "refund_not_owed" });
});

test("of what notes owe, no more is taken off than is due again: the older note first, and the rest stays owed", async () => {
  const invoice = await shop.save();
  const first = await shop.pay(invoice, 5900n);
  await shop.pay(invoice, 5900n);
  const { note: older } = await shop.credit(invoice, 3000n);
  const { note: younger } = await shop.credit(invoice, null);
  expect(await shop.takeBack(first)).toMatchObject({ status: "Paid offline", paidPaise: 5900n, creditedPaise: 5900n });
  await expect(shop.refund(older)).rejects.toMatchObject({ code: "refund_not_owed" });
  expect(await shop.refund(younger)).toMatchObject({
    reducesDuePaise: 2900n,
    refundPaise: 5900n,
    refund: { underWayPaise: 5900n },
  });
});

test("a payment that is reversed once its refund has left is due again in full", async () => {
  const invoice = await shop.save();
  const settlementId = await shop.pay(invoice, 11_800n);
  const { note } = await shop.credit(invoice, 5900n, { refundTo: PAYEE });
  await bankSays(note, "SUCCESS");
  expect(await shop.takeBack(settlementId)).toMatchObject({ status: "Unpaid", paidPaise: 0n, creditedPaise: 0n });
});

test("a refund that fails after its payment was reversed is taken off what is due", async () => {
  const invoice = await shop.save();
  const settlementId = await shop.pay(invoice, 11_800n);
  const { note } = await shop.credit(invoice, null, { refundTo: PAYEE });
  await shop.takeBack(settlementId);
  await bankSays(note, "FAILED");
  await expect(shop.refund(note)).rejects.toMatchObject({ code: "refund_not_owed" });
  expect(await shop.read(invoice)).toMatchObject({ status: "Cancelled", creditedPaise: 11_800n });
  const { rows } = await db.owner.query<{ type: string; after: object }>(
    "select type, after from journal where merchant_id = $1 order by entry_no desc limit 2",
    [shop.merchant.merchantId],
  );
  expect(rows.toReversed()).toMatchObject([
    { type: "credit_note.taken_off_due", after: { invoice_id: String(invoice.invoiceId), amount: "118.00" } },
    { type: "invoice.cancelled", after: { status: "Cancelled", credited: "118.00" } },
  ]);
});

test("a franchise gives back its share of what is given back, and nothing of what only stops being due", async () => {
  const franchise = await makeFranchise(db, shop.merchant, { terms: PERCENTAGE });
  const invoice = await shop.save({ franchiseId: franchise.franchiseId });
  await shop.pay(invoice, 5900n);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 500n });
  await shop.credit(invoice, 5900n);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 500n });
  await shop.credit(invoice, 1180n);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 400n });
  await shop.credit(invoice, null);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 0n });
});

test("a fixed commission is earned by the note that leaves nothing due, and goes with the payment", async () => {
  const franchise = await makeFranchise(db, shop.merchant, { terms: FIXED });
  const invoice = await shop.save({ franchiseId: franchise.franchiseId });
  const settlementId = await shop.pay(invoice, 11_700n);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 0n });
  await shop.credit(invoice, 100n);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 4958n });
  await shop.takeBack(settlementId);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 0n });
  await shop.pay(invoice, 11_700n);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: 4958n });
});

test("nobody earns on an invoice that is taken back unpaid", async () => {
  const franchise = await makeFranchise(db, shop.merchant, { terms: FIXED });
  await shop.credit(await shop.save({ franchiseId: franchise.franchiseId }), null);
  expect(await commissionOf(db, franchise)).toMatchObject({ accruedPaise: 0n });
});

test("commission that was paid out and is taken back is made up for by later commission", async () => {
  const franchise = await makeFranchise(db, shop.merchant, { terms: PERCENTAGE });
  const { franchiseId } = franchise;
  const bounced = await shop.save({ franchiseId });
  const settlementId = await shop.pay(bounced, 11_800n);
  expect(await payCommission(franchise)).toBe(1000n);
  await shop.takeBack(settlementId);
  expect(await commissionOf(db, franchise)).toEqual({ accruedPaise: 0n, paidPaise: 1000n, duePaise: -1000n });
  const returned = await shop.save({ franchiseId });
  await shop.pay(returned, 11_800n);
  expect(await payCommission(franchise)).toBe(0n);
  await shop.credit(returned, null);
  expect(await commissionOf(db, franchise)).toMatchObject({ duePaise: -1000n });
  await shop.pay(await shop.save({ franchiseId }), 11_800n);
  await shop.pay(await shop.save({ franchiseId }), 5900n);
  expect(await payCommission(franchise)).toBe(500n);
});

test("after all of it, everything verifies", async () => {
  expect(await shop.violations()).toEqual([]);
});
