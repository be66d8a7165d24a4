// Every answer of the stand-in for RazorpayX, and every call of the connector: for the contract's test. No assertions.
import { razorpayx, SOURCE_ACCOUNT } from "../../stand-ins/razorpayx.ts";
import type { BookState } from "../../stand-ins/payout-book.ts";
import { RazorpayX } from "../../src/payouts/providers/razorpayx.ts";
import type { PaymentInstruction } from "../../src/payouts/rails/rail.ts";
import { RECORDED, type RecordedStandIn } from "./recorded-stand-in.ts";

const NEVER = new AbortController().signal;
const basic = (secret: string): string => `Basic ${Buffer.from(`${RECORDED.id}:${secret}`).toString("base64")}`;
const KEYS = { authorization: basic(RECORDED.secret) };
const ACCOUNT = { name: "Asha Rao", ifsc: "HDFC0001234", account_number: "50100012345678" };
const CONTACT = {
  name: "Asha Rao",
  email: "asha@example.com",
  contact: "9000090000",
  type: "vendor",
  reference_id: "r",
};
/** Accounts that are paid, fail, wait, come back, or whose bank is offline. */
const ACCOUNTS = [
  ["50100012345678", "HDFC0001234"],
  ["2640101002729", "CNRR0002640"],
  ["026291800001190", "YESB0000262"],
  ["007711000031", "HDFC0000077"],
  ["7766671735000", "SBIN0000004"],
  ["34978321547298", "KKBK0000001"],
] as const;
const STATES: readonly BookState[] = ["QUEUED", "PENDING", "PAID", "FAILED", "REJECTED", "REVERSED"];

/** Makes it give all its answers. */
export async function driveRazorpayx(standIn: RecordedStandIn): Promise<void> {
  standIn.desk.book.fund(100_000_000n);
  await driveConnector(standIn);
  await drivePayees(standIn);
  await drivePayouts(standIn);
  await driveAccount(standIn);
}

/** The webhooks of a payout in each state. */
export function razorpayxWebhooks(standIn: RecordedStandIn): unknown[] {
  const [payment] = standIn.desk.book.listPayments();
  return STATES.flatMap((state) => {
    const body = razorpayx.noticeOf({ ...payment!, state, reason: null }, 1n);
    return body === null ? [] : [JSON.parse(body) as unknown];
  });
}

async function driveConnector({ desk, url }: RecordedStandIn): Promise<void> {
  const keys = { id: RECORDED.id, secret: RECORDED.secret, webhookSecret: RECORDED.noticeSecret };
  const none = {
    olderWebhookSecret: null,
    moreWebhookSecrets: [],
    fundSource: null,
    verification: null,
    signingKey: null,
  };
  const own = { sourceAccount: SOURCE_ACCOUNT, returnsFees: true, tag: "abc123", timeoutMs: 5000 };
  const connector = new RazorpayX({ baseUrl: url, ...keys, ...none, ...own });
  let transferId = 0n;
  const pay = (payee: Partial<PaymentInstruction["payee"]>, change: Partial<PaymentInstruction> = {}) => {
    transferId += 1n;
    const base = { transferId, bucket: 1, merchantId: 2n, amountPaise: 10_000n, mode: "IMPS", narrative: "" } as const;
    return { ...base, payee: { name: "Asha", accountNumber: null, ifsc: null, upi: null, ...payee }, ...change };
  };
  await connector.check(NEVER);
  for (const [accountNumber, ifsc] of ACCOUNTS) {
    const payment = pay({ accountNumber, ifsc });
    await connector.submit(payment, NEVER);
    desk.tick();
    await connector.status(payment, NEVER);
    const question = { bucket: 1, merchantId: 2n, payee: { ...payment.payee, accountNumber, ifsc }, mobile: "" };
    await connector.verifyAccount({ ...question, reference: null }, NEVER).catch(() => {});
  }
  for (const upi of ["success@upi", "failure@upi"]) await connector.submit(pay({ upi }, { mode: "UPI" }), NEVER);
  const asked = Array.from({ length: 11 }, () => pay({ upi: "success@upi" }));
  const [from, to] = [desk.clock.now().subtract({ hours: 1 }), desk.clock.now().add({ hours: 1 })];
  await connector.statuses(asked, { from, to }, NEVER);
  for (const kind of ["low_balance", "unknown_payee", "too_many", "error_before"]) {
    desk.faults.add({ kind, on: "submit", count: 1 });
    const payment = pay({ accountNumber: "50100012345678", ifsc: "HDFC0001234" });
    await connector.submit(payment, NEVER).catch(() => {});
    await connector.submit(payment, NEVER).catch(() => {});
  }
  desk.isListed = false;
  await connector.check(NEVER).catch(() => {});
  desk.isListed = true;
  desk.faults.clear();
}

/** A call with keys; the stand-in records its answer. */
const ask = (standIn: RecordedStandIn, method: string, path: string, body?: object, headers: object = {}) =>
  standIn.call(method, path, { headers: { ...KEYS, ...headers }, ...(body ? { body } : {}) });

async function drivePayees(standIn: RecordedStandIn): Promise<void> {
  for (const change of [
    {},
    { name: "" },
    { name: "#" },
    { type: "pigeon" },
    { reference_id: "x".repeat(41) },
    { notes: { a: "b" } },
  ])
    await ask(standIn, "POST", "/v1/contacts", { ...CONTACT, ...change });
  const [contact] = standIn.desk.book.listPayees("cont_");
  const id = contact!.payeeId;
  const payoutRequests = [
    {},
    { account_type: "card" },
    { contact_id: "cont_0" },
    { account_type: "vpa", vpa: { address: "asha@upi" } },
  ];
  const wrong = [{ name: "#" }, { ifsc: "HDFC" }, { ifsc: "HDFC1001234" }, { account_number: "1" }];
  const accounts = wrong.map((each) => ({ bank_account: { ...ACCOUNT, ...each } }));
  const vpas = [{ account_type: "vpa", vpa: { address: "nobody" } }];
  for (const change of [...payoutRequests, ...accounts, ...vpas])
    await ask(standIn, "POST", "/v1/fund_accounts", {
      contact_id: id,
      account_type: "bank_account",
      bank_account: ACCOUNT,
      ...change,
    });
  await ask(standIn, "POST", "/v1/customers", { name: "Asha", email: "a@example.com", contact: "9000090000" });
  const [customer] = standIn.desk.book.listPayees("cust_");
  const owned = { customer_id: customer!.payeeId, account_type: "bank_account", bank_account: ACCOUNT };
  await ask(standIn, "POST", "/v1/fund_accounts", owned);
  const [account] = standIn.desk.book.listPayees("fa_");
  for (const path of ["/v1/contacts", "/v1/fund_accounts", "/v1/customers"])
    for (const query of ["", "?count=101", "?count=x", "?count=1&skip=1"]) await ask(standIn, "GET", path + query);
  for (const path of [
    "/v1/contacts/cont_0",
    `/v1/contacts/${id}`,
    "/v1/fund_accounts/fa_0",
    `/v1/fund_accounts/${account!.payeeId}`,
  ])
    for (const body of [undefined, { active: true }, { active: 7, name: "#" }])
      await ask(standIn, body ? "PATCH" : "GET", path, body);
  for (const each of ["cust_0", customer!.payeeId]) await ask(standIn, "GET", `/v1/customers/${each}`);
}

async function drivePayouts(standIn: RecordedStandIn): Promise<void> {
  const [account] = standIn.desk.book.listPayees("fa_");
  const fixed = { account_number: SOURCE_ACCOUNT, fund_account_id: account!.payeeId, amount: 10_000, currency: "INR" };
  let count = 0;
  const send = (change: object, key = `key-${(count += 1)}`) =>
    ask(
      standIn,
      "POST",
      "/v1/payouts",
      { ...fixed, mode: "IMPS", purpose: "payout", ...change },
      { "x-payout-idempotency": key },
    );
  await send({}, "same");
  await send({ amount: 20_000 }, "same");
  const composite = { account_type: "bank_account", bank_account: ACCOUNT, contact: CONTACT };
  await send({ fund_account: composite, notes: { a: "b" }, narration: "Tea", reference_id: "r" });
  const wrong = [
    { account_number: "1" },
    { amount: 1 },
    { currency: "USD" },
    { mode: "imps" },
    { mode: "RTGS" },
    { purpose: "tea" },
  ];
  const more = [{ reference_id: "x".repeat(41) }, { narration: "#" }, { mode: "UPI" }, { fund_account_id: "fa_0" }];
  for (const change of [...wrong, ...more, { fund_account: {} }]) await send(change);
  await send({}, "x");
  await send({ amount: 49_000_000 });
  await send({ amount: 49_000_000 });
  await send({ amount: 49_000_000, queue_if_low_balance: true }, "queued");
  await send({ amount: 49_000_000 }, "refused");
  const queued = standIn.desk.book.findByClientId("queued")!.providerId;
  for (const method of ["PATCH", "POST"]) await ask(standIn, method, `/v1/payouts/${queued}/cancel`);
  await ask(standIn, "PATCH", "/v1/payouts/pout_0/cancel");
  const { providerId } = standIn.desk.book.findByClientId("same")!;
  for (const state of STATES) {
    standIn.desk.book.move(providerId, state, null, 0);
    await ask(standIn, "GET", `/v1/payouts/${providerId}`);
  }
  await ask(standIn, "GET", "/v1/payouts/pout_0");
  const here = `account_number=${SOURCE_ACCOUNT}`;
  for (const query of ["", here, `${here}&count=101`, `${here}&status=processed&mode=IMPS&contact_id=cont_0`])
    await ask(standIn, "GET", `/v1/payouts?${query}`);
}

async function driveAccount(standIn: RecordedStandIn): Promise<void> {
  const here = `account_number=${SOURCE_ACCOUNT}`;
  for (const query of ["", "account_type=current_account", "account_type=savings", "count=x", "bank_code=RATN"])
    await ask(standIn, "GET", `/v1/banking_balances?${query}`);
  for (const path of ["/v1/transactions", "/v1/fund_accounts/validations"])
    for (const query of ["", here, `${here}&count=x`]) await ask(standIn, "GET", `${path}?${query}`);
  for (const id of ["txn_0", "txn_F0000000000001"]) await ask(standIn, "GET", `/v1/transactions/${id}`);
  for (const id of ["fav_0", "fav_00000000000001"]) await ask(standIn, "GET", `/v1/fund_accounts/validations/${id}`);
  const [account] = standIn.desk.book.listPayees("fa_");
  const asked = {
    account_number: SOURCE_ACCOUNT,
    fund_account: { id: account!.payeeId },
    amount: 100,
    currency: "INR",
  };
  for (const change of [{}, { account_number: "1" }, { amount: 1 }, { currency: "USD" }, { fund_account: {} }])
    await ask(standIn, "POST", "/v1/fund_accounts/validations", { ...asked, ...change });
  await standIn.call("GET", "/v1/contacts", { headers: { authorization: basic("wrong") } });
  for (const kind of ["error_before", "error_after", "too_many"]) {
    standIn.desk.faults.add({ kind, count: 1 });
    await ask(standIn, "GET", "/v1/contacts");
  }
}
