// One suite for every connector, against its stand-in over real HTTP: successful calls and all kinds of failures.
import { RefusedError } from "../../platform/providers/errors.ts";
import type { ArrivedWebhook } from "../../platform/providers/webhook.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cashfree, verificationKeys } from "../../../stand-ins/cashfree.ts";
import { SOURCE_ACCOUNT, razorpayx } from "../../../stand-ins/razorpayx.ts";
import { startStandIn, type Protocol, type StandIn } from "../../../stand-ins/stand-in.ts";
import type { PaymentInstruction, PaymentReport } from "../rails/rail.ts";
import { Cashfree } from "./cashfree.ts";
import { NeverPayableError, type Connector, type ProviderAccess } from "./connector.ts";
import { newTag, paymentId, readPaymentId } from "./payment-id.ts";
import { RazorpayX } from "./razorpayx.ts";

const NEVER = new AbortController().signal;
const SETTLE_MS = 60;
const TAG = "abc123";
const CREDENTIALS = { id: "key", secret: "secret", noticeSecret: "whsec" };
const NO_CASHFREE_OPTIONS = { moreWebhookSecrets: [], fundSource: null, signingKey: null };
const SUITES: readonly { protocol: Protocol; connect: (access: ProviderAccess) => Connector }[] = [
  // Cashfree signs with the client's secret.
  { protocol: cashfree, connect: (access) => new Cashfree({ ...access, webhookSecret: access.secret }) },
  { protocol: razorpayx, connect: (access) => new RazorpayX(access) },
];

describe.each(SUITES)("$protocol.name", ({ protocol, connect }) => {
  let bank: StandIn;
  let rail: Connector;
  let receiver: Receiver;
  let lastId = 2n ** 52n;

  beforeEach(async () => {
    receiver = await Receiver.start();
    bank = await startStandIn(protocol, {
      port: 0,
      file: ":memory:",
      credentials: CREDENTIALS,
      noticeUrl: receiver.url,
      settleMs: SETTLE_MS,
      callsPerSecond: null,
      random: Math.random,
    });
    bank.desk.book.fund(100_000_000n);
    rail = reach();
  });
  afterEach(async () => {
    await bank.stop();
    await receiver.stop();
  });

  function reach(change: Partial<ProviderAccess> = {}): Connector {
    const access = { baseUrl: bank.url, id: CREDENTIALS.id, secret: CREDENTIALS.secret };
    const more = {
      webhookSecret: CREDENTIALS.noticeSecret,
      olderWebhookSecret: null,
      ...NO_CASHFREE_OPTIONS,
      verification: verificationKeys(CREDENTIALS),
      sourceAccount: SOURCE_ACCOUNT,
      returnsFees: protocol === razorpayx,
      tag: TAG,
      timeoutMs: 10_000,
    };
    return connect({ ...access, ...more, ...change });
  }

  function pay(change: Partial<PaymentInstruction> = {}): PaymentInstruction {
    lastId += 1n;
    return {
      transferId: lastId,
      bucket: 127,
      merchantId: 2n ** 53n - 1n,
      amountPaise: 59_001n,
      mode: "IMPS",
      payee: { name: "Āśā Rao & Sons", accountNumber: "50100012345678", ifsc: "HDFC0001234", upi: null },
      narrative: "Bill № 7/26 – thanks",
      ...change,
    };
  }

  const to = (accountNumber: string, ifsc: string) => ({
    payee: { name: "Ravi", accountNumber, ifsc, upi: null },
  });

  async function standing(payment: PaymentInstruction, status: PaymentReport["status"]): Promise<PaymentReport> {
    return vi.waitFor(async () => {
      const report = await rail.status(payment, NEVER);
      expect(report).toMatchObject({ status });
      return report!;
    }, 5000);
  }

  /** The amounts that the bank really paid and took back, in paise, by payment. */
  function moved(payment: PaymentInstruction): string[] {
    const movements = bank.desk.book.listMovements().filter(({ clientId }) => clientId === paymentId(TAG, payment));
    return movements.map(({ kind, amountPaise }) => `${kind} ${amountPaise}`);
  }

  /** The webhooks that arrived about a payment, unchanged. */
  function arrived(payment: PaymentInstruction, count = 1): Promise<ArrivedWebhook[]> {
    return vi.waitFor(() => {
      const about = receiver.webhooks.filter(({ body }) => body.toString().includes(paymentId(TAG, payment)));
      expect(about.length).toBeGreaterThanOrEqual(count);
      return about;
    }, 5000);
  }

  test("a payment that is too small for any provider is never sent", async () => {
    const small = pay({ amountPaise: 99n });
    await expect(rail.submit(small, NEVER)).rejects.toBeInstanceOf(NeverPayableError);
    expect([await rail.status(small, NEVER), moved(small)]).toEqual([null, []]);
  });

  test("pays an account and a handle, with the exact amount, and knows them by our id", async () => {
    const account = pay({ amountPaise: 123_456_789n / 10n });
    const handle = pay({ mode: "UPI", payee: { name: "R", accountNumber: null, ifsc: null, upi: "success@upi" } });
    expect(await rail.status(account, NEVER)).toBeNull();
    for (const payment of [account, handle]) {
      const { transferId, bucket, merchantId } = payment;
      expect(await rail.submit(payment, NEVER)).toEqual({
        transferId,
        bucket,
        merchantId,
        status: "PENDING",
        utr: null,
        reason: null,
        acknowledged: false,
      });
      const paid = await standing(payment, "SUCCESS");
      expect(paid).toMatchObject({ transferId, bucket, merchantId, reason: null, acknowledged: true });
      expect(paid.utr).toMatch(/^[0-9]{12}$/);
      expect(moved(payment)).toEqual([`paid ${payment.amountPaise}`]);
    }
    const [booked] = bank.desk.book.listPayments();
    const { feePaise, taxPaise } = booked!;
    expect(feePaise).toBeGreaterThan(taxPaise);
    expect(await rail.status(account, NEVER)).toMatchObject({ fee: { feePaise, taxPaise } });
    expect(booked).toMatchObject({
      accountNumber: "50100012345678",
      ifsc: "HDFC0001234",
      narrative: "Bill No 7 26 thanks",
    });
  });

  test("the same payment again is the same payment, also many at once", async () => {
    const payment = pay();
    await rail.submit(payment, NEVER);
    const again = await Promise.all(Array.from({ length: 20 }, () => reach().submit(payment, NEVER)));
    for (const report of again) expect(["PENDING", "SUCCESS"]).toContain(report.status);
    await standing(payment, "SUCCESS");
    expect(moved(payment)).toEqual(["paid 59001"]);
  });

  test("tells what the bank says of a payment that fails, waits, or comes back", async () => {
    const wrong = pay(to("234005000876", "ICIC0000007"));
    const waits = pay(to("007711000031", "HDFC0000077"));
    const back = pay(to("7766671735000", "SBIN0000004"));
    for (const payment of [wrong, waits, back]) await rail.submit(payment, NEVER);
    expect(await standing(wrong, "FAILED")).toMatchObject({
      utr: null,
      reason: expect.stringMatching(/INVALID_ACCOUNT|ACCOUNT_INVALID/),
    });
    expect(await standing(back, "REVERSED")).toMatchObject({ reason: expect.stringContaining("sent the money back") });
    expect(await rail.status(waits, NEVER)).toMatchObject({ status: "PENDING" });
    expect([moved(wrong), moved(waits)]).toEqual([[], []]);
    expect(moved(back)).toEqual(["paid 59001", "returned 59001"]);
  });

  test("a payment that the provider refuses is not there, and the refusal says why", async () => {
    const wrong = pay(to("50100012345678", "HDFC1001234"));
    const refusal = { name: "RefusedError", message: expect.stringMatching(/ifsc/i) };
    await expect(rail.submit(wrong, NEVER)).rejects.toMatchObject(refusal);
    expect(await rail.status(wrong, NEVER)).toBeNull();
  });

  test("an id that the provider has used, and says no more of, is neither refused nor free: nobody knows, and it is asked about", async () => {
    const payment = pay();
    await rail.submit(payment, NEVER);
    await standing(payment, "SUCCESS");
    // Cashfree answers the second call with 409 and has to be asked for the payment; RazorpayX returns it at once.
    for (const kind of ["error_before", "malformed", "too_many", "lost_after"]) {
      bank.desk.faults.add({ kind, on: "status", count: 1 });
      const again = await rail.submit(payment, NEVER).catch((error: unknown) => error);
      if (protocol.name === "cashfree") {
        expect(again).toMatchObject({ name: "Error", message: expect.stringContaining("gives no status") });
        expect((again as Error).cause).toBeInstanceOf(Error);
      } else expect(again).toMatchObject({ status: "SUCCESS" });
      bank.desk.faults.clear();
      expect(await rail.submit(payment, NEVER)).toMatchObject({ status: "SUCCESS" });
    }
    expect(moved(payment)).toEqual([`paid ${payment.amountPaise}`]);
  });

  test("another amount under the same id is not this payment", async () => {
    const payment = pay();
    await rail.submit(payment, NEVER);
    const dearer = { ...payment, amountPaise: payment.amountPaise + 1n };
    await expect(rail.status(dearer, NEVER)).rejects.toThrow(/another amount/);
    await expect(rail.submit(dearer, NEVER)).rejects.not.toMatchObject({ name: "RefusedError" });
  });

  test("ids of another installation at the same account are none of ours", async () => {
    const payment = pay();
    const other = reach({ tag: "zzzzzz" });
    await other.submit(payment, NEVER);
    expect(await rail.status(payment, NEVER)).toBeNull();
    await rail.submit(payment, NEVER);
    await standing(payment, "SUCCESS");
    expect(bank.desk.book.listPayments()).toHaveLength(2);
  });

  test("a payee with account and handle is paid over either, also under another name", async () => {
    const payee = { name: "Ravi", accountNumber: "50100012345678", ifsc: "HDFC0001234", upi: "success@upi" };
    for (const change of [
      { mode: "IMPS" },
      { mode: "UPI" },
      { mode: "UPI", payee: { ...payee, name: "Ravi Kumar" } },
    ] as const) {
      const payment = pay({ payee, ...change });
      await rail.submit(payment, NEVER);
      await standing(payment, "SUCCESS");
    }
    expect(bank.desk.book.listPayments().map(({ mode, upi }) => [mode, upi])).toEqual([
      ["IMPS", null],
      ["UPI", "success@upi"],
      ["UPI", "success@upi"],
    ]);
  });

  test.each(["lost_after", "error_after", "malformed", "silence"])(
    "an answer that is lost after the payment was made (%s) leaves it unknown, and it is found by its id",
    async (kind) => {
      const payment = pay();
      bank.desk.faults.add({ kind, on: "submit", count: 1 });
      const hasty = reach(kind === "silence" ? { timeoutMs: 300 } : {});
      await expect(hasty.submit(payment, NEVER)).rejects.not.toMatchObject({ name: "NotSentError" });
      expect(await standing(payment, "SUCCESS")).toMatchObject({ acknowledged: true });
      expect(await rail.submit(payment, NEVER)).toMatchObject({ status: "SUCCESS" });
      expect(moved(payment)).toEqual(["paid 59001"]);
    },
  );

  test.each(["lost_before", "error_before"])(
    "a call that breaks before the payment was made (%s) is not known either, and is sent again under the same id",
    async (kind) => {
      const payment = pay();
      bank.desk.faults.add({ kind, on: "submit", count: 1 });
      await expect(rail.submit(payment, NEVER)).rejects.not.toMatchObject({ name: "NotSentError" });
      expect(await rail.status(payment, NEVER)).toBeNull();
      await rail.submit(payment, NEVER);
      await standing(payment, "SUCCESS");
      expect(moved(payment)).toEqual(["paid 59001"]);
    },
  );

  test("too many calls: nothing was sent", async () => {
    const payment = pay();
    await rail.submit(pay(), NEVER);
    bank.desk.faults.add({ kind: "too_many", on: "submit", count: 1 });
    await expect(rail.submit(payment, NEVER)).rejects.toMatchObject({ name: "NotSentError", code: "busy" });
    expect(await rail.status(payment, NEVER)).toBeNull();
  });

  test("too little balance: RazorpayX sends nothing; Cashfree accepts the payment, which waits there", async () => {
    const payment = pay();
    bank.desk.faults.add({ kind: "low_balance", on: "submit", count: 1 });
    const sent = rail.submit(payment, NEVER);
    if (protocol.name === "razorpayx") {
      await expect(sent).rejects.toMatchObject({ name: "NotSentError", code: "low_balance" });
      return expect(await rail.status(payment, NEVER)).toBeNull();
    }
    const waits = { status: "PENDING", isShort: true, reason: expect.stringContaining("balance is too low") };
    expect(await sent).toMatchObject(waits);
    expect(await rail.status(payment, NEVER)).toMatchObject(waits);
    expect(moved(payment)).toEqual([]);
    bank.desk.book.fund(1n);
    await standing(payment, "SUCCESS");
    return expect(moved(payment)).toEqual(["paid 59001"]);
  });

  test("a payee that was removed at the provider is never paid as somebody else: it is made again, or the payment fails", async () => {
    await rail.submit(pay(), NEVER);
    for (const { payeeId } of bank.desk.book.listPayments()) bank.desk.book.removePayee(payeeId);
    const payment = pay();
    const report = await rail.submit(payment, NEVER).catch((error: unknown) => error);
    if (report instanceof RefusedError) expect(await rail.status(payment, NEVER)).toBeNull();
    else expect(await standing(payment, "SUCCESS")).toMatchObject({ utr: expect.any(String) });
  });

  test("wrong credentials and a server that is away: nothing was sent", async () => {
    await expect(reach({ secret: "wrong" }).submit(pay(), NEVER)).rejects.toMatchObject({ code: "unauthorized" });
    await expect(reach({ secret: "wrong" }).check(NEVER)).rejects.toMatchObject({ code: "unauthorized" });
    await expect(reach({ baseUrl: "http://127.0.0.1:59999" }).submit(pay(), NEVER)).rejects.toMatchObject({
      code: "unreachable",
    });
    await expect(rail.check(NEVER)).resolves.toHaveProperty("balancePaise");
  });

  test("calls that are broken off are not known", async () => {
    const breaking = new AbortController();
    bank.desk.faults.add({ kind: "silence", on: "submit", count: 1 });
    const call = reach({ timeoutMs: 10_000 }).submit(pay(), breaking.signal);
    setTimeout(() => breaking.abort(new Error("The service is stopping.")), 50);
    await expect(call).rejects.not.toMatchObject({ name: "NotSentError" });
  });

  test("webhooks are authentic, name the payment, and have one body however often they come", async () => {
    const payment = pay();
    bank.desk.faults.add({ kind: "duplicate", count: 1 });
    await rail.submit(payment, NEVER);
    const [first, second] = await arrived(payment, 2);
    const notice = rail.readWebhook(first!, Temporal.Now.instant());
    const { bucket, merchantId, transferId } = payment;
    expect(notice).toEqual({
      about: { bucket, merchantId, transferId },
      claims: "SUCCESS",
    });
    expect(rail.readWebhook(second!, Temporal.Now.instant())).toEqual(notice);
    expect(second!.body).toEqual(first!.body);
  });

  test("a webhook that is forged, changed, old or unsigned is refused", async () => {
    const payment = pay();
    await rail.submit(payment, NEVER);
    const [webhook] = await arrived(payment);
    const now = Temporal.Now.instant();
    const changed = Buffer.from(webhook!.body.toString().replace("59", "95"));
    expect(rail.readWebhook({ ...webhook!, body: changed }, now)).toBeNull();
    expect(rail.readWebhook({ ...webhook!, headers: {} }, now)).toBeNull();
    expect(reach({ secret: "other", webhookSecret: "other" }).readWebhook(webhook!, now)).toBeNull();
    expect(rail.readWebhook(webhook!, now.add({ hours: 25 }))).toBeNull();
    bank.desk.faults.add({ kind: "wrong_signature", count: 1 });
    const other = pay();
    await rail.submit(other, NEVER);
    expect(rail.readWebhook((await arrived(other))[0]!, Temporal.Now.instant())).toBeNull();
  });

  test("a webhook that contradicts the status is only a reason to ask", async () => {
    const payment = pay();
    bank.desk.faults.add({ kind: "contradicting", count: 1 });
    await rail.submit(payment, NEVER);
    const [webhook] = await arrived(payment);
    expect(rail.readWebhook(webhook!, Temporal.Now.instant())!.about).toMatchObject({ transferId: payment.transferId });
    expect(await rail.status(payment, NEVER)).toMatchObject({ status: "SUCCESS" });
  });

  test("its book outlives the stand-in's clock: what is deemed successful hangs for days, then is paid", async () => {
    const payment = pay();
    bank.desk.faults.add({ kind: "deemed", count: 1 });
    await rail.submit(payment, NEVER);
    await sleep(2 * SETTLE_MS);
    expect(await rail.status(payment, NEVER)).toMatchObject({ status: "PENDING" });
    bank.desk.clock.advance(6 * 24 * 3_600_000);
    await standing(payment, "SUCCESS");
  });
});

test("ids name bucket, merchant and transfer, and nothing else is taken for one", () => {
  const reference = { bucket: 127, merchantId: 2n ** 53n - 1n, transferId: 2n ** 53n - 1n };
  expect(paymentId(TAG, reference).length).toBeLessThanOrEqual(36);
  expect(readPaymentId(TAG, paymentId(TAG, reference))).toEqual(reference);
  for (const id of ["", "nabc123_1_2", "nabc123_01_2_3", "Nabc123_1_2_3", "nabc124_1_2_3", "nabc123_1_2_3_4", null, 5])
    expect(readPaymentId(TAG, id)).toBeNull();
  expect(newTag()).toMatch(/^[0-9a-z]{6}$/);
});

/** Receives webhooks, and stores them unchanged. */
class Receiver {
  readonly webhooks: ArrivedWebhook[] = [];
  readonly #server: Server;
  url = "";

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        this.webhooks.push({ headers: request.headers, body: Buffer.concat(parts) });
        response.end();
      });
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    receiver.url = `http://127.0.0.1:${(receiver.#server.address() as { port: number }).port}`;
    return receiver;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
