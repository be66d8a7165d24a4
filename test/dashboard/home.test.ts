// The first page's sums through the dashboard's API. How the page shows them is test/browser/home.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

/** Sums are kept for a hundred times as long as they took, which on a busy machine is long. */
const KEPT = { timeout: 180_000 };

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.start();
  merchant = await site.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});
afterAll(() => site.stop());

async function days() {
  const { body } = await owner.get("/session/home/balance-days");
  return (body as { days: Record<"in" | "out" | "balance", string>[] }).days;
}

test("the balance by day follows the statement, whether its days are summed or kept", async () => {
  const pay = async (amount: string, reference_id: string) => {
    const made = await owner.post("/transfers", { beneficiary_id: await beneficiary, amount, reference_id });
    expect(made.status).toBe(200);
  };
  const back = "update journal set created_at = created_at - interval '3 days' where merchant_id = $1";
  await site.pool.query(back, [merchant.id]);
  const beneficiary = merchant.addBeneficiary();
  await pay("100.00", "FIRST");
  const nothing = { in: "0.00", out: "0.00" };
  const earlier = [
    { ...nothing, balance: "0.00" },
    { in: "1000.00", out: "0.00", balance: "1000.00" },
    { ...nothing, balance: "1000.00" },
    { ...nothing, balance: "1000.00" },
  ];
  const summed = await days();
  expect(summed).toHaveLength(30);
  expect(summed.slice(-5)).toMatchObject([...earlier, { in: "0.00", out: "100.00", balance: "900.00" }]);

  await pay("50.00", "SECOND");
  await expect.poll(async () => (await days()).at(-1), KEPT).toMatchObject({ out: "150.00", balance: "850.00" });
  expect((await days()).slice(-5, -1)).toMatchObject(earlier);
  expect((await owner.get("/session/home/balances")).body).toMatchObject({ available: "850.00" });
});

test("a business is new until it has money or an invoice", async () => {
  const other = await site.newMerchant();
  const newcomer = await Browser.signIn(site, await newPerson(site, other.id));
  expect((await newcomer.get("/session/home/start")).body).toMatchObject({ is_new: true });
  expect((await owner.get("/session/home/start")).body).toMatchObject({ is_new: false });
  expect((await newcomer.get("/session/home/waiting")).body).toMatchObject({
    unmatched_lines: { missing_here: 0, different: 0 },
    gst_problems: { count: 0 },
  });
});
