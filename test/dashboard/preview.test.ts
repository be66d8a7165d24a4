// What the dashboard says of a payout before it is asked for, beside what becomes of it when it is.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

type Preview = {
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly terms: Readonly<Record<string, unknown>> | null;
};

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
let payee: string;

beforeAll(async () => {
  site = await Installation.shared();
  merchant = await site.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  payee = await merchant.addBeneficiary();
  const policy = { approve_over: "500.00", transfer_limit: "900.00", daily_limit: "950.00" };
  await owner.put("/payout-policy", policy);
});
afterAll(() => site?.stop());

async function preview(amount: string, beneficiary = payee): Promise<Preview> {
  const { status, body } = await owner.get(`/transfers/preview?beneficiary_id=${beneficiary}&amount=${amount}`);
  expect(status).toBe(200);
  return body as Preview;
}

test("a payout that fits says over which rail it goes, and what will be left", async () => {
  expect(await preview("400.00")).toEqual({
    refusal: null,
    terms: {
      mode: "IMPS",
      available: "1000.00",
      left: "600.00",
      left_today: "950.00",
      needs_approval: false,
      approve_over: "500.00",
    },
  });
});

test("one that waits for a second person says so, and then waits", async () => {
  expect((await preview("500.01")).terms).toMatchObject({ needs_approval: true });
  expect((await preview("500.00")).terms).toMatchObject({ needs_approval: false });
  const asked = await owner.post("/transfers", { beneficiary_id: payee, amount: "500.01", reference_id: "P-WAITS" });
  expect(asked.body.status).toBe("PENDING_APPROVAL");
});

test.each([
  ["901.00", "limit_exceeded"],
  ["499.98", "limit_exceeded"],
])("%s is refused as the payout itself is, and nothing is held for it", async (amount, code) => {
  const before = await merchant.available();
  const said = await preview(amount);
  expect(said.refusal?.code).toBe(code);
  const asked = await owner.post("/transfers", { beneficiary_id: payee, amount, reference_id: `P-${amount}` });
  expect([asked.status, asked.body.code, asked.body.error]).toEqual([422, code, said.refusal?.message]);
  expect(await merchant.available()).toBe(before);
});

test("a payee that there is not is said, and a withdrawal is judged alike", async () => {
  expect((await preview("1.00", "999999")).refusal?.code).toBe("beneficiary_not_found");
  const { body } = await owner.get("/withdrawals/preview?amount=400.00");
  expect(body).toMatchObject({ refusal: null, terms: { left: "99.99", needs_approval: false } });
  const more = await owner.get("/withdrawals/preview?amount=449.99");
  expect(more.body).toMatchObject({ refusal: null, terms: { left: "50.00" } });
});
