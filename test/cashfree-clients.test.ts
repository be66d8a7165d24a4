// The official npm clients of Cashfree, cashfree-payout and cashfree-pg, against the stand-in: what they call is there, and means
// what they take it for. Their error reports to somebody else are switched off.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Cashfree as Payout, CFEnvironment } from "cashfree-payout";
import { Cashfree as Gateway, CFEnvironment as GatewayEnvironment } from "cashfree-pg";
import { cashfree } from "../stand-ins/cashfree.ts";
import { startStandIn, type StandIn } from "../stand-ins/stand-in.ts";

const VERSION = "2024-01-01";
const CREDENTIALS = { id: "key", secret: "secret", noticeSecret: "" };
const ACCOUNT = { bank_account_number: "50100012345678", bank_ifsc: "HDFC0001234" };
const ASHA = { beneficiary_id: "asha", beneficiary_name: "Asha Rao", beneficiary_instrument_details: ACCOUNT };

let bank: StandIn;
beforeEach(async () => {
  bank = await startStandIn(cashfree, {
    port: 0,
    file: ":memory:",
    credentials: CREDENTIALS,
    noticeUrl: null,
    settleMs: 0,
    callsPerSecond: null,
    random: Math.random,
  });
  bank.desk.book.fund(10_000_000n);
});
afterEach(() => bank.stop());

/** The answer's error, of a call that must fail. */
async function errorOf(call: Promise<unknown>): Promise<{ status: number; code: unknown }> {
  const error = await call.then(
    () => {
      throw new Error("The call went well.");
    },
    (each: unknown) => each,
  );
  const { response } = error as { response?: { status: number; data: { code?: unknown } } };
  if (!response) throw error;
  return { status: response.status, code: response.data.code };
}

describe("cashfree-payout", () => {
  beforeEach(() => {
    Payout.XClientId = CREDENTIALS.id;
    Payout.XClientSecret = CREDENTIALS.secret;
    Payout.XEnvironment = CFEnvironment.SANDBOX;
    Payout.XEnableErrorAnalytics = false;
    Payout.basePath = `${bank.url}/payout`;
  });

  test("beneficiaries are made, found by id and by account, refused twice, and removed", async () => {
    const made = await Payout.PayoutCreateBeneficiary(VERSION, "request", ASHA);
    expect([made.status, made.data]).toMatchObject([201, { ...ASHA, beneficiary_status: "VERIFIED" }]);
    const byId = await Payout.PayoutFetchBeneficiary(VERSION, "request", "asha");
    const { bank_account_number, bank_ifsc } = ACCOUNT;
    const byAccount = await Payout.PayoutFetchBeneficiary(
      VERSION,
      undefined,
      undefined,
      bank_account_number,
      bank_ifsc,
    );
    expect([byId.data, byAccount.data]).toEqual([made.data, made.data]);
    expect(await errorOf(Payout.PayoutCreateBeneficiary(VERSION, "", ASHA))).toEqual({
      status: 409,
      code: "beneficiary_id_already_exists",
    });
    expect(await errorOf(Payout.PayoutCreateBeneficiary(VERSION, "", { ...ASHA, beneficiary_id: "rao" }))).toEqual({
      status: 409,
      code: "beneficiary_already_exists",
    });
    const gone = await Payout.PayoutDeleteBeneficiary(VERSION, "", "asha");
    expect(gone.data.beneficiary_status).toBe("DELETED");
    expect(await errorOf(Payout.PayoutFetchBeneficiary(VERSION, "", "asha"))).toEqual({
      status: 404,
      code: "beneficiary_not_found",
    });
  });

  test("a transfer to a beneficiary, and one with its details inside, are paid once and found by either id", async () => {
    await Payout.PayoutCreateBeneficiary(VERSION, "", ASHA);
    const named = { transfer_id: "one", transfer_amount: 100.5, beneficiary_details: { beneficiary_id: "asha" } };
    const inline = {
      transfer_id: "two",
      transfer_amount: 7,
      transfer_mode: "upi",
      beneficiary_details: { beneficiary_name: "Ravi", beneficiary_instrument_details: { vpa: "success@upi" } },
      fundsource_id: "CASHFREE_2",
    } as const;
    for (const transfer of [named, inline]) {
      const sent = await Payout.PayoutInitiateTransfer(VERSION, "", transfer);
      expect([sent.status, sent.data]).toMatchObject([200, { transfer_id: transfer.transfer_id, status: "RECEIVED" }]);
      expect(await errorOf(Payout.PayoutInitiateTransfer(VERSION, "", transfer))).toEqual({
        status: 409,
        code: "transfer_id_already_exists",
      });
    }
    const found = (await Payout.PayoutFetchTransfer(VERSION, "", undefined, "two")).data;
    expect(found).toMatchObject({
      status: "SUCCESS",
      transfer_amount: 7,
      transfer_service_charge: 3,
      fundsource_id: "CASHFREE_2",
    });
    expect((await Payout.PayoutFetchTransfer(VERSION, "", found.cf_transfer_id)).data).toEqual(found);
    expect(bank.desk.book.listMovements().map(({ amountPaise }) => amountPaise)).toEqual([10_050n, 700n]);
  });

  test("ids that are not there have codes of their own", async () => {
    expect(await errorOf(Payout.PayoutFetchTransfer(VERSION, "", undefined, "nothing"))).toEqual({
      status: 404,
      code: "transfer_id_not_found",
    });
    expect(await errorOf(Payout.PayoutFetchTransfer(VERSION, "", "7"))).toEqual({
      status: 404,
      code: "cf_transfer_id_not_found",
    });
    const unknown = { transfer_id: "x", transfer_amount: 1, beneficiary_details: { beneficiary_id: "nobody" } };
    expect(await errorOf(Payout.PayoutInitiateTransfer(VERSION, "", unknown))).toEqual({
      status: 404,
      code: "beneficiary_not_found",
    });
    expect(await errorOf(Payout.PayoutFetchBatchTransfer(VERSION, "", undefined, "nothing"))).toEqual({
      status: 404,
      code: "batch_transfer_id_not_found",
    });
  });

  test("a batch is taken whole or not at all, and is processed once its transfers have ended", async () => {
    const transfers = ["a", "b"].map((transfer_id) => ({
      transfer_id,
      transfer_amount: 5,
      transfer_mode: "imps" as const,
      beneficiary_details: { beneficiary_name: "Asha Rao", beneficiary_instrument_details: ACCOUNT },
    }));
    const wrong = { batch_transfer_id: "batch", transfers: [transfers[0]!, { ...transfers[1]!, transfer_amount: 0 }] };
    expect(await errorOf(Payout.PayoutInitiateBatchTransfer(VERSION, "", wrong))).toEqual({
      status: 400,
      code: "transfers[1].transfer_amount_invalid",
    });
    expect(bank.desk.book.listPayments()).toEqual([]);
    const batch = { batch_transfer_id: "batch", transfers };
    const sent = (await Payout.PayoutInitiateBatchTransfer(VERSION, "", batch)).data;
    expect(sent).toMatchObject({ batch_transfer_id: "batch", status: "RECEIVED" });
    expect((await errorOf(Payout.PayoutInitiateBatchTransfer(VERSION, "", batch))).status).toBe(409);
    for (const ids of [
      ["", "batch"],
      [sent.cf_batch_transfer_id!, ""],
    ] as const) {
      const { data } = await Payout.PayoutFetchBatchTransfer(VERSION, "", ids[0] || undefined, ids[1] || undefined);
      expect(data).toMatchObject({
        status: "PROCESSED",
        transfers: [{ transfer_id: "a", status: "SUCCESS" }, { transfer_id: "b" }],
      });
    }
  });

  test("too little balance queues a transfer; limits are those of the account number and the amount", async () => {
    const big = { transfer_id: "big", transfer_amount: 99_000_000, beneficiary_details: { beneficiary_id: "asha" } };
    await Payout.PayoutCreateBeneficiary(VERSION, "", ASHA);
    expect((await Payout.PayoutInitiateTransfer(VERSION, "", big)).data.status).toBe("QUEUED");
    const tooLong = { bank_account_number: "1".repeat(26), bank_ifsc: "HDFC0001234" };
    const long = { ...ASHA, beneficiary_id: "long", beneficiary_instrument_details: tooLong };
    expect((await errorOf(Payout.PayoutCreateBeneficiary(VERSION, "", long))).code).toBe(
      "bank_account_number_length_exceeded",
    );
    const small = { ...big, transfer_id: "small", transfer_amount: 0.99 };
    expect((await errorOf(Payout.PayoutInitiateTransfer(VERSION, "", small))).code).toBe("transfer_amount_invalid");
  });

  test("wrong keys are refused, and the client verifies the stand-in's webhooks", async () => {
    Payout.XClientSecret = "wrong";
    expect((await errorOf(Payout.PayoutFetchTransfer(VERSION, "", undefined, "one"))).status).toBe(401);
    Payout.XClientSecret = CREDENTIALS.secret;
    const body = JSON.stringify({ type: "TRANSFER_SUCCESS", data: {} });
    const headers = cashfree.signNotice(body, CREDENTIALS, Date.now());
    const [time, signature] = [headers["x-webhook-timestamp"]!, headers["x-webhook-signature"]!];
    expect(Payout.PayoutVerifyWebhookSignature(signature, body, time)).toMatchObject({ type: "TRANSFER_SUCCESS" });
    expect(() => Payout.PayoutVerifyWebhookSignature(signature, `${body} `, time)).toThrow("did not match");
  });
});

describe("cashfree-pg", () => {
  let client: Gateway;
  let receiver: Server;
  let received: { headers: Record<string, string>; body: string }[] = [];
  const CUSTOMER = { customer_id: "asha", customer_phone: "9876543210" };

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(parts).toString() });
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => new Promise((resolve) => receiver.close(resolve)));
  beforeEach(() => {
    received = [];
    const { id, secret } = CREDENTIALS;
    client = new Gateway(GatewayEnvironment.SANDBOX, id, secret, undefined, undefined, undefined, false);
    Object.assign(client, { basePath: `${bank.url}/pg` });
  });

  async function order(order_id: string, order_amount = 100.5): Promise<{ payment_session_id?: string }> {
    const notify_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const given = {
      order_id,
      order_amount,
      order_currency: "INR",
      customer_details: CUSTOMER,
      order_meta: { notify_url },
    };
    return (await client.PGCreateOrder(given)).data;
  }

  async function pay({ payment_session_id = "" }: { payment_session_id?: string }, upi_id: string): Promise<string> {
    const payment_method = { upi: { channel: "collect" as const, upi_id } };
    return String((await client.PGPayOrder({ payment_session_id, payment_method })).data.cf_payment_id);
  }

  test("an order is made once, paid, and says so", async () => {
    const made = await order("order-1");
    expect(made).toMatchObject({ order_id: "order-1", order_amount: 100.5, order_status: "ACTIVE" });
    expect(await errorOf(order("order-1"))).toEqual({ status: 409, code: "order_already_exists" });
    expect((await client.PGFetchOrderExtendedData("order-1")).data.order_amount).toBe(100.5);
    const id = await pay(made, "asha@okbank");
    expect((await client.PGOrderFetchPayments("order-1")).data).toMatchObject([
      { cf_payment_id: id, payment_status: "PENDING" },
    ]);
    const decided = { entity: "PAYMENTS", entity_id: id, entity_simulation: { payment_status: "SUCCESS" } } as const;
    const { simulation_id } = (await client.PGSimulatePayment(decided)).data;
    expect((await client.PGFetchSimulation(simulation_id!)).data).toMatchObject({ entity_id: id });
    expect((await client.PGOrderFetchPayment("order-1", id)).data).toMatchObject({
      payment_status: "SUCCESS",
      is_captured: true,
    });
    expect((await client.PGFetchOrder("order-1")).data.order_status).toBe("PAID");
    expect((await client.PGOrderFetchSettlement("order-1")).data).toMatchObject({ settlement_amount: 98.13 });
    expect(await errorOf(client.PGFetchOrder("nothing"))).toEqual({ status: 404, code: "order_not_found" });
  });

  test("a payment that fails leaves the order open, until it is terminated", async () => {
    const made = await order("order-2");
    await pay(made, "failure@upi");
    expect((await client.PGOrderFetchPayments("order-2")).data).toMatchObject([
      { payment_status: "FAILED", error_details: { error_code: "TRANSACTION_DECLINED" } },
    ]);
    expect((await client.PGTerminateOrder("order-2", { order_status: "TERMINATED" })).data.order_status).toBe(
      "TERMINATED",
    );
    expect(await errorOf(pay(made, "success@upi"))).toEqual({ status: 400, code: "order_inactive" });
  });

  test("refunds come to no more than was paid, each id once", async () => {
    await pay(await order("order-3", 100), "success@upi");
    const refund = (refund_id: string, refund_amount: number) =>
      client.PGOrderCreateRefund("order-3", { refund_id, refund_amount, refund_note: "Sent back" });
    expect((await refund("half", 60)).data).toMatchObject({ refund_amount: 60, refund_status: "SUCCESS" });
    expect(await errorOf(refund("half", 10))).toEqual({ status: 409, code: "refund_already_exists" });
    expect(await errorOf(refund("too much", 50))).toMatchObject({ status: 400 });
    expect((await errorOf(refund("too-much", 50))).code).toBe("refund_amount_invalid");
    await refund("rest", 40);
    expect((await client.PGOrderFetchRefunds("order-3")).data.map(({ refund_id }) => refund_id)).toEqual([
      "half",
      "rest",
    ]);
    expect((await client.PGOrderFetchRefund("order-3", "rest")).data.refund_amount).toBe(40);
  });

  test("a link is paid in parts, and another one is cancelled", async () => {
    const link = { link_currency: "INR", link_purpose: "Rent", customer_details: { customer_phone: "9876543210" } };
    const made = await client.PGCreateLink({ ...link, link_id: "rent", link_amount: 100, link_partial_payments: true });
    expect(made.data).toMatchObject({ link_status: "ACTIVE", link_amount_paid: 0 });
    for (const [amount, link_status] of [
      [40, "PARTIALLY_PAID"],
      [60, "PAID"],
    ] as const) {
      const headers = { "content-type": "application/json" };
      await fetch(`${bank.url}/_sim/links`, {
        method: "POST",
        headers,
        body: JSON.stringify({ link_id: "rent", amount }),
      });
      expect((await client.PGFetchLink("rent")).data.link_status).toBe(link_status);
    }
    const orders = (await client.PGLinkFetchOrders("rent", undefined, undefined, "ALL")).data;
    expect(orders.map(({ order_amount, order_status }) => [order_amount, order_status])).toEqual([
      [40, "PAID"],
      [60, "PAID"],
    ]);
    await client.PGCreateLink({ ...link, link_id: "other", link_amount: 5 });
    expect((await client.PGCancelLink("other")).data.link_status).toBe("CANCELLED");
    expect((await errorOf(client.PGCancelLink("rent"))).code).toBe("link_inactive");
  });

  test("webhooks come to the order's address, and the client verifies them", async () => {
    await pay(await order("order-4"), "success@upi");
    await expect.poll(() => received.length).toBe(1);
    const [{ headers, body }] = received as [(typeof received)[number]];
    const [time, signature] = [headers["x-webhook-timestamp"]!, headers["x-webhook-signature"]!];
    const event = client.PGVerifyWebhookSignature(signature, body, time);
    expect(event).toMatchObject({
      type: "PAYMENT_SUCCESS_WEBHOOK",
      object: { data: { order: { order_id: "order-4" } } },
    });
    expect(() => client.PGVerifyWebhookSignature(signature, body.replace("order-4", "order-5"), time)).toThrow();
  });

  test("wrong keys are refused; disputes there are none", async () => {
    expect((await client.PGFetchOrderDisputes("order-5")).data).toEqual([]);
    const stranger = new Gateway(GatewayEnvironment.SANDBOX, "key", "wrong", undefined, undefined, undefined, false);
    Object.assign(stranger, { basePath: `${bank.url}/pg` });
    expect((await errorOf(stranger.PGFetchOrder("order-1"))).status).toBe(401);
  });
});
