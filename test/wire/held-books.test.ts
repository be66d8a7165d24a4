// One merchant's books are held for long: its own requests are refused in time, and nobody else's work waits for it.
// Places and turns are tested where they are.
import { afterAll, beforeAll, expect, test } from "vitest";
import { countLockWaits, whileBookIsHeld } from "../support/held-rows.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { SERVERS } from "../support/proxied-servers.ts";
import { Biller, Subscriptions } from "../support/subscriptions.ts";
import { recordEventsOf } from "../support/record-events.ts";
import { changeMerchants } from "../support/reprove.ts";

const CONNECTIONS = 8;
/** Longer than what others ask meanwhile takes, also on a busy machine. */
const LOCK_TIMEOUT_MS = 15_000;
const PATIENCE = { timeout: 180_000 };

let installation: Installation;
let biller: Biller;

beforeAll(async () => {
  installation = await Installation.start({
    LOCK_TIMEOUT_MS: String(LOCK_TIMEOUT_MS),
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    RATE_LIMIT_PER_MINUTE: "100000",
  });
  biller = new Biller(installation.serverUrl);
});
afterAll(async () => {
  await biller.close();
  await installation.stop();
});

/** Holds a merchant's books while `work` goes on. */
function whileHeld<T>(merchantId: string, work: () => Promise<T>): Promise<T> {
  return whileBookIsHeld(installation.pool, merchantId, work);
}

/** Asks for transfers of 1.00 each at once. */
async function transferMany(merchant: TestMerchant, beneficiaryId: string, name: string, count: number) {
  const references = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  return Promise.all(
    references.map((reference_id) =>
      merchant.transfer({ beneficiary_id: beneficiaryId, amount: "1.00", reference_id }),
    ),
  );
}

test("requests that write wait on half of the connections, and end with 503; those of others are served", async () => {
  const [hostile, good] = [await installation.newMerchant(), await installation.newMerchant()];
  let answered = 0;
  const held = await whileHeld(hostile.id, async () => {
    const requests = Array.from({ length: 3 * SERVERS * CONNECTIONS }, (_, index) =>
      hostile.save({ name: `Held ${index}`, upi: `held${index}@upi` }).finally(() => (answered += 1)),
    );
    // Each server has connections of its own.
    await expect.poll(() => countLockWaits(installation.pool), PATIENCE).toBe((SERVERS * CONNECTIONS) / 2);
    for (let count = 0; count < 5; count += 1) {
      expect((await good.save({ name: "Good", upi: `good${count}@upi` })).status).toBe(200);
    }
    expect(answered).toBe(0);
    return Promise.all(requests);
  });
  for (const { status, body, headers } of held) {
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
  }
  expect((await hostile.list()).body).toMatchObject({ total_records: 0 });
});

test("transfers of others are accepted and paid meanwhile; its own are refused, and nothing of them is left", async () => {
  const hostile = await installation.newMerchant({ fund: "1000.00" });
  const others = [
    await installation.newMerchant({ fund: "1000.00" }),
    await installation.newMerchant({ fund: "1000.00" }),
  ];
  const ofHostile = await hostile.addBeneficiary();
  const ofOthers = await Promise.all(others.map((other) => other.addBeneficiary()));
  let answered = 0;
  const refused = await whileHeld(hostile.id, async () => {
    const own = transferMany(hostile, ofHostile, "held", 20).finally(() => (answered += 1));
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        others.map((other, index) => transferMany(other, ofOthers[index]!, `round-${round}`, 10)),
      );
      for (const { body } of answers.flat()) expect(body).toMatchObject({ status: "1", transfer_status: "SUCCESS" });
      if (round === 0) expect(answered).toBe(0);
    }
    return own;
  });
  for (const { status, body, headers } of refused) {
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
  }
  expect(await hostile.available()).toBe("1000.00");
  const [again] = await transferMany(hostile, ofHostile, "held", 1);
  expect(again!.body).toMatchObject({ status: "1", transfer_status: "SUCCESS" });
});

test("what the bank says of its transfers waits aside, and is written once the books are free", async () => {
  const hostile = await installation.newMerchant({ fund: "1000.00" });
  const good = await installation.newMerchant({ fund: "1000.00" });
  // The simulated bank pays to this account a moment after it has taken the payment on.
  const slow = await hostile.addBeneficiary({ account_number: "00224412311300", ifsc: "YESB0000001" });
  const fast = await good.addBeneficiary();
  const asked = transferMany(hostile, slow, "reported", 1);
  const readState = async (): Promise<string | undefined> => {
    const found = await installation.pool.query<{ state: string }>(
      "select state from transfer where merchant_id = $1",
      [hostile.id],
    );
    return found.rows[0]?.state;
  };
  await expect.poll(readState, PATIENCE).toBe("PENDING");
  await whileHeld(hostile.id, async () => {
    for (let round = 0; round < 3; round += 1) {
      const answers = await transferMany(good, fast, `beside-${round}`, 5);
      for (const { body } of answers) expect(body).toMatchObject({ transfer_status: "SUCCESS" });
    }
  });
  const [answer] = await asked;
  const transferId = answer!.body.transfer_id as string;
  expect(await hostile.recordWith("SUCCESS", transferId)).toMatchObject({ status: "SUCCESS" });
});

test("subscriptions of others are billed meanwhile, and its own afterwards", async () => {
  const both = [
    await Subscriptions.ofNewMerchant(installation, biller),
    await Subscriptions.ofNewMerchant(installation, biller),
  ];
  for (const subscriptions of both) await subscriptions.add();
  const { rows } = await installation.pool.query<{ id: string }>(
    "select merchant_id::text as id from merchant where merchant_id = any ($1) order by bucket, merchant_id",
    [both.map(({ merchantId }) => merchantId)],
  );
  // Whoever is looked at first is held.
  const [hostile, good] = rows.map(({ id }) => id) as [string, string];
  const countBilled = async (merchantId: string): Promise<number> => {
    const found = await installation.pool.query<{ count: number }>(
      "select count(*)::integer as count from invoice where merchant_id = $1",
      [merchantId],
    );
    return found.rows[0]!.count;
  };
  await whileHeld(hostile, async () => {
    await changeMerchants(
      installation.pool,
      "update merchant set clock_date = current_date + 2 where merchant_id = any ($1)",
      [[hostile, good]],
    );
    await expect.poll(() => countBilled(good), PATIENCE).toBe(1);
    expect(await countBilled(hostile)).toBe(0);
  });
  await expect.poll(() => countBilled(hostile), PATIENCE).toBe(1);
  for (const id of [hostile, good]) await recordEventsOf(installation.pool, id, "merchant.created", [id]);
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
