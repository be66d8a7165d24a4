// What people bring along, in a browser: phones and PIN codes as they write them, dates as Excel does, parts of what
// they look for, and paper. Each rule is tested where it is kept.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { GOOD_ACCOUNT, Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let browser: TestBrowser;
let invoices: Invoices;
let owner: Browser;
let opened: TestPage;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  invoices = await Invoices.ofNewMerchant(site, { name: "Asha Traders" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  opened = await browser.open("/", { as: owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function chooseFile(name: string, lines: readonly string[]): Promise<void> {
  const buffer = Buffer.from(`${lines.join("\r\n")}\r\n`);
  await opened.page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/csv", buffer });
}

test("a file of customers has phones with spaces, +91 and hyphens, and PIN codes with a space", async () => {
  const { page } = opened;
  await opened.goTo("/customers/import");
  await chooseFile("customers.csv", [
    "Customer Code,Customer Name,email,Mobile,Zipcode",
    "P-1,Ravi Kumar,ravi@example.com,+91 98765 43210,411 038",
    "P-2,Uma Iyer,uma@example.com,98765-43211,560001",
    "P-3,Nobody,nobody@example.com,12345,4110",
  ]);
  await page.getByText("2 rows ready to import").waitFor();
  const errors = page.getByRole("table");
  await errors
    .getByRole("cell", { name: /mobile/i })
    .first()
    .waitFor();
  expect(await browser.lookAt(opened, "typed-import")).toEqual([]);
  await page.getByRole("button", { name: "Import 2 customers" }).click();
  await page.getByText("2 customers imported").waitFor();
  const { rows } = await site.pool.query<{ customer_code: string; mobile: string; zipcode: string }>(
    "select customer_code, mobile, zipcode from customer where merchant_id = $1 and customer_code like 'P-%' order by 1",
    [invoices.merchant.id],
  );
  expect(rows).toEqual([
    { customer_code: "P-1", mobile: "9876543210", zipcode: "411038" },
    { customer_code: "P-2", mobile: "9876543211", zipcode: "560001" },
  ]);
});

test("a form takes the same, and says at the field what is no phone", async () => {
  const { page } = opened;
  await opened.goTo("/customers/new");
  const fill = (name: string, value: string) => page.getByRole("textbox", { name, exact: true }).fill(value);
  await fill("Code", "P-9");
  await fill("Name", "Meera Shah");
  await fill("Mobile", "98765");
  await fill("PIN code", "411 038");
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByText(/10 digits/)
    .first()
    .waitFor();
  await fill("Mobile", "+91 98765-43219");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Meera Shah" }).waitFor();
  await page.getByText("9876543219").waitFor();
  await page.getByText("411038").waitFor();
  expect(await opened.findProblems()).toEqual([]);
});

test("a file of invoices has the dates that Excel writes", async () => {
  const { page } = opened;
  await opened.goTo("/invoices/upload");
  await chooseFile("june.csv", [
    "customer_code,bill_date,due_date,item,gst,total_amount",
    "C1,01/06/2026,15/06/2026,Work,18,10.00",
    "C1,31/06/2026,15/07/2026,Work,18,10.00",
  ]);
  await page.getByText("2 rows: 1 ready to import").waitFor();
  await page.getByRole("cell", { name: /date that exists/ }).waitFor();
  await page.getByRole("button", { name: "Import only the valid row" }).click();
  await page
    .getByText(/^1 invoice/)
    .first()
    .waitFor();
  const { rows } = await site.pool.query<{ bill_date: Temporal.PlainDate }>(
    "select bill_date from invoice where merchant_id = $1",
    [invoices.merchant.id],
  );
  expect(rows.map(({ bill_date: date }) => date.toString())).toEqual(["2026-06-01"]);
});

test("transfers and franchises are found by a part of what their rows show", async () => {
  const { merchant } = invoices;
  const { page } = opened;
  const operator = await Browser.signIn(site, await newPerson(site, null, "Operator"));
  await operator.post(`/merchants/${merchant.id}/fundings`, { amount: "1000.00", reference: "opening" });
  const payees = [
    await merchant.addBeneficiary({ ...GOOD_ACCOUNT, name: "Asha Rao" }),
    await merchant.addBeneficiary({ name: "Vikram Seth", account_number: "00011020001772", ifsc: "HDFC0000001" }),
  ];
  for (const [place, beneficiary_id] of payees.entries()) {
    const asked = { beneficiary_id, amount: `${place + 1}25.50`, reference_id: `ORDER-${place}-77` };
    expect((await owner.post("/transfers", asked)).status).toBe(200);
  }
  for (const [code, name] of [
    ["PUNE", "Pune Branch"],
    ["AGRA", "Agra Branch"],
  ] as const) {
    const draft = {
      ...FRANCHISE_LEAST,
      franchise_code: code,
      franchise_name: name,
      contact_person_name: `Head of ${name}`,
    };
    expect((await merchant.post("/api/v1/franchise/save", draft)).status).toBe(200);
  }
  const rows = () => page.getByRole("main").getByRole("table").getByRole("row").count();
  for (const [path, found, texts] of [
    ["/transfers", "Vikram Seth", ["order-1", "vikram", "1772", "225.50"]],
    ["/franchises", "Pune Branch", ["pun", "head of pune"]],
  ] as const) {
    await opened.goTo(path);
    await expect.poll(rows, { message: `all of ${path}` }).toBe(3);
    for (const text of texts) {
      await page.getByRole("searchbox").fill(text);
      await expect.poll(rows, { message: `${path}: ${text}` }).toBe(2);
      expect(await page.getByRole("main").getByRole("table").textContent(), text).toContain(found);
      await page.getByRole("searchbox").fill("");
      await expect.poll(rows, { message: `${path} again` }).toBe(3);
    }
    expect(await opened.findProblems(), path).toEqual([]);
  }
});

test("on paper a page is itself alone: no frame, nothing to press, in the colours of paper also at night", async () => {
  const { page } = opened;
  await page.emulateMedia({ colorScheme: "dark" });
  for (const path of ["/", "/invoices", "/statement"]) {
    await opened.goTo(path);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const heading = page.getByRole("heading", { level: 1 });
    expect(await heading.isVisible(), path).toBe(true);
    expect(await page.locator("header, nav").filter({ visible: true }).count(), `${path}: the frame`).toBe(0);
    const pressed = page.locator("main").locator("button, input, select, [role=radiogroup], a.mantine-Button-root");
    expect(await pressed.count(), `${path} has some on screen`).toBeGreaterThan(0);
    expect(await pressed.filter({ visible: true }).count(), `${path}: to press`).toBe(0);
    const looks =
      "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.querySelector('h1')))";
    expect(await page.evaluate(looks), path).toEqual(["rgb(23, 27, 36)", "rgba(0, 0, 0, 0)"]);
    // It moves there, in a fifth of a second.
    const left = () => page.evaluate<number>("document.querySelector('h1').getBoundingClientRect().left");
    await expect.poll(left, { message: `${path} begins at the left, where the menu was` }).toBeLessThan(200);
    if (path === "/") await page.getByRole("heading", { name: "Available balance" }).waitFor();
    await opened.picture(`printed${path.replaceAll("/", "-")}`);
    await page.emulateMedia({ media: "screen", colorScheme: "dark" });
  }
  await page.emulateMedia({ colorScheme: "light" });
});
