// KYC of a merchant: its states, refusals, entries of the journal and notices to the installation, and the limits of tenants.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import type { NodalError } from "../platform/errors.ts";
import { changeKyc, type KycChange } from "./change-kyc.ts";
import { changeMerchant } from "./change-merchant.ts";
import { findNotedMerchants, takeNotices } from "./notice-store.ts";
import type { Merchant } from "./merchant.ts";
import { requireMerchant } from "./merchant-store.ts";
import { inTransaction } from "../platform/database/pool.ts";

let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  await takeAll();
});
afterAll(() => db.close());

const change = (changes: KycChange) => changeKyc({ pool: db.server, ids: db.ids, merchant }, changes);

/** Takes all notices and returns their types, in order. */
async function takeAll(): Promise<string[]> {
  const types: string[] = [];
  for (const noted of await findNotedMerchants(db.server, 1000)) {
    const notices = await inTransaction(db.server, (connection) => takeNotices(connection, noted));
    types.push(...notices.map(({ type }) => type));
  }
  return types;
}

async function lastEntry() {
  const { rows } = await db.owner.query<{ type: string; before: object; after: object }>(
    "select type, before, after from journal where merchant_id = $1 order by entry_no desc limit 1",
    [merchant.merchantId],
  );
  return rows[0];
}

test("a new merchant has none", () => {
  expect(merchant).toMatchObject({ kycStatus: "not_started", kyc: { reasons: [], documents: [] } });
});

test("goes through its states; documents stay until they are replaced, reasons do not", async () => {
  await change({ status: "pending", documents: ["https://files.example/pan.pdf", "dms:4711"] });
  await change({ status: "rejected", reasons: ["PAN card not readable"] });
  const rejected = await requireMerchant(db.server, merchant.merchantId);
  expect(rejected).toMatchObject({
    kycStatus: "rejected",
    kyc: { reasons: ["PAN card not readable"], documents: ["https://files.example/pan.pdf", "dms:4711"] },
  });
  expect(await lastEntry()).toMatchObject({
    type: "merchant.changed",
    before: { kyc_status: "pending" },
    after: { kyc_status: "rejected", kyc: { reasons: ["PAN card not readable"] } },
  });
  const approved = await change({ status: "approved", documents: [] });
  expect(approved).toMatchObject({ kycStatus: "approved", kyc: { reasons: [], documents: [] } });
  expect(await requireMerchant(db.server, merchant.merchantId)).toMatchObject({ kycStatus: "approved" });
});

test.each<[KycChange, string, string]>([
  [{ status: "rejected" }, "reasons", "required"],
  [{ status: "rejected", reasons: [] }, "reasons", "required"],
  [{ status: "approved", reasons: ["fine"] }, "reasons", "not_allowed"],
])("refuses %j by field, and changes nothing", async (changes, field, code) => {
  const before = await lastEntry();
  const refused = await change(changes).catch((error: NodalError) => error);
  expect(refused).toMatchObject({ code: "validation_failed", errors: [{ field, code }] });
  expect(await lastEntry()).toEqual(before);
  expect(await takeAll()).toEqual([]);
});

test("what decides nothing new is written down nowhere", async () => {
  await change({ status: "not_started" });
  expect(await takeAll()).toEqual([]);
});

test("the database refuses a rejection without reasons", async () => {
  const write = db.owner.query("update merchant set kyc_status = 'rejected' where merchant_id = $1", [
    merchant.merchantId,
  ]);
  await expect(write).rejects.toThrow("merchant_kyc");
});

test("the installation is told of profile, KYC, suspension and its end, each once", async () => {
  const context = { pool: db.server, ids: db.ids, merchant };
  await changeMerchant(context, { city: "Pune" });
  await changeMerchant(context, { rateLimitPerMinute: 90 });
  await change({ status: "approved" });
  await changeMerchant(context, { status: "suspended" });
  await changeMerchant(context, { status: "active", bankHolder: "Asha" });
  expect(await takeAll()).toEqual(["profile_changed", "kyc_changed", "suspended", "profile_changed", "resumed"]);
});
