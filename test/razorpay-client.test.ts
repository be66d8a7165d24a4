// The official npm client against the stand-in for RazorpayX. It has methods for customers' fund accounts and webhooks; the rest of
// RazorpayX is called through its `api`, as its users do.
import { setTimeout as sleep } from "node:timers/promises";
import Razorpay from "razorpay";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { razorpayx, razorpayxOn, SOURCE_ACCOUNT } from "../stand-ins/razorpayx.ts";
import { startStandIn, type StandIn } from "../stand-ins/stand-in.ts";

const CREDENTIALS = { id: "rzp_live_1", secret: "secret", noticeSecret: "whsec" };
const SETTLE_MS = 1;

type Body = Record<string, unknown> & { readonly id: string };
type List = { readonly entity: string; readonly count: number; readonly items: Body[] };
type Call = { readonly url: string; readonly data?: object };
/** What of the client its types leave out. */
type Api = {
  get(call: Call): Promise<Body & List>;
  post(call: Call): Promise<Body>;
  patch(call: Call): Promise<Body>;
  readonly rq: { readonly defaults: { baseURL: string; headers: { common: Record<string, string> } } };
};

let bank: StandIn;
let client: Razorpay;
let api: Api;
let keys = 0;

function clientOf({ url }: StandIn, secret = CREDENTIALS.secret): { readonly client: Razorpay; readonly api: Api } {
  const made = new Razorpay({ key_id: CREDENTIALS.id, key_secret: secret });
  const { api: calls } = made as unknown as { readonly api: Api };
  calls.rq.defaults.baseURL = url;
  return { client: made, api: calls };
}

function open(accountType: "razorpayx_lite" | "current_account"): Promise<StandIn> {
  return startStandIn(razorpayxOn(accountType), {
    port: 0,
    file: ":memory:",
    credentials: CREDENTIALS,
    noticeUrl: null,
    settleMs: SETTLE_MS,
    callsPerSecond: null,
    random: Math.random,
  });
}

beforeAll(async () => {
  bank = await open("razorpayx_lite");
  bank.desk.book.fund(10_000_000n);
  ({ client, api } = clientOf(bank));
});
afterAll(() => bank.stop());

const CONTACT = { name: "Gaurav Kumar", email: "gaurav.kumar@example.com", contact: "9000090000", type: "employee" };
const ACCOUNT = { name: "Gaurav Kumar", ifsc: "HDFC0000053", account_number: "765432123456789" };

/** The client sets headers for all of its calls. */
function pay(change: object, key = `key-${(keys += 1)}`): Promise<Body> {
  api.rq.defaults.headers.common["X-Payout-Idempotency"] = key;
  const fixed = { account_number: SOURCE_ACCOUNT, amount: 10_000, currency: "INR", mode: "IMPS", purpose: "refund" };
  return api.post({ url: "/payouts", data: { ...fixed, ...change } });
}

async function fundAccount(change: object = {}): Promise<Body> {
  const contact = await api.post({ url: "/contacts", data: CONTACT });
  const data = { contact_id: contact.id, account_type: "bank_account", bank_account: ACCOUNT, ...change };
  return api.post({ url: "/fund_accounts", data });
}

/** The payout once it has this status. */
async function becomes(id: string, status: string): Promise<Body> {
  for (;;) {
    const payout = await api.get({ url: `/payouts/${id}` });
    if (payout.status === status) return payout;
    await sleep(5);
  }
}

describe("payees", () => {
  test("a contact has all that it was given, is the same again, is found, listed and changed", async () => {
    const data = { ...CONTACT, reference_id: "Acme 1", notes: { tea: "Earl Grey" } };
    const made = await api.post({ url: "/contacts", data });
    expect(made).toMatchObject({ entity: "contact", ...data, batch_id: null, active: true });
    expect(made.id).toMatch(/^cont_[0-9A-Za-z]{14}$/);
    expect(made.created_at).toBeTypeOf("number");
    expect((await api.post({ url: "/contacts", data })).id).toBe(made.id);
    expect((await api.post({ url: "/contacts", data: { ...data, type: "vendor" } })).id).not.toBe(made.id);
    expect(await api.get({ url: `/contacts/${made.id}` })).toEqual(made);
    const changed = await api.patch({ url: `/contacts/${made.id}`, data: { active: false, email: "g@example.com" } });
    expect(changed).toMatchObject({ ...data, active: false, email: "g@example.com" });
    const list = await api.get({ url: "/contacts", data: { reference_id: "Acme 1", count: 1, active: 0 } });
    expect(list).toMatchObject({ entity: "collection", count: 1, items: [{ id: made.id }] });
  });

  test("fund accounts nest their instrument", async () => {
    const account = await fundAccount();
    expect(account).toMatchObject({
      entity: "fund_account",
      account_type: "bank_account",
      bank_account: { ...ACCOUNT, bank_name: expect.any(String) as string, notes: [] },
      active: true,
    });
    const vpa = await fundAccount({ account_type: "vpa", vpa: { address: "gaurav.kumar@exampleupi" } });
    expect(vpa).toMatchObject({
      vpa: { username: "gaurav.kumar", handle: "exampleupi", address: "gaurav.kumar@exampleupi" },
    });
    expect((await fundAccount()).id).toBe(account.id);
    const listed = await api.get({
      url: "/fund_accounts",
      data: { contact_id: account.contact_id, account_type: "vpa" },
    });
    expect(listed.items).toEqual([vpa]);
    await api.patch({ url: `/fund_accounts/${vpa.id}`, data: { active: false } });
    await expect(pay({ fund_account_id: vpa.id, mode: "UPI" })).rejects.toMatchObject({ statusCode: 400 });
  });

  test("the client's own methods make and list the fund accounts of a customer", async () => {
    const customer = await client.customers.create({
      name: "Gaurav Kumar",
      email: "g@example.com",
      contact: "9000090000",
    });
    const data = { customer_id: customer.id, account_type: "bank_account", bank_account: ACCOUNT };
    const made = await client.fundAccount.create(data);
    expect(made).toMatchObject({ entity: "fund_account", customer_id: customer.id, bank_account: ACCOUNT });
    expect(await client.fundAccount.fetch(customer.id)).toMatchObject({ count: 1, items: [{ id: made.id }] });
    expect(await client.customers.fetch(customer.id)).toMatchObject({ id: customer.id, entity: "customer" });
    expect((await client.customers.all({ count: 5 })).items).toHaveLength(1);
  });
});

describe("payouts", () => {
  test("one to a fund account: found by id and reference, once for each key, with fees that include their tax", async () => {
    const { id } = await fundAccount();
    const data = {
      fund_account_id: id,
      reference_id: "Acme Txn 1",
      narration: "Acme Fund Transfer",
      notes: { a: "b" },
    };
    const made = await pay(data, "same-key");
    expect(made).toMatchObject({ entity: "payout", ...data, amount: 10_000, currency: "INR", purpose: "refund" });
    expect((await pay(data, "same-key")).id).toBe(made.id);
    await expect(pay({ ...data, amount: 20_000 }, "same-key")).rejects.toMatchObject({
      statusCode: 400,
      error: { code: "BAD_REQUEST_ERROR", description: expect.stringContaining("Idempotency") as string },
    });
    expect(await becomes(made.id, "processed")).toMatchObject({
      fees: 590,
      tax: 90,
      utr: expect.any(String) as string,
      status_details: { reason: "payout_processed" },
    });
    const list = await api.get({
      url: "/payouts",
      data: { account_number: SOURCE_ACCOUNT, reference_id: "Acme Txn 1" },
    });
    expect(list).toMatchObject({ count: 1, items: [{ id: made.id }] });
  });

  test("the composite form makes contact and fund account, and answers with them", async () => {
    const fund_account = {
      account_type: "vpa",
      vpa: { address: "success@upi" },
      contact: { ...CONTACT, type: "vendor" },
    };
    const made = await pay({ mode: "UPI", fund_account });
    expect(made).toMatchObject({
      fund_account: { account_type: "vpa", vpa: { handle: "upi" }, contact: { ...CONTACT, type: "vendor" } },
    });
    const { id } = made.fund_account as Body;
    expect(made.fund_account_id).toBe(id);
    expect(await api.get({ url: `/fund_accounts/${id}` })).toMatchObject({ id, entity: "fund_account" });
  });

  test("lists go by count and skip, from and to, status, mode and fund account", async () => {
    const { id: fund_account_id } = await fundAccount({
      bank_account: { ...ACCOUNT, account_number: "50100012345678" },
    });
    const ids: string[] = [];
    for (let count = 0; count < 12; count += 1) ids.push((await pay({ fund_account_id, mode: "NEFT" })).id);
    const list = async (data: object): Promise<string[]> =>
      (
        await api.get({ url: "/payouts", data: { account_number: SOURCE_ACCOUNT, fund_account_id, ...data } })
      ).items.map((item) => item.id);
    expect(await list({})).toHaveLength(10);
    const pages = [await list({ count: 7 }), await list({ count: 7, skip: 7 })];
    expect(pages.flat().toSorted()).toEqual(ids.toSorted());
    expect([await list({ to: 1 }), await list({ mode: "RTGS" })]).toEqual([[], []]);
    await becomes(ids.at(-1)!, "processed");
    expect(await list({ status: "processed", count: 100, from: 1 })).toContain(ids.at(-1));
    await expect(list({ count: 101 })).rejects.toMatchObject({ statusCode: 400 });
  });

  test("too little balance: refused, or queued until it is cancelled or there is enough", async () => {
    const poor = await open("razorpayx_lite");
    const rich = api;
    try {
      ({ api } = clientOf(poor));
      const { id: fund_account_id } = await fundAccount();
      const refused = pay({ fund_account_id, queue_if_low_balance: false });
      await expect(refused).rejects.toMatchObject({ statusCode: 400, error: { reason: "insufficient_funds" } });
      const [first, second] = [
        await pay({ fund_account_id, queue_if_low_balance: true }),
        await pay({ fund_account_id, queue_if_low_balance: true }),
      ];
      expect(first).toMatchObject({
        status: "queued",
        fees: 0,
        status_details: { reason: "low_balance", source: "business" },
      });
      expect(await api.post({ url: `/payouts/${first.id}/cancel` })).toMatchObject({
        id: first.id,
        status: "cancelled",
      });
      poor.desk.book.fund(100_000n);
      await becomes(second.id, "processed");
      await expect(api.patch({ url: `/payouts/${second.id}/cancel` })).rejects.toMatchObject({ statusCode: 400 });
      expect(await api.get({ url: `/payouts/${first.id}` })).toMatchObject({ status: "cancelled" });
    } finally {
      api = rich;
      await poor.stop();
    }
  });

  test.each([
    ["IMPS", 50_000_001],
    ["RTGS", 19_999_999],
    ["UPI", 10_000_001],
    ["NEFT", 99],
  ])("the limits of %s: not %i", async (mode, amount) => {
    const { id: fund_account_id } = await fundAccount();
    await expect(pay({ fund_account_id, mode, amount })).rejects.toMatchObject({ error: { field: "amount" } });
  });

  test("what can't be right is refused with its field, and wrong keys with 401", async () => {
    const { id: fund_account_id } = await fundAccount();
    for (const [field, wrong] of Object.entries({
      account_number: "1",
      currency: "USD",
      mode: "imps",
      purpose: "tea",
      narration: "Ravi & Sons",
      reference_id: "x".repeat(41),
      fund_account_id: "fa_00000000000000",
    }))
      await expect(pay({ fund_account_id, [field]: wrong })).rejects.toMatchObject({ error: { field } });
    await expect(pay({ fund_account_id }, "x")).rejects.toMatchObject({ error: { field: "X-Payout-Idempotency" } });
    const stranger = clientOf(bank, "wrong").api;
    await expect(stranger.get({ url: "/contacts" })).rejects.toMatchObject({ statusCode: 401 });
  });
});

describe("the account", () => {
  test("its balance, and its transactions: a debit includes the fees, and a reversal gives them back", async () => {
    const { id: fund_account_id } = await fundAccount({
      bank_account: { ...ACCOUNT, account_number: "50100099999999" },
    });
    const balance = async (): Promise<unknown> =>
      (await api.get({ url: "/banking_balances", data: { account_type: "razorpayx_lite" } })).items[0]!
        .available_amount;
    const before = await balance();
    const paid = await pay({ fund_account_id });
    await becomes(paid.id, "processed");
    expect(await balance()).toBe(Number(before) - 10_590);
    bank.desk.book.move(paid.id, "REVERSED", null, bank.desk.clock.nowMs());
    expect(await balance()).toBe(before);
    const of = async (data: object): Promise<Body[]> =>
      (await api.get({ url: "/transactions", data: { account_number: SOURCE_ACCOUNT, ...data } })).items;
    const about = (await of({ count: 100 })).filter(
      ({ source }) => (source as Body).id === paid.id || (source as Body).payout_id === paid.id,
    );
    expect(about).toMatchObject([
      {
        entity: "transaction",
        credit: 10_590,
        debit: 0,
        source: { entity: "reversal", amount: 10_000, fee: -590, tax: -90 },
      },
      {
        credit: 0,
        debit: 10_590,
        source: { entity: "payout", amount: 10_000, fees: 590, tax: 90, status: "reversed" },
      },
    ]);
    expect(await api.get({ url: `/transactions/${about[0]!.id}` })).toEqual(about[0]);
    expect((await of({ count: 100 })).at(-1)).toMatchObject({
      credit: 10_000_000,
      source: { entity: "bank_transfer" },
    });
  });

  test("a current account is charged for the payouts of a day in one payout", async () => {
    const current = await open("current_account");
    const lite = api;
    try {
      ({ api } = clientOf(current));
      current.desk.book.fund(1_000_000n, current.desk.clock.nowMs());
      const { id: fund_account_id } = await fundAccount();
      for (const { id } of [await pay({ fund_account_id }), await pay({ fund_account_id })])
        await becomes(id, "processed");
      current.desk.clock.advance(24 * 3_600_000);
      const { items } = await api.get({ url: "/transactions", data: { account_number: SOURCE_ACCOUNT } });
      expect(items).toMatchObject([
        { debit: 1180, source: { purpose: "rzp_fees" }, balance: 978_820 },
        { debit: 10_000 },
        { debit: 10_000 },
        { credit: 1_000_000 },
      ]);
      expect((await api.get({ url: "/banking_balances" })).items[0]).toMatchObject({
        account_type: "current_account",
        available_amount: 978_820,
      });
      const asked = {
        account_number: SOURCE_ACCOUNT,
        fund_account: { id: fund_account_id },
        amount: 100,
        currency: "INR",
      };
      await expect(api.post({ url: "/fund_accounts/validations", data: asked })).rejects.toMatchObject({
        statusCode: 400,
      });
    } finally {
      api = lite;
      await current.stop();
    }
  });

  test("an account is validated, and found and listed by its validation", async () => {
    const { id } = await fundAccount();
    const asked = { account_number: SOURCE_ACCOUNT, fund_account: { id }, amount: 100, currency: "INR" };
    const made = await api.post({ url: "/fund_accounts/validations", data: asked });
    expect(made).toMatchObject({ entity: "fund_account.validation", fund_account: { id, bank_account: ACCOUNT } });
    for (;;) {
      const now = await api.get({ url: `/fund_accounts/validations/${made.id}` });
      if (now.status === "created") continue;
      expect(now).toMatchObject({
        status: "completed",
        results: { account_status: "active", registered_name: "GAURAV KUMAR" },
      });
      break;
    }
    const list = await api.get({ url: "/fund_accounts/validations", data: { account_number: SOURCE_ACCOUNT } });
    expect(list).toMatchObject({ count: 1, items: [{ id: made.id }] });
  });

  test("its webhooks are signed as the client checks", () => {
    const [payment] = bank.desk.book.listPayments();
    const body = razorpayx.noticeOf(payment!, 1n)!;
    const signature = razorpayx.signNotice(body, CREDENTIALS, Date.now())["x-razorpay-signature"]!;
    expect(Razorpay.validateWebhookSignature(body, signature, CREDENTIALS.noticeSecret)).toBe(true);
    expect(Razorpay.validateWebhookSignature(`${body} `, signature, CREDENTIALS.noticeSecret)).toBe(false);
  });
});
