// What arrives at the same time, over real HTTP: one reference, one balance, one beneficiary, two server processes.
// Idempotency-Key is in idempotency.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";
import { NodalProcess, send, type Answer } from "../support/nodal.ts";
import { SERVERS } from "../support/proxied-servers.ts";

let installation: Installation;
let second: NodalProcess;

beforeAll(async () => {
  installation = await Installation.shared();
  second = await NodalProcess.start({ ...installation.environment });
});
afterAll(async () => {
  await second.stop();
  await installation.stop();
});

async function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Sends through the second process with the first one's token. */
function throughSecond(merchant: TestMerchant, path: string, body: unknown): Promise<Answer> {
  return send(second.baseUrl, "POST", path, body, { authorization: `Bearer ${merchant.token}` });
}

async function countTransfers(merchant: TestMerchant): Promise<number> {
  const { rows } = await installation.pool.query("select 1 from transfer where merchant_id = $1", [merchant.id]);
  return rows.length;
}

/** How often the simulated bank paid for the merchant. */
async function countPayments(merchant: TestMerchant): Promise<number> {
  const { rows } = await installation.pool.query("select 1 from simulator.payment where merchant_id = $1", [
    merchant.id,
  ]);
  return rows.length;
}

test("100 transfers with one reference make one, and all answer with its id", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  const body = { beneficiary_id, amount: "30.00", reference_id: "one" };
  const answers = await atOnce(100, () => merchant.transfer(body));
  for (const answer of answers) expect(answer.status).toBe(200);
  expect(new Set(answers.map((answer) => answer.body.transfer_id as string)).size).toBe(1);
  // At another server than the first a twin is answered before the bank is heard of: docs/scale.md.
  const states = new Set(answers.map((answer) => answer.body.transfer_status as string));
  if (SERVERS > 1) states.delete("PENDING");
  expect([...states]).toEqual(["SUCCESS"]);
  expect(await countTransfers(merchant)).toBe(1);
  expect(await countPayments(merchant)).toBe(1);
  expect(await merchant.available()).toBe("970.00");
});

test("100 transfers with one reference and two amounts: the first one stands, the other amount conflicts", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  const answers = await atOnce(100, (index) =>
    merchant.transfer({ beneficiary_id, amount: index % 2 === 0 ? "30.00" : "40.00", reference_id: "one" }),
  );
  const accepted = answers.filter((answer) => answer.status === 200);
  expect(accepted).toHaveLength(50);
  const transfer_id = accepted[0]!.body.transfer_id as string;
  for (const answer of answers) {
    if (answer.status === 200) expect(answer.body.transfer_id).toBe(transfer_id);
    else expect(answer).toBeRefusal({ status: 409, code: "reference_conflict", details: { transfer_id } });
  }
  expect(await countPayments(merchant)).toBe(1);
});

test("100 transfers over a balance that holds 10 pass exactly 10", async () => {
  const merchant = await installation.newMerchant({ fund: "1009.99" });
  const beneficiary_id = await merchant.addBeneficiary();
  const answers = await atOnce(100, (index) =>
    merchant.transfer({ beneficiary_id, amount: "100.00", reference_id: `r${index}` }),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
  for (const answer of answers.filter((one) => one.status !== 200)) {
    expect(answer).toBeRefusal({ status: 422, code: "insufficient_balance" });
  }
  expect(await countTransfers(merchant)).toBe(10);
  expect(await merchant.available()).toBe("9.99");
});

test("smaller transfers pass beside larger ones that do not fit", async () => {
  const merchant = await installation.newMerchant({ fund: "500.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  const answers = await atOnce(100, (index) =>
    merchant.transfer({ beneficiary_id, amount: index % 2 === 0 ? "1000.00" : "10.00", reference_id: `r${index}` }),
  );
  answers.forEach((answer, index) => expect(answer.status).toBe(index % 2 === 0 ? 422 : 200));
  expect(await merchant.available()).toBe("0.00");
});

test("transfers and withdrawals share one balance", async () => {
  const merchant = await installation.newMerchant({ fund: "100.00", bank: GOOD_ACCOUNT });
  const beneficiary_id = await merchant.addBeneficiary();
  const answers = await atOnce(60, (index) =>
    index % 2 === 0
      ? merchant.withdraw({ amount: "10.00" })
      : merchant.transfer({ beneficiary_id, amount: "10.00", reference_id: `r${index}` }),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
  expect(answers.filter((answer) => answer.status === 422)).toHaveLength(50);
  expect(await merchant.available()).toBe("0.00");
});

test("one merchant without money does not hold up others", async () => {
  const poor = await installation.newMerchant({ fund: "1.00" });
  const rich = await installation.newMerchant({ fund: "1000.00" });
  const ids = [await poor.addBeneficiary(), await rich.addBeneficiary()];
  const answers = await atOnce(100, (index) => {
    const body = { beneficiary_id: ids[index % 2], amount: "5.00", reference_id: `r${index}` };
    return (index % 2 === 0 ? poor : rich).transfer(body);
  });
  answers.forEach((answer, index) => expect(answer.status).toBe(index % 2 === 0 ? 422 : 200));
  expect(await rich.available()).toBe("750.00");
  expect(await poor.available()).toBe("1.00");
});

test("two server processes with one reference make one transfer", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  const path = "/api/v1/beneficiary/transfer";
  for (let round = 0; round < 10; round += 1) {
    const body = { beneficiary_id, amount: "10.00", reference_id: `round-${round}` };
    const answers = await atOnce(20, (index) =>
      index % 2 === 0 ? merchant.transfer(body) : throughSecond(merchant, path, body),
    );
    for (const answer of answers) expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(new Set(answers.map((answer) => answer.body.transfer_id as string)).size).toBe(1);
  }
  expect(await countTransfers(merchant)).toBe(10);
  expect(await countPayments(merchant)).toBe(10);
  expect(await merchant.available()).toBe("900.00");
});

test("two server processes over one balance pass exactly what it holds", async () => {
  const merchant = await installation.newMerchant({ fund: "100.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  const answers = await atOnce(100, (index) => {
    const body = { beneficiary_id, amount: "10.00", reference_id: `r${index}` };
    return index % 2 === 0 ? merchant.transfer(body) : throughSecond(merchant, "/api/v1/beneficiary/transfer", body);
  });
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
  expect(answers.filter((answer) => answer.status === 422)).toHaveLength(90);
  expect(await merchant.available()).toBe("0.00");
});

test("a later step is applied once, whichever of two processes hears of it", async () => {
  const merchant = await installation.newMerchant({ fund: "100.00" });
  const beneficiary_id = await merchant.addBeneficiary({ account_number: "7766671735000", ifsc: "SBIN0000004" });
  const answers = await atOnce(10, (index) => {
    const body = { beneficiary_id, amount: "10.00", reference_id: `r${index}` };
    return index % 2 === 0 ? merchant.transfer(body) : throughSecond(merchant, "/api/v1/beneficiary/transfer", body);
  });
  for (const answer of answers) {
    const record = await merchant.recordWith("REVERSED", answer.body.transfer_id as string);
    expect(record["status"]).toBe("REVERSED");
  }
  expect(await merchant.available()).toBe("100.00");
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
