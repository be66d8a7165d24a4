// Webhooks of a whole installation: a real server, its command line, and a merchant's receiver. The rules of sending
// are in src/webhooks/deliverer.test.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runChecks } from "../../src/ledger/index.ts";
import { issueCreditNote, parseInvoiceId, reverseSettlement } from "../../src/invoices/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { findEndpoint } from "../../src/webhooks/endpoint-store.ts";
import type { EndpointKey } from "../../src/webhooks/endpoint.ts";
import { WEBHOOK_CHECKS } from "../../src/webhooks/index.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { OwnPayouts } from "../../src/payouts/index.ts";
import { readConfig } from "../../src/platform/config.ts";
import { Program } from "../support/access-keys.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { Invoices } from "../support/invoices.ts";
import { REPOSITORY } from "../support/files.ts";
import { nodal, nodalJson, nodalProcess, TEST_MASTER_KEY } from "../support/nodal.ts";
import { makeEndpoint, Receiver, until, verifySignature, type Received } from "../support/webhooks.ts";

const ALLOWED = { WEBHOOK_ALLOW_PRIVATE: "on" };

let installation: Installation;
let merchant: TestMerchant;
let receiver: Receiver;

beforeAll(async () => {
  installation = await Installation.start(ALLOWED);
});
beforeEach(async () => {
  merchant = await installation.newMerchant({
    fund: "100000.00",
    bank: { account_number: "00011020001772", ifsc: "HDFC0000001" },
  });
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());
afterAll(() => installation.stop());

async function newEndpoint(path = "/"): Promise<{ key: EndpointKey; secret: string }> {
  const { rows } = await installation.pool.query<{ bucket: number }>(
    "select bucket from merchant where merchant_id = $1",
    [merchant.id],
  );
  const stage = { server: installation.pool, ids: new IdSource(installation.pool) };
  return makeEndpoint(stage, { bucket: rows[0]!.bucket, merchantId: BigInt(merchant.id) }, receiver.url(path));
}

function webhook<T>(command: string, ...options: string[]): Promise<T> {
  return nodalJson<T>(
    { ...installation.environment, ...ALLOWED },
    "webhook",
    command,
    "--merchant",
    merchant.id,
    ...options,
  );
}

/** The merchant, its key, its opening balance, and the endpoint: what is in the log before an endpoint's first event. */
const BEFORE = 4;

test("events come in order while many transfers are made at once, each signed", async () => {
  const { key, secret } = await newEndpoint();
  const beneficiary_id = await merchant.addBeneficiary();
  const transfers = Array.from({ length: 200 }, (_, index) =>
    merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: `order-${index}` }),
  );
  for (const { body } of await Promise.all(transfers)) expect(body.transfer_status).toBe("SUCCESS");
  const { rows } = await installation.pool.query<{ last: bigint }>(
    "select last_entry_no as last from ledger_book where merchant_id = $1",
    [merchant.id],
  );
  const last = Number(rows[0]!.last);
  expect(last).toBeGreaterThanOrEqual(401);
  await receiver.waitFor(last - BEFORE);
  expect(receiver.sequences).toEqual(Array.from({ length: last - BEFORE }, (_, index) => BEFORE + index + 1));
  for (const received of receiver.received) verifySignature(secret, received);
  await until(async () => (await findEndpoint(installation.pool, key))!.cursorEventNo === rows[0]!.last);
  expect(await findEndpoint(installation.pool, key)).toMatchObject({ cursorEventNo: rows[0]!.last, headTries: 0 });
});

describe("the object of an event is the one of the API:", () => {
  /** The event of this type. */
  async function eventOf(type: string): Promise<Received> {
    await until(() => receiver.received.some((received) => received.type === type));
    const found = receiver.received.find((received) => received.type === type);
    expect(receiver.received.map((received) => received.type)).toContain(type);
    return found!;
  }

  test("beneficiaries, transfers and withdrawals", async () => {
    await newEndpoint();
    const beneficiary_id = await merchant.addBeneficiary();
    expect((await eventOf("beneficiary.created")).data).toEqual((await merchant.list()).body.success[0]);
    const paid = await merchant.transfer({ beneficiary_id, amount: "590.00", reference_id: "4711" });
    const { transfer_id } = paid.body as { transfer_id: string };
    expect((await eventOf("transfer.success")).data).toEqual({ ...(await merchant.record(transfer_id)), transfer_id });
    const { body } = await merchant.withdraw({ amount: "10.00" });
    expect((await eventOf("withdrawal.success")).data).toMatchObject({
      transfer_id: body.withdrawal_id as string,
      amount: "10.00",
      status: "SUCCESS",
    });
  });

  test("invoices, payments, commission and credit notes", async () => {
    const invoices = await Invoices.ofNewMerchant(installation);
    ({ merchant } = invoices);
    await newEndpoint();
    const { body: franchise } = await merchant.post("/api/v1/franchise/save", {
      ...FRANCHISE_LEAST,
      commission_type: "Percentage",
      commission: "10",
    });
    const { franchise_id } = franchise as { franchise_id: string };
    const { invoice_id, short_url } = await invoices.add({ franchise_id });
    const record = async () => ({ ...((await invoices.list()).body.srvrsp as [object])[0], short_url });
    expect((await eventOf("invoice.created")).data).toEqual(await record());

    const settled = await invoices.pay(invoice_id, "40.00");
    expect((await eventOf("settlement.recorded")).data).toEqual(settled);
    expect((await eventOf("invoice.partially_paid")).data).toEqual(await record());
    expect((await eventOf("commission.accrued")).data).toEqual({
      franchise_id,
      amount: "4.00",
      source_id: settled["transaction_id"],
    });

    const ids = new IdSource(installation.pool);
    const owner = await requireMerchant(installation.pool, BigInt(merchant.id));
    const invoiceId = parseInvoiceId(invoice_id!)!;
    const request = { invoiceId, amountPaise: 6000n, rows: null, reason: "Returned", noteDate: null, refundTo: null };
    const ownPayouts = new OwnPayouts(readConfig({}));
    await issueCreditNote({ pool: installation.pool, ids, merchant: owner, idempotency: null, ownPayouts }, request);
    const { credit_notes: notes } = (await invoices.read(invoice_id)) as { credit_notes: [object] };
    expect((await eventOf("credit_note.issued")).data).toEqual({ ...notes[0], invoice_id });

    await reverseSettlement(
      { pool: installation.pool, ids, merchant: owner },
      { settlementId: BigInt(settled["transaction_id"]!), reason: "Bounced" },
    );
    expect((await eventOf("settlement.reversed")).data).toMatchObject({ invoice_id, paid_amount: "0.00" });
    expect((await eventOf("commission.accrual_reversed")).data).toMatchObject({ franchise_id, amount: "4.00" });
  });

  test("debit notes, which are invoices too", async () => {
    const invoices = await Invoices.ofNewMerchant(installation);
    ({ merchant } = invoices);
    const { invoice_id } = await invoices.add();
    await newEndpoint();
    const program = new Program(installation, merchant.keys);
    const ask = async (path: string, body?: object) => {
      const answer = await program.send("POST", path, body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return (answer.body as { debit_note: { debit_note_id: string } }).debit_note;
    };
    const rows = [{ row: 1, amount: "40.00" }];
    const note = await ask("/debit-notes", { invoice_id, reason: "Price agreed later", rows });
    const issued = await eventOf("debit_note.issued");
    expect(issued.data).toEqual(note);
    expect(issued.data).toMatchObject({ invoice_id, debit_note_number: "DN-2627-00001", amount: "40.00" });
    expect((await eventOf("invoice.created")).data).toMatchObject({ invoice_id: note.debit_note_id, amount: "40.00" });
    const cancelled = await ask(`/debit-notes/${note.debit_note_id}/cancel`);
    expect((await eventOf("debit_note.cancelled")).data).toEqual(cancelled);
    expect(cancelled).toEqual({ ...note, status: "Cancelled", due_amount: "0.00" });
    await eventOf("invoice.cancelled");
    expect(receiver.received.map(({ type }) => type)).toEqual([
      "debit_note.issued",
      "invoice.created",
      "debit_note.cancelled",
      "invoice.cancelled",
    ]);
  });

  test("receipts, and what is given back of them", async () => {
    const invoices = await Invoices.ofNewMerchant(installation);
    ({ merchant } = invoices);
    await invoices.addCustomer({ customer_code: "C9", customer_name: "Uma Rao" });
    await newEndpoint();
    const program = new Program(installation, merchant.keys);
    const call = async (method: string, path: string, body?: object) => {
      const answer = await program.send(method, path, body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body as {
        receipt: Record<string, unknown>;
        receipts: object[];
        customers: [{ customer_id: string }];
      };
    };
    const { customers } = await call("GET", "/customers?search=C9");
    const { customer_id } = customers[0];
    const money = { amount: "100.00", date: "2026-07-01", mode: "Cash" };
    const { receipt } = await call("POST", "/receipts", { customer_id, ...money });
    const listed = await call("GET", "/receipts");
    expect((await eventOf("receipt.recorded")).data).toEqual(listed.receipts[0]);
    expect(listed.receipts).toMatchObject([{ receipt_id: receipt["receipt_id"], advance_amount: "100.00" }]);
    const path = `/receipts/${String(receipt["receipt_id"])}`;
    const refunded = await call("POST", `${path}/refund`, { ...money, amount: "40.00" });
    const [refund] = refunded.receipt["refunds"] as [object];
    expect((await eventOf("receipt_refund.recorded")).data).toEqual({ ...refund, receipt_id: receipt["receipt_id"] });

    const other = await call("POST", "/receipts", { customer_id, ...money });
    const bounced = `/receipts/${String(other.receipt["receipt_id"])}/reverse`;
    await call("POST", bounced, { reason: "Bounced" });
    expect((await eventOf("receipt.reversed")).data).toMatchObject({
      receipt_id: other.receipt["receipt_id"],
      status: "Reversed",
      reversal_reason: "Bounced",
      advance_amount: "0.00",
    });
  });
});

describe("the command line", () => {
  type Endpoint = Record<string, unknown> & { endpoint_id: string; secret: string };

  test("creates, tries, shows, changes, and sends again", async () => {
    const created = await webhook<Endpoint>(
      "create",
      "--url",
      receiver.url(),
      "--events",
      "transfer.*, balance.funded",
    );
    expect(created).toMatchObject({ status: "Enabled", events: "transfer.*,balance.funded", settled_up_to: "3" });
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const endpoint = ["--endpoint", created.endpoint_id];

    const tried = await webhook<{ duration_ms: number }>("test", ...endpoint);
    expect(tried).toMatchObject({ seq: "test", succeeded: true, http_status: 204 });
    expect(tried.duration_ms).toSatisfy(Number.isInteger);
    expect(verifySignature(created.secret, receiver.received[0]!)).toMatchObject({ type: "webhook.test", sequence: 0 });
    const rotated = await webhook<Endpoint>("rotate-secret", ...endpoint);
    expect(rotated.secret).not.toBe(created.secret);
    const beneficiary_id = await merchant.addBeneficiary();
    await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "one" });
    const [, accepted] = await receiver.waitFor(3);
    for (const { secret } of [created, rotated]) verifySignature(secret, accepted!);

    const { sequence } = accepted!;
    const isIn = (table: string, count: number) => async () => {
      const of = "where endpoint_id = $1 and event_no = $2";
      const values = [created.endpoint_id, sequence];
      return (await installation.pool.query(`select from ${table} ${of}`, values)).rowCount === count;
    };
    await until(isIn("webhook_attempt", 1));
    expect(await webhook("redeliver", ...endpoint, "--event", String(sequence))).toMatchObject({ queued: 1 });
    await receiver.waitFor(4);
    expect(receiver.sequences.filter((number) => number === sequence)).toHaveLength(2);
    await until(isIn("webhook_attempt", 2));
    expect(await webhook("attempts", ...endpoint, "--event", String(sequence))).toMatchObject([
      { type: "transfer.accepted", succeeded: true, error: "" },
      { type: "transfer.accepted", succeeded: true, http_status: 204 },
    ]);
    expect(await webhook("show", ...endpoint)).toMatchObject({ waiting: 0, failed: 0, deliveries: [] });

    // Where the command runs, private addresses are refused: it is the server that sends, by its own settings.
    const word = ["webhook", "test", "--merchant", merchant.id, ...endpoint];
    const bySettings = { ...installation.environment, WEBHOOK_ALLOW_PRIVATE: "off" };
    const [one, other] = await Promise.all([nodal(bySettings, ...word), nodalProcess(bySettings, ...word)]);
    const about = expect.stringMatching(/^Database: [^\n]+\n$/) as string;
    expect([one.stderr, one.code, other.stderr, other.code]).toEqual([about, 0, about, 0]);
    expect(await webhook("show", ...endpoint)).toMatchObject({ waiting: 0, failed: 0, deliveries: [] });

    receiver.answer(500);
    const failed = await nodal(
      { ...installation.environment, ...ALLOWED },
      "webhook",
      "test",
      "--merchant",
      merchant.id,
      ...endpoint,
    );
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/error +answered 500/);
    expect(await webhook("disable", ...endpoint)).toMatchObject({ status: "Disabled" });
    const listed = await webhook<Endpoint[]>("list");
    expect(listed).toMatchObject([{ endpoint_id: created.endpoint_id, status: "Disabled", waiting: 0, failed: 0 }]);
    expect(JSON.stringify(listed)).not.toContain("whsec_");
    receiver.answer(204);
    expect(await webhook("test", ...endpoint)).toMatchObject({ succeeded: true });
    expect(await webhook("enable", ...endpoint, "--skip-missed")).toMatchObject({ status: "Enabled" });
  });

  test("lists events as webhooks send them, to catch up without any webhook", async () => {
    await newEndpoint();
    const beneficiary_id = await merchant.addBeneficiary();
    await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "one" });
    const list = ["event", "list", "--merchant", merchant.id, "--reveal"];
    const events = await nodalJson<Record<string, unknown>[]>(installation.environment, ...list);
    expect(events.map(({ type }) => type)).toEqual([
      "balance.funded",
      "beneficiary.created",
      "transfer.accepted",
      "transfer.success",
    ]);
    expect(events[0]!.data).toMatchObject({ reference: "opening", amount: "100000.00" });
    const last = JSON.parse((await receiver.waitFor(3))[2]!.body) as object;
    expect(last).toMatchObject({ type: "transfer.success", sequence: BEFORE + 3, data: { referenceId: "one" } });
    const { seq, subject_id, created_at, ...sent } = events[3]!;
    expect(sent).toEqual(last);
    expect({ seq, subject_id }).toEqual({ seq: String(BEFORE + 3), subject_id: events[2]!["subject_id"] });
    expect(created_at).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  test("says what to do where it refuses", async () => {
    const refuse = (...options: string[]) =>
      nodal(installation.environment, "webhook", ...options, "--merchant", merchant.id);
    const address = await refuse("create", "--url", "https://127.0.0.1/hook");
    expect(address).toMatchObject({ code: 2, stdout: "" });
    expect(address.stderr).toMatch(/^nodal: --url must name a host on the public internet, and 127\.0\.0\.1 is not/);
    const unknown = await refuse("show", "--endpoint", "1");
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toMatch(/webhook endpoint does not exist: check the list of endpoints/);
  });
});

describe("a receiver on this machine", () => {
  const description = "nodal webhook listen";

  async function endpoints(): Promise<{ url: string; status: string }[]> {
    const sql = "select url, status from webhook_endpoint where merchant_id = $1 and description = $2";
    return (await installation.pool.query<{ url: string; status: string }>(sql, [merchant.id, description])).rows;
  }

  /** What the log says of the endpoint. */
  async function log(): Promise<string[]> {
    const entries = await nodalJson<{ type: string }[]>(
      installation.environment,
      "audit",
      "list",
      "--merchant",
      merchant.id,
    );
    return entries.map(({ type }) => type).filter((type) => type.startsWith("webhook_endpoint."));
  }

  test("checks and prints what it is sent, and is disabled after so many events", async () => {
    const options = ["--merchant", merchant.id, "--events", "beneficiary.*", "--count", "1"];
    const listening = nodal({ ...installation.environment, ...ALLOWED }, "webhook", "listen", ...options);
    await expect.poll(endpoints).toHaveLength(1);
    const [{ url } = { url: "" }] = await endpoints();
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
    await merchant.save({ name: "Listened", upi: "listened@upi" });
    const { code, stdout, stderr } = await listening;
    const said = "1 event received, 1 request refused. The endpoint is disabled.";
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: said });
    expect(stderr).toMatch(/^listening at http:\/\/127\.0\.0\.1:\d+\/ as endpoint \d+, whose secret is whsec_\S+$/m);
    expect(stderr).toMatch(/^\S+Z beneficiary\.created sequence \d+ \{.*"name":"Listened"/m);
    expect(await endpoints()).toEqual([{ url, status: "Disabled" }]);
    expect(await log()).toEqual(["webhook_endpoint.disabled", "webhook_endpoint.created"]);
  });

  test("is disabled where a signal ends it, and there is none where events may not come to this machine", async () => {
    const { PATH = "", HOME = "" } = process.env;
    const args = ["bin/nodal.js", "webhook", "listen", "--merchant", merchant.id, "--json"];
    const env = { PATH, HOME, NODAL_MASTER_KEY: TEST_MASTER_KEY, ...installation.environment, ...ALLOWED };
    const child = spawn(process.execPath, args, { cwd: REPOSITORY, env });
    const said = text(child.stdout);
    await once(child.stderr, "data");
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([0, null]);
    expect(JSON.parse(await said)).toMatchObject({ status: "Disabled", received: 0, refused: 0 });
    expect((await endpoints()).map(({ status }) => status)).toEqual(["Disabled"]);
    const refused = await nodal(installation.environment, "webhook", "listen", "--merchant", merchant.id);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/WEBHOOK_ALLOW_PRIVATE=on/);
    expect(await endpoints()).toHaveLength(1);
  });

  test("says why a server sends nothing to it, and ends", async () => {
    const strict = await Installation.shared();
    const own = await strict.newMerchant();
    const { PATH = "", HOME = "" } = process.env;
    const args = ["bin/nodal.js", "webhook", "listen", "--merchant", own.id];
    const env = { PATH, HOME, NODAL_MASTER_KEY: TEST_MASTER_KEY, ...strict.environment, ...ALLOWED };
    const child = spawn(process.execPath, args, { cwd: REPOSITORY, env });
    let said = "";
    child.stderr.on("data", (piece: Buffer) => (said += piece.toString()));
    await expect.poll(() => said).toContain("listening at");
    await own.save({ name: "Unheard", upi: "unheard@upi" });
    // No event can arrive, so the command ends by itself.
    expect(await once(child, "close")).toEqual([2, null]);
    expect(said).toMatch(/^The server could not send: .*WEBHOOK_ALLOW_PRIVATE=on/m);
    expect(said).toContain("restart it with WEBHOOK_ALLOW_PRIVATE=on");
    await strict.stop();
  });
});

test("afterwards every event is accounted for", async () => {
  expect((await runChecks(installation.pool, WEBHOOK_CHECKS, null, 100)).violations).toEqual([]);
});
