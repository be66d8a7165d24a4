// A server that is killed again and again while it makes the payouts of a batch, at a bank that breaks off and
// declines: the simulated one, and the stand-in of a provider, whose own book is the judge.
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLive } from "../support/live.ts";
import { nodalJson, send } from "../support/nodal.ts";
import { openBank, type Bank } from "../support/providers.ts";
import { seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite, until, type SiteMerchant } from "./site.ts";

/** NODAL_TEST_BATCH_LINES=5000 is the largest batch that there is (docs/testing.md#longer-runs). */
const LINES = Number(process.env["NODAL_TEST_BATCH_LINES"] ?? 2000);
const KILLS = 6;
/** Calls break off, half of them after the bank has paid, and some transfers are declined. */
const BAD_BANK = { SIMULATOR_ERROR_PERCENT: "5", SIMULATOR_DECLINE_PERCENT: "5", BANK_TIMEOUT_MS: "2000" };
const GOOD_BANK = { SIMULATOR_ERROR_PERCENT: "0", SIMULATOR_DECLINE_PERCENT: "0" };
const LONG_MS = 240_000;
/** What goes wrong at the stand-in, each in so many of a hundred calls. */
const FAULTS = ["lost_before", "lost_after", "error_before", "error_after", "malformed"];
const FAULT_PERCENT = 2;
/** What a server remembers of a key's merchant, which was in the sandbox, is up to 2 s old. */
const KEYS_REMEMBERED_MS = 2500;

type Line = {
  readonly line: number;
  readonly reference_id: string;
  readonly transfer_id: string;
  readonly status: string;
  readonly code: string;
  readonly reason: string;
};

let site: CrashSite;
let merchant: SiteMerchant;

beforeEach(async () => {
  site = await CrashSite.open(BAD_BANK);
  [merchant] = (await site.newMerchants([10n ** 12n])) as [SiteMerchant];
});
afterEach(() => site.close());

function call(method: "GET" | "POST", path: string, body?: object) {
  const headers = { authorization: `Bearer ${merchant.token}` };
  return send(site.baseUrl, method, `/api/v1/beneficiary/transfer${path}`, body, headers);
}

/** Every tenth line can't be made, each for another reason; the others pay 1.00 and more to payees of several kinds. */
function wishOf(place: number): Readonly<Record<string, unknown>> {
  const { success, failed, upi } = merchant.beneficiaryIds;
  const payoutRequest = { amount: `${1 + (place % 90)}.00`, reference_id: `line-${place}` };
  if (place % 10 === 3) {
    return [
      { ...payoutRequest, beneficiary_id: "77" },
      { ...payoutRequest, beneficiary_id: success, amount: "99999999999.00" },
      { ...payoutRequest, beneficiary_id: upi, amount: "100000.01" },
    ][place % 3]!;
  }
  if (place % 50 === 7) return { ...payoutRequest, name: `Payee ${place}`, upi: `payee${place % 200}@upi` };
  return { ...payoutRequest, beneficiary_id: [success, upi, success, failed][place % 4] };
}

function refusalOf(place: number): string {
  if (place % 10 !== 3) return "";
  return ["beneficiary_not_found", "insufficient_balance", "limit_exceeded"][place % 3]!;
}

async function readLines(batchId: string): Promise<Line[]> {
  const lines: Line[] = [];
  for (let page = 1; lines.length < LINES; page += 1) {
    const { status, body } = await call("GET", `/batch/status/${batchId}?page=${page}&limit=1000`);
    expect(status).toBe(200);
    lines.push(...(body.success.transfers as Line[]));
  }
  return lines;
}

async function count(from: string): Promise<number> {
  const { rows } = await site.pool.query<{ count: bigint }>(`select count(*) as count from ${from}`);
  return Number(rows[0]!.count);
}

/** Has the merchant pay real money, over a stand-in at which much goes wrong. */
async function goLive(): Promise<Bank> {
  const bank = await openBank("cashfree");
  await takeLive(site.pool, merchant.merchantId);
  await bank.connect(site, merchant);
  await sleep(KEYS_REMEMBERED_MS);
  for (const kind of FAULTS) bank.standIn.desk.faults.add({ kind, percent: FAULT_PERCENT });
  return bank;
}

/** The transfers that the bank's own book has as paid, once for each payment. */
async function paidAt(bank: Bank | null): Promise<string[]> {
  if (bank) {
    const paid = bank.standIn.desk.book.listPayments().filter(({ state }) => state === "PAID");
    return paid.map(({ clientId }) => String(Number.parseInt(clientId.split("_").at(-1)!, 36)));
  }
  const { rows } = await site.pool.query<{ transfer_id: bigint }>(
    "select transfer_id from simulator.payment where status = 'SUCCESS'",
  );
  return rows.map(({ transfer_id: id }) => String(id));
}

test.each([
  { at: "the simulated bank", isLive: false },
  { at: "a provider's stand-in", isLive: true },
])(
  "each line of a batch is paid once at $at, in order, or says why not, however often the server is killed",
  async ({ isLive }) => {
    const bank = isLive ? await goLive() : null;
    onTestFinished(() => bank?.standIn.stop());
    const random = seededRandom(chooseSeed("batches"));
    const transfers = Array.from({ length: LINES }, (_, index) => wishOf(index + 1));
    const { status, body } = await call("POST", "/batch", { transfers });
    expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
    const batchId = body.batch_id as string;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const some = Math.floor((LINES * (kill - 0.5 + random() * 0.3)) / (KILLS + 1));
      await until(async () => (await count("transfer")) >= some * 0.8, LONG_MS, `${some} transfers were made`);
      await sleep(random() * 20);
      await site.killServer();
      expect(await count("payout_batch where due_at is not null"), `not done before kill ${kill}`).toBe(1);
      await site.start(kill === KILLS ? GOOD_BANK : BAD_BANK);
    }
    await until(
      async () => (await count("payout_batch where status = 'finished'")) === 1,
      LONG_MS,
      "the batch is finished",
    );
    bank?.standIn.desk.faults.clear();
    const open = "transfer where state in ('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')";
    const isAnswered = async (): Promise<boolean> => {
      // Who was unlucky many times would wait for minutes.
      await site.pool.query(
        "update transfer_dispatch set due_at = now() where due_at > now() + interval '3 seconds' and due_at < 'infinity'",
      );
      return (await count(open)) === 0;
    };
    await until(isAnswered, LONG_MS, "the bank has answered for all");

    const lines = await readLines(batchId);
    expect(lines.map(({ line, reference_id: reference }) => `${line} ${reference}`)).toEqual(
      transfers.map((_, index) => `${index + 1} line-${index + 1}`),
    );
    expect(lines.map(({ code }) => code)).toEqual(transfers.map((_, index) => refusalOf(index + 1)));
    const silent = lines.filter(({ status: how, reason }) => how !== "SUCCESS" && reason === "");
    expect(silent).toEqual([]);
    // One transfer for each line, and one payment at most, which the bank's own book has as the line says.
    const made = lines.filter(({ code }) => code === "");
    expect(await count("transfer")).toBe(made.length);
    expect(new Set(made.map(({ transfer_id: id }) => id)).size).toBe(made.length);
    const said = made.filter(({ status: how }) => how === "SUCCESS").map(({ transfer_id: id }) => id);
    expect(said.length).toBeGreaterThan(LINES / 2);
    expect((await paidAt(bank)).toSorted()).toEqual(said.toSorted());
    const accepted = await site.pool.query<{ line_no: number }>(
      `select line_no from journal
     join payout_batch_line line using (bucket, merchant_id)
     where type = 'transfer.accepted' and transfer_id = subject_id order by entry_no`,
    );
    expect(accepted.rows.map(({ line_no: place }) => place)).toEqual(made.map(({ line }) => line));
    expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
  },
  900_000,
);

test("a payout of a later day is made once after the server was down on that day", async () => {
  const day = (days: number) => Temporal.Now.plainDateISO("Asia/Kolkata").add({ days }).toString();
  const references = Array.from({ length: 20 }, (_, index) => `later-${index}`);
  for (const reference_id of references) {
    const payoutRequest = {
      beneficiary_id: merchant.beneficiaryIds.success,
      amount: "2.00",
      reference_id,
      scheduled_for: day(1),
    };
    const { status } = await call("POST", "", payoutRequest);
    expect(status).toBe(200);
  }
  await site.killServer();
  // The clock moves on while no server runs.
  await nodalJson(site.environment, "clock", "advance", "--merchant", String(merchant.merchantId), "--to", day(3));
  for (let kill = 0; kill < 3; kill += 1) {
    await site.start(GOOD_BANK);
    const enough = 3 + kill * 5;
    await until(async () => (await count("transfer")) >= enough, LONG_MS, `${enough} transfers were made`);
    await site.killServer();
  }
  await site.start(GOOD_BANK);
  const paid = "simulator.payment where status = 'SUCCESS'";
  await until(async () => (await count(paid)) === references.length, LONG_MS, "all are paid");
  expect(await count("transfer")).toBe(references.length);
  await until(async () => (await count("payout_batch where status = 'running'")) === 0, LONG_MS, "all are finished");
  expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
});
