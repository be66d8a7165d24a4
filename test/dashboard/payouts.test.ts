// Payouts through the dashboard's API: lists and their filters, what somebody may, and money that moves once. How pages
// show it is test/browser/payouts.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findMerchant, type Merchant } from "../../src/merchants/index.ts";
import { collectStatementLines, readPayoutDays } from "../../src/payouts/index.ts";
import { formatRupees } from "../../src/platform/indian-format.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { nodal } from "../support/nodal.ts";
import { readPdf } from "../support/pdf.ts";

const BAD_ACCOUNT = { account_number: "2640101002729", ifsc: "CNRR0002640" };
const TRANSFERS = 7;

type Row = {
  readonly transfer_id: string;
  readonly reference_id: string;
  readonly utr: string;
  readonly added_at: string;
};

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
let viewer: Browser;
let good: string;
let bad: string;

beforeAll(async () => {
  site = await Installation.start();
  merchant = await site.newMerchant({ fund: "10000.00", bank: GOOD_ACCOUNT });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  good = await merchant.addBeneficiary();
  bad = await merchant.addBeneficiary({ ...BAD_ACCOUNT, name: "Ravi Kumar" });
  for (let each = 1; each <= TRANSFERS; each += 1) await pay(good, `${each}00.00`, `REF-${each}`);
  await pay(bad, "55.50", "REF-BAD");
  await owner.post("/withdrawals", { amount: "10.00", reference_id: "W-1" });
});
afterAll(() => site.stop());

function pay(beneficiary_id: string, amount: string, reference_id: string) {
  return owner.post("/transfers", { beneficiary_id, amount, reference_id });
}

async function references(query: string): Promise<string[]> {
  const { body } = await owner.get(`/transfers?${query}`);
  return (body.transfers as Row[]).map((row) => row.reference_id);
}

async function rowOf(reference: string): Promise<Row> {
  const { body } = await owner.get(`/transfers?search=${reference}`);
  return (body.transfers as Row[])[0]!;
}

describe("the list of payouts", () => {
  const newestFirst = Array.from({ length: TRANSFERS }, (_, index) => `REF-${TRANSFERS - index}`);

  test("has all, the newest first, and in pages the same", async () => {
    expect(await references("")).toEqual(["W-1", "REF-BAD", ...newestFirst]);
    const paged: string[] = [];
    let next: string | null = "";
    while (next !== null) {
      const { body } = await owner.get(`/transfers?limit=2${next && `&after=${next}`}`);
      paged.push(...(body.transfers as Row[]).map((row) => row.reference_id));
      next = body.next as string | null;
    }
    expect(paged).toEqual(["W-1", "REF-BAD", ...newestFirst]);
    expect(await references("sort=added_at&limit=3")).toEqual(["REF-1", "REF-2", "REF-3"]);
  });

  test.each([
    ["search=REF-3", ["REF-3"]],
    ["search=ravi", ["REF-BAD"]],
    [`search=${BAD_ACCOUNT.account_number}%20${BAD_ACCOUNT.ifsc}`, ["REF-BAD"]],
    ["amount=300", ["REF-3"]],
    ["amount_from=599.99&amount_to=700", ["REF-7", "REF-6"]],
    ["status=FAILED", ["REF-BAD"]],
    ["status=REVERSED", []],
    ["kind=commission", []],
    ["from=2020-01-01&to=2020-12-31", []],
    ["search=nobody", []],
  ])("%s", async (query, wanted) => {
    expect(await references(query)).toEqual(wanted);
  });

  test("is searched by UTR, id, beneficiary and day", async () => {
    const { utr, transfer_id, added_at } = await rowOf("REF-5");
    expect(await references(`search=${utr}`)).toEqual(["REF-5"]);
    expect(await references(`search=${transfer_id}`)).toEqual(["REF-5"]);
    expect(await references(`beneficiary_id=${bad}`)).toEqual(["REF-BAD"]);
    const day = added_at.slice(0, 10);
    expect(await references(`from=${day}&to=${day}`)).toHaveLength(TRANSFERS + 2);
  });

  test("payouts of later days come in pages too, the next day first", async () => {
    const day = (days: number) => Temporal.Now.plainDateISO("Asia/Kolkata").add({ days }).toString();
    const payoutRequests = [3, 2, 2, 5, 1].map((days, index) => ({
      scheduled_for: day(days),
      reference_id: `LATER-${index}`,
    }));
    for (const payoutRequest of payoutRequests)
      await owner.post("/transfers", { beneficiary_id: good, amount: "1.00", ...payoutRequest });
    const pages: string[][] = [];
    for (let after: string | null = ""; after !== null;) {
      const { body }: { body: Members } = await viewer.get(`/scheduled-payouts?limit=2${after && `&after=${after}`}`);
      pages.push((body.payouts as Row[]).map((row) => row.reference_id));
      after = body.next as string | null;
    }
    expect(pages).toEqual([["LATER-4", "LATER-1"], ["LATER-2", "LATER-0"], ["LATER-3"]]);
    const wrong = await owner.get("/scheduled-payouts?after=2026-02-30_5");
    expect([wrong.status, wrong.body.code]).toEqual([400, "validation_failed"]);
    for (const { reference_id } of payoutRequests) await owner.post("/scheduled-payouts/cancel", { reference_id });
  });

  test("refuses a place that there can't be", async () => {
    for (const path of ["/transfers?sort=added_at", "/withdrawals?limit=9"]) {
      const answer = await owner.get(`${path}&after=9999999999999999999`);
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, "validation_failed"]);
    }
  });

  test("refuses what is no filter, naming it", async () => {
    const answer = await owner.get("/transfers?amount_from=much&status=LOST");
    expect(answer.status).toBe(400);
    expect((answer.body.errors as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      "amount_from",
      "status",
    ]);
  });

  test("is had as CSV, with the same filters; withdrawals have a list of their own", async () => {
    const csv = await owner.get(`/transfers.csv?beneficiary_id=${good}`);
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = (csv.body as string).trim().split("\r\n");
    expect(lines).toHaveLength(TRANSFERS + 1);
    expect(lines[1]).toContain("XXXX1191");
    expect(csv.body as string).not.toContain(GOOD_ACCOUNT.account_number);
    const { body } = await owner.get("/withdrawals");
    expect((body.transfers as Row[]).map((row) => row.reference_id)).toEqual(["W-1"]);
  });
});

describe("one payout", () => {
  test("comes with its entries, and with who asked for it from where", async () => {
    const { transfer_id } = await rowOf("REF-BAD");
    const { body } = await owner.get(`/transfers/${transfer_id}`);
    expect(body).toMatchObject({ status: "FAILED", amount: "55.50", account_number: BAD_ACCOUNT.account_number });
    expect((body.entries as { kind: string }[]).map(({ kind }) => kind)).toEqual(["reserve", "failed"]);
    expect(body.events).toMatchObject([
      { type: "transfer.accepted", actor: expect.stringMatching(/^user:/) as string, address: "127.0.0.1" },
      { type: "transfer.failed", actor: "bank" },
    ]);
  });

  test("of another merchant is not found", async () => {
    const other = await site.newMerchant({});
    const stranger = await Browser.signIn(site, await newPerson(site, other.id));
    const { transfer_id } = await rowOf("REF-1");
    expect((await stranger.get(`/transfers/${transfer_id}`)).body).toMatchObject({ code: "transfer_not_found" });
    expect((await stranger.get(`/beneficiaries/${good}`)).body).toMatchObject({ code: "beneficiary_not_found" });
    expect((await stranger.get("/transfers?search=REF-1")).body.transfers).toEqual([]);
  });

  test("is asked for twice and paid once", async () => {
    const before = await merchant.available();
    const [first, second] = await Promise.all([pay(good, "12.00", "TWICE"), pay(good, "12.00", "TWICE")]);
    expect(first.body.transfer_id).toBe(second.body.transfer_id);
    const { body } = await owner.get("/session/home/balances");
    expect(BigInt(before.replace(".", "")) - BigInt((body.available as string).replace(".", ""))).toBe(1200n);
  });
});

test("the list narrows to all whose money came back, as Home counts them", async () => {
  const { body } = await viewer.get("/transfers?status=FAILED_OR_REVERSED");
  expect(body.transfers.map(({ reference_id }: Row) => reference_id)).toEqual(["REF-BAD"]);
  expect((await viewer.get("/session/home/waiting")).body.returned_payouts).toBe("1");
});

describe("the advice of a payout", () => {
  const adviceOf = async (reference: string) => {
    const { transfer_id, utr } = await rowOf(reference);
    const { status, headers, bytes } = await viewer.getFile(`/transfers/${transfer_id}/pdf`);
    expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"]);
    return { utr, text: (await readPdf(bytes)).pages.join(" ") };
  };

  test("says what was paid to whom, by whom, with the end of the account alone", async () => {
    const { utr, text } = await adviceOf("REF-7");
    for (const words of [
      "₹700.00 Rupees Seven Hundred Only Paid The bank has paid this amount.",
      "Paid by Wire Traders Payee Asha Rao Account number XXXX1191",
      `UTR ${utr} Reference REF-7`,
      "Sandbox: no real money has moved.",
    ]) {
      expect(text).toContain(words);
    }
    expect(text).not.toContain(GOOD_ACCOUNT.account_number);
  });

  test("of one that failed is refused, here and by the command", async () => {
    const { transfer_id } = await rowOf("REF-BAD");
    const answer = await viewer.get(`/transfers/${transfer_id}/pdf`);
    expect([answer.status, answer.body.code]).toEqual([409, "transfer_not_paid"]);
    expect(answer.body.error).toContain("was not paid");
    const args = ["transfer", "advice", "--merchant", merchant.id, "--transfer", String(transfer_id), "--out", "-"];
    const { code, stderr } = await nodal(site.environment, ...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining("was not paid")]);
  });

  test("of none there is, there is none", async () => {
    expect((await viewer.getFile("/transfers/1/pdf")).status).toBe(404);
  });
});

describe("who may only look", () => {
  test("sees ends of accounts, and can't pay, withdraw, add or decide", async () => {
    const { transfer_id } = await rowOf("REF-1");
    expect((await viewer.get(`/transfers/${transfer_id}`)).body.account_number).toBe("XXXX1191");
    expect((await viewer.get(`/beneficiaries/${good}`)).body.account_number).toBe("XXXX1191");
    const before = await merchant.available();
    for (const [path, permission] of [
      ["/transfers", "payouts.transfer"],
      ["/withdrawals", "payouts.withdraw"],
      ["/beneficiaries", "beneficiaries.manage"],
      ["/approvals/1/approve", "approvals.decide"],
    ] as const) {
      const answer = await viewer.post(path, { amount: "1.00", beneficiary_id: good, reference_id: "V-1" });
      expect(answer.status).toBe(403);
      expect(answer.body.error).toContain(permission);
    }
    expect(await merchant.available()).toBe(before);
  });
});

describe("the statement", () => {
  type Line = {
    readonly line_no: string;
    readonly description: string;
    readonly reference: string;
    readonly debit: string | null;
    readonly credit: string | null;
    readonly balance: string;
    readonly entries: readonly { readonly kind: string }[];
  };
  const paiseOf = (amount: string | null) => BigInt((amount ?? "0").replace(".", ""));

  test("goes back in pages from the balance of now to nothing, as the file says, a line for each payout", async () => {
    const lines: Line[] = [];
    let next: string | null = "";
    while (next !== null) {
      const { body } = await owner.get(`/statement?limit=5${next && `&after=${next}`}`);
      lines.push(...(body.lines as Line[]));
      next = body.next as string | null;
      expect(body.opening).toEqual({ available: "0.00", ledger: "0.00" });
    }
    expect(lines[0]!.balance).toBe(await merchant.available());
    // After the creation of the merchant and of its key.
    expect(lines.at(-1)).toMatchObject({ line_no: "3", credit: "10000.00", balance: "10000.00", entries: [] });
    let balance = 0n;
    for (const { debit, credit, balance: left } of lines.toReversed()) {
      balance += (credit === null ? 0n : paiseOf(credit)) - (debit === null ? 0n : paiseOf(debit));
      expect(paiseOf(left)).toBe(balance);
    }
    const paid = lines.filter(({ reference }) => reference === "REF-2");
    expect(paid).toMatchObject([{ debit: "200.00", credit: null }]);
    expect(paid[0]!.description).toBe("Transfer to Asha Rao, account XXXX1191: paid by IMPS");
    expect(paid[0]!.entries.map(({ kind }) => kind)).toEqual(["reserve", "success"]);
    const refused = lines.filter(({ reference }) => reference === "REF-BAD");
    expect(refused.map(({ debit, credit }) => [debit, credit])).toEqual([
      [null, "55.50"],
      ["55.50", null],
    ]);
    expect(refused[1]!.entries.map(({ kind }) => kind)).toEqual(["reserve", "failed"]);

    const file = ((await owner.get("/statement.csv")).body as string).trim().split("\r\n");
    expect(file[0]).toBe("date,description,reference,transfer_id,utr,debit,credit,balance");
    const ends = lines.toReversed().map(({ debit, credit, balance: left }) => [debit ?? "", credit ?? "", left].join());
    expect(file.slice(1).map((line) => line.split(",").slice(-3).join())).toEqual(ends);
  });

  test("is had as PDF, whose totals are those of its lines", async () => {
    const { headers, bytes } = await owner.getFile("/statement/pdf");
    expect(headers.get("content-disposition")).toContain("statement.pdf");
    const [page] = (await readPdf(bytes)).pages;
    const available = formatRupees(paiseOf(await merchant.available()));
    expect(page).toMatch(/OPENING BALANCE ₹0\.00 DEBITS ₹[0-9,.]+ CREDITS ₹10,055\.50 CLOSING BALANCE /);
    expect(page).toContain(`${available} Date Description Debit (₹) Credit (₹) Balance (₹) Opening balance 0.00`);
    expect(page).toContain("Transfer to Asha Rao, account XXXX1191: paid by IMPS Ref. REF-7");
    expect(page).not.toContain(GOOD_ACCOUNT.account_number);
    expect((await owner.get("/statement/pdf?from=2030-01-02&to=2030-01-01")).status).toBe(400);
  });

  test("of more lines than a PDF holds is refused with what to do instead", async () => {
    const context = { pool: site.pool, merchant: (await findMerchant(site.pool, BigInt(merchant.id)))! };
    const period = { from: null, to: null };
    const most = (await collectStatementLines(context, period)).lines.length;
    expect((await collectStatementLines(context, period, most)).lines).toHaveLength(most);
    await expect(collectStatementLines(context, period, most - 1)).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining("choose a shorter period") as string,
    });
  });

  test("of days without lines begins and ends with the same balance", async () => {
    const { body } = await owner.get("/statement?from=2030-01-01&to=2030-01-31");
    expect(body.lines).toEqual([]);
    expect(body.opening).toEqual(body.closing);
    expect((body.closing as { available: string }).available).toBe(await merchant.available());
    expect((await owner.get("/statement?from=2030-01-02&to=2030-01-01")).status).toBe(400);
  });
});

test("beneficiaries are found by the end of the account, the whole of it, name and handle", async () => {
  const upi = await owner.post("/beneficiaries", { name: "Meera Iyer", upi: "success@upi", mobile: "9876543210" });
  const found = async (search: string): Promise<string[]> => {
    const { body } = await owner.get(`/beneficiaries?search=${encodeURIComponent(search)}`);
    return (body.beneficiaries as { beneficiary_id: string }[]).map(({ beneficiary_id }) => beneficiary_id);
  };
  expect(await found("1191")).toEqual([good]);
  expect(await found(`${GOOD_ACCOUNT.account_number} ${GOOD_ACCOUNT.ifsc.toLowerCase()}`)).toEqual([good]);
  expect(await found("kumar")).toEqual([bad]);
  expect(await found("SUCCESS@upi")).toEqual([upi.body.beneficiary_id]);
  expect(await found("98765")).toEqual([upi.body.beneficiary_id]);
  expect(await found(good)).toEqual([good]);
  const first = await owner.get("/beneficiaries?limit=2");
  expect(first.body.beneficiaries).toHaveLength(2);
  const rest = await owner.get(`/beneficiaries?limit=2&after=${first.body.next as string}`);
  expect(rest.body).toMatchObject({ beneficiaries: [{ beneficiary_id: good }], next: null });
});

test("the first page's sums say what today's payouts came to, and what waits", async () => {
  const { today } = (await owner.get("/session/home/balances")).body as { today: Record<string, object> };
  expect(today).toMatchObject({
    accepted: { count: String(TRANSFERS + 3), amount: "2877.50" },
    returned: { count: "1", amount: "55.50" },
  });
  expect((await owner.get("/session/home/waiting")).body).toMatchObject({ approvals: 0, returned_payouts: "1" });
  expect((await owner.get("/session/home/billing")).body).toMatchObject({ overdue: { count: "0", amount: "0.00" } });
});

test("days that are over are summed once, and anew for another time zone", async () => {
  const { pool } = site;
  const known = (await findMerchant(pool, BigInt(merchant.id)))!;
  const moveBack = (days: number) =>
    pool.query("update journal set created_at = created_at - make_interval(days => $2) where merchant_id = $1", [
      merchant.id,
      days,
    ]);
  const accepted = async (of: Merchant): Promise<[number, bigint][]> =>
    (await readPayoutDays({ pool, merchant: of }, 30)).flatMap(({ acceptedPaise }, index) =>
      acceptedPaise > 0n ? [[29 - index, acceptedPaise]] : [],
    );
  const [[, today]] = (await accepted(known)) as [[number, bigint]];
  await pool.query("delete from payout_day_sum");
  await moveBack(3);
  const threeDaysAgo = [[3, today]];
  expect(await accepted(known)).toEqual(threeDaysAgo);
  await moveBack(4);
  expect(await accepted(known)).toEqual(threeDaysAgo);
  expect(await accepted({ ...known, timeZone: "Asia/Dubai" })).toEqual([[7, today]]);
  const { rows } = await pool.query("select distinct time_zone from payout_day_sum");
  expect(rows).toEqual([{ time_zone: "Asia/Dubai" }]);
});

test("payouts among very many entries about other things are on the first page, from both ends", async () => {
  const busy = await site.newMerchant({ fund: "100.00" });
  const browser = await Browser.signIn(site, await newPerson(site, busy.id));
  const beneficiary_id = await busy.addBeneficiary();
  /** 60,000 entries that move no money: more than one request goes through. */
  const addOthers = async (): Promise<void> => {
    await site.pool.query(
      `insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor)
       select bucket, merchant_id, last_entry_no + n, 'invoice.created', 8000000000000000 + n, now(), 'key:x'
       from ledger_book, generate_series(1, 60000) as n where merchant_id = $1`,
      [busy.id],
    );
    await site.pool.query("update ledger_book set last_entry_no = last_entry_no + 60000 where merchant_id = $1", [
      busy.id,
    ]);
  };
  await addOthers();
  for (const reference_id of ["AMONG-1", "AMONG-2"]) {
    await busy.transfer({ beneficiary_id, amount: "1.00", reference_id });
  }
  await addOthers();
  for (const [query, expected] of [
    ["", ["AMONG-2", "AMONG-1"]],
    ["sort=added_at", ["AMONG-1", "AMONG-2"]],
    ["status=SUCCESS", ["AMONG-2", "AMONG-1"]],
  ] as const) {
    const { body } = await browser.get(`/transfers?${query}`);
    expect([query, (body.transfers as Row[]).map((row) => row.reference_id)]).toEqual([query, expected]);
  }
});
