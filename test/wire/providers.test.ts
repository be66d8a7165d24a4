// Real money over a provider: a merchant connects an account, goes live, and pays through a stand-in, whatever goes
// wrong there. What a connector does is tested in src/payouts/providers.
import { hookPath } from "../../src/platform/providers/hook-routes.ts";
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { cashfree } from "../../stand-ins/cashfree.ts";
import type { Payment } from "../../stand-ins/payout-book.ts";
import { razorpayx } from "../../stand-ins/razorpayx.ts";
import { startStandIn, type Protocol, type StandIn } from "../../stand-ins/stand-in.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { connectProvider, disconnectProvider, type ProviderAccount } from "../../src/payouts/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { formatPaise, parsePaise } from "../../src/platform/money.ts";
import { FRANCHISE_SAMPLE } from "../support/franchises.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { Invoices, PLAIN } from "../support/invoices.ts";
import { nodalJson } from "../support/nodal.ts";
import { ownCredentials } from "../support/stand-ins.ts";

const CREDENTIALS = { id: "key", secret: "a secret".replace(" ", "-"), noticeSecret: "whsec" };
const SETTLE_MS = 150;

let installation: Installation;
let payments = 0;

beforeAll(async () => {
  installation = await Installation.start({ BANK_TIMEOUT_MS: "1500" });
});
afterAll(async () => {
  await installation.stop();
});

const feeOf = ({ feePaise, taxPaise }: Payment): bigint => feePaise + taxPaise;
const less = (amount: string, paise: bigint): string => formatPaise(parsePaise(amount)! - paise);

const PROTOCOLS: readonly Protocol[] = [cashfree, razorpayx];

describe.each(PROTOCOLS)("$name", (protocol) => {
  let bank: StandIn;
  let shop: Invoices;
  let merchant: TestMerchant;
  let account: ProviderAccount;

  const context = () => ({
    pool: installation.pool,
    ids: new IdSource(installation.pool),
    merchant: { merchantId: BigInt(merchant.id) },
  });

  const access = () => ({
    provider: protocol.name,
    baseUrl: bank.url,
    keyId: CREDENTIALS.id,
    secret: CREDENTIALS.secret,
    ...ownCredentials(protocol.name, CREDENTIALS.noticeSecret),
    modes: null,
  });

  beforeAll(async () => {
    bank = await startStandIn(protocol, {
      port: 0,
      file: ":memory:",
      credentials: CREDENTIALS,
      noticeUrl: null,
      settleMs: SETTLE_MS,
      callsPerSecond: null,
      random: Math.random,
    });
    bank.desk.book.fund(100_000_000n);
    shop = await Invoices.ofNewMerchant(installation, { name: `Live over ${protocol.name}`, live: true });
    ({ merchant } = shop);
  });
  afterAll(() => bank.stop());

  async function pay(account_number: string, ifsc: string, amount = "250.10"): Promise<string> {
    const beneficiary_id = await merchant.addBeneficiary({ account_number, ifsc });
    const reference_id = `pay-${(payments += 1)}`;
    const answer = await merchant.transfer({ beneficiary_id, amount, reference_id });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return String(answer.body.transfer_id);
  }

  async function stateOf(transferId: string): Promise<string> {
    const { rows } = await installation.pool.query<{ state: string }>(
      "select state from transfer where merchant_id = $1 and transfer_id = $2",
      [merchant.id, transferId],
    );
    return rows[0]!.state;
  }

  function becomes(transferId: string, state: string): Promise<void> {
    return vi.waitFor(async () => expect(await stateOf(transferId)).toBe(state), { timeout: 180_000, interval: 50 });
  }

  const paid = (): bigint[] =>
    bank.desk.book.listMovements().map(({ kind, amountPaise }) => (kind === "paid" ? amountPaise : -amountPaise));

  test("an account that does not work is not connected", async () => {
    await expect(connectProvider(context(), { ...access(), secret: "wrong" })).rejects.toMatchObject({
      code: "validation_failed",
    });
    await expect(connectProvider(context(), { ...access(), baseUrl: "http://127.0.0.1:59999" })).rejects.toMatchObject({
      code: "provider_check_failed",
    });
    await expect(
      connectProvider(context(), { ...access(), baseUrl: "http://bank.example", provider: "hdfc" }),
    ).rejects.toMatchObject({
      errors: [{ field: "provider" }, { field: "base_url" }],
    });
    const beneficiary_id = await merchant.addBeneficiary();
    const refused = await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "over no account" });
    expect([refused.status, refused.body.code]).toEqual([403, "no_payout_provider"]);
  });

  test("connected, a live merchant's money leaves there and nowhere else", async () => {
    ({ account } = await connectProvider(context(), access()));
    bank.desk.notices.sendTo(installation.server.baseUrl + hookPath(protocol.name, account));
    // What a process remembers of a key's merchant is a moment old.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    const { bucket, merchantId } = await requireMerchant(installation.pool, BigInt(merchant.id));
    await fundMerchant(installation.pool, new IdSource(installation.pool), {
      bucket,
      merchantId,
      amountPaise: 1_000_000n,
      reference: "in",
    });
    const transferId = await pay("50100012345678", "HDFC0001234");
    await becomes(transferId, "SUCCESS");
    expect(paid()).toEqual([25_010n]);
    const { rows } = await installation.pool.query("select from simulator.payment where merchant_id = $1", [
      merchant.id,
    ]);
    expect(rows).toEqual([]);
  });

  test.each(["lost_after", "error_after", "malformed", "silence", "lost_before", "too_many", "low_balance"])(
    "%s: it is paid once in the end",
    async (kind) => {
      const before = paid().length;
      bank.desk.faults.add({ kind, on: "submit", count: 1 });
      const transferId = await pay(`501000${Date.now()}`, "HDFC0001234", "1.00");
      if (kind === "low_balance" && protocol.name === "cashfree") {
        await becomes(transferId, "PENDING");
        bank.desk.book.fund(0n);
      }
      await becomes(transferId, "SUCCESS");
      expect(paid().slice(before)).toEqual([100n]);
    },
  );

  test("what the bank declines is given back; what it sends back later is told by a webhook, and given back too", async () => {
    const before = await merchant.available();
    await becomes(await pay("234005000876", "ICIC0000007"), "FAILED");
    expect(await merchant.available()).toBe(before);
    const transferId = await pay("50100099999999", "HDFC0001234");
    await becomes(transferId, "SUCCESS");
    const payment = bank.desk.book.listPayments().at(-1)!;
    // Whoever knocks at another address does not close this one.
    const astray = hookPath(protocol.name, { ...account, bucket: (account.bucket + 1) % 128 });
    expect((await fetch(installation.server.baseUrl + astray, { method: "POST" })).status).toBe(404);
    bank.desk.notices.add(
      bank.desk.book.move(payment.providerId, "REVERSED", "RETURNED: Sent back.", bank.desk.clock.nowMs())!,
    );
    await becomes(transferId, "REVERSED");
    // RazorpayX gives its fee back too.
    const kept = protocol === razorpayx ? 0n : feeOf(payment);
    await expect.poll(() => merchant.available()).toBe(less(before, kept));
  });

  test("commission that is paid out by itself, and a refund, leave there too, and no other way", async () => {
    const count = bank.desk.book.listPayments().length;
    const terms = { settlement_type: "Auto", account_number: "50100055555555", ifsc: "HDFC0001234" };
    const franchise = await merchant.post("/api/v1/franchise/save", { ...FRANCHISE_SAMPLE, ...terms });
    expect(franchise.status, JSON.stringify(franchise.body)).toBe(200);
    const { franchise_id } = franchise.body;
    const sold = await shop.add({
      ...PLAIN,
      franchise_id,
      particular_rows: [{ item: "Work", total_amount: "800.00" }],
    });
    await shop.pay(sold["invoice_id"], "800.00");
    await installation.pool.query("update franchise set next_payout_at = now() where franchise_id = $1", [
      franchise_id,
    ]);
    const returned = await shop.add(PLAIN);
    await shop.pay(returned["invoice_id"], "100.00");
    const note = ["credit-note", "create", "--merchant", merchant.id, "--invoice", returned["invoice_id"]!, "--full"];
    const to = ["--refund", "--account", "50100044444444", "--ifsc", "HDFC0001234", "--reason", "Goods returned"];
    await nodalJson(installation.environment, ...note, ...to);
    const made = () =>
      bank.desk.book
        .listPayments()
        .slice(count)
        .map(({ state, accountNumber, amountPaise }) => `${accountNumber} ${state} ${amountPaise}`)
        .sort();
    // An eighth of 800.00, and the whole of 100.00.
    await expect.poll(made, { timeout: 180_000 }).toEqual(["50100044444444 PAID 10000", "50100055555555 PAID 10000"]);
    const rail = `${protocol.name}:${account.accountId}`;
    const transfers = async () =>
      (
        await installation.pool.query(
          `select kind, rail, state from (
             select * from transfer where merchant_id = $1 order by added_at desc limit 2
           ) as last order by kind`,
          [merchant.id],
        )
      ).rows;
    await expect.poll(transfers, { timeout: 180_000 }).toEqual([
      { kind: "commission", rail, state: "SUCCESS" },
      { kind: "transfer", rail, state: "SUCCESS" },
    ]);
    expect(
      (await installation.pool.query("select from simulator.payment where merchant_id = $1", [merchant.id])).rows,
    ).toEqual([]);
  });

  test("a success that comes after a failure is booked", async () => {
    const before = await merchant.available();
    bank.desk.faults.add({ kind: "failed_then_paid", count: 1 });
    const transferId = await pay("50100066666666", "HDFC0001234", "1.00");
    await becomes(transferId, "FAILED");
    expect(await merchant.available()).toBe(before);
    await becomes(transferId, "SUCCESS");
    const fee = feeOf(bank.desk.book.listPayments().at(-1)!);
    await expect.poll(() => merchant.available()).toBe(less(before, 100n + fee));
  });

  test("one webhook that is sent again and again, under other ids and times, is worked off once", async () => {
    const transferId = await pay("50100012121212", "HDFC0001234");
    await becomes(transferId, "SUCCESS");
    const about = bank.desk.book.listPayments().at(-1)!.clientId;
    const body = JSON.stringify(
      protocol.name === "cashfree"
        ? { type: "TRANSFER_SUCCESS", data: { transfer_id: about, status: "SUCCESS" } }
        : {
            event: "payout.processed",
            created_at: Math.floor(Date.now() / 1000),
            payload: { payout: { entity: { reference_id: about, status: "processed" } } },
          },
    );
    const send = (index: number) => {
      const timestamp = String(Date.now() + index);
      const secret = protocol.name === "cashfree" ? CREDENTIALS.secret : CREDENTIALS.noticeSecret;
      const mac = (text: string) => createHmac("sha256", secret).update(text);
      return fetch(installation.server.baseUrl + hookPath(protocol.name, account), {
        method: "POST",
        headers: {
          "x-webhook-timestamp": timestamp,
          "x-webhook-signature": mac(timestamp + body).digest("base64"),
          "x-razorpay-event-id": `event-${index}`,
          "x-razorpay-signature": mac(body).digest("hex"),
        },
        body,
      });
    };
    const notices = async (): Promise<number> => {
      const text = "select from provider_notice where merchant_id = $1 and subject_id = $2";
      return (await installation.pool.query(text, [merchant.id, transferId])).rows.length;
    };
    const before = await notices();
    for (let index = 0; index < 20; index += 1) expect((await send(index)).status).toBe(200);
    expect(await notices()).toBe(before + 1);
  });

  test("a forged webhook, and one for another account, change nothing", async () => {
    const transferId = await pay("50100088888888", "HDFC0001234");
    await becomes(transferId, "SUCCESS");
    const path = hookPath(protocol.name, account);
    const post = (to: string, body: string) =>
      fetch(installation.server.baseUrl + to, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-webhook-timestamp": String(Date.now()),
          "x-webhook-signature": "AAAA",
          "x-razorpay-event-id": "e",
          "x-razorpay-signature": "00",
        },
        body,
      });
    expect((await post(path, "{}")).status).toBe(401);
    expect((await post(hookPath(protocol.name, { ...account, accountId: 1n }), "{}")).status).toBe(404);
    expect((await post(hookPath("razorpay", account), "{}")).status).toBe(404);
    expect((await post(path, "x".repeat(70_000))).status).toBe(413);
    expect(await stateOf(transferId)).toBe("SUCCESS");
  });

  test("an account with transfers under way is not disconnected; without one, nothing leaves", async () => {
    const hanging = await pay("007711000031", "HDFC0000077");
    await becomes(hanging, "PENDING");
    await expect(disconnectProvider(context(), account.accountId)).rejects.toMatchObject({ code: "provider_in_use" });
    const payment = bank.desk.book.listPayments().at(-1)!;
    bank.desk.book.move(payment.providerId, "FAILED", "BANK_GATEWAY_ERROR: Away.", bank.desk.clock.nowMs());
    await becomes(hanging, "FAILED");
    await disconnectProvider(context(), account.accountId);
    const { rows } = await installation.pool.query<{ type: string; before: unknown; after: unknown }>(
      "select type, before, after from journal where merchant_id = $1 and type like 'provider.%' order by entry_no",
      [merchant.id],
    );
    const places = "IMPS=1,NEFT=1,RTGS=1,UPI=1";
    const shown = { provider: protocol.name, base_url: bank.url, key_id: CREDENTIALS.id, modes: places };
    expect(rows).toEqual([
      { type: "provider.connected", before: null, after: shown },
      { type: "provider.disconnected", before: shown, after: null },
    ]);
    const beneficiary_id = await merchant.addBeneficiary({ account_number: "50100077777777", ifsc: "HDFC0001234" });
    const count = bank.desk.book.listPayments().length;
    // Each under a reference of its own: the same one again would get the transfer that was accepted before.
    let asked = 0;
    const refused = () =>
      merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: `over nothing ${(asked += 1)}` });
    await expect.poll(async () => (await refused()).body.code, { interval: 2500 }).toBe("no_payout_provider");
    expect(bank.desk.book.listPayments().length).toBeLessThanOrEqual(count + 1);
  });

  test("afterwards the books are sound", async () => {
    expect(await installation.findProblems()).toEqual([]);
  });
});
