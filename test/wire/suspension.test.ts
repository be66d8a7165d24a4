// A merchant is suspended while its transfers wait for a slow bank: nothing leaves after that, nobody else waits for
// it, and what waited goes on in the end. What each statement does is in src/payouts/dispatch/leaving.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { whileBookIsHeld } from "../support/held-rows.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { nodalJson } from "../support/nodal.ts";

const TRANSFERS = 300;
const TIMEOUT_MS = 180_000;

let installation: Installation;
let operator: Browser;

beforeAll(async () => {
  installation = await Installation.start({
    SIMULATOR_LATENCY_MS: "100",
    DISPATCH_CONCURRENCY: "4",
    TRANSFER_WAIT_MS: "0",
  });
  operator = await Browser.signIn(installation, await newPerson(installation, null, "Operator"));
});
afterAll(() => installation.stop());

function set<T = Record<string, unknown>>({ id }: TestMerchant, option: string): Promise<T> {
  return nodalJson<T>(installation.environment, "merchant", "set", "--merchant", id, option);
}

/** How many payments the bank's own book has for the merchant. */
async function countBooked({ id }: TestMerchant): Promise<number> {
  const { rows } = await installation.pool.query<{ count: bigint }>(
    "select count(*) as count from simulator.payment where merchant_id = $1",
    [id],
  );
  return Number(rows[0]!.count);
}

/** How many of the merchant's transfers are in each state. */
async function countStates({ id }: TestMerchant): Promise<Record<string, number>> {
  const { rows } = await installation.pool.query<{ state: string; count: bigint }>(
    "select state, count(*) as count from transfer where merchant_id = $1 group by state",
    [id],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

/** Keeps the merchant's book locked for longer than the dispatcher waits for one. */
function lockBook({ id }: TestMerchant): Promise<void> {
  return whileBookIsHeld(installation.pool, id, () => sleep(1200));
}

/** The merchant's transfers that were not sent. */
async function listReserved({ id }: TestMerchant): Promise<string[]> {
  const { rows } = await installation.pool.query<{ transfer_id: bigint }>(
    "select transfer_id from transfer where merchant_id = $1 and state = 'RESERVED'",
    [id],
  );
  return rows.map((row) => String(row.transfer_id));
}

async function payMany(merchant: TestMerchant, count: number): Promise<void> {
  const beneficiary_id = await merchant.addBeneficiary();
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: `many-${index}` }),
    ),
  );
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
}

test("of 300 accepted transfers none leaves after the suspension; afterwards all do", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00" });
  const other = await installation.newMerchant({ fund: "1000.00" });
  await payMany(merchant, TRANSFERS);
  // The bank has answered the first, and has most of the others before it.
  await expect.poll(() => countStates(merchant), { interval: 10 }).toMatchObject({ SUCCESS: expect.any(Number) });
  const suspended = await set<{ waiting: Record<string, number | string> }>(merchant, "--suspend");
  // What can't be held back yet, because something else has the book, was not sent either.
  await lockBook(merchant);
  const booked = await countBooked(merchant);
  expect(booked).toBeLessThan(TRANSFERS / 2);
  const { unsent_transfers: unsent, unsent_amount: amount, transfers_at_bank: atBank } = suspended.waiting;
  expect([amount, atBank]).toEqual([`${unsent}.00`, 0]);
  // Of what has no answer yet, a few are being sent at that moment.
  expect(Number(unsent)).toBeGreaterThanOrEqual(TRANSFERS - booked);
  expect(Number(unsent)).toBeLessThan(TRANSFERS);

  await expect
    .poll(() => countStates(merchant), { timeout: TIMEOUT_MS })
    .toEqual({
      SUCCESS: booked,
      RESERVED: TRANSFERS - booked,
    });
  const [held] = await listReserved(merchant);
  const shown = await operator.get(`/merchants/${merchant.id}/transfers/${held}`);
  expect([shown.status, shown.body.dispatch]).toEqual([200, { attempts: 0, next_at: null }]);
  // Nobody else waits for what is held back.
  await payMany(other, 8);
  await expect.poll(() => countStates(other), { timeout: TIMEOUT_MS }).toEqual({ SUCCESS: 8 });
  // Held back is held back: a few rounds of the dispatcher later nothing is claimed again.
  await sleep(3000);
  expect([await countBooked(merchant), await countStates(merchant)]).toEqual([
    booked,
    { SUCCESS: booked, RESERVED: TRANSFERS - booked },
  ]);

  await set(merchant, "--activate");
  await expect.poll(() => countStates(merchant), { timeout: TIMEOUT_MS }).toEqual({ SUCCESS: TRANSFERS });
  expect(await countBooked(merchant)).toBe(TRANSFERS);
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
