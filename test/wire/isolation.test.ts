// Two merchants over real HTTP: neither sees, uses or disturbs what is the other's, on any endpoint.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectNoChange } from "../support/expect-wire.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";
import {
  INVOICE_CANCEL,
  INVOICE_DETAIL,
  INVOICE_SAVE,
  INVOICE_SETTLE,
  INVOICE_UPDATE,
  PAYMENT,
  PLAIN,
} from "../support/invoices.ts";
import { ask, CUSTOMER_DETAIL, CUSTOMER_LIST, CUSTOMER_SAVE, CUSTOMER_UPDATE } from "../support/merchant-wire.ts";
import { makeNeighbours } from "../support/neighbours.ts";
import { nodalJson } from "../support/nodal.ts";
import { REPEATED, SUBSCRIPTION_SAVE } from "../support/subscriptions.ts";

const INVOICE_LIST = "/api/v1/merchant/invoice/getlist";

let installation: Installation;
let owner: TestMerchant;
let stranger: TestMerchant;
let ownersBeneficiary: string;
let ownersTransfer: Members;
let ownersWithdrawal: Members;

beforeAll(async () => {
  installation = await Installation.start();
  // The wall in each query alone: that of the database is tested in tenants.test.ts.
  await installation.pool.query(`
    do $$ declare v_table text; begin
      for v_table in select relname from pg_class where relrowsecurity loop
        execute format('create policy no_wall on %I to nodal_tenant using (true)', v_table);
      end loop;
    end $$`);
  [owner, stranger] = await makeNeighbours(installation);
  ownersBeneficiary = await owner.addBeneficiary({ ...GOOD_ACCOUNT, upi: "success@upi" });
  const transfer = { beneficiary_id: ownersBeneficiary, amount: "100.00", reference_id: "owners" };
  ownersTransfer = (await owner.transfer(transfer)).body as Members;
  ownersWithdrawal = (await owner.withdraw({ amount: "50.00", reference_id: "owners-w" })).body as Members;
});
afterAll(() => installation.stop());

test("the list holds one's own beneficiaries only", async () => {
  expect((await stranger.list()).body).toStrictEqual({ success: [], status: "1", total_records: 0 });
  expect((await owner.list()).body).toMatchObject({ total_records: 1 });
});

test("the detail of another's account is not found", async () => {
  const detail = await stranger.post("/api/v1/beneficiary/detail", GOOD_ACCOUNT);
  expect(detail).toBeRefusal({ status: 404, code: "beneficiary_not_found" });
});

test("a transfer to another's beneficiary is refused just as one to nobody, and changes nothing for either", async () => {
  await expectNoChange(owner, () =>
    expectNoChange(stranger, async () => {
      for (const mode of ["banktransfer", "upi", ""]) {
        const body = { amount: "1.00", reference_id: "stolen", mode };
        const toOwners = await stranger.transfer({ ...body, beneficiary_id: ownersBeneficiary });
        expect(toOwners).toBeRefusal({ status: 404, code: "beneficiary_not_found" });
        const toNobody = await stranger.transfer({ ...body, beneficiary_id: "1" });
        expect(toOwners.body).toStrictEqual(toNobody.body);
      }
    }),
  );
});

test("another's transfer and withdrawal are not found by either id, just as none", async () => {
  const nothing = await stranger.status("transferid", "1");
  const ids = [
    ["transferid", ownersTransfer["transfer_id"]],
    ["transferid", ownersWithdrawal["withdrawal_id"]],
    ["referenceid", "owners"],
    ["referenceid", "owners-w"],
  ] as const;
  for (const [type, id] of ids) {
    const answer = await stranger.status(type, id as string);
    expect(answer).toBeRefusal({ status: 404, code: "transfer_not_found" });
    if (type === "transferid") expect(answer.body).toStrictEqual(nothing.body);
    expect((await owner.status(type, id as string)).status).toBe(200);
  }
});

test("the balance is one's own", async () => {
  expect(await owner.available()).toBe("850.00");
  expect(await stranger.available()).toBe("1000.00");
});

test("the same account, handle and reference are used by both without conflict", async () => {
  const one = await installation.newMerchant({ fund: "100.00", bank: GOOD_ACCOUNT });
  const two = await installation.newMerchant({ fund: "200.00", bank: GOOD_ACCOUNT });
  const answers = await Promise.all(
    [one, two].map(async (merchant) => {
      const beneficiary_id = await merchant.addBeneficiary({ ...GOOD_ACCOUNT, upi: "same@upi" });
      const transfer = await merchant.transfer({ beneficiary_id, amount: "10.00", reference_id: "same" });
      const withdrawal = await merchant.withdraw({ amount: "5.00", reference_id: "same-w" });
      return { beneficiary_id, transfer_id: transfer.body.transfer_id as string, withdrawal };
    }),
  );
  expect(answers[0]!.beneficiary_id).not.toBe(answers[1]!.beneficiary_id);
  expect(answers[0]!.transfer_id).not.toBe(answers[1]!.transfer_id);
  for (const [index, merchant] of [one, two].entries()) {
    const { body } = await merchant.status("referenceid", "same");
    expect(body.success.transfer.transferId).toBe(answers[index]!.transfer_id);
    expect(answers[index]!.withdrawal.status).toBe(200);
  }
  expect(await one.available()).toBe("85.00");
  expect(await two.available()).toBe("185.00");
});

test("one reference at the same time by two merchants makes one transfer for each", async () => {
  const one = await installation.newMerchant({ fund: "100.00" });
  const two = await installation.newMerchant({ fund: "100.00" });
  const to = new Map([
    [one, await one.addBeneficiary()],
    [two, await two.addBeneficiary()],
  ]);
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const merchant = index % 2 === 0 ? one : two;
      const body = { beneficiary_id: to.get(merchant), amount: "10.00", reference_id: "same" };
      return (await merchant.transfer(body)).body.transfer_id as string;
    }),
  );
  const idsOf = (parity: number) => new Set(answers.filter((_, index) => index % 2 === parity));
  expect([idsOf(0).size, idsOf(1).size, new Set(answers).size]).toEqual([1, 1, 2]);
  expect([await one.available(), await two.available()]).toEqual(["90.00", "90.00"]);
});

describe("what is billed", () => {
  let customerId: number;
  let franchiseId: string;
  let invoice: Record<string, string>;
  let templateId: string;
  const as = (merchant: TestMerchant, path: string, body: Members) => ask(installation, merchant, path, body);
  const written = async (merchant: TestMerchant, path: string, body: Members): Promise<Members[]> => {
    const { status, body: answered } = await as(merchant, path, body);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(answered)}`);
    return answered.srvrsp as Members[];
  };

  beforeAll(async () => {
    const customer = { customer_code: "C1", customer_name: "Asha Rao", customer_group: "Retail" };
    const [saved] = (await written(owner, CUSTOMER_SAVE, { customer: [customer] })) as unknown as Members[][];
    customerId = saved![0]!["customer_id"] as number;
    franchiseId = (await owner.post("/api/v1/franchise/save", FRANCHISE_LEAST)).body.franchise_id as string;
    const drafts = [{ ...PLAIN, franchise_id: franchiseId }];
    [invoice] = (await written(owner, INVOICE_SAVE, { template_id: "", invoice: drafts })) as [Record<string, string>];
    templateId = (await as(owner, INVOICE_DETAIL, { invoice_id: invoice["invoice_id"] })).body.srvrsp.template_id;
  });

  /** Everything of the owner's, as its own requests and the database show it. */
  async function owned(): Promise<unknown> {
    const { rows } = await installation.pool.query(
      `select
         (select array_agg(to_jsonb(customer) order by customer_id) from customer where merchant_id = $1) as customers,
         (select array_agg(to_jsonb(invoice) order by invoice_id) from invoice where merchant_id = $1) as invoices,
         (select array_agg(to_jsonb(franchise) order by franchise_id) from franchise where merchant_id = $1) as franchises,
         (select count(*)::text from settlement where merchant_id = $1) as settlements`,
      [owner.id],
    );
    return rows[0];
  }

  test("customers are found, listed and changed by their merchant only", async () => {
    const before = await owned();
    const detail = await as(stranger, CUSTOMER_DETAIL, { customer_code: "C1" });
    expect([detail.status, detail.body.errcode]).toEqual([404, "customer_not_found"]);
    for (const search of [
      { searchby: "name", keyword: "" },
      { searchby: "name", keyword: "Asha" },
      { searchby: "group", keyword: "Retail" },
    ]) {
      expect((await as(stranger, CUSTOMER_LIST, search)).body).toMatchObject({ srvrsp: [], total_records: 0 });
    }
    const changes = [{ customer_id: customerId, customer_name: "Stolen", customer_group: "Stolen" }];
    const update = await as(stranger, CUSTOMER_UPDATE, { customer: changes });
    expect([update.status, update.body.errcode]).toEqual([404, "customer_not_found"]);
    const billed = await as(stranger, INVOICE_SAVE, { template_id: "", invoice: [PLAIN] });
    expect(billed.status).toBe(404);
    expect(await owned()).toEqual(before);
  });

  test("invoices are found, listed, changed, settled and cancelled by their merchant only", async () => {
    const before = await owned();
    const { invoice_id } = invoice;
    for (const [path, body] of [
      [INVOICE_DETAIL, {}],
      [INVOICE_UPDATE, { invoice: { bill_cycle_name: "Stolen" } }],
      [INVOICE_SETTLE, { ...PAYMENT, amount: "1.00" }],
      [INVOICE_CANCEL, {}],
    ] as const) {
      const answer = await as(stranger, path, { ...body, invoice_id });
      expect([path, answer.status, answer.body.errcode]).toEqual([path, 404, "invoice_not_found"]);
    }
    for (const filter of [{}, { customer_code: "C1" }, { group: "Retail" }, { franchise_id: franchiseId }]) {
      const { body } = await as(stranger, INVOICE_LIST, filter);
      expect([filter, body.srvrsp, body.total_records]).toEqual([filter, [], 0]);
      expect((await as(owner, INVOICE_LIST, filter)).body).toMatchObject({ total_records: 1 });
    }
    expect(await owned()).toEqual(before);
  });

  test("templates and franchises are used and changed by their merchant only", async () => {
    const before = await owned();
    const customer = { customer_code: "C2", customer_name: "Ravi Kumar" };
    await written(stranger, CUSTOMER_SAVE, { customer: [customer] });
    const own = { ...PLAIN, customer_code: "C2" };
    const withTemplate = await as(stranger, INVOICE_SAVE, { template_id: templateId, invoice: [own] });
    expect(withTemplate.body.errcode).toBe("template_not_found");
    const repeat = { mode: "Yearly", repeat_every: "1", end_mode: "Never", carry_forword_dues: "0" };
    const dates = { start_date: "2026-11-01", due_date: "2026-11-11" };
    const repeated = { template_id: templateId, ...repeat, ...dates, invoice: { ...REPEATED, customer_code: "C2" } };
    expect((await as(stranger, SUBSCRIPTION_SAVE, repeated)).body.errcode).toBe("template_not_found");
    const foreign = { template_id: "", invoice: [{ ...own, franchise_id: franchiseId }] };
    expect((await as(stranger, INVOICE_SAVE, foreign)).body.errcode).toMatch(/franchise_not_found|validation_failed/);
    for (const action of ["update", "delete"]) {
      const body = { franchise_id: franchiseId, city: "Stolen" };
      const answer = await stranger.post(`/api/v1/franchise/${action}`, body);
      expect(answer, action).toBeRefusal({ status: 404, code: "franchise_not_found" });
    }
    expect(await owned()).toEqual(before);
  });
});

test("one's token is of no use with another's name in it", async () => {
  const parts = stranger.token.split(".");
  const authorization = `Bearer ${parts.with(0, owner.keys.access_key_id).join(".")}`;
  const answer = await installation.send("GET", "/api/v1/payout/balance", undefined, { authorization });
  expect(answer).toBeRefusal({ status: 401, code: "invalid_token" });
});

test("merchants made by the command line are as separate", async () => {
  type Seeded = { access_key_id: string; secret_access_key: string; beneficiary_id: string };
  const args = ["seed", "--merchants", "2", "--fund", "100.00"];
  const [one, two] = await nodalJson<Seeded[]>(installation.environment, ...args);
  const answer = await installation.send("POST", "/api/token", {
    access_key_id: one!.access_key_id,
    secret_access_key: one!.secret_access_key,
  });
  const headers = { authorization: `Bearer ${answer.body.success.token as string}` };
  const transfer = (beneficiary_id: string) =>
    installation.send(
      "POST",
      "/api/v1/beneficiary/transfer",
      { beneficiary_id, amount: "40.00", reference_id: "seeded" },
      headers,
    );
  expect(await transfer(two!.beneficiary_id)).toBeRefusal({ status: 404, code: "beneficiary_not_found" });
  expect((await transfer(one!.beneficiary_id)).body).toMatchObject({ transfer_status: "SUCCESS" });
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
