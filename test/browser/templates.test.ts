// Templates in the dashboard: made with numbers of their own, changed in every part, looked at while somebody types.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
const LOGO = { name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from(SVG) };

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let manager: Person;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  manager = await newPerson(site, invoices.merchant.id, "Manager");
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function openAs(person: Person, path: string, options: Parameters<TestBrowser["open"]>[1] = {}) {
  const api = await Browser.signIn(site, person);
  const opened = await browser.open(path, { ...options, as: api });
  return { api, opened, page: opened.page };
}

async function look(opened: TestPage, name: string): Promise<void> {
  await opened.pictures(name);
  expect(await opened.findProblems(), name).toEqual([]);
}

test("a manager makes a template, and sees what it will look like while typing", async () => {
  const { api, opened, page } = await openAs(manager, "/templates");
  await page.getByRole("link", { name: "Tax invoice" }).waitFor();
  await look(opened, "templates");
  await page.getByRole("link", { name: "New template" }).click();
  const sample = page.frameLocator("iframe");
  await sample.getByText("Asha Traders").first().waitFor();
  await opened.pictures("template-new");
  const prefix = page.getByRole("textbox", { name: "Invoice number prefix" });
  await prefix.fill("INV-{FY}-");
  await page.getByText("First invoice number: INV-2627-00001").waitFor();
  await page.getByText(/next CN-2627-00001/).waitFor();
  await page.getByRole("textbox", { name: "Credit note number prefix" }).fill("RC/{FY}/");
  await page.getByText("First credit note number: RC/2627/00001").waitFor();
  await page.getByRole("textbox", { name: "Name" }).first().fill("Retail");
  await page.getByRole("textbox", { name: "Terms" }).fill("Pay within a month.");
  await sample.getByText("Pay within a month.").scrollIntoViewIfNeeded();
  await page.getByRole("textbox", { name: "Terms" }).fill("Pay within a week.");
  await sample.getByText("Pay within a week.").waitFor();
  // The sample that is shown anew stays scrolled to where somebody looked.
  await expect.poll(() => sample.locator("body").evaluate((body) => body.getBoundingClientRect().top)).toBeLessThan(0);

  await page.getByRole("button", { name: "Add field" }).click();
  await page.getByRole("group", { name: "Field 1" }).getByLabel("Label").fill("Vehicle no");
  await page.getByRole("button", { name: "Add field" }).click();
  const second = page.getByRole("group", { name: "Field 2" });
  await second.getByLabel("Label").fill("Shipped on");
  await second.getByLabel("Type").selectOption("Date");
  await second.getByLabel("Label").press("Alt+ArrowUp");
  // The field that was moved is in focus where it is now: what is typed elsewhere before would go there.
  await page.getByRole("group", { name: "Field 1" }).locator("input:focus").waitFor();
  await page.getByRole("group", { name: "Field 2" }).getByLabel("Default value").fill("KA-01-1234");
  await sample.getByText("KA-01-1234").waitFor();
  await page.getByRole("button", { name: "Add item" }).click();
  const row = page.getByRole("group", { name: "Item 1" });
  await row.getByLabel("Item", { exact: true }).fill("Tea");
  await row.getByLabel("GST %").fill("5");
  await row.getByLabel("Amount").fill("1,00,000.50");
  await sample.getByText("1,05,000.52").first().waitFor();
  await page.locator('input[type="file"]').setInputFiles(LOGO);
  await sample.locator("header img").waitFor();

  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("another number series can produce the same numbers").waitFor();
  await look(opened, "template-refused");
  await prefix.fill("R/{FY}/");
  await sample.getByText("R/2627/00001").first().waitFor();
  await page.getByRole("button", { name: "Save" }).dblclick();
  await page.getByRole("heading", { level: 1, name: "Retail" }).waitFor();
  expect((await api.get("/templates")).body.templates).toHaveLength(2);
  await page.context().close();
});

test("a manager changes every part; what was issued before stays", async () => {
  const { api, opened, page } = await openAs(manager, "/templates");
  await page.getByRole("link", { name: "Retail" }).click();
  await page.getByRole("button", { name: "Make default" }).click();
  await page.getByRole("button", { name: "Make default" }).waitFor({ state: "hidden" });
  const issued = await invoices.add();
  expect(issued["invoice_number"]).toBe("R/2627/00001");
  const before = await invoices.read(issued["invoice_id"]);
  expect(before["custom_header_fields"]).toMatchObject([{ name: "Shipped on" }, { name: "Vehicle no" }]);

  await page.reload();
  const sample = page.frameLocator("iframe");
  const company = page.locator("section").filter({ has: page.getByRole("heading", { name: "Company details" }) });
  await company.getByLabel("GSTIN").fill("27AAAC");
  await page.getByText("The preview appears once the form is complete.").waitFor();
  await sample.getByText("R/2627/00002").first().waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await company.getByText("Enter a GSTIN or UIN of 15 characters").waitFor();
  await opened.pictures("template-changed-badly");
  await company.getByLabel("GSTIN").fill("27AAACI1234K1Z5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The check digit of GSTIN 27AAACI1234K1Z5 is wrong").waitFor();
  await company.getByLabel("GSTIN").fill("27AAACI1234K1ZR");
  await company.getByLabel("Name").fill("Asha Stores");
  await sample.getByText("Asha Stores").first().waitFor();
  await page.getByRole("button", { name: "Remove field 1" }).click();
  await page.getByRole("button", { name: "Remove item 1" }).click();
  await page.getByLabel(/^Enter tax lines/).check();
  const tax = page.getByRole("group", { name: "Tax line 1" });
  await tax.getByLabel("Name").fill("Cess");
  await tax.getByLabel("Rate (%)").fill("1");
  await tax.getByLabel("Taxable amount").fill("1000");
  await sample.getByText("Cess 1%").waitFor();
  // A picture that is refused is named where it was chosen, before the form is sent.
  const logo = page.getByRole("group", { name: "Logo" });
  const scripted = { ...LOGO, buffer: Buffer.from(SVG.replace("<rect", "<script")) };
  await page.locator('input[type="file"]').setInputFiles(scripted);
  await logo.getByText("Must be an SVG without scripts").waitFor();
  expect(await logo.getByText("will be saved with the template").count()).toBe(0);
  await opened.pictures("template-logo-refused");
  await page.locator('input[type="file"]').setInputFiles(LOGO);
  await logo.getByText("logo.svg will be saved with the template.").waitFor();
  expect(await logo.getByRole("alert").count()).toBe(0);
  await page.getByRole("button", { name: "Remove logo" }).click();

  // Somebody else changes another part meanwhile.
  const path = new URL(page.url()).pathname;
  expect((await api.put(path, { terms: "Pay at once." })).status).toBe(200);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Template saved.", { exact: true }).waitFor();
  const { template } = (await api.get(path)).body;
  expect(template).toMatchObject({
    name: "Retail",
    terms: "Pay at once.",
    has_logo: false,
    particular_rows: [],
    header_fields: [{ id: "2", name: "Vehicle no", type: "text", value: "KA-01-1234" }],
    tax_rows: [{ name: "Cess", percentage: "1.00", applicable_on: "1000.00" }],
    company: { name: "Asha Stores", gstin: "27AAACI1234K1ZR", city: "" },
  });
  await look(opened, "template");
  expect(await invoices.read(issued["invoice_id"])).toEqual(before);
  const publicPage = await (await fetch(issued["short_url"]!)).text();
  expect([publicPage.includes("Asha Traders"), publicPage.includes("Asha Stores")]).toEqual([true, false]);
  await page.context().close();
});

test("a viewer on a phone sees a template, and changes nothing, by direct request either", async () => {
  const viewer = await newPerson(site, invoices.merchant.id, "Viewer");
  const { api, opened, page } = await openAs(viewer, "/templates", { size: "phone", mode: "dark" });
  await page.getByRole("link", { name: "Tax invoice" }).click();
  await page.frameLocator("iframe").getByText("INV-2627-00001").first().waitFor();
  expect(await page.getByRole("button", { name: /Save|logo|default/ }).count()).toBe(0);
  await opened.picture("template-viewer-phone-dark");
  expect(await opened.findProblems()).toEqual([]);
  await page.context().close();
  const path = `/templates/${invoices.templateId}`;
  const draft = { request_key: "form-0001", name: "Mine", prefix: "M-", yearly: 1 };
  const answers = await Promise.all([
    api.put(path, { name: "Mine" }),
    api.post(`${path}/default`, {}),
    api.post("/templates/preview", {}),
    api.get("/session/templates/form"),
    api.post("/templates", draft),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  const owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const logo = Buffer.from(SVG.replace("<rect", "<script")).toString("base64");
  for (const answer of [await owner.put(path, { logo }), await owner.post("/templates", { ...draft, logo })]) {
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, "logo"]);
  }
  const wrong = await owner.post("/templates/preview", { template_id: "1" });
  expect([wrong.status, wrong.body.code]).toEqual([404, "template_not_found"]);
  expect((await owner.get(path)).body.template).toMatchObject({ name: "Tax invoice", has_logo: false });
  // A PAN is for those who may see such data.
  expect((await owner.put(path, { company: { pan: "AAACI1234K" } })).status).toBe(200);
  const pans = await Promise.all([owner, api].map(async (each) => (await each.get(path)).body.template.company.pan));
  expect(pans).toEqual(["AAACI1234K", "XXXX234K"]);
});
