// Opening balances in the dashboard: one entered on a customer's page, changed, paid on and cancelled; and a file of them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** An owner of a merchant that has the customer C1, Asha Rao. */
async function newOwner() {
  const { merchant } = await Invoices.ofNewMerchant(site);
  const api = await Browser.signIn(site, await newPerson(site, merchant.id));
  const [{ customer_id: id }] = (await api.get("/customers?search=C1")).body["customers"] as [{ customer_id: string }];
  return { api, merchant, customer: `/customers/${id}` };
}
const openingsOf = async (api: Browser) => (await api.get("/opening-balances")).body["opening_balances"] as object[];

test("one is entered on the customer's page, changed, and cancelled on its own", async () => {
  const { api, customer } = await newOwner();
  const opened = await browser.open(customer, { as: api });
  const { page } = opened;
  await opened.chooseMore("Add opening balance");
  const dialog = page.getByRole("dialog");
  const fill = (name: RegExp, value: string) => dialog.getByRole("textbox", { name }).fill(value);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Required.").first().waitFor();
  await fill(/^Amount owed/, "1,500");
  await fill(/^As of/, "1 Apr 2026");
  await fill(/^Reference/, "TALLY/88");
  await fill(/^Note/, "Three bills of last year");
  await opened.pictures("opening-balance-dialog");
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Opening balance", exact: true }).waitFor();
  expect(await openingsOf(api)).toMatchObject([{ date: "2026-04-01", amount: "1500.00", reference: "TALLY/88" }]);
  await page.getByRole("button", { name: /^More actions/ }).click();
  await page.getByRole("menuitem", { name: "Edit" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Add opening balance" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  expect(await browser.lookAt(opened, "customer-with-opening-balance")).toEqual([]);

  await page.getByRole("link", { name: "Opening balance", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: /^Opening balance OB_R/ }).waitFor();
  await page.getByRole("button", { name: /^More actions/ }).click();
  await page.getByRole("menuitem", { name: "Edit" }).waitFor();
  for (const name of ["Issue credit note", "Duplicate"]) {
    expect(await page.getByRole("menuitem", { name, exact: true }).count()).toBe(0);
  }
  expect(await opened.findProblems()).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  expect(await browser.lookAt(opened, "opening-balance")).toEqual([]);
  await opened.chooseMore("Edit");
  await fill(/^Amount owed/, "1,200.50");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("₹1,200.50").first().waitFor();
  expect(await openingsOf(api)).toMatchObject([{ amount: "1200.50", note: "Three bills of last year" }]);

  await opened.chooseMore("Cancel opening balance");
  await dialog.getByText("You can add another afterwards", { exact: false }).waitFor();
  await dialog.getByRole("button", { name: "Cancel opening balance" }).click();
  await page.getByText("Opening balance cancelled.").waitFor();
  expect(await openingsOf(api)).toMatchObject([{ status: "Cancelled" }]);
  await opened.goTo(customer);
  await page.getByRole("button", { name: /^More actions/ }).click();
  await page.getByRole("menuitem", { name: "Add opening balance" }).waitFor();
  await page.context().close();
});

test("a file is checked by line, and its good lines are saved", async () => {
  const { api } = await newOwner();
  await api.post("/customers", { request_key: "customer-2", customer_code: "C2", customer_name: "Ravi Stores" });
  const opened = await browser.open("/customers", { as: api });
  const { page } = opened;
  await page.getByRole("button", { name: "More actions: Customers" }).click();
  await page.getByRole("menuitem", { name: "Opening balance" }).click();
  await page.getByText("Download sample file").waitFor();
  const lines = [
    "customer_code,date,amount,reference",
    "C1,2026-04-01,1500,T/1",
    "C2,2026-04-01,20,T/2",
    "C9,2026-04-01,5,",
  ];
  const buffer = Buffer.from(lines.join("\r\n"));
  await page.locator("input[type=file]").setInputFiles({ name: "dues.csv", mimeType: "text/csv", buffer });
  await page.getByText("2 rows ready to import").waitFor();
  await page.getByText("1 row with errors").waitFor();
  await page.getByText(/no customer has this code/).waitFor();
  await opened.pictures("opening-balances-checked");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "Import 2 opening balances" }).click();
  await page.getByText("2 opening balances imported").waitFor();
  expect(await openingsOf(api)).toMatchObject([{ reference: "T/2" }, { reference: "T/1" }]);
  await page.context().close();
});

test("Hindi names it in Hindi, on a phone", async () => {
  const { api, customer } = await newOwner();
  const opened = await browser.open(customer, { as: api, size: "phone", language: "hi" });
  await opened.chooseMore("शुरुआती बकाया जोड़ें");
  await opened.page.getByRole("dialog").getByText("बकाया राशि").waitFor();
  await opened.picture("opening-balance-dialog-hi");
  expect(await opened.findProblems()).toEqual([]);
  await opened.page.context().close();
});
