// Templates in the dashboard: made with numbers of their own, changed, given a logo, made the default.
// What belongs here: the walk through the pages, and what a role without the permission may not do by a request either.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
beforeAll(async () => {
  site = await Installation.start();
  browser = await TestBrowser.start(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
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
  await opened.picture(name);
  expect(await opened.findProblems(), name).toEqual([]);
}

test("a manager makes a template, sees a sample of it, gives it a logo, and makes it the default", async () => {
  const { opened, page } = await openAs(await newPerson(site, invoices.merchant.id, "Manager"), "/templates");
  await page.getByRole("link", { name: "Tax invoice" }).waitFor();
  await look(opened, "templates");
  await page.getByRole("link", { name: "Add a template" }).click();
  await page.getByRole("textbox", { name: "What numbers begin with" }).fill("INV-{FY}-");
  await page.getByText("The first number will be like INV-2627-00001").waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Retail");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("another number series can write the same numbers").waitFor();
  await look(opened, "template-refused");
  await page.getByRole("textbox", { name: "What numbers begin with" }).fill("R/{FY}/");
  await page.getByRole("textbox", { name: "Terms" }).fill("Pay within a week.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Retail" }).waitFor();
  const sample = page.frameLocator("iframe");
  await sample.getByText("R/2627/00001").first().waitFor();
  await sample.getByText("Pay within a week.").waitFor();
  await page.getByRole("textbox", { name: "Terms" }).fill("Pay at once.");
  await page.getByRole("button", { name: "Save" }).click();
  await sample.getByText("Pay at once.").waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose a logo" }).click(),
  ]);
  await chooser.setFiles({ name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from(SVG) });
  await page.getByRole("button", { name: "Remove the logo" }).waitFor();
  await page.getByRole("button", { name: "Make it the default" }).click();
  await page.getByRole("button", { name: "Make it the default" }).waitFor({ state: "hidden" });
  await look(opened, "template");
  const saved = await invoices.add();
  expect(saved["invoice_number"]).toBe("R/2627/00001");
  await page.context().close();
});

test("a viewer on a phone sees a template, and changes nothing, by direct request either", async () => {
  const viewer = await newPerson(site, invoices.merchant.id, "Viewer");
  const { api, opened, page } = await openAs(viewer, "/templates", { size: "phone", mode: "dark" });
  await page.getByRole("link", { name: "Tax invoice" }).click();
  await page.frameLocator("iframe").getByText("INV-2627-00001").first().waitFor();
  expect(await page.getByRole("button", { name: /Save|logo|default/ }).count()).toBe(0);
  await look(opened, "template-phone-dark");
  await page.context().close();
  const path = `/templates/${invoices.templateId}`;
  const answers = await Promise.all([
    api.put(path, { name: "Mine" }),
    api.post(`${path}/default`, {}),
    api.delete(`${path}/logo`),
    api.post("/templates", { name: "Mine", prefix: "M-", yearly: 1 }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  const owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  const script = await owner.post(`${path}/logo`, SVG.replace("<rect", "<script"), { "content-type": "image/svg+xml" });
  expect([script.status, script.body.errors[0].field]).toEqual([400, "logo"]);
});
