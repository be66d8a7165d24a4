// The settings of the books: a period is locked, refuses an opening balance of a day in it, and is unlocked again.
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

test("a period is locked, refuses what is dated in it, and is unlocked", async () => {
  const { merchant } = await Invoices.ofNewMerchant(site);
  const api = await Browser.signIn(site, await newPerson(site, merchant.id));
  const opened = await browser.open("/settings/company", { as: api });
  const { page } = opened;
  const dialog = page.getByRole("dialog");
  const fill = (name: RegExp, value: string) => dialog.getByRole("textbox", { name }).fill(value);
  const lock = async (day: string) => {
    await page.getByRole("button", { name: "Edit book settings" }).click();
    await fill(/^Locked until/, day);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await page.getByText("No period", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit book settings" }).click();
  await opened.pictures("books-dialog");
  expect(await opened.findProblems()).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await lock("30 Jun 2026");
  await page.getByText("30 Jun 2026", { exact: true }).waitFor();
  expect(await browser.lookAt(opened, "books-locked")).toEqual([]);

  const { customers } = (await api.get("/customers?search=C1")).body as { customers: [{ customer_id: string }] };
  await opened.goTo(`/customers/${customers[0].customer_id}`);
  await opened.chooseMore("Add opening balance");
  await fill(/^Amount owed/, "1,500");
  await fill(/^As of/, "30 Jun 2026");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("the books are locked until then", { exact: false }).first().waitFor();
  expect((await api.get("/opening-balances")).body["opening_balances"]).toEqual([]);
  await fill(/^As of/, "1 Jul 2026");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Opening balance", exact: true }).waitFor();

  await opened.goTo("/settings/company");
  await lock("");
  await page.getByText("No period", { exact: true }).waitFor();
  expect((await api.get("/book-settings")).body).toMatchObject({ locked_until: "" });
});
