// A provider that is down, or has too little balance: what was never sent waits in order, leaves over the next account,
// or fails, as its merchant wants. Servers that are killed meanwhile are in test/crash.
import { hookPath } from "../../src/platform/providers/hook-routes.ts";
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cancelTransfer, listProviders } from "../../src/payouts/index.ts";
import { formatPaise, parsePaise } from "../../src/platform/money.ts";
import { Installation } from "../support/installation.ts";
import { nodal } from "../support/nodal.ts";
import { openBank, PayingMerchant, type Bank } from "../support/providers.ts";
import { SERVERS } from "../support/proxied-servers.ts";
import "../support/expect-wire.ts";

let installation: Installation;
let first: Bank;
let second: Bank;

beforeAll(async () => {
  installation = await Installation.start({ BANK_TIMEOUT_MS: "8000", TRANSFER_WAIT_MS: "300" });
  // RazorpayX sends nothing for want of balance, as it is called; Cashfree takes the transfer, and keeps it waiting.
  first = await openBank("razorpayx");
  second = await openBank("cashfree");
});
beforeEach(() => {
  for (const { standIn } of [first, second]) {
    standIn.desk.faults.clear();
    standIn.desk.isListed = true;
  }
});
afterAll(async () => {
  await Promise.all([first, second].map((bank) => bank.standIn.stop()));
  await installation.stop();
});

/** A live merchant with ₹10,000 that is connected to these, in this order. */
async function live(...banks: readonly Bank[]): Promise<PayingMerchant> {
  const merchant = await PayingMerchant.of(installation);
  for (const bank of banks) await merchant.connect(bank);
  await merchant.goLive(1_000_000n);
  return merchant;
}

/** From now on so many calls, or all, find the bank without balance, or not answering. */
function fail(bank: Bank, kind: "low_balance" | "error_before"): void {
  bank.standIn.desk.faults.add({ kind, ...(kind === "low_balance" ? { on: "submit" } : {}), percent: 100 });
}

async function waits(merchant: PayingMerchant, transferId: string): Promise<void> {
  await expect
    .poll(() => merchant.find(transferId), { timeout: 180_000 })
    .toMatchObject({ state: "RESERVED", reason: expect.stringMatching(/^Waiting: /), waits: true });
}

const cancel = ({ id }: PayingMerchant, transferId: string) =>
  nodal(installation.environment, "transfer", "cancel", "--merchant", id, "--transfer", transferId, "--json");

/** At some moments it is being tried, and may not be cancelled. */
async function cancelled(merchant: PayingMerchant, transferId: string): Promise<unknown> {
  for (;;) {
    const { code, stdout, stderr } = await cancel(merchant, transferId);
    if (code === 0) return JSON.parse(stdout);
    if (!stderr.includes("may have been sent")) throw new Error(stderr);
  }
}

describe("a bank that the provider says takes no payments", () => {
  const SBI = { account_number: "20000000000012", ifsc: "SBIN0008752" };
  const START = Math.floor(Date.now() / 1000) - 60;

  /** A webhook of the account at RazorpayX, as its documents have it: that the end of a downtime is told, has no time of its own. */
  async function tell(
    merchant: PayingMerchant,
    id: string,
    change: { readonly end?: number; readonly method?: string[] },
  ) {
    const { end = null, method = ["IMPS"] } = change;
    const downtime = {
      id,
      entity: "payout.downtime",
      scheduled: false,
      method,
      begin: START,
      end,
      source: "beneficiary",
      instrument: { bank: "SBI" },
      status: end === null ? "started" : "resolved",
      created_at: START,
      updated_at: START,
    };
    const event = end === null ? "payout.downtime.started" : "payout.downtime.resolved";
    const payload = { "payout.downtime": { entity: downtime } };
    const body = JSON.stringify({ entity: "event", event, contains: ["payout.downtime"], payload });
    const signature = createHmac("sha256", first.credentials.noticeSecret).update(body).digest("hex");
    const accounts = await listProviders({ pool: installation.pool, merchant: merchant.key });
    const path = hookPath(
      "razorpayx",
      accounts.find(({ provider }) => provider === "razorpayx")!,
    );
    const headers = { "content-type": "application/json", "x-razorpay-signature": signature };
    return fetch(installation.server.baseUrl + path, { method: "POST", headers, body });
  }

  test("is paid nothing new meanwhile; others are, and so is it over another account, or once it is over", async () => {
    const merchant = await live(first);
    expect((await tell(merchant, "poutdown_1", {})).status).toBe(200);
    const held = await merchant.pay({ amount: "11.00", ...SBI });
    await waits(merchant, held);
    expect((await merchant.find(held)).reason).toContain("IMPS to the bank SBIN can't be made for now");
    // Another bank, and another way to the same one.
    for (const payoutRequest of [{ amount: "12.00" }, { amount: "13.00", upi: "success@upi" }])
      await merchant.becomes(await merchant.pay(payoutRequest), "SUCCESS");
    expect(first.paidOf(merchant)).toEqual([1200n, 1300n]);
    expect((await tell(merchant, "poutdown_2", { end: START + 30 })).status).toBe(200);
    await merchant.becomes(held, "SUCCESS");
    // The first webhook again, late: it is over.
    await tell(merchant, "poutdown_1", {});
    await merchant.becomes(
      await merchant.pay({ amount: "14.00", ...SBI, account_number: "20000000000020" }),
      "SUCCESS",
    );
  });

  test("leaves over the merchant's next account where it wants so", async () => {
    const merchant = await live(first, second);
    await merchant.setWhenDown({ whenDown: "next" });
    await tell(merchant, "poutdown_3", { method: ["IMPS", "NEFT"] });
    await merchant.becomes(await merchant.pay({ amount: "21.00", ...SBI }), "SUCCESS");
    expect([second.paidOf(merchant), first.paidOf(merchant)]).toEqual([[2100n], []]);
  });
});

describe("wait", () => {
  test("what finds too little balance waits, unsent, and goes on with the oldest first once there is enough", async () => {
    const merchant = await live(first);
    fail(first, "low_balance");
    const ids: string[] = [];
    for (const amount of ["11.00", "12.00", "13.00"]) ids.push(await merchant.pay({ amount }));
    for (const transferId of ids) await waits(merchant, transferId);
    expect(await merchant.wire.available()).toBe("9964.00");
    expect(await merchant.wire.record(ids[0]!)).toMatchObject({
      status: "PENDING",
      reason: "Waiting: The account at the payout provider has too low a balance.",
    });
    expect(await listProviders({ pool: installation.pool, merchant: merchant.key })).toMatchObject([
      { failingReason: "The account at the payout provider has too low a balance." },
    ]);
    first.standIn.desk.faults.clear();
    for (const transferId of ids) await merchant.becomes(transferId, "SUCCESS");
    // The oldest tries whether there is enough; the calls for the others then run beside each other. Each server has its own oldest.
    const paid = first.paidOf(merchant).map(Number);
    if (SERVERS === 1) expect(paid[0]).toBe(1100);
    expect(paid.toSorted((one, other) => one - other)).toEqual([1100, 1200, 1300]);
    await expect
      .poll(async () => (await listProviders({ pool: installation.pool, merchant: merchant.key }))[0]!.failingSince)
      .toBeNull();
    expect((await merchant.find(ids[0]!)).reason).toBeNull();
  });

  test("what waits can be cancelled, and nothing else: its money is available again, and it is never sent", async () => {
    const merchant = await live(first);
    const sent = await merchant.pay({ amount: "1.00" });
    await merchant.becomes(sent, "SUCCESS");
    fail(first, "low_balance");
    const waiting = await merchant.pay({ amount: "500.00" });
    await waits(merchant, waiting);
    const before = parsePaise(await merchant.wire.available())!;
    expect(await cancelled(merchant, waiting)).toMatchObject({
      status: "REJECTED",
      reason: "Cancelled before it was sent.",
    });
    expect((await cancel(merchant, waiting)).code).toBe(0);
    expect(await merchant.wire.available()).toBe(formatPaise(before + 50_000n));
    const refused = await cancel(merchant, sent);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("This payout has already ended")]);
    const stranger = await PayingMerchant.of(installation);
    expect((await cancel(stranger, waiting)).stderr).toContain("transfer does not exist");
    first.standIn.desk.faults.clear();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(first.paidOf(merchant)).toEqual([100n]);
  });

  test("of cancelling and sending at once, one wins", async () => {
    const merchant = await live(first);
    const { bucket } = (await listProviders({ pool: installation.pool, merchant: merchant.key }))[0]!;
    fail(first, "low_balance");
    const ids: string[] = [];
    for (let place = 0; place < 12; place += 1) ids.push(await merchant.pay({ amount: "1.00" }));
    await waits(merchant, ids.at(-1)!);
    first.standIn.desk.faults.clear();
    const cancelled: string[] = [];
    // Over the seconds in which they go on.
    for (const [place, transferId] of ids.toReversed().entries()) {
      await new Promise((resolve) => setTimeout(resolve, place * 40));
      const key = { bucket, ...merchant.key };
      const ended = await cancelTransfer({ pool: installation.pool, merchant: key }, BigInt(transferId)).catch(
        (error: unknown) => {
          if ((error as { code?: string }).code === "not_cancellable") return null;
          throw error;
        },
      );
      if (ended) cancelled.push(transferId);
    }
    for (const transferId of ids)
      await merchant.becomes(transferId, cancelled.includes(transferId) ? "REJECTED" : "SUCCESS");
    expect(first.paidOf(merchant)).toHaveLength(ids.length - cancelled.length);
  });

  test("what has waited for longer than its merchant wants is given up", async () => {
    const merchant = await live(first);
    await merchant.setWhenDown({ giveUpMinutes: 5 });
    fail(first, "low_balance");
    const [old, young] = [await merchant.pay({ amount: "20.00" }), await merchant.pay({ amount: "30.00" })];
    for (const transferId of [old, young]) await waits(merchant, transferId);
    await installation.pool.query(
      "update transfer set waits_since = now() - interval '5 minutes' where merchant_id = $1 and transfer_id = $2",
      [merchant.id, old],
    );
    await merchant.becomes(old, "FAILED");
    expect((await merchant.find(old)).reason).toMatch(/^Given up: /);
    await waits(merchant, young);
    expect(await merchant.wire.available()).toBe("9970.00");
    await cancelled(merchant, young);
  });
});

test("fail: it fails at once with the reason, and its money is available", async () => {
  const merchant = await live(first);
  const set = await nodal(
    installation.environment,
    "provider",
    "set",
    "--merchant",
    merchant.id,
    "--when-down",
    "fail",
  );
  expect(set.code).toBe(0);
  fail(first, "low_balance");
  const transferId = await merchant.pay();
  await merchant.becomes(transferId, "FAILED");
  expect((await merchant.find(transferId)).reason).toBe(
    "Not sent: The account at the payout provider has too low a balance.",
  );
  expect(await merchant.wire.available()).toBe("10000.00");
});

describe("next", () => {
  test("what was never sent leaves over the next account that carries its mode; without one it waits", async () => {
    const merchant = await live(first, second);
    await merchant.setWhenDown({ whenDown: "next" });
    fail(first, "low_balance");
    const transferId = await merchant.pay({ amount: "40.00" });
    await merchant.becomes(transferId, "SUCCESS");
    expect([first.paidOf(merchant), second.paidOf(merchant)]).toEqual([[], [4000n]]);
    expect((await merchant.find(transferId)).rail).toMatch(/^cashfree:/);
    second.standIn.desk.isListed = false;
    const waiting = await merchant.pay({ amount: "50.00" });
    await waits(merchant, waiting);
    second.standIn.desk.isListed = true;
    await merchant.becomes(waiting, "SUCCESS");
    expect([first.paidOf(merchant), second.paidOf(merchant)]).toEqual([[], [4000n, 5000n]]);
  });

  test("what may have been sent stays with its account, whatever becomes of it", async () => {
    const merchant = await live(first, second);
    await merchant.setWhenDown({ whenDown: "next" });
    first.standIn.desk.faults.add({ kind: "lost_after", on: "submit", count: 1 });
    const transferId = await merchant.pay({ amount: "60.00" });
    await merchant.becomes(transferId, "SUCCESS");
    expect([first.paidOf(merchant), second.paidOf(merchant)]).toEqual([[6000n], []]);
  });
});

describe("too little balance at Cashfree, which accepts the transfer", () => {
  test("it waits there and says so; what comes after it waits here, and both go on once there is enough", async () => {
    const merchant = await live(second);
    second.standIn.desk.faults.add({ kind: "low_balance", on: "submit", count: 1 });
    const queued = await merchant.pay({ amount: "11.00" });
    await merchant.becomes(queued, "PENDING");
    expect(await merchant.wire.record(queued)).toMatchObject({
      status: "PENDING",
      reason: expect.stringMatching(/^Waiting at Cashfree: its balance is too low/),
    });
    const later = await merchant.pay({ amount: "12.00" });
    await merchant.becomes(later, "SUCCESS");
    expect(second.paidOf(merchant)).toEqual([1200n]);
    second.standIn.desk.book.fund(1n);
    await merchant.becomes(queued, "SUCCESS");
    expect(await merchant.find(queued)).toMatchObject({ reason: null });
    expect(second.paidOf(merchant)).toEqual([1200n, 1100n]);
  });

  test("next: it stays at Cashfree, which may pay it at any time; what comes after it leaves over the next account", async () => {
    const merchant = await live(second, first);
    await merchant.setWhenDown({ whenDown: "next" });
    second.standIn.desk.faults.add({ kind: "low_balance", on: "submit", percent: 100 });
    const queued = await merchant.pay({ amount: "21.00" });
    await merchant.becomes(queued, "PENDING");
    const later = await merchant.pay({ amount: "22.00" });
    await merchant.becomes(later, "SUCCESS");
    expect((await merchant.find(later)).rail).toMatch(/^razorpayx:/);
    second.standIn.desk.clock.advance(4 * 24 * 3_600_000 + 1000);
    await merchant.becomes(queued, "FAILED");
    expect((await merchant.find(queued)).reason).toMatch(/^INSUFFICIENT_BALANCE/);
    expect([second.paidOf(merchant), first.paidOf(merchant)]).toEqual([[], [2200n]]);
  });
});

test("an account of which nobody knows what calls come to is left alone, and tried again one at a time", async () => {
  const bank = await openBank("cashfree");
  try {
    const merchant = await live(bank);
    // Payees are made at first use, so that these have no call before the one that fails.
    fail(bank, "error_before");
    const ids: string[] = [];
    for (let place = 0; place < 5 * SERVERS; place += 1) ids.push(await merchant.pay({ amount: "2.00" }));
    await expect
      .poll(async () => (await listProviders({ pool: installation.pool, merchant: merchant.key }))[0]!.failingSince, {
        timeout: 180_000,
      })
      .not.toBeNull();
    // One may be the trial of a server whose pause is over; the next one waits.
    let isWaiting = false;
    for (let tries = 0; !isWaiting && tries < 3 * SERVERS; tries += 1) {
      const next = await merchant.pay({ amount: "2.00" });
      const found = () => merchant.find(next);
      await expect.poll(async () => (await found()).state === "UNKNOWN" || (await found()).waits).toBe(true);
      isWaiting = (await found()).waits;
      ids.push(next);
    }
    expect(isWaiting).toBe(true);
    const listed = await nodal(installation.environment, "provider", "list", "--merchant", merchant.id, "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { state: "failing", failing_reason: "The payout provider is out of order." },
    ]);
    // Of several servers one has found out, and each is asked in turn.
    const metrics = async () => (await fetch(`${installation.server.baseUrl}/metrics`)).text();
    await expect.poll(metrics).toMatch(/nodal_provider_accounts_failing\{[^}]*provider="cashfree"[^}]*\} 1/);
    bank.standIn.desk.faults.clear();
    for (const transferId of ids) await merchant.becomes(transferId, "SUCCESS");
    expect(bank.paidOf(merchant).map(String).toSorted()).toEqual(ids.map(() => "200"));
  } finally {
    await bank.standIn.stop();
  }
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
