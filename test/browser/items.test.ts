// Items in the dashboard: one made, changed, archived and restored; a file with a wrong line; and what a viewer sees.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const PEN = { item_code: "PEN-01", name: "Ball pen", sac_code: "9608", unit: "NOS", unit_price: "10.00", gst: "18" };

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ name: "Asha Traders" });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function openAs(path: string, { id }: TestMerchant, role?: string, options = {}) {
  const api = await Browser.signIn(site, await newPerson(site, id, role));
  const opened = await browser.open(path, { ...options, as: api });
  return { api, opened, page: opened.page };
}

const itemsOf = async (api: Browser, query = ""): Promise<Record<string, string>[]> =>
  (await api.get(`/items${query}`)).body["items"] as Record<string, string>[];

test("an item is made with all its details, changed, archived, found there and restored", async () => {
  const { api, opened, page } = await openAs("/items", merchant);
  await page.getByText("No items yet").waitFor();
  await page.getByText("Items are what you sell", { exact: false }).waitFor();
  expect(await browser.lookAt(opened, "items-empty")).toEqual([]);
  await page.getByRole("main").getByRole("link", { name: "New item" }).first().click();

  const fill = (name: string, value: string) => page.getByRole("textbox", { name, exact: true }).fill(value);
  await fill("Name", "Basmati rice");
  await fill("HSN/SAC", "1");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Enter the digits of the HSN or SAC code").waitFor();
  await page.getByText("Required.").waitFor();
  expect(await browser.lookAt(opened, "item-refused")).toEqual([]);
  await fill("Code", "RICE-5");
  await fill("Description", "Long grain, 5 kg bag");
  await fill("HSN/SAC", "1006");
  await page.getByLabel("Unit", { exact: true }).selectOption({ label: "KGS · kilograms" });
  await page.getByLabel("GST rate").selectOption("5");
  await fill("Cess %", "1.5");
  await page.getByLabel("Price includes tax").check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  // Only the server knows that a price with tax needs a price.
  await page.getByText("Required", { exact: false }).waitFor();
  await fill("Price", "1,234.5");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Basmati rice" }).waitFor();
  await page.getByText("₹1,234.50").waitFor();
  await page.getByText("KGS · kilograms").waitFor();
  expect(await browser.lookAt(opened, "item")).toEqual([]);
  expect(await itemsOf(api)).toMatchObject([
    {
      item_code: "RICE-5",
      name: "Basmati rice",
      description: "Long grain, 5 kg bag",
      sac_code: "1006",
      unit: "KGS",
      unit_price: "1234.50",
      price_includes_tax: "1",
      gst: "5",
      cess_percentage: "1.5",
      tax_treatment: "taxable",
    },
  ]);

  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Edit Basmati rice" }).waitFor();
  await page.getByLabel("Tax treatment").selectOption("Exempt");
  expect(await page.getByLabel("GST rate").count()).toBe(0);
  await page.getByLabel("Unit", { exact: true }).selectOption("");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Exempt").waitFor();
  expect(await itemsOf(api)).toMatchObject([{ unit: "", gst: "0", cess_percentage: "0", tax_treatment: "exempt" }]);

  await page.getByRole("button", { name: "Archive" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
  await page.getByText("Restore the item to use it again", { exact: false }).waitFor();
  expect(await browser.lookAt(opened, "item-archived")).toEqual([]);
  await opened.goTo("/items");
  await page.getByText("No items yet").waitFor();
  const tabs = page.getByRole("navigation", { name: "Status" });
  await tabs.getByRole("link", { name: "Archived" }).click();
  await page.waitForURL("**/items?archived=1");
  await page.getByRole("link", { name: "Basmati rice" }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByText("Restored").waitFor();
  await page.getByRole("button", { name: "Archive" }).waitFor();
  expect(await itemsOf(api)).toMatchObject([{ item_code: "RICE-5", archived_at: null }]);

  // The menu of its row does the same.
  await opened.goTo("/items");
  const menu = page.getByRole("button", { name: "Actions for Basmati rice" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Archive" }).waitFor();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Open", "Edit", "Archive", "History"]);
  expect(await browser.lookAt(opened, "items-menu")).toEqual([]);
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
  await page.getByText("No items yet").waitFor();
  await tabs.getByRole("link", { name: "Archived" }).click();
  await menu.click();
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await page.getByText("No results").waitFor();
  await page.goBack();
  await page.waitForURL(/\/items$/);
  await page.getByRole("row").filter({ hasText: "RICE-5" }).getByRole("cell").nth(1).click();
  await page.getByRole("heading", { level: 1, name: "Basmati rice" }).waitFor();
  await page.context().close();
});

test("a file with a wrong line shows what each line does, and its good lines are imported", async () => {
  const own = await site.newMerchant({ name: "Kavya Stationers" });
  const { api, opened, page } = await openAs("/items/import", own);
  expect((await api.post("/items", PEN)).status).toBe(200);
  expect((await api.post("/items", { ...PEN, item_code: "PEN-02" })).status).toBe(200);
  await page.getByText("Download sample file").waitFor();
  const lines = [
    "code,name,hsn,unit,price,gst,colour",
    "PEN-01,Ball pen,9608,NOS,12.50,18,blue",
    "PEN-02,Ball pen,9608,NOS,10.00,18,red",
    "INK-01,Ink,3215,BTL,80,18,",
    "BAD-01,Bad,3215,BTL,80,17,",
  ];
  const buffer = Buffer.from(lines.join("\r\n"));
  await page.locator("input[type=file]").setInputFiles({ name: "items.csv", mimeType: "text/csv", buffer });
  await page.getByText("3 rows ready to import").waitFor();
  await page.getByText("1 row with errors").waitFor();
  await page.getByText("Ignored columns: colour.").waitFor();
  await page.getByRole("cell", { name: /a rate of GST that exists/ }).waitFor();
  const outcomes = page.getByRole("region", { name: "Rows to import" }).getByRole("row");
  const texts = (await outcomes.allInnerTexts()).slice(1).map((text) => text.split(/\s*[\t\n]\s*/));
  expect(texts).toEqual([
    ["2", "PEN-01", "Ball pen", "Changed"],
    ["3", "PEN-02", "Ball pen", "Unchanged"],
    ["4", "INK-01", "Ink", "New"],
  ]);
  await opened.picture("item-import-checked");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "Import 3 items" }).click();
  await page.getByText("3 items imported").waitFor();
  expect(await itemsOf(api)).toMatchObject([
    { item_code: "INK-01", unit: "BTL" },
    { item_code: "PEN-01", unit_price: "12.50" },
    { item_code: "PEN-02", unit_price: "10.00" },
  ]);

  await page.getByRole("link", { name: "View items" }).click();
  await page.getByRole("searchbox").fill("ink");
  await page.waitForURL("**/items?search=ink");
  await page.getByRole("link", { name: "Ink" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Ball pen" }).count()).toBe(0);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  expect(readFileSync(await download.path(), "utf8").split("\r\n")).toEqual([
    "\uFEFFitem_code,name,description,sac_code,unit,unit_price,price_includes_tax,gst,cess_percentage,tax_treatment",
    "INK-01,Ink,,3215,BTL,80.00,0,18,0,taxable",
    "",
  ]);
  await opened.goTo("/items");
  await page.getByRole("link", { name: "Ink" }).waitFor();
  expect(await browser.lookAt(opened, "items-full")).toEqual([]);
  await page.context().close();
});

test("a code that is taken is said at the field, and a list that can't be had says so", async () => {
  const own = await site.newMerchant();
  const { api, opened, page } = await openAs("/items/new", own);
  expect((await api.post("/items", PEN)).status).toBe(200);
  await page.getByRole("textbox", { name: "Code", exact: true }).fill("pen-01");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Another pen");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(/already belongs to an item/).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await page.context().route(/\/api\/v4\/items(\?|$)/, (route) => route.fulfill({ status: 400, body: "{}" }));
  const failing = await browser.open("/items", { context: page.context() });
  await failing.page.getByRole("alert").getByRole("button", { name: "Try again" }).waitFor();
  await failing.picture("items-failed");
  await page.context().close();
});

test("an item is offered while its name is typed in a row of an invoice, and fills the row", async () => {
  const { merchant: own } = await Invoices.ofNewMerchant(site, { gstin: "29AAACI1234K1Z5", state: "Karnataka" });
  const { api, opened, page } = await openAs("/", own);
  const rice = { item_code: "RICE", name: "Rice, loose", sac_code: "1006", unit: "KGS", tax_treatment: "exempt" };
  const gel = { item_code: "PEN-02", name: "Ball pen", unit_price: "25.50", gst: "18", price_includes_tax: "1" };
  for (const item of [{ ...PEN, description: "Blue" }, gel, rice]) {
    expect((await api.post("/items", item)).status).toBe(200);
  }
  await opened.goTo("/invoices/new");
  const row = page.getByRole("group", { name: "Item 1" });
  const textOf = (label: string) => row.getByLabel(label, { exact: true }).first().inputValue();
  await row.getByLabel("Item", { exact: true }).pressSequentially("pen");
  await page
    .getByRole("option", { name: /Ball pen/ })
    .nth(1)
    .waitFor();
  await opened.picture("item-offered");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("option", { name: /PEN-01/ }).click();
  await expect.poll(() => textOf("Rate")).toBe("10.00");
  expect([await textOf("Item"), await textOf("HSN/SAC"), await textOf("Description")]).toEqual([
    "Ball pen",
    "9608",
    "Blue",
  ]);
  expect([await textOf("GST %"), await textOf("Unit")]).toEqual(["18", "NOS · numbers"]);
  await row.getByLabel("Qty").fill("3");
  await expect.poll(() => textOf("Amount")).toBe("30.00");

  // Another choice replaces what the first one filled; what it has no price for keeps the one that is there.
  await row.getByLabel("Item", { exact: true }).fill("");
  await row.getByLabel("Item", { exact: true }).pressSequentially("RICE");
  await page.getByRole("option", { name: /Rice, loose/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => textOf("Item")).toBe("Rice, loose");
  expect([await textOf("Tax"), await textOf("GST %"), await textOf("Rate"), await textOf("Unit")]).toEqual([
    "Exempt",
    "",
    "10.00",
    "KGS · kilograms",
  ]);
  expect([await textOf("Description"), await textOf("Amount")]).toEqual(["", "30.00"]);
  const other = "Something that is no item";
  await row.getByLabel("Item", { exact: true }).fill(other);
  await expect.poll(() => page.getByRole("option").count()).toBe(0);
  expect(await textOf("Item")).toBe(other);
  expect(await opened.findProblems()).toEqual([]);
  await page.context().close();
});

test("a viewer sees items and no button that changes one, in Hindi too", async () => {
  const own = await site.newMerchant();
  const owner = await Browser.signIn(site, await newPerson(site, own.id));
  expect((await owner.post("/items", PEN)).status).toBe(200);
  const { api, opened, page } = await openAs("/items", own, "Viewer", { size: "phone", language: "hi" });
  await page.getByRole("button", { name: "Ball pen की कार्रवाइयाँ" }).click();
  await page.getByRole("menuitem", { name: "खोलें" }).waitFor();
  expect(await page.getByRole("menuitem").count()).toBe(1);
  await page.keyboard.press("Escape");
  expect(await page.getByRole("link", { name: "नया आइटम" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "फ़ाइल इंपोर्ट करें" }).count()).toBe(0);
  await page.getByRole("link", { name: "Ball pen" }).click();
  await page.getByText("NOS · नग").waitFor();
  await opened.picture("item-viewer-hindi");
  expect(await page.getByRole("link", { name: "बदलें" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "आर्काइव करें" }).count()).toBe(0);
  expect(await opened.findProblems()).toEqual([]);
  const [item] = await itemsOf(api);
  expect((await api.post(`/items/${item!["item_id"]}/archive`, {})).status).toBe(403);
  await page.context().close();
});
