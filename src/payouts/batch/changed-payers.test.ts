// Merchants and policies that are changed with SQL for a few seconds and then restored: no payout is accepted or sent meanwhile.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accept, applyReports, makeLiveMerchants, newClaim, report, reportOn } from "../../../test/support/ledger.ts";
import { codeOf, FUNDS_PAISE, PolicyStage } from "../../../test/support/policy-stage.ts";
import { fundMerchant } from "../../ledger/index.ts";
import {
  changeMerchant,
  changePayoutPolicy,
  findMerchantByKey,
  findPolicy,
  requireMerchant,
} from "../../merchants/index.ts";
import { claimTransfers, mayLeave } from "../dispatch/claim-transfers.ts";
import { readWaitRule } from "../dispatch/unsent-store.ts";
import { bookLateFee } from "../fees/late-fees.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { readPayers } from "./facts-store.ts";

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

const run = (statement: string): Promise<unknown> => stage.db.owner.query(statement, [stage.merchant.merchantId]);
const setPolicy = (set: string): Promise<unknown> => run(`update payout_policy set ${set} where merchant_id = $1`);
const setMerchant = (set: string): Promise<unknown> => run(`update merchant set ${set} where merchant_id = $1`);
const ask = async (amountPaise: bigint): Promise<string> => (await stage.ask({ amountPaise })).outcome;

describe("a policy", () => {
  test.each([
    ["transfer_limit_paise = null", "transfer_limit_paise = 1000"],
    ["transfer_limit_paise = 90000", "transfer_limit_paise = 1000"],
    ["approve_over_paise = null", "approve_over_paise = 500"],
    ["verified_payees_only = true", "verified_payees_only = false"],
    ["approve_payees = true", "approve_payees = false"],
  ])("with %s for a moment lets nothing leave", async (change, back) => {
    await stage.set({ transferLimitPaise: 1000n, approveOverPaise: 500n });
    expect(await ask(100n)).toBe("created");
    expect(await ask(5000n)).toBe("transfer_limit");
    await setPolicy(change);
    expect(await ask(100n)).toBe("changed");
    expect(await codeOf(findPolicy(stage.db.server, stage.merchant))).toBe("access_denied");
    await setPolicy(back);
    expect(await ask(5000n)).toBe("transfer_limit");
    expect(await ask(100n)).toBe("created");
  });

  test("whose row is deleted for a moment is no missing policy", async () => {
    await stage.set({ transferLimitPaise: 1000n });
    const { rows } = await stage.db.owner.query<{ policy: object }>(
      "select to_jsonb(payout_policy) as policy from payout_policy where merchant_id = $1",
      [stage.merchant.merchantId],
    );
    await run("delete from payout_policy where merchant_id = $1");
    expect(await ask(5000n)).toBe("changed");
    expect(await codeOf(findPolicy(stage.db.server, stage.merchant))).toBe("access_denied");
    expect(await codeOf(changePayoutPolicy(stage.context, { transferLimitPaise: 1n }))).toBe("access_denied");
    await stage.db.owner.query(
      "insert into payout_policy select * from jsonb_populate_record(null::payout_policy, $1::jsonb)",
      [JSON.stringify(rows[0]!.policy)],
    );
    expect(await ask(5000n)).toBe("transfer_limit");
  });

  test("of a merchant that has never set one is proved too", async () => {
    expect(await ask(100n)).toBe("created");
    await stage.db.owner.query("update payout_policy set proof = null where merchant_id = $1", [
      stage.merchant.merchantId,
    ]);
    const [facts] = await readPayers(stage.db.server, [stage.merchant]);
    expect(facts).toMatchObject({ status: "changed", policy: null });
  });

  test("is not proved anew by a genuine change, and is good again once it is put back", async () => {
    await stage.set({ transferLimitPaise: 1000n });
    await setPolicy("transfer_limit_paise = null");
    await stage.set({ dailyLimitPaise: 90_000n });
    expect(await ask(100n)).toBe("changed");
    await stage.set({ transferLimitPaise: 1000n });
    await run("update payout_policy set daily_limit_paise = null where merchant_id = $1");
    expect(await ask(100n)).toBe("created");
    await stage.set({ dailyLimitPaise: 90_000n });
    expect(await ask(100n)).toBe("created");
    // The merchant can still be suspended.
    await setPolicy("daily_limit_paise = null");
    await changeMerchant(stage.context, { status: "suspended" });
    expect((await requireMerchant(stage.db.server, stage.merchant.merchantId)).status).toBe("suspended");
  });
});

describe("a merchant", () => {
  test.each([
    ["live = true", "live = false"],
    ["fees_paid_by = 'platform'", "fees_paid_by = 'merchant'"],
    [`payout_rails = '{"IMPS": "cashfree:1"}'`, "payout_rails = null"],
    ["clock_date = current_date + 1", "clock_date = null"],
    ["time_zone = 'Pacific/Kiritimati'", "time_zone = 'Asia/Kolkata'"],
    ["ifsc = 'HDFC0000001'", "ifsc = ''"],
    ["bank_holder = 'Somebody'", "bank_holder = ''"],
  ])("with %s for a moment pays nothing, and counts as suspended", async (change, back) => {
    const transfer = await stage.payoutRequest({ amountPaise: 10n });
    await accept(stage.db.server, [transfer]);
    await setMerchant(change);
    expect(await ask(100n)).toBe("changed");
    expect(await mayLeave(stage.db.server, [transfer])).toEqual([false]);
    expect(await claimTransfers(stage.db.server, Temporal.Now.instant(), newClaim(), [transfer])).toEqual([]);
    expect(await findMerchantByKey(stage.db.server, stage.merchant)).toMatchObject({
      status: "suspended",
      isChanged: true,
    });
    const money = { ...stage.merchant, amountPaise: 500n, reference: `r${stage.merchant.merchantId}` };
    expect(await codeOf(fundMerchant(stage.db.server, stage.db.ids, money))).toBe("access_denied");
    await setMerchant(back);
    expect(await ask(100n)).toBe("created");
    const { createdAt: _, ...merchant } = stage.merchant;
    expect(await findMerchantByKey(stage.db.server, stage.merchant)).toMatchObject(merchant);
    expect(await findMerchantByKey(stage.db.server, stage.merchant)).not.toHaveProperty("isChanged");
  });

  test("that is suspended is not active for a moment", async () => {
    await changeMerchant(stage.context, { status: "suspended" });
    await setMerchant("status = 'active'");
    expect(await ask(100n)).toBe("changed");
    // And not after another change either.
    await changeMerchant(stage.context, { city: "Hampi" });
    expect(await ask(100n)).toBe("changed");
    await setMerchant("status = 'suspended'");
    expect(await ask(100n)).toBe("suspended");
    await changeMerchant(stage.context, { status: "active" });
    expect(await ask(100n)).toBe("created");
  });

  test("that is changed waits for a provider that is down, and gives nothing up", async () => {
    await setMerchant("when_down = 'fail', give_up_minutes = 1");
    const rule = { whenDown: "wait", giveUpMinutes: null, sharesAccount: true };
    expect(await readWaitRule(stage.db.server, stage.merchant)).toEqual(rule);
  });

  test("bears its fees, whatever its row says when the provider reports them", async () => {
    const fee = { feePaise: 100n, taxPaise: 18n };
    const { transfer } = await stage.ask({ amountPaise: 1000n });
    await report(stage.db.server, transfer, "SUCCESS");
    await setMerchant("fees_paid_by = 'platform'");
    const late = { feeId: 1n, transferId: transfer.transferId, amountPaise: fee.feePaise };
    const booked = inTransaction(stage.db.server, (connection) => bookLateFee(connection, stage.merchant, late));
    expect(await codeOf(booked)).toBe("access_denied");
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE - 1000n);
  });

  test("whose fee is reported meanwhile bears it once the row is put back", async () => {
    const { transfer } = await stage.ask({ amountPaise: 1000n });
    const paid = { ...reportOn(transfer, "SUCCESS"), fee: { feePaise: 100n, taxPaise: 18n } };
    const reportPaid = () => applyReports(stage.db.server, Temporal.Now.instant(), [paid]);
    await setMerchant("fees_paid_by = 'platform'");
    expect((await reportPaid())[0]).toMatchObject({ state: "UNKNOWN" });
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE - 1000n);
    await setMerchant("fees_paid_by = 'merchant'");
    expect((await reportPaid())[0]).toMatchObject({ state: "SUCCESS" });
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE - 1118n);
  });

  test("of real money is proved as well", async () => {
    const [live] = await makeLiveMerchants(stage.db, 1, FUNDS_PAISE);
    expect((await readPayers(stage.db.server, [live!]))[0]).toMatchObject({ status: "active", live: true });
  });
});
