// Several accounts at providers: which one carries a payout, the installation's own, and other credentials for one in
// use.
import { hookPath } from "../../src/platform/providers/hook-routes.ts";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyInstallation } from "../../src/installation/index.ts";
import { recordEvents } from "../../src/ledger/index.ts";
import { listProviders, setAccountOptions } from "../../src/payouts/index.ts";
import { findProviderAccount, updateProviderAccount } from "../../src/payouts/providers/provider-account-store.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { countLockWaits } from "../support/held-rows.ts";
import { GOOD_ACCOUNT, Installation } from "../support/installation.ts";
import { openBank, PayingMerchant, type Bank } from "../support/providers.ts";
import { nodal } from "../support/nodal.ts";
import { recordEventsOf } from "../support/record-events.ts";
import "../support/expect-wire.ts";

let installation: Installation;
let banks: { first: Bank; second: Bank };

beforeAll(async () => {
  installation = await Installation.start({ BANK_TIMEOUT_MS: "1500" });
  banks = { first: await openBank("cashfree"), second: await openBank("razorpayx") };
});
afterAll(async () => {
  await Promise.all(Object.values(banks).map((bank) => bank.standIn.stop()));
  await installation.stop();
});

/** A server that pretends to be the provider and records every request. */
class Thief {
  readonly requests: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.requests.push(`${request.method} ${request.url}`);
      response.end("{}");
    });
  }

  static async listen(): Promise<Thief> {
    const thief = new Thief();
    await once(thief.#server.listen(0, "127.0.0.1"), "listening");
    return thief;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => void this.#server.close(() => done()));
  }
}

/** What a process remembers of a merchant and of an account is at most so old. */
const untilNoticed = () => new Promise((resolve) => setTimeout(resolve, 2500));

async function command(...args: readonly string[]) {
  const { code, stdout, stderr } = await nodal(installation.environment, "provider", ...args, "--json");
  return { code, stderr, answer: code === 0 ? (JSON.parse(stdout) as Record<string, string>[]) : [] };
}

test("each way leaves over the account that comes first for it, and over none where none carries it", async () => {
  const merchant = await PayingMerchant.of(installation, { bank: GOOD_ACCOUNT });
  const [one, other] = [await merchant.connect(banks.first), await merchant.connect(banks.second)];
  expect([one.priorities, other.priorities]).toEqual([
    { IMPS: 1, NEFT: 1, RTGS: 1, UPI: 1 },
    { IMPS: 2, NEFT: 2, RTGS: 2, UPI: 2 },
  ]);
  await merchant.goLive(5_000_000n);
  await merchant.becomes(await merchant.pay(), "SUCCESS");
  expect([banks.first.paidOf(merchant), banks.second.paidOf(merchant)]).toEqual([[10_000n], []]);

  const set = (modes: string) =>
    command("set", "--merchant", merchant.id, "--account", String(other.accountId), "--modes", modes);
  expect((await set("UPI=1,IMPS=3")).answer).toMatchObject([{ modes: "IMPS=3,UPI=1", state: "works" }]);
  await untilNoticed();
  await merchant.becomes(await merchant.pay({ upi: "asha@okhdfc", amount: "20.00" }), "SUCCESS");
  await merchant.becomes(await merchant.pay({ amount: "30.00" }), "SUCCESS");
  // A withdrawal goes by the same rule.
  await merchant.wire.withdraw({ amount: "40.00" });
  await expect.poll(() => banks.first.paidOf(merchant)).toEqual([10_000n, 3000n, 4000n]);
  expect(banks.second.paidOf(merchant)).toEqual([2000n]);

  expect((await set("IMPS=one")).code).toBe(2);
  await command("set", "--merchant", merchant.id, "--account", String(one.accountId), "--modes", "NEFT=1");
  await set("none");
  await untilNoticed();
  const refused = await merchant.ask({ amount: "1.00" });
  expect([refused.status, refused.body.code, JSON.stringify(refused.body)]).toEqual([
    403,
    "no_payout_provider",
    expect.stringContaining("carries IMPS"),
  ]);
  const { rows } = await installation.pool.query<{ after: unknown }>(
    "select after from journal where merchant_id = $1 and type = 'provider.changed' order by entry_no",
    [merchant.id],
  );
  expect(rows[0]!.after).toEqual({ modes: "IMPS=3,UPI=1" });
});

test("the same account can't be connected twice, also by many at once or by other credentials", async () => {
  const merchant = await PayingMerchant.of(installation, { bank: GOOD_ACCOUNT });
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => merchant.connect(banks.first)));
  const failed = attempts.flatMap((attempt) => (attempt.status === "rejected" ? [attempt.reason as Error] : []));
  expect(failed).toHaveLength(7);
  for (const error of failed) expect(JSON.stringify(error)).toContain("is already connected, as account");
  // Once it is disconnected it may come back, as another account.
  const [account] = await listProviders({ pool: installation.pool, merchant: merchant.key });
  const ofAccount = ["--merchant", merchant.id, "--account", String(account!.accountId)];
  await command("disconnect", ...ofAccount);
  for (const change of [
    ["--when-down", "next"],
    ["--modes", "none"],
  ]) {
    const refused = await command("set", ...ofAccount, ...change);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("account is disconnected")]);
  }
  const again = await merchant.connect(banks.first);
  expect(again.accountId).not.toBe(account!.accountId);
});

test("an account of the installation serves live merchants that have none, whose webhooks find them; nobody sees its credentials", async () => {
  const [merchant, another] = [await PayingMerchant.of(installation), await PayingMerchant.of(installation)];
  const { account } = await banks.first.connect(installation, null);
  await merchant.goLive(1_000_000n);
  await untilNoticed();
  await merchant.becomes(await merchant.pay(), "SUCCESS");
  expect(banks.first.paidOf(merchant)).toEqual([10_000n]);
  // Sent back after a success: only the webhook tells, at the installation's address.
  banks.first.sendNotices(installation, account);
  expect(hookPath("cashfree", account)).toBe(`/hooks/cashfree/0-0-${account.accountId}`);
  const back = await merchant.pay({ amount: "77.00" });
  await merchant.becomes(back, "SUCCESS");
  banks.first.sendBack(back);
  await merchant.becomes(back, "REVERSED");
  const { rows } = await installation.pool.query("select from provider_notice where merchant_id = $1", [merchant.id]);
  expect(rows.length).toBeGreaterThan(0);

  expect(await listProviders({ pool: installation.pool, merchant: merchant.key })).toEqual([]);
  const seen = await inTransaction(installation.pool, async (connection) => {
    await connection.query(`set local role nodal_tenant; set local nodal.merchant_id = '${merchant.id}'`);
    return connection.query("select from provider_account");
  });
  expect(seen.rows).toEqual([]);

  const hanging = await merchant.pay({ account_number: "007711000031", ifsc: "HDFC0000077" });
  await merchant.becomes(hanging, "PENDING");
  const refused = await command("disconnect", "--default", "--account", String(account.accountId));
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("1 transfers are in progress")]);
  banks.first.settle(hanging, "FAILED");
  await merchant.becomes(hanging, "FAILED");

  // One of its own goes before it.
  const own = await merchant.connect(banks.second);
  await untilNoticed();
  await merchant.becomes(await merchant.pay({ amount: "5.00" }), "SUCCESS");
  expect(banks.second.paidOf(merchant)).toEqual([500n]);

  // Without it nothing leaves over the account that merchants share, until an operator says so.
  const paidBefore = banks.first.paidOf(merchant);
  const ofOwn = ["--merchant", merchant.id, "--account", String(own.accountId)];
  expect((await command("use-default", "--merchant", merchant.id)).stderr).toContain("disconnect it first");
  await command("set", "--merchant", merchant.id, "--when-down", "next");
  expect((await command("disconnect", ...ofOwn)).code).toBe(0);
  // Before servers have noticed, too: what is accepted then is not sent.
  const asked = await merchant.ask({ amount: "6.00" });
  if (asked.status === 200) await merchant.becomes(asked.body.transfer_id as string, "FAILED");
  await untilNoticed();
  expect(await merchant.ask({ amount: "6.00" })).toBeRefusal({ status: 403, code: "no_payout_provider" });
  expect(banks.first.paidOf(merchant)).toEqual(paidBefore);
  expect((await command("use-default", "--merchant", merchant.id)).code).toBe(0);
  await untilNoticed();
  await merchant.becomes(await merchant.pay({ amount: "6.00" }), "SUCCESS");
  expect(banks.first.paidOf(merchant)).toEqual([...paidBefore, 600n]);
  expect((await command("list", "--default")).answer).toMatchObject([{ state: "works" }]);
  const { code } = await command("disconnect", "--default", "--account", String(account.accountId));
  expect(code).toBe(0);
  await untilNoticed();
  const unpaid = await another.ask();
  expect([unpaid.status, unpaid.body.code]).toEqual([403, "no_payout_provider"]);
});

/** Resolves once a statement on accounts at providers waits for a lock. */
async function untilAccountIsWaitedFor(): Promise<void> {
  const wait = { timeout: 180_000, interval: 10 };
  await expect.poll(() => countLockWaits(installation.pool, "provider_account"), wait).toBeGreaterThan(0);
}

test("nothing is paid over a disconnected account, even if a server accepts it before it notices", async () => {
  const merchant = await PayingMerchant.of(installation, { bank: GOOD_ACCOUNT });
  const account = await merchant.connect(banks.first);
  await merchant.goLive(5_000_000n);
  await merchant.becomes(await merchant.pay(), "SUCCESS");

  // The merchant's rails stay as a server still remembers them.
  const { bucket, merchantId, accountId } = account;
  const changed = { bucket, merchantId, accountId, disconnectedAt: Temporal.Now.instant() };
  const record = (subjectId: bigint) =>
    inTransaction(installation.pool, (connection) =>
      recordEvents(connection, { bucket, merchantId }, [{ type: "provider.disconnected", subjectId }]),
    );
  const paying = await inTransaction(installation.pool, async (connection) => {
    await updateProviderAccount(connection, changed);
    const asked = merchant.pay({ amount: "20.00" });
    await untilAccountIsWaitedFor();
    return { asked };
  });
  await record(accountId);
  const transferId = await paying.asked;
  await merchant.becomes(transferId, "FAILED");
  expect((await merchant.find(transferId)).reason).toBe("Not sent: the payout account was disconnected.");
  expect((await merchant.ask({ amount: "30.00" })).body).toMatchObject({ transfer_status: "FAILED" });
  expect(banks.first.paidOf(merchant)).toEqual([10_000n]);

  // With another account, a late payment leaves over that one.
  const first = await merchant.connect(banks.first);
  await merchant.connect(banks.second);
  await untilNoticed();
  await inTransaction(installation.pool, (connection) =>
    updateProviderAccount(connection, { ...changed, accountId: first.accountId }),
  );
  await record(first.accountId);
  await merchant.becomes(await merchant.pay({ amount: "40.00" }), "SUCCESS");
  expect([banks.first.paidOf(merchant), banks.second.paidOf(merchant)]).toEqual([[10_000n], [4000n]]);
});

test("an account gets other credentials in place, once the provider takes them, and only those of the same account", async () => {
  const bank = await openBank("cashfree");
  try {
    const merchant = await PayingMerchant.of(installation);
    const account = await merchant.connect(bank);
    bank.sendNotices(installation, account);
    await merchant.goLive(1_000_000n);
    await merchant.becomes(await merchant.pay(), "SUCCESS");
    const hanging = await merchant.pay({ account_number: "007711000031", ifsc: "HDFC0000077" });
    await merchant.becomes(hanging, "PENDING");
    const change = (secret: string, keyId = account.keyId) =>
      merchant.changeCredentials({ accountId: account.accountId, keyId, secret, webhookSecret: null });

    await expect(change("wrong")).rejects.toMatchObject({ code: "validation_failed" });
    const old = { ...bank.credentials };
    bank.credentials.secret = "another-secret";
    await change("another-secret");
    await untilNoticed();
    await merchant.becomes(await merchant.pay({ amount: "3.00" }), "SUCCESS");
    // What is under way is found with the new ones; a webhook that was signed with the old secret still counts.
    const post = async (secret: string) => {
      const body = JSON.stringify({ type: "TRANSFER_SUCCESS", data: {}, event_time: secret });
      const headers = bank.signNotice(body, { ...old, secret });
      const url = installation.server.baseUrl + hookPath("cashfree", account);
      return (await fetch(url, { method: "POST", headers, body })).status;
    };
    expect([await post(old.secret), await post("another-secret"), await post("a third")]).toEqual([200, 200, 401]);
    // Cashfree signs with its oldest active secret, however long that takes: it counts until somebody says that it is not active.
    const { moreWebhookSecrets } = (await findProviderAccount(installation.pool, account))!;
    expect(moreWebhookSecrets).toBe(old.secret);
    const context = { pool: installation.pool, merchant: merchant.key };
    await setAccountOptions(context, { accountId: account.accountId, moreWebhookSecrets: null });
    await untilNoticed();
    expect([await post(old.secret), await post("another-secret")]).toEqual([401, 200]);
    bank.settle(hanging, "FAILED");
    await merchant.becomes(hanging, "FAILED");

    // Another account at the provider does not know what was paid over this one.
    const elsewhere = await openBank("cashfree");
    try {
      const now = (await findProviderAccount(installation.pool, account))!;
      await inTransaction(installation.pool, (connection) =>
        updateProviderAccount(connection, { ...now, baseUrl: elsewhere.standIn.url }),
      );
      await expect(change(elsewhere.credentials.secret)).rejects.toMatchObject({ errors: [{ field: "key_id" }] });
    } finally {
      await elsewhere.standIn.stop();
    }
    await recordEventsOf(installation.pool, merchant.id, "provider.connected", [account.accountId]);
    const { rows } = await installation.pool.query<{ after: unknown }>(
      "select after from journal where merchant_id = $1 and type = 'provider.changed'",
      [merchant.id],
    );
    expect(rows).toEqual([
      { after: { credentials: 2, more_webhook_secrets: 1 } },
      { after: { more_webhook_secrets: 0 } },
    ]);
  } finally {
    await bank.standIn.stop();
  }
});

test.each([
  ["base_url", (thief: Thief) => thief.url],
  ["key_id", () => "another"],
  ["tag", () => "zzzzzz"],
])("an account whose %s was changed with SQL sends its credentials nowhere", async (column, valueOf) => {
  const [bank, thief] = [await openBank("cashfree"), await Thief.listen()];
  try {
    const merchant = await PayingMerchant.of(installation);
    const account = await merchant.connect(bank);
    await merchant.goLive(1_000_000n);
    const set = (value: string) =>
      installation.pool.query(
        `update provider_account set ${column} = $2, version = version + 1 where account_id = $1`,
        [account.accountId, value],
      );
    const earlier = { base_url: account.baseUrl, key_id: account.keyId, tag: account.tag }[column]!;
    await set(valueOf(thief));
    await untilNoticed();
    const transferId = await merchant.pay();
    const { violations } = await verifyInstallation(installation.pool, { merchant: merchant.key.merchantId });
    expect(violations.map(({ check }) => check)).toContain("encrypted_values");
    expect([thief.requests, bank.paidOf(merchant)]).toEqual([[], []]);
    await set(earlier);
    await merchant.becomes(transferId, "SUCCESS");
    expect(bank.paidOf(merchant)).toEqual([10_000n]);
    // It may have been sealed as it was meanwhile.
    await recordEventsOf(installation.pool, merchant.id, "provider.connected", [account.accountId]);
  } finally {
    await Promise.all([bank.standIn.stop(), thief.close()]);
  }
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
