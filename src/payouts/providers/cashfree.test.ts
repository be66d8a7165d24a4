// The connector to Cashfree against answers from its documentation, written by hand, including those that the stand-in never gives.
import { constants, generateKeyPairSync, privateDecrypt, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cashfree } from "../../../stand-ins/cashfree.ts";
import { startStandIn, type StandIn } from "../../../stand-ins/stand-in.ts";
import type { PaymentInstruction } from "../rails/rail.ts";
import { Cashfree } from "./cashfree.ts";
import type { ProviderAccess } from "./connector.ts";
import { paymentId } from "./payment-id.ts";

const NEVER = new AbortController().signal;
const TAG = "abc123";
const ACCOUNT = { name: "Asha Rao", accountNumber: "50100012345678", ifsc: "HDFC0001234", upi: null };

type Written = { readonly status: number; readonly body: unknown };
type Call = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

let server: Server;
let url = "";
let calls: Call[] = [];
/** Answers by `METHOD /path`, one after the other; the last one stays. */
let answers: Record<string, Written[]> = {};

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = new URL(request.url!, "http://here").pathname;
      calls.push({
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      });
      const list = answers[`${request.method} ${path}`] ?? [{ status: 500, body: {} }];
      const { status, body } = list.length > 1 ? list.shift()! : list[0]!;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  calls = [];
  answers = {
    "POST /payout/beneficiary": [{ status: 201, body: { beneficiary_id: "x", beneficiary_status: "VERIFIED" } }],
    "GET /payout/transfers": [NOT_FOUND],
  };
});

const NOT_FOUND: Written = {
  status: 404,
  body: { type: "invalid_request_error", code: "transfer_id_not_found", message: "transfer_id does not exist" },
};
const conflict = (code: string): Written => ({
  status: 409,
  body: { type: "invalid_request_error", code, message: "exists" },
});

function reach(change: Partial<ProviderAccess> = {}, baseUrl = url): Cashfree {
  return new Cashfree({
    baseUrl,
    id: "client",
    secret: "secret",
    webhookSecret: "secret",
    olderWebhookSecret: null,
    moreWebhookSecrets: [],
    sourceAccount: null,
    returnsFees: false,
    fundSource: null,
    verification: null,
    signingKey: null,
    tag: TAG,
    timeoutMs: 5000,
    ...change,
  });
}

function pay(change: Partial<PaymentInstruction> = {}): PaymentInstruction {
  const base = {
    transferId: 7n,
    bucket: 1,
    merchantId: 2n,
    amountPaise: 10_000n,
    mode: "IMPS",
    narrative: "x",
  } as const;
  return { ...base, payee: ACCOUNT, ...change };
}

const transfer = (status: string, code: string): Written => ({
  status: 200,
  body: {
    transfer_id: paymentId(TAG, pay()),
    status,
    status_code: code,
    status_description: "Said.",
    transfer_amount: 100,
  },
});
const sent = (path: string): Record<string, unknown>[] =>
  calls
    .filter((call) => call.method === "POST" && call.path === path)
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe("a refused transfer", () => {
  test.each([400, 401, 403, 404, 409, 412, 422, 429, 500, 520])(
    "the code of a used id at %i is never a refusal: its status is asked for, and counts",
    async (status) => {
      answers["POST /payout/transfers"] = [{ status, body: { code: "transfer_id_already_exists", message: "exists" } }];
      answers["GET /payout/transfers"] = [transfer("SUCCESS", "COMPLETED")];
      expect(await reach().submit(pay(), NEVER)).toMatchObject({ status: "SUCCESS", acknowledged: true });
      answers["GET /payout/transfers"] = [NOT_FOUND];
      const error = await reach()
        .submit(pay(), NEVER)
        .catch((each: unknown) => each);
      expect(error).toMatchObject({ name: "Error", message: expect.stringContaining("does not know the transfer") });
    },
  );

  test("another code at 409, and the sentence of V1 without a code, say the same", async () => {
    for (const body of [{ code: "conflict" }, { message: "Transfer Id already exists." }]) {
      answers["POST /payout/transfers"] = [{ status: "code" in body ? 409 : 400, body }];
      await expect(reach().submit(pay(), NEVER)).rejects.toMatchObject({ name: "Error" });
    }
  });

  test("any refusal is checked with the status: what Cashfree has under the id counts, and no answer is no refusal", async () => {
    answers["POST /payout/transfers"] = [{ status: 400, body: { code: "transfer_mode_invalid", message: "invalid" } }];
    await expect(reach().submit(pay(), NEVER)).rejects.toMatchObject({
      name: "RefusedError",
      message: expect.stringContaining("transfer_mode_invalid"),
    });
    answers["GET /payout/transfers"] = [transfer("PENDING", "SENT_TO_BANK")];
    expect(await reach().submit(pay(), NEVER)).toMatchObject({ status: "PENDING", reason: null });
    answers["GET /payout/transfers"] = [{ status: 503, body: {} }];
    await expect(reach().submit(pay(), NEVER)).rejects.not.toMatchObject({ name: "RefusedError" });
  });

  test("transfer_not_found is no code of Cashfree's: what it means is not known", async () => {
    answers["GET /payout/transfers"] = [{ status: 404, body: { code: "transfer_not_found" } }];
    await expect(reach().status(pay(), NEVER)).rejects.toThrow("does not give the status");
  });
});

describe("what a transfer waits for is said", () => {
  test.each([
    ["QUEUED", "INSUFFICIENT_BALANCE", /balance is too low/, true],
    ["QUEUED", "QUEUED", /queued/, false],
    ["APPROVAL_PENDING", "VELOCITY_CHECK_FAILED", /approval.*number of transfers/, false],
    ["APPROVAL_PENDING", "MANUAL_APPROVAL_REQUIRED", /needs an approval/, false],
    ["PENDING", "SCHEDULED_FOR_NEXT_WORKINGDAY", /next working day/, false],
  ])("%s, %s", async (status, code, reason, isShort) => {
    answers["POST /payout/transfers"] = [transfer(status, code)];
    const report = await reach().submit(pay(), NEVER);
    expect(report).toMatchObject({ status: "PENDING", reason: expect.stringMatching(reason) });
    expect(report.isShort ?? false).toBe(isShort);
  });

  test("a failure for want of balance is one", async () => {
    answers["GET /payout/transfers"] = [transfer("FAILED", "INSUFFICIENT_BALANCE")];
    expect(await reach().status(pay(), NEVER)).toMatchObject({
      status: "FAILED",
      reason: "INSUFFICIENT_BALANCE: Said.",
    });
  });
});

describe("a beneficiary that is there already", () => {
  const existing = (beneficiary_instrument_details: object, beneficiary_status = "VERIFIED"): Written => ({
    status: 200,
    body: { beneficiary_id: "theirs", beneficiary_instrument_details, beneficiary_status },
  });
  const account = { bank_account_number: ACCOUNT.accountNumber, bank_ifsc: ACCOUNT.ifsc };

  test.each(["beneficiary_already_exists", "conflict_with_existing_beneficiary", "anything_else"])(
    "%s: the one with the account is paid by its id",
    async (code) => {
      answers["POST /payout/beneficiary"] = [conflict(code)];
      answers["GET /payout/beneficiary"] = [existing(account)];
      answers["POST /payout/transfers"] = [transfer("RECEIVED", "RECEIVED")];
      await reach().submit(pay(), NEVER);
      expect(sent("/payout/transfers")[0]!["beneficiary_details"]).toEqual({ beneficiary_id: "theirs" });
    },
  );

  test("our own id is used without a question", async () => {
    answers["POST /payout/beneficiary"] = [conflict("beneficiary_id_already_exists")];
    answers["POST /payout/transfers"] = [transfer("RECEIVED", "RECEIVED")];
    await reach().submit(pay(), NEVER);
    expect(sent("/payout/transfers")[0]!["beneficiary_details"]).toEqual({
      beneficiary_id: expect.stringMatching(/^n_/),
    });
  });

  test.each([
    ["is not found", [{ status: 404, body: { code: "beneficiary_not_found" } }]],
    ["has another account", [existing({ bank_account_number: "1", bank_ifsc: ACCOUNT.ifsc })]],
    ["can't be paid", [existing(account, "INVALID")]],
  ])("one that %s: the details are sent", async (_why, found) => {
    answers["POST /payout/beneficiary"] = [conflict("beneficiary_already_exists")];
    answers["GET /payout/beneficiary"] = found;
    answers["POST /payout/transfers"] = [transfer("RECEIVED", "RECEIVED")];
    const rail = reach();
    for (let time = 0; time < 2; time += 1) await rail.submit(pay(), NEVER);
    const details = { beneficiary_name: "Asha Rao", beneficiary_instrument_details: account };
    expect(sent("/payout/transfers").map((body) => body["beneficiary_details"])).toEqual([details, details]);
    expect(sent("/payout/beneficiary")).toHaveLength(1);
  });

  test("a handle that another one has: the details are sent", async () => {
    answers["POST /payout/beneficiary"] = [conflict("conflict_with_existing_beneficiary")];
    answers["GET /payout/beneficiary"] = [{ status: 404, body: { code: "beneficiary_not_found" } }];
    answers["POST /payout/transfers"] = [transfer("RECEIVED", "RECEIVED")];
    const payee = { name: "Asha", accountNumber: null, ifsc: null, upi: "Asha@okbank" };
    await reach().submit(pay({ mode: "UPI", payee }), NEVER);
    const details = { beneficiary_name: "Asha", beneficiary_instrument_details: { vpa: "Asha@okbank" } };
    expect(sent("/payout/transfers")[0]!["beneficiary_details"]).toEqual(details);
  });
});

test("two merchants that pay one vendor over one account are both served, by account and by handle, also after a restart", async () => {
  const bank: StandIn = await startStandIn(cashfree, {
    port: 0,
    file: ":memory:",
    credentials: { id: "client", secret: "secret", noticeSecret: "" },
    noticeUrl: null,
    settleMs: 0,
    callsPerSecond: null,
    random: Math.random,
  });
  try {
    bank.desk.book.fund(10_000_000n);
    const handle = { name: "Asha", accountNumber: null, ifsc: null, upi: "asha@okbank" };
    let transferId = 0n;
    for (const rail of [reach({}, bank.url), reach({}, bank.url)])
      for (const merchantId of [2n, 3n])
        for (const change of [{}, { mode: "UPI", payee: handle }] as const) {
          transferId += 1n;
          await rail.submit(pay({ transferId, merchantId, ...change }), NEVER);
        }
    bank.desk.tick();
    expect(bank.desk.book.listPayments().map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => "PAID"));
  } finally {
    await bank.stop();
  }
});

test.each(["1", "123", "A".repeat(26), "1".repeat(35)])(
  "an account number that Cashfree takes for none (%s) is refused before a call",
  async (accountNumber) => {
    await expect(reach().submit(pay({ payee: { ...ACCOUNT, accountNumber } }), NEVER)).rejects.toMatchObject({
      name: "AccountUnfitError",
      message: expect.stringContaining(`has ${accountNumber.length}`),
    });
    expect(calls).toEqual([]);
  },
);

describe("keys and balance", () => {
  const good = (data?: object): Written => ({
    status: 200,
    body: { status: "SUCCESS", subCode: "200", message: "Token generated", data },
  });

  test("are checked by POST /v1/authorize; the balance is what is available, of the fund source where there is one", async () => {
    answers["POST /payout/v1/authorize"] = [good({ token: "t", expiry: 1 })];
    const balance = { status: "SUCCESS", data: { balance: "214735.50", availableBalance: "173980.50" } };
    answers["GET /payout/v1/getBalance"] = [{ status: 200, body: balance }];
    answers["GET /payout/v1.2/getBalance"] = [{ status: 200, body: balance }];
    expect(await reach().check(NEVER)).toEqual({ balancePaise: 17_398_050n });
    expect(await reach({ fundSource: "CASHFREE_2" }).check(NEVER)).toEqual({ balancePaise: 17_398_050n });
    expect(calls.map(({ path }) => path)).toEqual([
      "/payout/v1/authorize",
      "/payout/v1/getBalance",
      "/payout/v1/authorize",
      "/payout/v1.2/getBalance?paymentInstrumentId=CASHFREE_2",
    ]);
    expect(calls[1]!.headers.authorization).toBe("Bearer t");
  });

  test("a balance that Cashfree does not give hinders nothing", async () => {
    answers["POST /payout/v1/authorize"] = [good(), good({ token: "t" })];
    for (let time = 0; time < 2; time += 1) expect(await reach().check(NEVER)).toEqual({ balancePaise: null });
  });

  test.each([
    [{ status: 401, body: { status: "ERROR", subCode: "401", message: "Invalid clientId" } }, "unauthorized"],
    [{ status: 200, body: { status: "ERROR", subCode: "401", message: "Invalid clientId" } }, "unauthorized"],
    [{ status: 403, body: { code: "apis_not_enabled", message: "APIs not enabled" } }, "address"],
    [{ status: 200, body: { status: "ERROR", subCode: "403", message: "IP not whitelisted" } }, "address"],
  ])("%o: %s", async (answer, code) => {
    answers["POST /payout/v1/authorize"] = [answer];
    await expect(reach().check(NEVER)).rejects.toMatchObject({ name: "NotSentError", code });
  });

  test("every call is signed with client id and time, where there is a key for it", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    answers["POST /payout/transfers"] = [transfer("RECEIVED", "RECEIVED")];
    answers["POST /verification/bank-account/sync"] = [{ status: 200, body: { account_status: "VALID" } }];
    const signingKey = publicKey.export({ type: "spki", format: "pem" });
    const rail = reach({ signingKey, verification: { id: "secure", secret: "other" } });
    const before = Math.floor(Date.now() / 1000);
    await rail.submit(pay(), NEVER);
    const question = { bucket: 1, merchantId: 2n, payee: { ...ACCOUNT, upi: null }, mobile: "", reference: null };
    await rail.verifyAccount(question, NEVER);
    const read = ({ headers }: Call): string[] =>
      privateDecrypt(
        { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING },
        Buffer.from(String(headers["x-cf-signature"]), "base64"),
      )
        .toString()
        .split(".");
    expect(calls.map((call) => read(call)[0])).toEqual(["client", "client", "secure"]);
    for (const call of calls) expect(Number(read(call)[1])).toBeGreaterThanOrEqual(before);
    expect(calls[2]!.headers["x-client-secret"]).toBe("other");
  });

  test("the fund source is named where there is one", async () => {
    answers["POST /payout/transfers"] = [transfer("RECEIVED", "RECEIVED")];
    await reach({ fundSource: "CASHFREE_2" }).submit(pay(), NEVER);
    await reach().submit(pay(), NEVER);
    expect(sent("/payout/transfers").map((body) => body["fundsource_id"])).toEqual(["CASHFREE_2", undefined]);
  });
});

test("a webhook is signed with the oldest active secret, whichever that is", () => {
  const body = Buffer.from(
    JSON.stringify({ type: "TRANSFER_SUCCESS", data: { transfer_id: paymentId(TAG, pay()), status: "SUCCESS" } }),
  );
  const timestamp = String(Date.now());
  const rail = reach({ moreWebhookSecrets: ["older", "oldest"] });
  const isTaken = (secret: string): boolean => {
    const signature = createHmac("sha256", secret).update(timestamp).update(body).digest("base64");
    const headers = { "x-webhook-timestamp": timestamp, "x-webhook-signature": signature };
    return rail.readWebhook({ headers, body }, Temporal.Now.instant()) !== null;
  };
  expect(["secret", "older", "oldest", "stranger"].map(isTaken)).toEqual([true, true, true, false]);
});
