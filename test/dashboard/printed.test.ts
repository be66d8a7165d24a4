// The merchant's bank account on paper and pages: docs/rules/invoicing.md#bank-details.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices, PLAIN } from "../support/invoices.ts";
import { nodalJson } from "../support/nodal.ts";
import { readPdf } from "../support/pdf.ts";

const ACCOUNT = "50100012345678";
const BANK = { bankAccount: ACCOUNT, ifsc: "HDFC0000789", bankHolder: "Asha Traders LLP" };
const DETAILS = /Asha Traders LLP.*50100012345678.*HDFC0000789/s;

let site: Installation;
let invoices: Invoices;
let owner: Browser;
let designer: Browser;
beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site, BANK);
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const permissions = ["templates.view", "templates.manage", "invoices.view", "invoices.manage"];
  await owner.post("/roles", { name: "Designer", permissions });
  designer = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Designer"));
});
afterAll(() => site.stop());

/** What the customer of an invoice sees: its page, and its PDF. */
async function seen({ short_url: url }: { readonly short_url: string }) {
  const page = await (await fetch(new URL(new URL(url).pathname, site.server.baseUrl))).text();
  const pdf = await fetch(new URL(`${new URL(url).pathname}/pdf`, site.server.baseUrl));
  return { page, pdf: (await readPdf(new Uint8Array(await pdf.arrayBuffer()))).pages.join(" ") };
}

async function save(): Promise<{ short_url: string; invoice_id: string }> {
  return (await invoices.save([PLAIN])).body.srvrsp[0] as { short_url: string; invoice_id: string };
}

test("nobody's account number is printed unasked, and only who may see it has it printed", async () => {
  const invoice = await save();
  const path = `/templates/${invoices.templateId}`;
  for (const text of Object.values(await seen(invoice))) expect(text).not.toContain(ACCOUNT);
  const refused = { status: 403, body: { code: "access_denied" } };
  const payoutRequest = { print_bank_account: 1 };
  const draft = { ...payoutRequest, request_key: "printed-1", name: "Own", prefix: "OWN-", yearly: 1 };
  expect(await designer.put(path, payoutRequest)).toMatchObject(refused);
  expect(await designer.post("/templates", draft)).toMatchObject(refused);
  expect(
    await designer.post("/templates/preview", { ...payoutRequest, template_id: invoices.templateId }),
  ).toMatchObject(refused);
  expect((await owner.get(path)).body.template).toMatchObject({ print_bank_account: false });
  for (const text of Object.values(await seen(invoice))) expect(text).not.toContain(ACCOUNT);

  const preview = await owner.post("/templates/preview", { ...payoutRequest, template_id: invoices.templateId });
  expect(preview.body.html).toMatch(DETAILS);
  expect((await owner.put(path, payoutRequest)).body.template).toMatchObject({ print_bank_account: true });
  for (const text of Object.values(await seen(invoice))) expect(text).toMatch(DETAILS);
  const [change] = (await owner.get(`/audit?subject=${invoices.templateId}`)).body.entries as object[];
  expect(change).toMatchObject({ type: "template.changed" });

  // Who may not turn it on may turn it off, and change the rest meanwhile.
  expect((await designer.put(path, { terms: "Pay soon." })).status).toBe(200);
  expect((await designer.put(path, { print_bank_account: 0 })).status).toBe(200);
  for (const text of Object.values(await seen(invoice))) expect(text).not.toContain(ACCOUNT);
  await owner.put(path, payoutRequest);
});

test("what is paid shows no account, and the answers of the merchants' API are as they were", async () => {
  const invoice = await save();
  const [paid] = (await invoices.save([PLAIN])).body.srvrsp as { short_url: string; invoice_id: string }[];
  await invoices.pay(paid!.invoice_id, "100.00");
  for (const text of Object.values(await seen(paid!))) expect(text).not.toContain(ACCOUNT);
  for (const text of Object.values(await seen(invoice))) expect(text).toMatch(DETAILS);
  expect(JSON.stringify(await invoices.read(invoice.invoice_id))).not.toContain(ACCOUNT);
});

test("a template with it is made on the command line too", async () => {
  const args = ["--merchant", invoices.merchant.id, "--name", "Bank", "--prefix", "B-", "--print-bank-account"];
  expect(await nodalJson(site.environment, "template", "create", ...args)).toMatchObject({ prints_bank_account: true });
});

test("afterwards the books are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
