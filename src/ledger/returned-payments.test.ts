// A returned payment is no deposit, even if it was another merchant's, and in any spelling of its UTR. The payments are
// fictitious: no bank has them.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  accept,
  claim,
  fund,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { withTestSecrets } from "../../test/support/secrets.ts";
import { approve } from "../approvals/index.ts";
import { creditMerchant, MAX_CREDIT_WITHOUT_APPROVAL_PAISE, type Merchant } from "../merchants/index.ts";
import { createPool } from "../platform/database/pool.ts";
import { actingAs, TenantDatabase } from "../platform/database/tenant.ts";
import { fundMerchant } from "./fund.ts";
import { changeMerchants } from "../../test/support/reprove.ts";

let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

async function available({ merchantId }: Merchant): Promise<bigint> {
  const text = "select available_paise as paise from ledger_book where merchant_id = $1";
  return (await db.owner.query<{ paise: bigint }>(text, [merchantId])).rows[0]!.paise;
}

async function takeLive(...merchants: readonly Merchant[]): Promise<void> {
  const ids = merchants.map(({ merchantId }) => merchantId);
  await changeMerchants(db.owner, "update merchant set live = true where merchant_id = any ($1)", [ids]);
}

/** Makes an ended payment of a merchant in the sandbox. */
async function pay(merchant: Merchant, transferId: bigint, ...statuses: ("SUCCESS" | "REVERSED")[]): Promise<void> {
  await fund(db, merchant, 500n, `opening ${merchant.merchantId}`);
  await accept(db.server, [newTransfer(merchant, transferId, 500n, `pay-${transferId}`)]);
  await claim(db.server, [{ ...merchant, transferId }]);
  await report(db.server, { ...merchant, transferId }, ...statuses);
}

test.each([
  ["its merchant", "live", 0],
  ["another merchant", "live", 1],
  ["its merchant", "sandbox", 0],
  ["another merchant", "sandbox", 1],
] as const)("the UTR of a payment is no deposit of %s (%s), with no reconciliation", async (_whose, kind, index) => {
  const merchants = await makeMerchants(db, 2);
  const transferId = await db.ids.next();
  const utr = `UTR${transferId}`;
  await pay(merchants[0]!, transferId, "SUCCESS");
  if (kind === "live") await takeLive(...merchants);
  const asked = merchants[index]!;
  const before = await available(asked);
  const said = index === 0 ? `UTR of payment ${transferId}` : "UTR of another merchant's payment";
  for (const reference of [utr, `00${utr.toLowerCase()}`, `u tr-${transferId}`, `NEFT RETURN/${utr}/RAVI`]) {
    await expect(fund(db, asked, 200n, reference)).rejects.toMatchObject({
      code: "reference_conflict",
      message: expect.stringContaining(said) as string,
    });
  }
  expect(await available(asked)).toBe(before);
});

test("a payment that came back by itself is no deposit either", async () => {
  const [one, other] = (await makeMerchants(db, 2)) as [Merchant, Merchant];
  const transferId = await db.ids.next();
  const utr = `UTR${transferId}`;
  await pay(one, transferId, "SUCCESS", "REVERSED");
  for (const merchant of [one, other]) await expect(fund(db, merchant, 500n, utr)).rejects.toThrow("returned payment");
  expect([await available(one), await available(other)]).toEqual([500n, 0n]);
});

test("requests learn of other merchants' payments only that there is one", async () => {
  const pool = withTestSecrets(createPool({ url: db.url, size: 4, role: "nodal_tenant", pipelined: true }));
  const [one, other] = (await makeMerchants(db, 2)) as [Merchant, Merchant];
  const transferId = await db.ids.next();
  const utr = `UTR${transferId}`;
  await pay(one, transferId, "SUCCESS");
  const tenant = new TenantDatabase(pool).of(other, { actor: "operator:7", address: null, mayMoveMoney: true });
  const { bucket, merchantId } = other;
  const given = { bucket, merchantId, amountPaise: 500n, reference: utr };
  await expect(fundMerchant(tenant, db.ids, given)).rejects.toThrow("another merchant's payment");
  const { rows } = await tenant.query("select payment_with_utr($1, $2, $3) as found", [
    one.bucket,
    one.merchantId,
    [utr],
  ]);
  expect(rows).toEqual([{ found: null }]);
  await pool.end();
});

test("what the sandbox pays says nothing of real money", async () => {
  const [live, sandbox] = (await makeMerchants(db, 2)) as [Merchant, Merchant];
  const transferId = await db.ids.next();
  await pay(sandbox, transferId, "SUCCESS");
  await takeLive(live);
  expect(await fund(db, live, 500n, `UTR${transferId}`)).toMatchObject({ repeated: false });
});

test("no approval credits a payment that was made while it waited, and none is asked for afterwards", async () => {
  const [one, other] = (await makeMerchants(db, 2)) as [Merchant, Merchant];
  const transferId = await db.ids.next();
  const as = (actor: "operator:1" | "operator:2") => ({
    pool: actingAs(db.server, actor),
    ids: db.ids,
    merchant: other,
  });
  const large = { amountPaise: MAX_CREDIT_WITHOUT_APPROVAL_PAISE + 1n, reference: `UTR${transferId}` };
  await takeLive(other);
  const { fundingId: approvalId, isWaiting } = await creditMerchant(as("operator:1"), large);
  expect(isWaiting).toBe(true);
  await pay(one, transferId, "SUCCESS");
  await takeLive(one);
  const approved = approve(as("operator:2"), { approvalId, note: "Seen in the statement" });
  await expect(approved).rejects.toThrow("another merchant's payment");
  const again = creditMerchant({ ...as("operator:1"), merchant: one }, large);
  await expect(again).rejects.toThrow(`payment ${transferId}`);
  expect(await available(other)).toBe(0n);
});
