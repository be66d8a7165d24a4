// Commission on a running installation: settled by command and by the daily payout, through crashes, and on the wire.
// What the books say in each case is in commission-life.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFranchise, type Franchise } from "../../src/franchises/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import type { Pool } from "../../src/platform/database/pool.ts";
import { CrashSite, until } from "../crash/site.ts";
import { receive, takeBack, type Accrual, type Stage } from "../support/franchises.ts";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { nodal, nodalJson, type Environment } from "../support/nodal.ts";
import { countInvoice, postInvoice, postPayment, registerInvoice } from "../support/invoice-days.ts";
import { recordEventsOf } from "../support/record-events.ts";

const TIMEOUT_MS = 180_000;
const ACCOUNTS = {
  success: { account_number: "026291800001191", ifsc: "YESB0000262" },
  failed: { account_number: "2640101002729", ifsc: "CNRR0002640" },
  reversed: { account_number: "7766671735000", ifsc: "SBIN0000004" },
  pending: { account_number: "007711000031", ifsc: "HDFC0000077" },
};

let installation: Installation;
let stage: Stage;
let codes = 0;

beforeAll(async () => {
  installation = await Installation.start({ TRANSFER_WAIT_MS: "500" });
  stage = { server: installation.pool, ids: new IdSource(installation.pool) };
});
afterAll(() => installation.stop());

/** Saves a franchise that gets a tenth, over HTTP. */
async function saveFranchise(
  merchant: TestMerchant,
  account: Members = ACCOUNTS.success,
  changes: Members = {},
): Promise<Franchise> {
  const { status, body } = await merchant.post("/api/v1/franchise/save", {
    franchise_code: `F${(codes += 1)}`,
    franchise_name: "Pune Branch",
    contact_person_name: "Meera Shah",
    email_id: "pune@example.com",
    mobile: "9730946150",
    enable_online_settlement: 1,
    commission_type: "Percentage",
    commission: "10",
    settlement_type: "Auto",
    bank_holder_name: "Meera Shah",
    bank_name: "A Bank",
    account_type: "Saving",
    ...account,
    ...changes,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { bucket, merchantId } = await requireMerchant(installation.pool, BigInt(merchant.id));
  const key = { bucket, merchantId, franchiseId: BigInt(body.franchise_id as string) };
  return (await findFranchise(installation.pool, key))!;
}

function franchiseCommand(
  environment: Environment,
  command: "show" | "settle",
  { merchantId, franchiseId }: Franchise,
): Promise<Members> {
  const options = ["--merchant", String(merchantId), "--franchise", String(franchiseId)];
  return nodalJson<Members>(environment, "franchise", command, ...options);
}

function settle(franchise: Franchise): Promise<Members> {
  return franchiseCommand(installation.environment, "settle", franchise);
}

async function commissionOf(franchise: Franchise): Promise<Members> {
  const shown = await franchiseCommand(installation.environment, "show", franchise);
  const { commission_accrued: accrued, commission_paid: paid, commission_due: due } = shown;
  return { accrued, paid, due };
}

/** What the bank's own book says it paid for the merchant. */
async function paidByBank({ merchantId }: Franchise, pool = installation.pool): Promise<bigint[]> {
  const { rows } = await pool.query<{ amount_paise: bigint }>(
    "select amount_paise from simulator.payment where merchant_id = $1 and status = 'SUCCESS'",
    [merchantId],
  );
  return rows.map((row) => row.amount_paise);
}

/** A payment of an invoice of the franchise, on which a paisa more is due; both written straight into the database. */
async function pay(
  at: Parameters<typeof receive>[0],
  franchise: Franchise,
  receivedPaise: bigint,
  changes: Parameters<typeof receive>[3] = {},
): Promise<{ accrual: Accrual }> {
  const received = await receive(at, franchise, receivedPaise, { totalPaise: receivedPaise + 1n, ...changes });
  const { bucket, merchantId, franchiseId, invoiceId, settlementId, totalPaise } = received.accrual;
  const status = receivedPaise === totalPaise ? "Paid offline" : "Partially paid";
  const invoice = [bucket, merchantId, invoiceId, franchiseId, status, totalPaise, receivedPaise];
  await at.server.query(
    `insert into invoice (
       bucket, merchant_id, invoice_id, customer_id, template_id, franchise_id, financial_year, invoice_number,
       cycle_name, bill_date, due_date, paid_date, status, sub_total_paise, tax_total_paise, previous_dues_paise,
       amount_paise, paid_paise, content, public_token, created_at)
     values ($1, $2, $3, 0, 0, $4, 2026, 'N-' || $3::bigint, '', '2026-11-01', '2026-11-01', '2026-11-02', $5, $6, 0, 0, $6, $7,
       jsonb_build_object(
         'rows', jsonb_build_array(jsonb_build_object('amountPaise', $6::bigint::text)), 'taxes', jsonb_build_array(),
         'kind', 'invoice', 'supply', 'untaxed', 'supplier', '{"gstin": ""}'::jsonb,
         'recipient', '{"name": "Meera Stores", "gstin": ""}'::jsonb),
       'token', now())`,
    invoice,
  );
  await at.server.query(
    `insert into settlement (
       bucket, merchant_id, settlement_id, invoice_id, paid_date, amount_paise, mode, bank_name, bank_ref_no, cheque_no,
       cash_paid_to, created_at)
     values ($1, $2, $3, $4, '2026-11-02', $5, 'Cash', '', '', '', '', now())`,
    [bucket, merchantId, settlementId, invoiceId, receivedPaise],
  );
  await registerInvoice(at.server, received.accrual.invoiceId);
  await countInvoice(at.server, received.accrual.invoiceId, 1n);
  await postInvoice(at.server, received.accrual.invoiceId);
  await tellOf(at.server, received.accrual, "invoice.created", "settlement.recorded");
  return received;
}

/** What `pay` wrote, once its payment is taken back. */
async function unpay(accrual: Accrual): Promise<void> {
  const key = [accrual.bucket, accrual.merchantId, accrual.invoiceId];
  await countInvoice(installation.pool, accrual.invoiceId, -1n);
  await installation.pool.query(
    `update settlement set reversed_at = now(), reversal_reason = 'bounced'
     where bucket = $1 and merchant_id = $2 and invoice_id = $3`,
    key,
  );
  await installation.pool.query(
    `update invoice set paid_paise = 0, paid_date = null, status = 'Unpaid'
     where bucket = $1 and merchant_id = $2 and invoice_id = $3`,
    key,
  );
  await countInvoice(installation.pool, accrual.invoiceId, 1n);
  await postPayment(installation.pool, accrual.settlementId, "reversal");
  await tellOf(installation.pool, accrual, "invoice.reopened", "settlement.reversed");
}

/** The entries about both that go with what was written. */
async function tellOf(pool: Pool, accrual: Accrual, ofInvoice: string, ofSettlement: string): Promise<void> {
  await recordEventsOf(pool, accrual.merchantId, ofInvoice, [accrual.invoiceId]);
  await recordEventsOf(pool, accrual.merchantId, ofSettlement, [accrual.settlementId]);
}

describe("settle", () => {
  test("pays what is due from the balance, and then nothing", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const franchise = await saveFranchise(merchant, ACCOUNTS.success, { settlement_type: "Manual" });
    await pay(stage, franchise, 123_456n);
    expect(await settle(franchise)).toEqual({
      franchise_id: String(franchise.franchiseId),
      transfer_id: expect.stringMatching(/^[0-9]+$/) as string,
      amount: "123.46",
      transfer_status: "SUCCESS",
      commission_accrued: "123.46",
      commission_paid: "123.46",
      commission_due: "0.00",
    });
    expect(await merchant.available()).toBe("876.54");
    expect(await settle(franchise)).toMatchObject({ transfer_id: null, amount: "0.00", transfer_status: null });
    expect(await paidByBank(franchise)).toEqual([12_346n]);
  });

  test("twice at once, by two processes, pays once", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const franchise = await saveFranchise(merchant);
    await pay(stage, franchise, 100_000n);
    const answers = await Promise.all([settle(franchise), settle(franchise)]);
    expect(answers.map(({ amount }) => amount)).toEqual(expect.arrayContaining(["0.00", "100.00"]));
    expect(await paidByBank(franchise)).toEqual([10_000n]);
  });

  test("leaves due what the balance does not cover, and says so", async () => {
    const merchant = await installation.newMerchant({ fund: "99.99" });
    const franchise = await saveFranchise(merchant);
    await pay(stage, franchise, 100_000n);
    const options = ["--merchant", merchant.id, "--franchise", String(franchise.franchiseId)];
    const refused = await nodal(installation.environment, "franchise", "settle", ...options, "--json");
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/100\.00.*stays due/) as string,
    });
    expect(await commissionOf(franchise)).toEqual({ accrued: "100.00", paid: "0.00", due: "100.00" });
    expect(await merchant.available()).toBe("99.99");
  });

  test("that fails, or that the bank returns, leaves it due", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const failing = await saveFranchise(merchant, ACCOUNTS.failed);
    await pay(stage, failing, 100_000n);
    expect(await settle(failing)).toMatchObject({ transfer_status: "FAILED", commission_due: "100.00" });
    const returned = await saveFranchise(merchant, ACCOUNTS.reversed);
    await pay(stage, returned, 100_000n);
    const { transfer_id: transferId } = await settle(returned);
    await merchant.recordWith("REVERSED", transferId as string);
    expect(await commissionOf(returned)).toEqual({ accrued: "100.00", paid: "0.00", due: "100.00" });
    expect(await merchant.available()).toBe("1000.00");
  });

  test("after a settlement was reversed whose commission was paid: later commission makes up for it", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const franchise = await saveFranchise(merchant);
    const { accrual } = await pay(stage, franchise, 100_000n);
    await settle(franchise);
    await takeBack(stage, accrual);
    await unpay(accrual);
    expect(await commissionOf(franchise)).toEqual({ accrued: "0.00", paid: "100.00", due: "-100.00" });
    await pay(stage, franchise, 150_000n);
    expect(await settle(franchise)).toMatchObject({
      amount: "50.00",
      commission_paid: "150.00",
      commission_due: "0.00",
    });
  });

  test("records what was paid by other means, at most what is due, and takes it back", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const franchise = await saveFranchise(merchant, { account_number: "", ifsc: "" }, { enable_online_settlement: 0 });
    await pay(stage, franchise, 100_000n);
    const of = ["--merchant", merchant.id];
    const byHand = [...of, "--franchise", String(franchise.franchiseId), "--paid-by", "Cheque", "--bank-ref", "C 12"];
    const paid = await nodalJson<Members>(installation.environment, "franchise", "settle", ...byHand, "--amount", "60");
    expect(paid).toMatchObject({ amount: "60.00", mode: "Cheque", commission_paid: "60.00", commission_due: "40.00" });
    const more = await nodal(installation.environment, "franchise", "settle", ...byHand, "--amount", "40.01");
    expect(more).toMatchObject({ code: 1, stderr: expect.stringMatching(/Only ₹40\.00 is due/) as string });
    const unsaid = await nodal(installation.environment, "franchise", "settle", ...byHand);
    expect(unsaid).toMatchObject({ stderr: expect.stringMatching(/--amount is required with --paid-by/) as string });
    const back = [...of, "--payment", String(paid["payment_id"]), "--reason", "Bounced"];
    expect(await nodalJson(installation.environment, "franchise", "reverse-payment", ...back)).toMatchObject({
      amount: "60.00",
      commission_due: "100.00",
    });
    expect(await paidByBank(franchise)).toEqual([]);
  });

  test("needs a franchise of the merchant's, with a bank account", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const bare = { account_number: "", ifsc: "" };
    const franchise = await saveFranchise(merchant, bare, { enable_online_settlement: 0 });
    for (const [id, sentence] of [
      [String(franchise.franchiseId), /no bank account/],
      ["1", /franchise does not exist/],
    ] as const) {
      const options = ["--merchant", merchant.id, "--franchise", id];
      const { code, stderr } = await nodal(installation.environment, "franchise", "settle", ...options);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(sentence) as string });
    }
    expect((await nodal(installation.environment, "franchise", "settle", "--merchant", merchant.id)).code).toBe(2);
  });
});

test("the running server pays out by itself on the day, once", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00" });
  const franchise = await saveFranchise(merchant);
  await pay(stage, franchise, 100_000n);
  expect(await paidByBank(franchise)).toEqual([]);
  await installation.pool.query("update franchise set next_payout_at = now() where franchise_id = $1", [
    franchise.franchiseId,
  ]);
  await until(async () => (await paidByBank(franchise)).length > 0, TIMEOUT_MS, "the daily payout");
  await pay(stage, franchise, 100_000n);
  await sleep(6000);
  expect(await paidByBank(franchise)).toEqual([10_000n]);
});

test("on the wire it is no reference of the merchant's, and its bank account and money are", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00" });
  const franchise = await saveFranchise(merchant, ACCOUNTS.pending);
  await pay(stage, franchise, 100_000n);
  const { transfer_id: transferId, transfer_status: status } = await settle(franchise);
  expect(status).toBe("PENDING");
  expect(await merchant.record(transferId as string)).toMatchObject({
    referenceId: "",
    bankAccount: ACCOUNTS.pending.account_number,
    beneId: String(franchise.beneficiaryId),
    amount: "100.00",
  });
  const beneficiaryId = await merchant.addBeneficiary(ACCOUNTS.success);
  for (const reference of [transferId, String(franchise.franchiseId), "commission"] as string[]) {
    expect((await merchant.status("referenceid", reference)).status).toBe(404);
    const own = { beneficiary_id: beneficiaryId, amount: "1.00", reference_id: reference };
    expect(await merchant.transfer(own)).toMatchObject({ status: 200, body: { transfer_status: "SUCCESS" } });
  }
  expect(await merchant.available()).toBe("897.00");
  expect(await commissionOf(franchise)).toEqual({ accrued: "100.00", paid: "0.00", due: "100.00" });
  expect(await settle(franchise)).toMatchObject({ transfer_id: null });
});

test("afterwards the books hold, and every answer was one that the OpenAPI document names", async () => {
  expect(await installation.findProblems()).toEqual([]);
});

test("a server killed between the order and the bank's answer pays once, and the books hold", async () => {
  const site = await CrashSite.open({ SIMULATOR_LATENCY_MS: "1500", TRANSFER_WAIT_MS: "0" });
  try {
    const [merchant] = await site.newMerchants([1_000_000n]);
    const { bucket, merchantId, token } = merchant!;
    const answer = await fetch(`${site.baseUrl}/api/v1/franchise/save`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        franchise_code: "CRASH",
        franchise_name: "Crash Branch",
        contact_person_name: "Meera Shah",
        email_id: "crash@example.com",
        mobile: "9730946150",
        enable_online_settlement: 1,
        commission_type: "Fixed",
        commission: "250",
        settlement_type: "Auto",
        bank_holder_name: "Meera Shah",
        bank_name: "A Bank",
        account_type: "Saving",
        ...ACCOUNTS.success,
      }),
    });
    const { franchise_id: id } = (await answer.json()) as { franchise_id: string };
    const franchise = (await findFranchise(site.pool, { bucket, merchantId, franchiseId: BigInt(id) }))!;
    await pay({ server: site.pool, ids: site.ids }, franchise, 1000n, { totalPaise: 1000n });
    const { transfer_id: transferId } = await franchiseCommand(site.environment, "settle", franchise);
    const stateIs = async (state: string): Promise<boolean> => {
      const { rows } = await site.pool.query<{ state: string }>("select state from transfer where transfer_id = $1", [
        transferId,
      ]);
      return rows[0]!.state === state;
    };
    await until(() => stateIs("SUBMITTING"), TIMEOUT_MS, "the order has left");
    await site.killServer();
    expect(await franchiseCommand(site.environment, "settle", franchise)).toMatchObject({ transfer_id: null });
    await site.start();
    await until(() => stateIs("SUCCESS"), TIMEOUT_MS, "the transfer has succeeded");
    expect(await franchiseCommand(site.environment, "show", franchise)).toMatchObject({
      commission_accrued: "250.00",
      commission_paid: "250.00",
      commission_due: "0.00",
    });
    expect(await paidByBank(franchise, site.pool)).toEqual([25_000n]);
    expect(await nodalJson<Members>(site.environment, "verify")).toMatchObject({ ok: true });
  } finally {
    await site.close();
  }
});
