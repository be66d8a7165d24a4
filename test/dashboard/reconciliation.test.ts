// Reconciliation through the dashboard's API: a file is looked at and imported, its lines are listed and resolved, and
// who may. What belongs together is tested in src/reconciliation.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { paymentId } from "../../src/payouts/providers/payment-id.ts";
import { makeSharedAccount } from "../../src/reconciliation/testing.ts";
import { Browser, flatRefusal, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { send } from "../support/nodal.ts";

const STATEMENT = `Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance
20/11/26,NEFT CR-FUNDS,ICICN52026112000000001,20/11/26,,"1,000.00","1,000.00"
20/11/26,SMS CHARGES,,20/11/26,17.70,,982.30
21/11/26,CASH PAID,,21/11/26,2.30,,980.00
`;

let site: Installation;
let merchant: TestMerchant;
let accountant: Browser;
let owner: Browser;
let viewer: Browser;
let operator: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  merchant = await site.newMerchant();
  accountant = await Browser.signIn(site, await newPerson(site, merchant.id, "Accountant"));
  owner = await Browser.signIn(site, await newPerson(site, merchant.id, "Owner"));
  viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  operator = await Browser.signIn(site, await newPerson(site, null));
});
afterAll(() => site.stop());

/** Sends a statement as the browser does: the file itself is the body. */
async function sendFile(browser: Browser, path: string, text = STATEMENT): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${site.server.baseUrl}/api/v4${path}`, {
    method: "POST",
    body: text,
    headers: {
      "content-type": "text/csv",
      origin: site.server.baseUrl,
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "x-nodal-csrf": browser.csrfToken,
    },
  });
  return { status: response.status, body: flatRefusal(await response.json()) as unknown };
}

/** A payout to Uma Devi that the bank has paid. Returns its id. */
async function makePayout(amount: string, reference: string): Promise<string> {
  const payee = await merchant.addBeneficiary({
    name: "Uma Devi",
    account_number: "00011020001772",
    ifsc: "HDFC0000001",
  });
  const answer = await merchant.transfer({
    beneficiary_id: payee,
    amount,
    reference_id: reference,
    narrative: "Salary",
  });
  const id = String((answer.body as { transfer_id?: unknown }).transfer_id);
  expect(await merchant.recordWith("SUCCESS", id)).toMatchObject({ status: "SUCCESS" });
  return id;
}

type Line = { readonly line_id: string; readonly narration: string; readonly state: string };

async function linesOf(query = ""): Promise<Line[]> {
  return (await viewer.get(`/reconciliation?${query}`)).body.lines as Line[];
}

test("a file is looked at without being kept, then imported, and again without counting twice", async () => {
  const looked = await sendFile(accountant, "/reconciliation/preview?account=HDFC");
  expect(looked.body).toMatchObject({ format: "csv", line_count: 3, opening: "0.00", closing: "980.00" });
  expect((looked.body as { lines: unknown[] }).lines[1]).toEqual({
    file_line: 3,
    date: "2026-11-20",
    side: "out",
    amount: "17.70",
    reference: null,
    narration: "SMS CHARGES",
  });
  expect(await linesOf()).toEqual([]);
  const path = "/reconciliation/import?account=HDFC&file_name=day.csv";
  expect((await sendFile(accountant, path)).body).toMatchObject({ lines: 3, new_lines: 3, matched: 0, open: 3 });
  expect((await sendFile(accountant, path)).body).toMatchObject({ lines: 3, new_lines: 0, open: 3 });
  expect((await linesOf()).map(({ narration }) => narration)).toEqual(["NEFT CR-FUNDS", "SMS CHARGES", "CASH PAID"]);
  const bad = await sendFile(accountant, path, STATEMENT.replace("982.30", "1"));
  expect(bad).toMatchObject({ status: 400, body: { error: expect.stringContaining("Line 3, balance") as string } });
});

test("a file of which no date tells its order is asked about", async () => {
  const text = "Date,Narration,Ref No,Debit,Credit\n05/11/2026,Payout,R1,1.00,\n";
  const path = "/reconciliation/preview?account=Axis";
  const answer = (await sendFile(accountant, path, text)) as { status: number; body: { errors?: unknown } };
  expect(answer).toMatchObject({ status: 400 });
  expect(JSON.stringify(answer.body)).toContain("date_order");
  expect((await sendFile(accountant, `${path}&date_order=month-first`, text)).body).toMatchObject({
    lines: [{ date: "2026-05-11" }],
  });
});

test("lines come in pages, by state and by day, with what the day came to", async () => {
  const first = (await viewer.get("/reconciliation?limit=2")).body;
  const second = (await viewer.get(`/reconciliation?limit=2&after=${String(first["next"])}`)).body;
  expect([...(first.lines as Line[]), ...(second.lines as Line[])]).toEqual(await linesOf());
  // Lines may be as old as 1990; there is no year 0.
  expect(await viewer.get("/reconciliation?after=1999-12-31_5")).toMatchObject({ status: 200 });
  expect(await viewer.get("/reconciliation?after=0000-12-31_5")).toMatchObject({ status: 400 });
  const day = (await viewer.get("/reconciliation?account=HDFC&from=2026-11-20&to=2026-11-20")).body;
  expect(day).toMatchObject({
    accounts: ["HDFC"],
    day: { opening: "0.00", in: "1000.00", out: "17.70", closing: "982.30", gap: "0.00" },
  });
  expect(day.lines).toHaveLength(2);
  expect(await linesOf("state=matched")).toEqual([]);
  expect(await linesOf("account=Axis")).toEqual([]);
  const file = ((await viewer.get("/reconciliation.csv?state=missing_here")).body as unknown as string)
    .trim()
    .split("\r\n");
  expect(file).toHaveLength(4);
  expect(file[0]).toMatch(/^line_id,date,account,side,amount,reference,state/);
  expect(file.join()).not.toContain("SMS CHARGES");
});

test("a line is set aside with a reason, taken up again, matched, or booked by those who may credit", async () => {
  const [funds, charge] = await linesOf();
  const aside = { line_id: charge!.line_id, reason: "Bank charges" };
  expect((await viewer.post("/reconciliation/set-aside", aside)).status).toBe(403);
  expect((await accountant.post("/reconciliation/set-aside", aside)).status).toBe(200);
  expect((await linesOf())[1]).toMatchObject({ state: "noted", note: "Bank charges" });
  await accountant.post("/reconciliation/set-aside", { line_id: charge!.line_id });
  expect((await linesOf())[1]).toMatchObject({ state: "missing_here", note: null });
  const match = { line_id: charge!.line_id, with: "paid:1", reason: "Guessed" };
  expect(await accountant.post("/reconciliation/match", match)).toMatchObject({ status: 404 });
  expect((await accountant.post("/reconciliation/match", { ...match, with: "paid" })).status).toBe(400);
  // A statement is a file that anybody can write.
  const book = { line_id: funds!.line_id };
  expect((await accountant.post("/reconciliation/fund", book)).status).toBe(403);
  expect((await operator.post(`/merchants/${merchant.id}/reconciliation/fund`, book)).status).toBe(200);
  expect((await linesOf())[0]).toMatchObject({ state: "matched", matched_by: "utr" });
  expect(await merchant.available()).toBe("1000.00");
});

test("what a line may be matched with is listed for those who match, with names, and found by them", async () => {
  const paid = await makePayout("5.00", "salary-9");
  const text = "Date,Narration,Ref No,Debit,Credit\n20/11/2026,Salary,OTHER0001,5.00,\n";
  await sendFile(accountant, "/reconciliation/import?account=Payees&file_name=a.csv", text);
  const line = (await linesOf("account=Payees"))[0]!;
  const path = `/reconciliation/candidates?line_id=${line.line_id}`;
  const expected = { what: `paid:${paid}`, kind: "paid", amount: "5.00", name: "Uma Devi", reference: "salary-9" };
  expect((await accountant.get(path)).body).toMatchObject({ candidates: [expected] });
  for (const search of ["uma", "salary", "5"])
    expect((await accountant.get(`${path}&search=${search}`)).body).toMatchObject({ candidates: [expected] });
  expect((await accountant.get(`${path}&search=asha`)).body).toEqual({ candidates: [], recorded: [], suggestions: [] });
  expect((await viewer.get(path)).status).toBe(403);
  expect((await operator.get(`/merchants/${merchant.id}${path}`)).body).toMatchObject({ candidates: [expected] });
  const other = await site.newMerchant();
  const stranger = await Browser.signIn(site, await newPerson(site, other.id));
  expect((await stranger.get(path)).status).toBe(404);
  expect((await accountant.get("/reconciliation/candidates?line_id=1")).status).toBe(404);
  const match = { line_id: line.line_id, with: expected.what, reason: "Asked the bank" };
  expect((await accountant.post("/reconciliation/match", match)).status).toBe(200);
  expect((await accountant.get(path)).status).toBe(400);
});

test("another merchant sees none of it", async () => {
  const other = await site.newMerchant();
  const stranger = await Browser.signIn(site, await newPerson(site, other.id));
  expect((await stranger.get("/reconciliation")).body).toMatchObject({ lines: [], accounts: [] });
  const [line] = await linesOf("state=missing_here");
  const aside = { line_id: line!.line_id, reason: "Not mine" };
  expect((await stranger.post("/reconciliation/set-aside", aside)).status).toBe(404);
  expect((await send(site.server.baseUrl, "GET", "/api/v4/reconciliation")).status).toBe(401);
});

test("an id of a payment over the installation's accounts is known to the merchant's people", async () => {
  const tag = await makeSharedAccount(site.pool);
  const { bucket, merchantId } = await requireMerchant(site.pool, BigInt(merchant.id));
  const id = paymentId(tag, { bucket, merchantId, transferId: 4711n });
  const text = `Date,Narration,Ref No,Debit,Credit\n22/11/2026,Payout,${id},1.00,\n`;
  const path = "/reconciliation/import?account=Cashfree&file_name=payouts.csv";
  expect(await sendFile(accountant, path, text)).toMatchObject({ status: 200 });
  const { rows } = await site.pool.query("select payment_of from statement_line where reference = $1", [id]);
  expect(rows).toEqual([{ payment_of: 4711n }]);
});

test("a fee in a file waits for an operator, who books it and takes it back; matches are undone by who may match", async () => {
  const beneficiary_id = await merchant.addBeneficiary();
  const sent = await merchant.transfer({ beneficiary_id, amount: "100.00", reference_id: "FEE-1" });
  const utr = String((await merchant.recordWith("SUCCESS", sent.body.transfer_id as string))["utr"]);
  const text = `Date,Narration,Ref No,Debit,Credit\n23/11/2026,Payout,${utr},100.00,\n23/11/2026,Service charges,${utr},5.90,\n`;
  const before = await merchant.available();
  expect(await sendFile(accountant, "/reconciliation/import?account=Axis", text)).toMatchObject({ status: 200 });
  expect(await merchant.available()).toBe(before);
  const find = async () =>
    (await linesOf("account=Axis")) as (Line & Record<"difference" | "match_id" | "fee_id", string>)[];
  const [, fee] = await find();
  expect(fee).toMatchObject({ state: "different", difference: "fee" });
  const ofMerchant = `/merchants/${merchant.id}/reconciliation`;
  const book = { line_id: fee!.line_id };
  for (const person of [viewer, accountant, owner])
    expect((await person.post("/reconciliation/book-fee", book)).status).toBe(403);
  expect(await merchant.available()).toBe(before);
  expect((await operator.post(`${ofMerchant}/book-fee`, book)).status).toBe(200);
  expect(Number(before) - Number(await merchant.available())).toBeCloseTo(5.9, 5);
  expect((await operator.post(`${ofMerchant}/book-fee`, book)).status).toBe(400);
  const [payment, booked] = await find();
  const undo = { matches: [{ match_id: payment!.match_id }], reason: "Wrong payment" };
  expect((await viewer.post("/reconciliation/undo", undo)).status).toBe(403);
  expect((await accountant.post("/reconciliation/undo", undo)).body).toEqual({ undone: 1 });
  expect((await accountant.post("/reconciliation/undo", undo)).body).toEqual({ undone: 0 });
  const back = { fee_id: booked!.fee_id, reason: "Not our fee" };
  for (const person of [viewer, accountant, owner])
    expect((await person.post("/reconciliation/undo-fee", back)).status).toBe(403);
  expect((await operator.post(`${ofMerchant}/undo-fee`, back)).body).toEqual({ undone: 1 });
  expect((await operator.post(`${ofMerchant}/undo-fee`, back)).body).toEqual({ undone: 0 });
  expect(await merchant.available()).toBe(before);
  expect((await find()).map(({ difference }) => difference)).toEqual(["undone", "undone"]);
});

test("afterwards the books are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
