// A merchant's whole life by API: a platform's program opens it, its Owner takes it live, and its own program pays and bills. Only the
// operator's key and the payout account of the installation come from the command line.
import { afterAll, beforeAll, expect, test } from "vitest";
import { KEY_SCOPES } from "../src/merchants/index.ts";
import { basic } from "./support/access-keys.ts";
import { AuthenticatorApp, Browser } from "./support/dashboard.ts";
import { settledToday } from "./support/days.ts";
import { GOOD_ACCOUNT, Installation, type Keys, type Members } from "./support/installation.ts";
import { MailServer } from "./support/mail.ts";
import { nodalJson, type Answer } from "./support/nodal.ts";
import { openBank, type Bank } from "./support/providers.ts";
import { Receiver, verifySignature } from "./support/webhooks.ts";

const SCOPES =
  "merchants.view,merchants.create,merchants.manage,merchants.fund,merchants.kyc,profile.manage,approvals.manage,users.manage";
const ROW = { item: "Consulting", sac_code: "998311", gst: "18", total_amount: "10000.00" };

let installation: Installation;
let bank: Bank;
let mail: MailServer;
let receiver: Receiver;

beforeAll(async () => {
  [bank, mail, receiver] = await Promise.all([openBank("cashfree"), MailServer.start(), Receiver.start()]);
  installation = await Installation.start({
    KYC_REQUIRED: "on",
    WEBHOOK_ALLOW_PRIVATE: "on",
    SMTP_URL: mail.url,
    MAIL_FROM: "billing@nodal.example",
  });
});
afterAll(async () => {
  await installation.stop();
  await Promise.all([bank.standIn.stop(), mail.stop(), receiver.stop()]);
});

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

let keys = 0;
/** Sends each write of /api/v4 so far again, under its key. */
const repeats: (() => Promise<Answer>)[] = [];

/** A program, or a person's session: each of its writes bears a key of its own. */
class Caller {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  static withKeys(given: Keys): Caller {
    const authorization = basic(given);
    return new Caller((method, path, body, headers) =>
      installation.send(method, `/api/v4${path}`, body, { authorization, ...headers }),
    );
  }

  static inBrowser(browser: Browser): Caller {
    return new Caller((method, path, body, headers) => browser.send(method, path, body, headers));
  }

  async get(path: string): Promise<Members> {
    return taken("GET", path, await this.#send("GET", path));
  }

  post(path: string, body?: Members): Promise<Members> {
    return this.#write("POST", path, body);
  }

  put(path: string, body: Members): Promise<Members> {
    return this.#write("PUT", path, body);
  }

  async #write(method: string, path: string, body?: Members): Promise<Members> {
    const headers = { "idempotency-key": `life-${(keys += 1)}` };
    const answer = taken(method, path, await this.#send(method, path, body, headers));
    if (!path.startsWith("/session/")) repeats.push(() => this.#send(method, path, body, headers));
    return answer;
  }
}

function taken(method: string, path: string, { status, body }: Answer): Members {
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return body as Members;
}

const text = (members: Members, name: string): string => String(members[name]);

test("from nothing to a live merchant that pays, bills and hears of it, by API alone", async () => {
  const today = await settledToday();
  await connectInstallation();
  const platform = Caller.withKeys(
    await nodalJson<Keys>(installation.environment, "operator", "key", "create", "--scopes", SCOPES),
  );
  const { live, owner } = await openLive(platform);
  const terms = { rate_limit_per_minute: 600, fees_paid_by: "platform" };
  await platform.put(`/merchants/${live}/operator-view`, terms);
  await platform.post(`/merchants/${live}/fundings`, { amount: "50000.00", reference: "deposit 1" });

  const issued = await owner.post("/access-keys", { name: "Books", scopes: KEY_SCOPES });
  const program = Caller.withKeys(issued as unknown as Keys);
  const endpoint = await program.post("/webhooks", { url: receiver.url("/hook"), description: "Books" });

  const transferId = await payOnce(program);
  const refundId = await billOnce(program, today);
  await subscribe(program, today);

  for (const repeat of repeats) {
    const { status, headers } = await repeat();
    expect([status, headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  }
  expect(repeats.length).toBeGreaterThan(15);
  expect(bank.paidOf({ id: live })).toEqual([59_000n, 118_000n]);
  const heard = () => receiver.received.filter(({ type }) => type === "transfer.success");
  await expect.poll(() => heard().map(({ data }) => data["transfer_id"])).toEqual([transferId, refundId]);
  for (const received of heard()) verifySignature(text(endpoint, "secret"), received);
  const { merchant } = await platform.get(`/merchants/${live}/operator-view`);
  expect(merchant).toMatchObject({ live: true, ...terms, kyc: { status: "approved" }, available_balance: "48230.00" });
  expect(await installation.findProblems()).toEqual([]);
});

async function connectInstallation(): Promise<void> {
  const { id, secret } = bank.credentials;
  const account = ["--provider", "cashfree", "--key-id", id, "--base-url", bank.standIn.url];
  const environment = { ...installation.environment, PROVIDER_SECRET: secret };
  await nodalJson(environment, "provider", "connect", "--default", ...account);
}

/** Opens a merchant with its sandbox, and takes it live. Returns its live id, and its Owner signed in to it. */
async function openLive(platform: Caller): Promise<{ live: string; owner: Caller }> {
  const profile = { name: "Asha Traders", email: "asha@example.com", state: "Karnataka", gstin: "29AAACI1234K1ZN" };
  const created = await platform.post("/merchants", profile);
  const id = text(created["merchant"] as Members, "merchant_id");
  const { account_number: bank_account, ifsc } = GOOD_ACCOUNT;
  await platform.put(`/merchants/${id}/profile`, { city: "Bengaluru", zipcode: "560001" });
  await platform.put(`/merchants/${id}/bank-account`, { bank_account, ifsc, bank_holder: "Asha Traders" });
  await platform.put(`/merchants/${id}/payout-policy`, { daily_limit: "100000.00" });
  await platform.put(`/merchants/${id}/kyc`, { status: "pending" });
  await platform.put(`/merchants/${id}/kyc`, { status: "approved" });

  const signIn = { email: text(created, "user_email"), password: text(created, "password") };
  const browser = await Browser.signIn(installation, { ...signIn, merchant: id });
  const owner = Caller.inBrowser(browser);
  const password = "seven calm rivers";
  await owner.post("/session/password/change", { old_password: signIn.password, new_password: password });
  const app = new AuthenticatorApp(text(await owner.post("/session/second-factor/enrol", { password }), "secret"));
  await owner.post("/session/second-factor/confirm", { code: await app.nextCode() });

  const live = text(await platform.post(`/merchants/${id}/go-live`, {}), "merchant_id");
  const liveBrowser = await Browser.signIn(installation, { email: signIn.email, password, merchant: live });
  const liveOwner = Caller.inBrowser(liveBrowser);
  await liveOwner.post("/session/sign-in/second-factor", { code: await app.nextCode() });
  return { live, owner: liveOwner };
}

/** Pays one of two beneficiaries. Returns the transfer's id. */
async function payOnce(program: Caller): Promise<string> {
  const asha = await program.post("/beneficiaries", { name: "Asha Rao", ...GOOD_ACCOUNT });
  await program.post("/beneficiaries", { name: "Meera Shah", upi: "meera@okhdfc" });
  expect((await program.get("/beneficiaries"))["beneficiaries"]).toHaveLength(2);
  const beneficiary_id = asha["beneficiary_id"];
  const transfer = await program.post("/transfers", { beneficiary_id, amount: "590.00", reference_id: "order-1" });
  return paid(program, text(transfer, "transfer_id"));
}

/** Waits until a transfer is at its payee's bank. Returns its id. */
async function paid(program: Caller, transferId: string): Promise<string> {
  await expect.poll(async () => (await program.get(`/transfers/${transferId}`))["status"]).toBe("SUCCESS");
  return transferId;
}

/** Sends an invoice, records its payment with a receipt, and pays a part of it back. Returns the refund's transfer. */
async function billOnce(program: Caller, today: Temporal.PlainDate): Promise<string> {
  const email = "ravi@example.com";
  await program.post("/customers", { customer_code: "C1", customer_name: "Ravi Kumar", email, state: "Karnataka" });
  const dates = { bill_date: today.toString(), due_date: today.add({ days: 14 }).toString() };
  const invoice = { customer_code: "C1", ...dates, particular_rows: [ROW] };
  const saved = await program.post("/invoices", { invoice: [invoice] });
  const path = `/invoices/${text((saved["invoices"] as Members[])[0]!, "invoice_id")}`;
  const payment = { paid_date: today.toString(), amount: "11800.00", mode: "NEFT", bank_ref_no: "N1", notify: "1" };
  await program.post(`${path}/payments`, payment);
  await expect.poll(() => mail.to(email).map(({ subject }) => subject)).toEqual([expect.stringContaining("11,800.00")]);

  await program.post(`${path}/credit-notes`, { amount: "1180.00", reason: "Half a day less" });
  const [note] = (await program.get(path))["credit_notes"] as Members[];
  const refund = { amount: "1180.00", attempts: 0, name: "Ravi Kumar", upi: "ravi@okhdfc" };
  const { transfer_id } = await program.post(`${path}/credit-notes/${text(note!, "credit_note_id")}/refund`, refund);
  await paid(program, String(transfer_id));
  expect((await program.get("/refunds"))["refunds"]).toMatchObject([{ amount: "1180.00" }]);
  return String(transfer_id);
}

async function subscribe(program: Caller, today: Temporal.PlainDate): Promise<void> {
  const dates = { start_date: today.toString(), due_date: today.add({ days: 7 }).toString() };
  const repeat = { mode: "Monthly", repeat_every: "1", end_mode: "Occurrences", occurences: "12", ...dates };
  const invoice = { customer_code: "C1", particular_rows: [ROW] };
  const { subscription_id } = await program.post("/subscriptions", { ...repeat, invoice });
  expect(await program.get(`/subscriptions/${String(subscription_id)}`)).toBeTruthy();
}
