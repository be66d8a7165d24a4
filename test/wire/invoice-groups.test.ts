// Saves that arrive together over real HTTP, by every entrance, through one server process and two. The rules of a
// group are in src/invoices/saves/invoice-saves.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { settledToday } from "../support/days.ts";
import "../support/expect-wire.ts";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, numbered, PLAIN } from "../support/invoices.ts";
import { nodal, NodalProcess, send, type Answer } from "../support/nodal.ts";
import { SERVERS } from "../support/proxied-servers.ts";
import { REPEATED, SUBSCRIPTION_SAVE } from "../support/subscriptions.ts";

let installation: Installation;
let second: NodalProcess;

beforeAll(async () => {
  installation = await Installation.shared();
  second = await NodalProcess.start({ ...installation.environment, RATE_LIMIT_PER_MINUTE: "5000" });
});
afterAll(async () => {
  await second?.stop();
  await installation?.stop();
});

type Saved = { readonly invoice_id: string; readonly invoice_number: string; readonly amount: string };
const savedOf = ({ body }: Answer): Saved => (body.srvrsp as Saved[])[0]!;
const amountOf = (index: number): string => `${1000 + index}.00`;

function plain(index: number): Members {
  return { ...PLAIN, particular_rows: [{ item: "Work", total_amount: amountOf(index) }] };
}

function series(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `INV-2627-${String(index + 1).padStart(5, "0")}`);
}

/** How many transactions have written a merchant's invoices. */
async function countCommits({ merchant }: Invoices): Promise<number> {
  const { rows } = await installation.pool.query<{ commits: number }>(
    `select count(distinct xmin::text)::integer as commits from journal
     where merchant_id = $1 and type = 'invoice.created'`,
    [merchant.id],
  );
  return rows[0]!.commits;
}

/** Lets a first save wait for a row that this test holds, and those of `ask` behind it, until all have arrived. */
async function behindOne(invoices: Invoices, ask: () => Promise<unknown>[]): Promise<unknown[]> {
  await invoices.add();
  let first: Promise<unknown> = Promise.resolve();
  let others: Promise<unknown>[] = [];
  await inTransaction(installation.pool, async (connection) => {
    const { bucket, merchantId } = await requireMerchant(connection, BigInt(invoices.merchant.id));
    await connection.query("select from number_counter where bucket = $1 and merchant_id = $2 for update", [
      bucket,
      merchantId,
    ]);
    first = invoices.add();
    await sleep(200);
    others = ask();
    await sleep(1500);
  });
  await first;
  return Promise.all(others);
}

test("200 saves at once get the next 200 numbers, each its own, in far fewer transactions", async () => {
  const invoices = await Invoices.ofNewMerchant(installation, { gstin: "" });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => invoices.save([plain(index)])));
  const saved = answers.map(savedOf);
  expect(saved.map(({ amount }) => amount)).toEqual(answers.map((_, index) => amountOf(index)));
  expect(saved.map((each) => each.invoice_number).toSorted()).toEqual(series(200));
  const { rows } = await installation.pool.query<{ number: string; paise: bigint }>(
    "select invoice_number as number, amount_paise as paise from invoice where merchant_id = $1",
    [invoices.merchant.id],
  );
  const kept = new Map(rows.map(({ number, paise }) => [number, paise]));
  for (const [index, each] of saved.entries()) {
    expect(kept.get(each.invoice_number)).toBe(BigInt(1000 + index) * 100n);
  }
  expect(await countCommits(invoices)).toBeLessThan(100);
});

test("bad ones among 60 at once are refused with what they would be refused with alone", async () => {
  const invoices = await Invoices.ofNewMerchant(installation);
  const bad = [
    { invoice: [{ ...PLAIN, customer_code: "Nobody" }], code: "customer_not_found", status: 404 },
    { invoice: [PLAIN, { ...PLAIN, franchise_id: "77" }], code: "franchise_not_found", status: 404 },
    { invoice: [{ ...PLAIN, ...numbered("INV-2627-00001") }], code: "invoice_number_reserved", status: 409 },
  ];
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => invoices.save(index % 4 === 3 ? [PLAIN] : bad[index % 4]!.invoice)),
  );
  const good = answers.filter(({ status }) => status === 200);
  expect(good.map((answer) => savedOf(answer).invoice_number).toSorted()).toEqual(series(15));
  for (const [index, { status, body }] of answers.entries()) {
    if (index % 4 === 3) continue;
    const { status: expected, code } = bad[index % 4]!;
    expect({ status, code: body.errcode }).toEqual({ status: expected, code });
  }
});

test("API and dashboard share one transaction, each in its own name, and of two with one number one is refused", async () => {
  const invoices = await Invoices.ofNewMerchant(installation);
  const browser = await Browser.signIn(installation, await newPerson(installation, invoices.merchant.id));
  const before = await countCommits(invoices);
  const asked = await behindOne(invoices, () => [
    invoices.save([PLAIN]),
    browser.post("/invoices", { request_key: "form-key-1", template_id: "", invoice: [PLAIN] }),
    invoices.save([{ ...PLAIN, ...numbered("OWN-7") }]),
    invoices.save([{ ...PLAIN, ...numbered("own-7") }]),
  ]);
  const [first, form, ...sameNumber] = asked as Answer[];
  expect([first!.status, form!.status]).toEqual([200, 200]);
  expect(sameNumber.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(sameNumber.find(({ status }) => status === 409)!.body.errcode).toBe("invoice_number_exists");
  // One for the invoice before, and one for all that waited for the row; each server has its own.
  if (SERVERS === 1) expect((await countCommits(invoices)) - before).toBe(2);
  const { rows } = await installation.pool.query<{ actor: string }>(
    "select actor from journal where merchant_id = $1 and type = 'invoice.created'",
    [invoices.merchant.id],
  );
  const kinds = rows.map(({ actor }) => actor.split(":")[0]);
  // With the two before them.
  expect(kinds.toSorted((a, b) => (a! < b! ? -1 : 1))).toEqual(["key", "key", "key", "key", "user"]);
});

test("twins by Idempotency-Key in one group save once", async () => {
  const invoices = await Invoices.ofNewMerchant(installation);
  const key = { "idempotency-key": "group" };
  const answers = (await behindOne(invoices, () => [
    invoices.save([PLAIN], key),
    invoices.save([PLAIN], key),
    invoices.save([plain(1)], key),
  ])) as Answer[];
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  // Through several servers the third may come before the twins, which are the other request then.
  const expected = [[200, 200, 409], ...(SERVERS > 1 ? [[200, 409, 409]] : [])];
  expect(expected).toContainEqual(statuses);
  const same = answers.filter(({ status }) => status === 200);
  for (const answer of same) expect(savedOf(answer)).toEqual(savedOf(same[0]!));
  expect(savedOf(await invoices.save([PLAIN])).invoice_number).toBe("INV-2627-00004");
});

test("a merchant that is suspended saves nothing more; what was accepted before is answered, and others go on", async () => {
  const invoices = await Invoices.ofNewMerchant(installation);
  const other = await Invoices.ofNewMerchant(installation);
  let answers: Promise<Answer>[] = [];
  await behindOne(invoices, () => {
    answers = Array.from({ length: 5 }, () => invoices.save([PLAIN]));
    return [nodal(installation.environment, "merchant", "set", "--merchant", invoices.merchant.id, "--suspend")];
  });
  for (const { status } of await Promise.all(answers)) expect([200, 403]).toContain(status);
  // A key's holder is remembered for 2 s.
  await sleep(2500);
  const late = await Promise.all(Array.from({ length: 5 }, () => invoices.save([PLAIN])));
  for (const { status, body } of late)
    expect({ status, code: body.errcode }).toEqual({ status: 403, code: "access_denied" });
  expect((await other.save([PLAIN])).status).toBe(200);
  const accepted = (await Promise.all(answers)).filter(({ status }) => status === 200).length;
  const { rowCount } = await installation.pool.query("select from invoice where merchant_id = $1", [
    invoices.merchant.id,
  ]);
  expect(rowCount).toBe(2 + accepted);
});

test("two processes number one merchant's invoices without gaps, beside subscriptions of both", async () => {
  const invoices = await Invoices.ofNewMerchant(installation);
  const through = (url: string, path: string, body: Members): Promise<Answer> =>
    send(url, "POST", path, { ...invoices.merchant.keys, ...body });
  const today = await settledToday();
  const dates = { start_date: today.toString(), due_date: today.add({ days: 10 }).toString() };
  const plan = { mode: "Monthly", repeat_every: "1", end_mode: "Never", carry_forword_dues: "0" };
  const subscription = { ...plan, ...dates, invoice: REPEATED };
  const urls = [installation.server.baseUrl, second.baseUrl];
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, index) =>
      index % 8 === 7
        ? through(urls[index % 2]!, SUBSCRIPTION_SAVE, subscription)
        : through(urls[index % 2]!, INVOICE_SAVE, { template_id: "", invoice: [PLAIN] }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const { rows } = await installation.pool.query<{ number: string; year: number }>(
    "select invoice_number as number, financial_year as year from invoice where merchant_id = $1",
    [invoices.merchant.id],
  );
  expect(rows).toHaveLength(80);
  for (const [, ofYear] of Map.groupBy(rows, ({ year }) => year)) {
    const numbers = ofYear.map(({ number }) => Number(number.slice(-5))).toSorted((a, b) => a - b);
    expect(numbers).toEqual(ofYear.map((_row, index) => index + 1));
  }
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
