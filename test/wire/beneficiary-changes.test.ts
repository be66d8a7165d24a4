// Beneficiaries that change or are deactivated, through dashboard, command and API of a running server. What it means
// for approvals: src/approvals/deactivated-payees.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { nodal, nodalJson } from "../support/nodal.ts";
import { untilAllKnow } from "../support/proxied-servers.ts";

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
let references = 0;

beforeAll(async () => {
  site = await Installation.shared();
  merchant = await site.newMerchant({ fund: "1000.00" });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});
afterAll(() => site.stop());

function pay(beneficiary_id: string) {
  references += 1;
  return merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: `r-${references}` });
}

const listed = async () => (await merchant.list()).body.success as Members[];
const command = (...args: string[]) =>
  nodalJson<Record<string, unknown>>(site.environment, "beneficiary", ...args, "--merchant", merchant.id);

test("deactivated in the dashboard it can't be paid from then on, and its account is a new beneficiary's", async () => {
  const first = await merchant.addBeneficiary();
  for (let round = 0; round < 3; round += 1) expect((await pay(first)).status).toBe(200);
  const ended = await owner.post(`/beneficiaries/${first}/deactivate`);
  expect(ended.status).toBe(200);
  await untilAllKnow();
  expect(await pay(first)).toBeRefusal({ status: 422, code: "beneficiary_not_approved" });
  expect(await listed()).toMatchObject([{ beneficiary_id: first, beneficiary_status: "DEACTIVATED" }]);
  const gone = await merchant.post("/api/v1/beneficiary/detail", GOOD_ACCOUNT);
  expect(gone).toBeRefusal({ status: 404, code: "beneficiary_not_found" });
  const second = await merchant.addBeneficiary();
  expect((await pay(second)).body).toMatchObject({ transfer_status: "SUCCESS" });
  expect((await owner.get(`/beneficiaries/${first}`)).body).toMatchObject({ approval: "deactivated" });
});

test("deactivated by a command it can't be paid two seconds later, however often it was paid until then", async () => {
  const payee = await merchant.addBeneficiary({ account_number: "50100012345678", ifsc: "HDFC0001234" });
  expect((await pay(payee)).status).toBe(200);
  expect(await command("deactivate", "--beneficiary", payee)).toMatchObject({ status: "deactivated" });
  const deadline = performance.now() + 2000;
  while (performance.now() < deadline) {
    await pay(payee);
    await sleep(150);
  }
  expect(await pay(payee)).toBeRefusal({ status: 422, code: "beneficiary_not_approved" });
});

test("its contact is changed by dashboard and command, each field by itself, and shown everywhere", async () => {
  const payee = await merchant.addBeneficiary({ account_number: "50100099999999", ifsc: "HDFC0001234" });
  const contact = { email_id: "rajeev@example.com", mobile: "9730946150", city: "Pune" };
  expect((await owner.put(`/beneficiaries/${payee}`, contact)).status).toBe(200);
  const after = await command("set", "--beneficiary", payee, "--mobile", "", "--pincode", "411038");
  expect(after).toMatchObject({ ...contact, mobile: "", pincode: "411038", account_number: "XXXX9999" });
  const record = (await listed()).find(({ beneficiary_id }) => beneficiary_id === payee);
  expect(record).toMatchObject({ ...contact, mobile: "", zipcode: "411038", bank_account_no: "50100099999999" });
  const wrong = await owner.put(`/beneficiaries/${payee}`, { email_id: "no at sign", mobile: "12" });
  expect([wrong.status, wrong.body.errors]).toMatchObject([400, [{ field: "email_id" }, { field: "mobile" }]]);
  const refused = await nodal(
    site.environment,
    "beneficiary",
    "set",
    "--merchant",
    merchant.id,
    "--beneficiary",
    payee,
  );
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Nothing to change")]);
  const found = await nodalJson<Members[]>(
    site.environment,
    "beneficiary",
    "list",
    "--merchant",
    merchant.id,
    "--search",
    "9999",
  );
  expect(found).toMatchObject([{ beneficiary_id: payee, status: "approved" }]);
});

test("people who may only look change nothing", async () => {
  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  const payee = await merchant.addBeneficiary({ upi: "asha@upi" });
  expect((await viewer.put(`/beneficiaries/${payee}`, { city: "Pune" })).status).toBe(403);
  expect((await viewer.post(`/beneficiaries/${payee}/deactivate`)).status).toBe(403);
  expect((await pay(payee)).status).toBe(200);
});

test("the books and seals are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
