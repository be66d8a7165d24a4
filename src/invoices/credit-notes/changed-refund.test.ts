// Refunds and commission that SQL marks as unpaid, or not in transit: neither is paid again.
import { afterAll, beforeAll, expect, test } from "vitest";
import { DRAFT, makeFranchise, receive } from "../../../test/support/franchises.ts";
import { Invoicing, PAYEE } from "../../../test/support/invoicing.ts";
import { claim, openLedgerDatabase, report, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { CommissionPayer } from "../../franchises/index.ts";
import { readBalances } from "../../ledger/index.ts";
import { OwnPayouts } from "../../payouts/index.ts";
import { verifySnapshot } from "../../payouts/verify/verify.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { INVOICE_CHECKS } from "../verify-store.ts";
import { findForgedCreditNotes } from "./find-forged.ts";
import { readConfig } from "../../platform/config.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db, 1_000_000n);
});
afterAll(() => db.close());

async function available(): Promise<bigint> {
  return (await readBalances(db.server, shop.merchant.bucket, shop.merchant.merchantId)).availablePaise;
}

test.each(["state = 'FAILED'", "state = 'REVERSED'", "amount_paise = 1"])(
  "a refund that was paid is not paid again once SQL sets %s",
  async (change) => {
    const invoice = await shop.save();
    await shop.pay(invoice, 11_800n);
    const { note, refund } = await shop.credit(invoice, null, { refundTo: PAYEE });
    const { transferId } = refund as { transferId: bigint };
    const transfer = { bucket: note.bucket, merchantId: note.merchantId, transferId };
    await claim(db.server, [transfer]);
    await report(db.server, transfer, "SUCCESS");
    const before = await available();
    await db.owner.query(`update transfer set ${change} where transfer_id = $1`, [transferId]);
    await expect(shop.refund(note, null)).rejects.toMatchObject({ code: "refund_changed" });
    expect(await available()).toBe(before);
  },
);

test("a refund that was paid is not paid again once SQL names another transfer, which failed, as its own", async () => {
  const refunded = async (outcome: "SUCCESS" | "FAILED") => {
    const invoice = await shop.save();
    await shop.pay(invoice, 11_800n);
    const { note, refund } = await shop.credit(invoice, null, { refundTo: PAYEE });
    const transfer = { ...note, transferId: (refund as { transferId: bigint }).transferId };
    await claim(db.server, [transfer]);
    await report(db.server, transfer, outcome);
    return { note, transferId: transfer.transferId };
  };
  const [paid, failed] = [await refunded("SUCCESS"), await refunded("FAILED")];
  const before = await available();
  const name = (transferId: bigint) =>
    db.owner.query("update credit_note_refund set transfer_id = $1 where credit_note_id = $2", [
      transferId,
      paid.note.creditNoteId,
    ]);
  const violations = async () => {
    const found = await inTransaction(db.owner, (connection) =>
      verifySnapshot(connection, shop.merchant, INVOICE_CHECKS),
    );
    return found.violations.filter(({ check }) => check === "credit_note_refund");
  };
  expect(await violations()).toEqual([]);
  await name(failed.transferId);
  await expect(shop.refund(paid.note, null)).rejects.toMatchObject({ code: "refund_changed" });
  expect(await available()).toBe(before);
  expect((await violations()).map(({ subjectId: id }) => String(id))).toEqual([String(paid.note.creditNoteId)]);
  await name(paid.transferId);
});

test.each([
  ["refund_paise = refund_paise + 5000, amount_paise = amount_paise + 5000, tax_paise = tax_paise + 5000", "-"],
  ["refund_beneficiary_id = 77", "b"],
])("a credit note that SQL changes for a moment refunds nothing: %s", async (change, how) => {
  const invoice = await shop.save();
  await shop.pay(invoice, 11_800n);
  const { note, refund } = await shop.credit(invoice, null, { refundTo: PAYEE });
  const transfer = { ...note, transferId: (refund as { transferId: bigint }).transferId };
  await claim(db.server, [transfer]);
  await report(db.server, transfer, "FAILED");
  const before = await available();
  const set = (to: string) =>
    db.owner.query(`update credit_note set ${to} where credit_note_id = $1`, [note.creditNoteId]);
  await set(change);
  expect((await findForgedCreditNotes(db.owner, shop.merchant)).map(({ subjectId }) => subjectId)).toEqual([
    note.creditNoteId,
  ]);
  await expect(shop.refund(note, null)).rejects.toMatchObject({ code: "access_denied" });
  expect(await available()).toBe(before);
  const { rows } = await db.owner.query<{ id: bigint }>(
    "select beneficiary_id as id from transfer where transfer_id = $1",
    [transfer.transferId],
  );
  await set(how === "b" ? `refund_beneficiary_id = ${rows[0]!.id}` : change.replaceAll("+", "-"));
  await shop.refund(note, null);
  expect(await available()).toBe(before - note.refundPaise);
  expect(await findForgedCreditNotes(db.owner, shop.merchant)).toEqual([]);
});

test.each(["state = 'FAILED'", "state = 'SUCCESS'", "amount_paise = 1"])(
  "commission that is under way is not paid again once SQL sets %s",
  async (change) => {
    const terms = { ...DRAFT.terms, commissionType: "Fixed", commissionHundredths: 5000n } as const;
    const franchise = await makeFranchise(db, shop.merchant, { terms });
    await receive(db, franchise, 118_000n, { taxablePaise: 100_000n, totalPaise: 118_000n });
    const payer = new CommissionPayer(new OwnPayouts(readConfig({})));
    const context = { pool: db.server, ids: db.ids, merchant: shop.merchant };
    const settle = () => payer.settle(context, { franchiseId: franchise.franchiseId, expectedPaise: null });
    const paid = (await settle()) as { transferId: bigint };
    const before = await available();
    await db.owner.query(`update transfer set ${change} where transfer_id = $1`, [paid.transferId]);
    await settle().catch(() => {});
    expect(await available()).toBe(before);
  },
);
