// TDS claims by API and command: docs/accounts.md#tds-claims
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { nodalJson, type Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

type Body = Answer["body"];

const REASON = "Not in Form 26AS";
const PAID = { paid_date: "2026-06-10", mode: "NEFT" };

let site: Installation;
let shop: Invoices;
let owner: Browser;
let call: Raw;
let customer_id: string;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  shop = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  call = rawOf(site, owner);
  customer_id = (await call("GET", "/customers")).body.customers[0].customer_id;
});
afterAll(() => site?.stop());

const bill = async (): Promise<string> => (await shop.add())["invoice_id"]!;
/** A payment of 90.00 and 10.00 of TDS, and its id. */
async function pay(invoice_id: string, members: object = {}): Promise<string> {
  const { status, body } = await shop.settle({
    invoice_id,
    amount: "90.00",
    tds_amount: "10.00",
    tds_code: "194J",
    ...PAID,
    ...members,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.srvrsp.transaction_id;
}
const list = async (query = ""): Promise<Body[]> => (await call("GET", `/tds-claims${query}`)).body.tds_claims;
const certify = (id: string, certificate_number: string): Promise<Answer> =>
  call("POST", `/tds-claims/${id}/certificate`, { certificate_number });
const putBack = (id: string, headers: Record<string, string> = {}): Promise<Answer> =>
  call("POST", `/tds-claims/${id}/put-back`, { reason: REASON }, headers);
const due = async (id: string): Promise<unknown> => (await shop.read(id))["due_amount"];
async function trial(account: string, query = ""): Promise<string> {
  const { body } = await call("GET", `/reports/trial-balance${query}`);
  const { debit, credit } = body.accounts.find((each: Body) => each.account === account);
  return debit === "0.00" && credit !== "0.00" ? `-${credit}` : debit;
}
const refusal = ({ status, body }: Answer): unknown[] => [status, body.error?.code];
const sound = async () => expect(await site.findProblems()).toEqual([]);

test("are listed by quarter, customer and status, also as CSV; a certificate is entered and corrected", async () => {
  const june = await pay(await bill());
  const july = await pay(await bill(), { paid_date: "2026-07-01" });
  await shop.pay(await bill(), "50.00");
  expect(await list("?quarter=2026-27-Q1")).toEqual([
    {
      claim_id: june,
      quarter: "2026-27-Q1",
      status: "missing",
      customer_id,
      customer_code: "C1",
      customer_name: "Asha Rao",
      date: "2026-06-10",
      invoice_id: expect.stringMatching(/^R/),
      receipt_id: "",
      document_number: expect.stringContaining("INV"),
      amount: "90.00",
      tds_amount: "10.00",
      tds_code: "194J",
      certificate_number: "",
      put_back_at: "",
      put_back_reason: "",
    },
  ]);
  expect((await certify(july, "ABCDEFG")).body.tds_claim).toMatchObject({ claim_id: july, status: "received" });
  expect((await certify(july, "ABCDEFH")).status).toBe(200);
  expect(await list("?status=received")).toMatchObject([{ claim_id: july, certificate_number: "ABCDEFH" }]);
  expect(await list("?status=missing")).toMatchObject([{ claim_id: june }]);
  expect(await list(`?customer_id=${customer_id}`)).toHaveLength(2);
  expect(await list("?customer_id=1")).toEqual([]);
  const first = (await call("GET", "/tds-claims?limit=1")).body;
  const second = (await call("GET", `/tds-claims?limit=1&after=${first.next}`)).body;
  expect([...first.tds_claims, ...second.tds_claims].map(({ claim_id }: Body) => claim_id)).toEqual([june, july]);
  expect(second.next).toBeNull();
  const { body: csv } = await owner.get("/tds-claims.csv?quarter=2026-27-Q2");
  expect(String(csv).split("\r\n").slice(1)).toEqual([
    expect.stringMatching(/^2026-27-Q2,C1,Asha Rao,2026-07-01,INV[^,]*,90.00,10.00,194J,received,ABCDEFH,$/),
    "",
  ]);
  const { entries } = (await call("GET", "/audit?type=tds_claim.certified")).body;
  expect(entries.map(({ before, after }: Body) => [before, after])).toEqual([
    [{ certificate_number: "ABCDEFG" }, { certificate_number: "ABCDEFH" }],
    [{ certificate_number: "" }, { certificate_number: "ABCDEFG" }],
  ]);
  expect((await certify(july, "")).body.tds_claim.status).toBe("missing");
  await sound();
});

test("a payment's is put back to due: the money stays paid on its day, and the books say so from today", async () => {
  const id = await bill();
  const claim = await pay(id);
  await call("PUT", "/book-settings", { locked_until: "2026-06-30" });
  const { status, body } = await putBack(claim);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.tds_claim).toMatchObject({ claim_id: claim, status: "put_back", put_back_reason: REASON });
  expect(await due(id)).toBe("10.00");
  const { settlements } = (await call("GET", `/invoices/${id}`)).body;
  expect(settlements.at(-1)).toMatchObject({ paid_date: "2026-06-10", amount: "90.00", tds_amount: "0.00" });
  const accounts = async (query = "") =>
    Promise.all(["bank", "tds_receivable", "receivable"].map((account) => trial(account, query)));
  expect(await accounts()).toEqual(["90.00", "0.00", "10.00"]);
  expect(await accounts("?as_of=2026-07-31")).toEqual(["90.00", "10.00", "0.00"]);
  expect(await list("?status=put_back")).toMatchObject([{ claim_id: claim }]);
  expect(refusal(await putBack(claim))).toEqual([409, "tds_claim_put_back"]);
  expect(refusal(await certify(claim, "ABCDEFG"))).toEqual([409, "tds_claim_put_back"]);
  await shop.settle({ invoice_id: id, amount: "10.00", ...PAID, paid_date: "2026-07-20" });
  expect(await due(id)).toBe("0.00");
  await sound();
});

test("tax without money, and that of a receipt over several invoices with an advance, are put back", async () => {
  const alone = await bill();
  await shop.settle({ invoice_id: alone, amount: "90.00", ...PAID });
  const taxOnly = await call("POST", "/receipts", {
    customer_id,
    date: "2026-06-11",
    mode: "NEFT",
    amount: "170.00",
    tds_amount: "20.00",
    allocations: [
      { invoice_id: await bill(), amount: "70.00", tds_amount: "10.00" },
      { invoice_id: alone, amount: "5.00", tds_amount: "5.00" },
    ],
  });
  expect(taxOnly.status, JSON.stringify(taxOnly.body)).toBe(200);
  const { receipt_id } = taxOnly.body.receipt;
  const { body } = await putBack(receipt_id);
  expect(body.tds_claim).toMatchObject({ receipt_id, status: "put_back", tds_amount: "20.00", quarter: "2026-27-Q1" });
  expect(await due(alone)).toBe("5.00");
  const { receipts } = (await call("GET", "/receipts")).body;
  expect(receipts).toMatchObject([
    { status: "Recorded", date: "2026-06-11", amount: "170.00", tds_amount: "0.00", advance_amount: "95.00" },
    { status: "Reversed", reversal_reason: REASON },
  ]);
  expect([await trial("bank"), await trial("tds_receivable")]).toEqual(["260.00", "0.00"]);
  expect([await trial("advances"), await trial("receivable")]).toEqual(["-95.00", "35.00"]);
  await sound();
});

test("a hundred at once put it back once, and the same key is answered again", async () => {
  const [id, other] = [await bill(), await bill()];
  const [claim, keyed] = [await pay(id), await pay(other)];
  const answers = await Promise.all(Array.from({ length: 100 }, () => putBack(claim)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.flatMap(({ status, body }) => (status === 200 ? [] : [body.error.code])))).toEqual(
    new Set(["tds_claim_put_back"]),
  );
  expect(await due(id)).toBe("10.00");
  const same = await Promise.all(Array.from({ length: 20 }, () => putBack(keyed, { "idempotency-key": "once" })));
  expect(new Set(same.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await due(other)).toBe("10.00");
  expect(await trial("tds_receivable")).toBe("0.00");
  await sound();
});

test("bad input, reversed payments and claims of others are refused", async () => {
  const id = await bill();
  const claim = await pay(id);
  expect((await call("GET", "/tds-claims?quarter=2026-28-Q1")).status).toBe(400);
  expect((await call("GET", "/tds-claims?quarter=2026-27-Q5")).status).toBe(400);
  expect((await call("POST", `/tds-claims/${claim}/put-back`, {})).status).toBe(400);
  expect((await certify(claim, "A".repeat(31))).status).toBe(400);
  expect(refusal(await putBack("12345"))).toEqual([404, "tds_claim_not_found"]);
  const plain = (await shop.pay(await bill(), "50.00"))["transaction_id"]!;
  expect(refusal(await putBack(plain))).toEqual([404, "tds_claim_not_found"]);
  const other = await Invoices.ofNewMerchant(site);
  const stranger = rawOf(site, await Browser.signIn(site, await newPerson(site, other.merchant.id)));
  for (const path of ["put-back", "certificate"]) {
    const asked = await stranger("POST", `/tds-claims/${claim}/${path}`, { reason: REASON, certificate_number: "A" });
    expect([path, ...refusal(asked)]).toEqual([path, 404, "tds_claim_not_found"]);
  }
  const viewer = rawOf(site, await Browser.signIn(site, await newPerson(site, shop.merchant.id, "Viewer")));
  expect((await viewer("POST", `/tds-claims/${claim}/put-back`, { reason: REASON })).status).toBe(403);
  await call("POST", `/invoices/${id}/payments/${claim}/reverse`, { reason: "Bounced" });
  expect(refusal(await putBack(claim))).toEqual([409, "settlement_reversed"]);
  expect(await list()).toEqual([]);
  await sound();
});

test("commands list them, enter certificates and put back", async () => {
  const id = await bill();
  const claim = await pay(id);
  const tds = (...args: string[]) => nodalJson<Body>(site.environment, "tds", ...args, "--merchant", shop.merchant.id);
  expect(await tds("list", "--quarter", "2026-27-Q1")).toMatchObject([{ claim_id: claim, tds_amount: "10.00" }]);
  expect(await tds("certificate", "--claim", claim, "--number", "ABCDEFG")).toMatchObject({ status: "received" });
  expect(await tds("put-back", "--claim", claim, "--reason", REASON)).toMatchObject({ status: "put_back" });
  expect(await due(id)).toBe("10.00");
});
