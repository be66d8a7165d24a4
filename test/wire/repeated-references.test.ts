// A reference that was accepted is answered for good: whatever would refuse the request by now, the same request again gets the
// payout that exists, and another one a conflict.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeMerchant, requireMerchant } from "../../src/merchants/index.ts";
import { disconnectProvider } from "../../src/payouts/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { expectNoChange } from "../support/expect-wire.ts";
import { FRANCHISE_SAMPLE } from "../support/franchises.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { countLockWaits, whileBookIsHeld } from "../support/held-rows.ts";
import { nodalJson, type Answer } from "../support/nodal.ts";
import { openBank, PayingMerchant } from "../support/providers.ts";
import { recordEventsOf } from "../support/record-events.ts";

const TRANSFER = "/api/v1/beneficiary/transfer";
const BATCH = `${TRANSFER}/batch`;
const CONFLICT = { status: 409, body: { code: "reference_conflict" } };
/** What a process remembers of a merchant or a beneficiary is at most some seconds old. */
const NOTICED = { timeout: 180_000, interval: 100 };

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.start({ LOCK_TIMEOUT_MS: "60000" });
});
afterAll(() => installation.stop());

const inDays = (days: number): string => Temporal.Now.plainDateISO("Asia/Kolkata").add({ days }).toString();
const command = (...args: readonly string[]) => nodalJson(installation.environment, ...args);

type Bodies = Readonly<Record<string, readonly [path: string, body: Members, headers?: Record<string, string>]>>;

/** A merchant, one request for each entrance, and what each was answered first. */
type Payer = {
  readonly merchant: TestMerchant;
  readonly beneficiaryId: string;
  readonly bodies: Bodies;
  readonly first: Readonly<Record<string, Answer>>;
};

function bodiesTo(beneficiaryId: string): Bodies {
  const asked = { beneficiary_id: beneficiaryId, amount: "10.00" };
  return {
    transfer: [TRANSFER, { ...asked, reference_id: "r1" }],
    "transfer with a mode": [TRANSFER, { ...asked, reference_id: "r2", mode: "banktransfer" }],
    "transfer with a key": [TRANSFER, { ...asked, reference_id: "r3" }, { "idempotency-key": "k1" }],
    "later day": [TRANSFER, { ...asked, reference_id: "r4", scheduled_for: inDays(2) }],
    withdrawal: ["/api/v1/payout/withdraw", { amount: "10.00", reference_id: "w1" }],
    "withdrawal with a key": ["/api/v1/payout/withdraw", { amount: "10.00" }, { "idempotency-key": "k2" }],
    "batch with a key": [BATCH, { transfers: [{ ...asked, reference_id: "b1" }] }, { "idempotency-key": "k3" }],
  };
}

function ask({ merchant, bodies }: Omit<Payer, "first">, name: string, changes: Members = {}): Promise<Answer> {
  const [path, body, headers] = bodies[name]!;
  return merchant.post(path, { ...body, ...changes }, headers);
}

async function untilFinished(merchant: TestMerchant, batchId: string): Promise<void> {
  const status = async () =>
    (await merchant.get(`${BATCH}/status/${batchId}`)).body.success.batch.batch_status as string;
  await expect.poll(status, NOTICED).toBe("FINISHED");
}

async function untilAllEnded({ id }: TestMerchant): Promise<void> {
  const open = `select count(*) as count from transfer
    where merchant_id = $1 and state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')`;
  const count = async () => (await installation.pool.query<{ count: bigint }>(open, [id])).rows[0]!.count;
  await expect.poll(count, NOTICED).toBe(0n);
}

/** Asks for one payout at each entrance, and waits until all of them have ended. */
async function openPayer(given?: TestMerchant): Promise<Payer> {
  const merchant = given ?? (await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT }));
  const beneficiaryId = await merchant.addBeneficiary({ account_number: "00011020001772", ifsc: "HDFC0000001" });
  const bodies = bodiesTo(beneficiaryId);
  const first: Record<string, Answer> = {};
  for (const name of Object.keys(bodies)) {
    first[name] = await ask({ merchant, beneficiaryId, bodies }, name);
    expect(first[name].status, name).toBe(200);
  }
  await untilFinished(merchant, first["batch with a key"]!.body.batch_id as string);
  await untilAllEnded(merchant);
  return { merchant, beneficiaryId, bodies, first };
}

/** Asks for something new until it is refused, and waits until what was accepted before has ended. */
async function expectRefusal({ merchant, beneficiaryId }: Payer, code: string, body: Members = {}): Promise<void> {
  const fresh = { beneficiary_id: beneficiaryId, amount: "1.00", ...body };
  let count = 0;
  const refused = async () => (await merchant.transfer({ ...fresh, reference_id: `new ${(count += 1)}` })).body.code;
  await expect.poll(refused, NOTICED).toBe(code);
  await untilAllEnded(merchant);
}

/** Each request again gets what exists, and a changed one a conflict; nothing moves. */
async function expectFirstAnswers(payer: Payer, names = Object.keys(payer.bodies)): Promise<void> {
  const idsOf = ({ body }: Answer) => [body.transfer_id, body.withdrawal_id, body.batch_id];
  for (const name of names) {
    await expectStill(payer.merchant, async () => {
      const again = await ask(payer, name);
      const wanted = [200, idsOf(payer.first[name]!)];
      expect([again.status, idsOf(again)], `${name}: ${JSON.stringify(again.body)}`).toEqual(wanted);
    });
    if (name.endsWith("a key")) continue;
    expect(await ask(payer, name, { amount: "11.00" }), `${name} of another amount`).toMatchObject(CONFLICT);
  }
}

/** Expects that something changes nothing. A suspended merchant can't read its balance. */
async function expectStill({ id }: TestMerchant, work: () => Promise<void>): Promise<void> {
  const read = async () => {
    const { rows } = await installation.pool.query(
      `select (select count(*)::text from journal where merchant_id = $1) as entries,
         (select count(*)::text from transfer where merchant_id = $1) as transfers,
         (select count(*)::text from payout_batch_line where merchant_id = $1) as lines`,
      [id],
    );
    return rows[0] as unknown;
  };
  const before = await read();
  await work();
  expect(await read()).toEqual(before);
}

describe("what was accepted is answered as it stands", () => {
  test("after its payee was deactivated", async () => {
    const payer = await openPayer();
    const { merchant, beneficiaryId } = payer;
    await command("beneficiary", "deactivate", "--merchant", merchant.id, "--beneficiary", beneficiaryId);
    await expectRefusal(payer, "beneficiary_not_approved");
    await expectFirstAnswers(payer);
    for (const changes of [{ beneficiary_id: "1" }, { mode: "upi" }])
      expect(await ask(payer, "transfer", changes)).toMatchObject(CONFLICT);
    // The mode that the payee has by itself is the same request.
    expect((await ask(payer, "transfer", { mode: "banktransfer" })).body.transfer_id).toBe(
      payer.first["transfer"]!.body.transfer_id,
    );
    const other = await ask(payer, "transfer with a key", { reference_id: "other", amount: "3.00" });
    expect(other).toBeRefusal({ status: 409, code: "idempotency_conflict" });
  });

  test("after its provider was disconnected", async () => {
    const bank = await openBank("cashfree");
    const live = await PayingMerchant.of(installation, { bank: GOOD_ACCOUNT });
    const account = await live.connect(bank);
    await live.goLive(100_000n);
    const payer = await openPayer(live.wire);
    const context = { pool: installation.pool, ids: new IdSource(installation.pool), merchant: live.key };
    // Not before all of them have ended.
    await expect
      .poll(() => disconnectProvider(context, account.accountId).then(() => "disconnected"), NOTICED)
      .toBe("disconnected");
    await expectRefusal(payer, "no_payout_provider");
    await expectFirstAnswers(payer);
    const lines = [{ beneficiary_id: payer.beneficiaryId, amount: "10.00", reference_id: "b1" }];
    // Without a key a batch with nothing new is kept, and says of each line what it stands for; one of nothing but new lines is not.
    const again = await payer.merchant.post(BATCH, { transfers: lines });
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    await untilFinished(payer.merchant, again.body.batch_id as string);
    const fresh = [{ ...lines[0], reference_id: "b2" }];
    const expected = { status: 403, code: "no_payout_provider" };
    await expectNoChange(payer.merchant, async () =>
      expect(await payer.merchant.post(BATCH, { transfers: fresh })).toBeRefusal(expected),
    );
    const read = await payer.merchant.get(`${BATCH}/status/${again.body.batch_id}`);
    const [line] = read.body.success.transfers as { transfer_id: string; reason: string }[];
    const found = await payer.merchant.status("referenceid", "b1");
    expect(line!.transfer_id).toBe(found.body.success.transfer.transferId);
    await bank.standIn.stop();
  });

  test("after its merchant was suspended", async () => {
    const payer = await openPayer();
    await command("merchant", "set", "--merchant", payer.merchant.id, "--suspend");
    // All else is refused.
    expect(await payer.merchant.balanceWith(403)).toBeRefusal({ status: 403, code: "access_denied" });
    await expectRefusal(payer, "access_denied");
    await expectFirstAnswers(payer);
    const lines = [{ beneficiary_id: payer.beneficiaryId, amount: "10.00", reference_id: "b1" }];
    expect(await payer.merchant.post(BATCH, { transfers: lines })).toBeRefusal({ status: 403, code: "access_denied" });
  });

  test("after the merchant's own bank account was taken away", async () => {
    const payer = await openPayer();
    const { pool } = installation;
    const merchant = await requireMerchant(pool, BigInt(payer.merchant.id));
    await changeMerchant({ pool, ids: new IdSource(pool), merchant }, { bankAccount: "", ifsc: "", bankHolder: "" });
    let count = 0;
    await expect
      .poll(
        async () =>
          (await payer.merchant.withdraw({ amount: "1.00", reference_id: `w new ${(count += 1)}` })).body.code,
        NOTICED,
      )
      .toBe("no_bank_account");
    await untilAllEnded(payer.merchant);
    await expectFirstAnswers(payer, ["withdrawal", "withdrawal with a key"]);
  });

  test("after a limit was lowered below it", async () => {
    const payer = await openPayer();
    await command("policy", "set", "--merchant", payer.merchant.id, "--transfer-limit", "5.00");
    await expectRefusal(payer, "limit_exceeded", { amount: "6.00" });
    await expectFirstAnswers(payer);
    expect((await payer.merchant.status("referenceid", "r1")).body.success.transfer.amount).toBe("10.00");
  });
});

test("a request that is refused while the first one waits for the book is answered with the first", async () => {
  const merchant = await installation.newMerchant({ fund: "100.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  const body = { beneficiary_id, amount: "1.00", reference_id: "slow" };
  const query = new URLSearchParams({ beneficiary_id, amount: body.amount }).toString();
  const browser = await Browser.signIn(installation, await newPerson(installation, merchant.id));
  const asked = await whileBookIsHeld(installation.pool, merchant.id, async () => {
    const first = merchant.transfer(body);
    await expect.poll(() => countLockWaits(installation.pool), NOTICED).toBeGreaterThan(0);
    // Nobody has accepted it yet, and from now on it would be refused.
    await installation.pool.query("update beneficiary set approval = 'deactivated' where merchant_id = $1", [
      merchant.id,
    ]);
    await expect
      .poll(async () => JSON.stringify((await browser.get(`/transfers/preview?${query}`)).body), NOTICED)
      .toContain("deactivated");
    let isAnswered = false;
    const second = merchant.transfer(body).finally(() => {
      isAnswered = true;
    });
    // A later request that needs no book is answered; the second one waits with the first.
    expect((await merchant.transfer({ ...body, amount: "0.00", reference_id: "later" })).status).toBe(400);
    expect(isAnswered).toBe(false);
    return [first, second] as const;
  });
  const [one, two] = await Promise.all(asked);
  expect([one.status, two.status, two.body.transfer_id]).toEqual([200, 200, one.body.transfer_id]);
  // Both changes were made without an entry, which would have had to wait for the book.
  await installation.pool.query("update beneficiary set approval = 'approved' where merchant_id = $1", [merchant.id]);
  await recordEventsOf(installation.pool, merchant.id, "beneficiary.approved", [beneficiary_id]);
});

describe("a transfer of a later day", () => {
  const cancel = (merchant: TestMerchant, reference_id: string) =>
    merchant.post(`${TRANSFER}/cancel`, { reference_id });

  test("that was cancelled stays the cancelled one, at once and in a batch", async () => {
    const merchant = await installation.newMerchant({ fund: "100.00" });
    const beneficiary_id = await merchant.addBeneficiary();
    const body = { beneficiary_id, amount: "10.00", reference_id: "rent", scheduled_for: inDays(1) };
    const first = await merchant.transfer(body);
    await cancel(merchant, "rent");
    for (let round = 0; round < 2; round += 1) {
      const again = await merchant.transfer(body);
      expect(again.body).toMatchObject({
        transfer_id: first.body.transfer_id as string,
        transfer_status: "REJECTED",
        reason: expect.stringContaining("cancelled") as string,
      });
    }
    expect(await merchant.transfer({ ...body, amount: "9.00" })).toMatchObject(CONFLICT);
    expect(await merchant.transfer({ ...body, scheduled_for: inDays(2) })).toMatchObject(CONFLICT);
    const batch = await merchant.post(BATCH, { transfers: [body] });
    const lines = async () =>
      (await merchant.get(`${BATCH}/status/${batch.body.batch_id}`)).body.success.transfers as { status: string }[];
    expect((await lines())[0]).toMatchObject({ status: "CANCELLED" });
    await command("clock", "advance", "--merchant", merchant.id, "--to", inDays(3));
    expect((await lines())[0]).toMatchObject({ status: "CANCELLED" });
    // Also where its day has gone by, and its payee can't be paid any more.
    await command("beneficiary", "deactivate", "--merchant", merchant.id, "--beneficiary", beneficiary_id);
    expect((await merchant.transfer(body)).body).toMatchObject({ transfer_status: "REJECTED" });
    expect(await merchant.available()).toBe("100.00");
  });

  test("keeps its reference from every other payout, while it waits and once it was cancelled", async () => {
    const merchant = await installation.newMerchant({ fund: "100.00", bank: GOOD_ACCOUNT });
    const beneficiary_id = await merchant.addBeneficiary();
    const body = { beneficiary_id, amount: "10.00", reference_id: "rent" };
    const owner = await Browser.signIn(installation, await newPerson(installation, merchant.id));
    let keys = 0;
    const entrances: Record<string, () => Promise<Answer>> = {
      transfer: () => merchant.transfer(body),
      // Nothing of the merchant is read before this one is written: the one before it was a plain success.
      "transfer, written unread": async () => {
        await merchant.transfer({ ...body, amount: "0.01", reference_id: `fresh ${(keys += 1)}` });
        return merchant.transfer(body);
      },
      "transfer with a key": () => merchant.post(TRANSFER, body, { "idempotency-key": `key ${(keys += 1)}` }),
      withdrawal: () => merchant.post("/api/v1/payout/withdraw", { amount: "10.00", reference_id: "rent" }),
      "the dashboard": () => owner.post("/transfers", body),
    };
    const expectConflicts = async (): Promise<void> => {
      for (const [name, send] of Object.entries(entrances)) {
        const answer = await send();
        expect(answer, `${name}: ${JSON.stringify(answer.body)}`).toMatchObject(CONFLICT);
      }
      const batch = await merchant.post(BATCH, { transfers: [body] });
      const { success } = (await merchant.get(`${BATCH}/status/${batch.body.batch_id}`)).body;
      expect(success.transfers).toMatchObject([{ status: "REFUSED", code: "reference_conflict" }]);
    };
    const { body: first } = await merchant.transfer({ ...body, scheduled_for: inDays(2) });
    await expectConflicts();
    await cancel(merchant, "rent");
    await expectConflicts();
    const again = await merchant.transfer({ ...body, scheduled_for: inDays(2) });
    expect(again.body).toMatchObject({ transfer_id: first.transfer_id as string, transfer_status: "REJECTED" });
  });

  test("that was refused on its day stays the refused one", async () => {
    const merchant = await installation.newMerchant({ fund: "1.00" });
    const beneficiary_id = await merchant.addBeneficiary();
    const body = { beneficiary_id, amount: "10.00", reference_id: "rent", scheduled_for: inDays(1) };
    const { transfer_id } = (await merchant.transfer(body)).body as { transfer_id: string };
    await command("clock", "advance", "--merchant", merchant.id, "--to", inDays(1));
    await merchant.recordWith("REJECTED", transfer_id);
    expect((await merchant.transfer(body)).body).toMatchObject({ transfer_id, transfer_status: "REJECTED" });
    // A refusal does not use the reference up for another payout.
    expect((await merchant.transfer({ ...body, scheduled_for: inDays(5) })).body).toMatchObject({
      transfer_status: "PENDING",
    });
  });

  test("with the reference of a transfer at once is a conflict, also where it would be refused", async () => {
    const merchant = await installation.newMerchant({ fund: "100.00" });
    const beneficiary_id = await merchant.addBeneficiary();
    const body = { beneficiary_id, amount: "10.00", reference_id: "one" };
    await merchant.transfer(body);
    expect(await merchant.transfer({ ...body, scheduled_for: inDays(1) })).toMatchObject(CONFLICT);
    expect(await merchant.transfer({ ...body, scheduled_for: inDays(-1) })).toMatchObject(CONFLICT);
  });

  test("in a batch again after its day has come is the same line", async () => {
    const merchant = await installation.newMerchant({ fund: "100.00" });
    const beneficiary_id = await merchant.addBeneficiary();
    const transfers = [{ beneficiary_id, amount: "10.00", reference_id: "rent", scheduled_for: inDays(1) }];
    await merchant.post(BATCH, { transfers });
    await command("clock", "advance", "--merchant", merchant.id, "--to", inDays(2));
    const fresh = { ...transfers[0], reference_id: "new" };
    await expect
      .poll(async () => (await merchant.post(BATCH, { transfers: [{ ...fresh, amount: "1000.00" }] })).status, NOTICED)
      .toBe(400);
    const again = await merchant.post(BATCH, { transfers });
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    await expect.poll(() => merchant.available(), NOTICED).toBe("90.00");
  });
});

test("a file of payouts that is sent again is the batch that it became", async () => {
  const merchant = await installation.newMerchant({ fund: "100.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  const browser = await Browser.signIn(installation, await newPerson(installation, merchant.id));
  const csv = `beneficiary_id,amount,reference_id\n${beneficiary_id},1.00,salary-1\n`;
  const send = (key: string) =>
    browser.post(`/payout-batches?name=Salaries&request_key=${key}`, csv, { "content-type": "text/csv" });
  const first = await send("11111111-1111-4111-8111-111111111111");
  expect(first.status, JSON.stringify(first.body)).toBe(200);
  // Not before: a line whose turn comes after the payee was deactivated is refused, and does not use its reference up.
  await untilFinished(merchant, first.body.batch_id as string);
  await command("beneficiary", "deactivate", "--merchant", merchant.id, "--beneficiary", beneficiary_id);
  expect((await send("11111111-1111-4111-8111-111111111111")).body).toEqual(first.body);
  const other = await send("22222222-2222-4222-8222-222222222222");
  // It says that the payout exists, and not that nothing was transferred.
  expect([other.status, JSON.stringify(other.body)]).toEqual([400, expect.stringContaining("salary-1")]);
  expect(JSON.stringify(other.body)).not.toMatch(/Nothing was transferred/);
});

test("a franchise that was saved with a key is answered also when its role is gone", async () => {
  const merchant = await installation.newMerchant();
  const browser = await Browser.signIn(installation, await newPerson(installation, merchant.id));
  const role = { name: "Clerk", permissions: ["franchises.view"] };
  expect((await browser.post("/roles", role)).status).toBe(200);
  const body = { ...FRANCHISE_SAMPLE, login_email: "clerk@example.com", role_name: "Clerk" };
  const save = (key: string) => merchant.post("/api/v1/franchise/save", body, { "idempotency-key": key });
  const first = await save("franchise-1");
  expect(first.status, JSON.stringify(first.body)).toBe(200);
  await merchant.post("/api/v1/franchise/delete", { franchise_id: first.body.franchise_id });
  expect((await browser.delete("/roles/Clerk")).status).toBe(200);
  expect((await save("franchise-1")).body.franchise_id).toBe(first.body.franchise_id);
  expect(await save("franchise-2")).toBeRefusal({
    status: 400,
    code: "validation_failed",
    fields: ["role_name not_allowed"],
  });
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
