// RazorpayX's connector against answers and webhooks from its documentation: docs/providers/razorpayx.md
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PaymentInstruction } from "../rails/rail.ts";
import type { ProviderAccess } from "./connector.ts";
import { paymentId } from "./payment-id.ts";
import { RazorpayX } from "./razorpayx.ts";

const NEVER = new AbortController().signal;
const TAG = "abc123";
const SECRET = "whsec";
const PAYMENT: PaymentInstruction = {
  transferId: 9n,
  bucket: 3,
  merchantId: 1000001n,
  amountPaise: 100n,
  mode: "IMPS",
  narrative: "",
  payee: {
    name: "Al",
    accountNumber: "765432123456789",
    ifsc: "HDFC0000053",
    upi: null,
  },
};
const ID = paymentId(TAG, PAYMENT);

type ReceivedCall = {
  readonly call: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
};

let server: Server;
let baseUrl: string;
let asked: ReceivedCall[];
/** The answers to calls: each call uses up the first one that matches. */
let answers: { readonly call: string; readonly status: number; readonly body: unknown }[];

beforeEach(async () => {
  asked = [];
  answers = [
    { call: "POST /v1/contacts", status: 201, body: { id: "cont_00000000000001", entity: "contact" } },
    { call: "POST /v1/fund_accounts", status: 201, body: { id: "fa_00000000000001", entity: "fund_account" } },
  ];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const call = `${request.method} ${request.url!.split("?")[0]}`;
      const text = Buffer.concat(parts).toString();
      asked.push({
        call,
        headers: request.headers,
        body: text === "" ? {} : (JSON.parse(text) as ReceivedCall["body"]),
      });
      const place = answers.findIndex((each) => each.call === call);
      const [answer] = place < 0 ? [] : answers.splice(place, 1);
      response.writeHead(answer?.status ?? 500, { "content-type": "application/json" });
      response.end(JSON.stringify(answer?.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function connector(change: Partial<ProviderAccess> = {}): RazorpayX {
  return new RazorpayX({
    baseUrl,
    id: "rzp_live_1",
    secret: "secret",
    webhookSecret: SECRET,
    olderWebhookSecret: null,
    moreWebhookSecrets: [],
    sourceAccount: "7878780080316316",
    fundSource: null,
    verification: null,
    signingKey: null,
    returnsFees: true,
    tag: TAG,
    timeoutMs: 5e3,
    ...change,
  });
}

/** A payout as in the documentation. */
const payout = (change: object) => ({
  id: "pout_00000000000001",
  entity: "payout",
  fund_account_id: "fa_00000000000001",
  amount: 100,
  currency: "INR",
  notes: [],
  fees: 0,
  tax: 0,
  status: "processing",
  purpose: "payout",
  utr: null,
  mode: "IMPS",
  reference_id: ID,
  narration: null,
  batch_id: null,
  status_details: null,
  created_at: 1545383037,
  fee_type: "",
  ...change,
});
const refusal = (change: object) => ({
  error: {
    code: "BAD_REQUEST_ERROR",
    description: "Refused.",
    source: "business",
    step: null,
    reason: null,
    metadata: {},
    ...change,
  },
});
const said = (body: unknown) => ({
  call: "GET /v1/payouts",
  status: 200,
  body: { entity: "collection", count: 1, items: [body] },
});

describe("a payment", () => {
  test("has our id as key and reference, is never queued, and has no narration where there is none", async () => {
    answers.push({ call: "POST /v1/payouts", status: 200, body: payout({}) });
    expect(await connector().submit(PAYMENT, NEVER)).toMatchObject({ status: "PENDING", reason: null });
    const [contact, account, made] = asked;
    expect(contact!.body).toMatchObject({ name: "Al." });
    expect(account!.body).toMatchObject({ contact_id: "cont_00000000000001", account_type: "bank_account" });
    expect(made!.headers["x-payout-idempotency"]).toBe(ID);
    expect(made!.body).toEqual({
      account_number: "7878780080316316",
      fund_account_id: "fa_00000000000001",
      amount: 100,
      currency: "INR",
      mode: "IMPS",
      purpose: "payout",
      queue_if_low_balance: false,
      reference_id: ID,
    });
  });

  test.each([
    [
      "insufficient_funds",
      { reason: "insufficient_funds", description: "Your account has too little." },
      "low_balance",
    ],
    [
      "the older text",
      { description: "Your account does not have enough balance to carry out the payout operation." },
      "low_balance",
    ],
    [
      "another address",
      { description: "Transactions from this IP are not allowed. Contact support for help." },
      "address",
    ],
  ])("that is refused for %s was not sent, and may be sent later", async (_why, error, code) => {
    answers.push({ call: "POST /v1/payouts", status: 400, body: refusal(error) });
    await expect(connector().submit(PAYMENT, NEVER)).rejects.toMatchObject({ name: "NotSentError", code });
  });

  test.each([
    ["Different request body sent for the same Idempotency Header", "Error"],
    ["The amount must be at least INR 1.00", "RefusedError"],
  ])("that is answered with %s is no success: %s", async (description, name) => {
    answers.push({ call: "POST /v1/payouts", status: 400, body: refusal({ description }) });
    await expect(connector().submit(PAYMENT, NEVER)).rejects.toMatchObject({ name });
  });

  test("to a fund account that is not known there makes it again, and is sent under the same key", async () => {
    const unknown = { description: "The id provided does not exist", reason: "input_validation_failed" };
    answers.push(
      { call: "POST /v1/payouts", status: 400, body: refusal(unknown) },
      { call: "POST /v1/contacts", status: 200, body: { id: "cont_00000000000002" } },
      { call: "POST /v1/fund_accounts", status: 201, body: { id: "fa_00000000000002" } },
      { call: "POST /v1/payouts", status: 200, body: payout({ fund_account_id: "fa_00000000000002" }) },
    );
    expect(await connector().submit(PAYMENT, NEVER)).toMatchObject({ status: "PENDING" });
    const sent = asked.filter(({ call }) => call === "POST /v1/payouts");
    expect(sent.map(({ body }) => body.fund_account_id)).toEqual(["fa_00000000000001", "fa_00000000000002"]);
    expect(new Set(sent.map(({ headers }) => headers["x-payout-idempotency"]))).toEqual(new Set([ID]));
  });
});

describe("what is said of one", () => {
  test.each([
    ["pending", "PENDING"],
    ["queued", "PENDING"],
    ["scheduled", "PENDING"],
    ["processing", "PENDING"],
    ["processed", "SUCCESS"],
    ["reversed", "REVERSED"],
    ["cancelled", "REJECTED"],
    ["rejected", "REJECTED"],
    ["failed", "FAILED"],
  ])("%s is %s", async (status, ours) => {
    answers.push(said(payout({ status })));
    expect(await connector().status(PAYMENT, NEVER)).toMatchObject({ status: ours });
  });

  test("fees include their tax, and come back with a reversal, unless the contract says otherwise", async () => {
    answers.push(said(payout({ status: "processed", fees: 118, tax: 18, utr: "933815233814" })));
    const paid = await connector().status(PAYMENT, NEVER);
    expect(paid).toMatchObject({ utr: "933815233814", fee: { feePaise: 100n, taxPaise: 18n } });
    expect(paid).not.toHaveProperty("returnsFee");
    const details = {
      description: "Beneficiary bank systems are offline",
      source: "beneficiary_bank",
      reason: "beneficiary_bank_offline",
    };
    const back = said(payout({ status: "reversed", fees: 118, tax: 18, status_details: details }));
    answers.push(back, back);
    expect(await connector().status(PAYMENT, NEVER)).toMatchObject({
      reason: "BENEFICIARY_BANK_OFFLINE: Beneficiary bank systems are offline",
      fee: { feePaise: 100n, taxPaise: 18n },
      returnsFee: true,
    });
    expect(await connector({ returnsFees: false }).status(PAYMENT, NEVER)).not.toHaveProperty("returnsFee");
  });

  test("no details are no reason, and no error", async () => {
    answers.push(said(payout({ status: "failed", status_details: null })));
    expect(await connector().status(PAYMENT, NEVER)).toMatchObject({ status: "FAILED", reason: "" });
  });
});

describe("a webhook", () => {
  const NOW = Temporal.Instant.fromEpochMilliseconds(1_610_431_800_000);
  const read = (body: object, headers: Record<string, string> = {}) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const signature = createHmac("sha256", SECRET).update(bytes).digest("hex");
    return connector().readWebhook({ headers: { "x-razorpay-signature": signature, ...headers }, body: bytes }, NOW);
  };
  const event = (name: string, entity: object, change: object = {}) => ({
    entity: "event",
    account_id: "acc_1Aa00000000001",
    event: name,
    contains: ["payout"],
    payload: { [name.startsWith("payout.downtime") ? "payout.downtime" : "payout"]: { entity } },
    created_at: 1610431e3,
    ...change,
  });

  test("says the same under whatever id, which is not signed", () => {
    const reversed = event("payout.reversed", payout({ status: "reversed" }));
    const [first, second] = ["one", "two"].map((id) => read(reversed, { "x-razorpay-event-id": id }));
    expect(first).toMatchObject({ about: { transferId: 9n }, claims: "REVERSED" });
    expect(second).toEqual(first);
  });

  test.each([
    [-301, false],
    [-300, true],
    [24 * 3600 + 300, true],
    [24 * 3600 + 301, false],
  ])("made %d s ago is accepted: %s", (ageSeconds, isAccepted) => {
    const created_at = 1_610_431_800 - ageSeconds;
    const notice = read(event("payout.reversed", payout({ status: "reversed" }), { created_at }));
    expect(notice !== null).toBe(isAccepted);
  });

  const downtime = {
    id: "poutdown_GOHp6DSA5odXTu",
    entity: "payout.downtime",
    scheduled: false,
    method: ["IMPS"],
    source: "BENEFICIARY",
    begin: 1610430729,
    end: null,
    instrument: { bank: "UTIB" },
    created_at: 1610430729,
    updated_at: 1610430729,
  };
  const begunAt = Temporal.Instant.fromEpochMilliseconds(1_610_430_729_000);

  test("tells of a bank that takes no payments, and by what it is", () => {
    const expected = { downtimeId: downtime.id, modes: ["IMPS"], bank: "UTIB", begunAt, endedAt: null };
    expect(read(event("payout.downtime.started", { ...downtime, status: "started" }))).toMatchObject({
      about: null,
      downtime: expected,
    });
    const all = read(event("payout.downtime.started", { ...downtime, method: [], instrument: {} }));
    expect(all!.downtime).toMatchObject({ modes: [], bank: "" });
    // Nodal doesn't pay to cards.
    expect(read(event("payout.downtime.started", { ...downtime, method: ["card"] }))).not.toHaveProperty("downtime");
  });

  test("tells of its end, without a time of its own, as the documents show it", () => {
    const ended = { ...downtime, status: "resolved", end: 1_610_431_729 };
    const { created_at: _, ...body } = event("payout.downtime.resolved", ended);
    expect(read(body)!.downtime).toMatchObject({ endedAt: Temporal.Instant.fromEpochMilliseconds(1_610_431_729_000) });
    expect(
      read({
        ...body,
        payload: {
          "payout.downtime": { entity: { ...ended, end: 1_500_000_000, begin: 1, updated_at: 1, created_at: 1 } },
        },
      }),
    ).toBeNull();
  });
});
