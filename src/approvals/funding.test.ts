// Large deposits in the installation's account: a second operator approves them, once; the merchant's users can't.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { makeLiveMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { creditMerchant, MAX_CREDIT_WITHOUT_APPROVAL_PAISE, type Merchant } from "../merchants/index.ts";
import { verify } from "../payouts/index.ts";
import { actingAs } from "../platform/database/tenant.ts";
import { approve, reject } from "./decide-approval.ts";
import { changeMerchants } from "../../test/support/reprove.ts";

let db: LedgerDatabase;
let merchant: Merchant;
let other: Merchant;
const LARGE = MAX_CREDIT_WITHOUT_APPROVAL_PAISE + 1n;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  [merchant, other] = (await makeLiveMerchants(db, 2)) as [Merchant, Merchant];
});
afterEach(async () => {
  const { violations } = await verify(db.owner, null);
  if (violations.length > 0) throw new Error(JSON.stringify(violations.map(({ check, what }) => `${check}: ${what}`)));
});

const by = (actor: string, whose = merchant) => ({
  pool: actingAs(db.server, actor as "operator:1"),
  ids: db.ids,
  merchant: whose,
});
const decision = (approvalId: bigint) => ({ approvalId, note: "Seen in the bank's statement" });

async function available(whose = merchant): Promise<bigint> {
  const text = "select available_paise as paise from ledger_book where merchant_id = $1";
  return (await db.owner.query<{ paise: bigint }>(text, [whose.merchantId])).rows[0]!.paise;
}

test("up to the limit one operator is enough; above it nothing is credited before a second one approves", async () => {
  const small = { amountPaise: MAX_CREDIT_WITHOUT_APPROVAL_PAISE, reference: "HDFCN52026112000000001" };
  expect(await creditMerchant(by("operator:1"), small)).toMatchObject({ isWaiting: false, repeated: false });
  const large = { amountPaise: LARGE, reference: "HDFCN52026112000000002" };
  const { fundingId, isWaiting } = await creditMerchant(by("operator:1"), large);
  expect(isWaiting).toBe(true);
  expect(await creditMerchant(by("operator:2"), large)).toEqual({ fundingId, isWaiting: true, repeated: true });
  expect(await available()).toBe(MAX_CREDIT_WITHOUT_APPROVAL_PAISE);
  await expect(approve(by("operator:1"), decision(fundingId))).rejects.toMatchObject({ code: "same_person" });
  await expect(approve(by("user:3"), decision(fundingId))).rejects.toMatchObject({ code: "approval_not_allowed" });
  const decided = await Promise.allSettled(
    ["operator:2", "operator:4", "command:nodal"].map((actor) => approve(by(actor), decision(fundingId))),
  );
  expect(decided.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await available()).toBe(MAX_CREDIT_WITHOUT_APPROVAL_PAISE + LARGE);
  expect(await creditMerchant(by("operator:1"), large)).toEqual({ fundingId, isWaiting: false, repeated: true });
});

test("of two merchants for which one deposit waits, one is credited", async () => {
  const large = { amountPaise: LARGE, reference: "HDFCN52026112000000003" };
  const [ours, theirs] = [
    await creditMerchant(by("operator:1"), large),
    await creditMerchant(by("operator:1", other), large),
  ];
  const decided = await Promise.allSettled([
    approve(by("operator:2"), decision(ours.fundingId)),
    approve(by("operator:2", other), decision(theirs.fundingId)),
  ]);
  expect(decided.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect((await available()) + (await available(other))).toBe(LARGE);
});

test("a rejected one credits nothing, and a merchant with an account of its own needs no second operator", async () => {
  const large = { amountPaise: LARGE, reference: "HDFCN52026112000000004" };
  const { fundingId } = await creditMerchant(by("operator:1"), large);
  await reject(by("operator:2"), decision(fundingId));
  expect(await available()).toBe(0n);
  await changeMerchants(
    db.owner,
    `update merchant set payout_rails = '{"IMPS": "cashfree:1"}' where merchant_id = $1`,
    [merchant.merchantId],
  );
  expect(await creditMerchant(by("operator:1"), large)).toMatchObject({ isWaiting: false });
});
