// KYC and going live: an installation can require approval before, and a live merchant never changes by itself.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { giveSecondFactor } from "../../test/support/live.ts";
import { changeKyc, requireMerchant, type Merchant } from "../merchants/index.ts";
import { createMerchantWithOwner } from "./create-merchants.ts";
import { goLive } from "./go-live.ts";
import { sampleProfile } from "./samples.ts";

const BANK = { bankAccount: "00011020001772", ifsc: "HDFC0000001" };

let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

const context = () => ({ pool: db.server, ids: db.ids });
const profileOf = (live: boolean) => ({ ...sampleProfile("Asha Traders", "asha@example.com"), ...BANK, live });

/** A sandbox that only lacks KYC. */
async function newSandbox(): Promise<Merchant> {
  const draft = { profile: profileOf(false), userEmail: null, kycRequired: true };
  const { merchant } = await createMerchantWithOwner(context(), draft);
  const { rows } = await db.owner.query<{ login_id: bigint }>("select login_id from login where merchant_id = $1", [
    merchant.merchantId,
  ]);
  await giveSecondFactor(db.server, { ...merchant, loginId: rows[0]!.login_id });
  return merchant;
}

const go = (merchant: Merchant, kycRequired: boolean) =>
  goLive({ pool: db.server, merchant, kycRequired }, { logins: null, by: null });

async function countMerchants(): Promise<bigint> {
  const { rows } = await db.owner.query<{ count: bigint }>("select count(*) as count from merchant");
  return rows[0]!.count;
}

test.each(["not_started", "pending", "rejected"] as const)(
  "a sandbox whose KYC is %s can't go live",
  async (status) => {
    const merchant = await newSandbox();
    await changeKyc({ ...context(), merchant }, { status, ...(status === "rejected" ? { reasons: ["No PAN"] } : {}) });
    const before = await countMerchants();
    await expect(go(merchant, true)).rejects.toMatchObject({ code: "kyc_not_approved" });
    expect(await countMerchants()).toBe(before);
  },
);

test("an approved one can; the live one starts approved, and stays live when it is rejected", async () => {
  const merchant = await newSandbox();
  await changeKyc({ ...context(), merchant }, { status: "approved", documents: ["dms:4711"] });
  const { live } = await go(merchant, true);
  expect(live).toMatchObject({ kycStatus: "approved", kyc: { reasons: [], documents: ["dms:4711"] } });
  await changeKyc({ ...context(), merchant: live }, { status: "rejected", reasons: ["PAN card expired"] });
  expect(await requireMerchant(db.server, live.merchantId)).toMatchObject({ live: true, status: "active" });
  expect(await requireMerchant(db.server, merchant.merchantId)).toMatchObject({ kycStatus: "approved" });
});

test("a live merchant can't be created without a sandbox; where KYC is not required, it can", async () => {
  const draft = { profile: profileOf(true), userEmail: null };
  const before = await countMerchants();
  await expect(createMerchantWithOwner(context(), { ...draft, kycRequired: true })).rejects.toMatchObject({
    code: "kyc_not_approved",
  });
  expect(await countMerchants()).toBe(before);
  const { merchant } = await createMerchantWithOwner(context(), { ...draft, kycRequired: false });
  expect(merchant).toMatchObject({ live: true, kycStatus: "not_started" });
});

test("where KYC is not required, a sandbox goes live without", async () => {
  expect((await go(await newSandbox(), false)).live).toMatchObject({ live: true, kycStatus: "not_started" });
});
