// Several invoices at once in a browser: ticked in the list, sent, reminded of, and downloaded as one file. What is
// answered for each is test/dashboard/many-invoices.test.ts.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Messages } from "../support/notifications.ts";
import { readZip } from "../support/zip.ts";

let site: Installation;
let browser: TestBrowser;
let messages: Messages;
let owner: Browser;
let opened: TestPage;
const numbers: string[] = [];

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  messages = await Messages.ofNewMerchant(site, "rohan@example.com");
  owner = await Browser.signIn(site, await newPerson(site, messages.merchantId));
  const bill = { bill_date: "2026-05-01", due_date: "2026-05-20" };
  const rows = [{ item: "Work", total_amount: "12500.50" }];
  const batch = ["C2", "C1", "C2"].map((customer_code) => ({ ...bill, customer_code, particular_rows: rows }));
  const { body } = await messages.invoices.save(batch);
  for (const made of body.srvrsp as { invoice_number: string }[]) numbers.push(made.invoice_number);
  opened = await browser.open("/invoices", { as: owner });
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const tick = (name: string) => opened.page.getByRole("checkbox", { name }).check();
const press = (name: string) => opened.page.getByRole("button", { name, exact: true }).click();
const inDialog = () => opened.page.getByRole("dialog");

test("those that are ticked are sent after one question; who has no address is named with the reason", async () => {
  const { page } = opened;
  const bar = page.getByRole("region", { name: "Selection" });
  await page.getByRole("link", { name: numbers[0]! }).first().waitFor();
  expect(await bar.count()).toBe(0);
  expect(await browser.lookAt(opened, "many-none")).toEqual([]);
  await tick("Select all on this page");
  await bar.getByText("3 selected").waitFor();
  expect(await browser.lookAt(opened, "many-ticked")).toEqual([]);
  await press("Send");
  await inDialog().getByText("Send 3 invoices?").waitFor();
  await inDialog().getByText("₹37,501.50").waitFor();
  await opened.pictures("many-question");
  expect(await opened.findProblems()).toEqual([]);
  await inDialog().getByRole("button", { name: "Send" }).click();
  await page.getByText("2 e-mails queued.").waitFor();
  await page.getByText("1 invoice not sent").waitFor();
  // A second press sends nothing twice: there is nothing to press.
  await bar.waitFor({ state: "detached" });
  const notice = page.getByRole("status").filter({ hasText: "no e-mail address" });
  await notice.getByRole("link", { name: numbers[1]! }).waitFor();
  await opened.pictures("many-refused");
  expect(await opened.findProblems()).toEqual([]);
  expect(await messages.until("Held", "Held")).toHaveLength(2);
  await notice.getByRole("button", { name: "Close" }).click();
  await notice.waitFor({ state: "detached" });
});

test("customers are reminded once a day, and a second time is refused", async () => {
  const { page } = opened;
  await opened.goTo("/invoices");
  for (const isFirst of [true, false]) {
    await tick(`Select: ${numbers[0]!}`);
    await press("Remind");
    await inDialog().getByText("Send 1 reminder?").waitFor();
    await inDialog().getByRole("button", { name: "Remind" }).click();
    await page.getByText(isFirst ? "1 reminder queued." : "already got a reminder of this invoice today").waitFor();
    await inDialog().waitFor({ state: "detached" });
  }
  await page.getByText("1 reminder not sent").waitFor();
  await page.getByRole("link", { name: numbers[0]! }).first().click();
  await page.getByText("Reminder queued", { exact: true }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
});

test("their PDFs come as one file; one that is missing in it is told", async () => {
  const { page } = opened;
  await opened.goTo("/invoices");
  await tick("Select all on this page");
  const [file] = await Promise.all([page.waitForEvent("download"), press("Download PDFs")]);
  expect(file.suggestedFilename()).toBe("invoices.zip");
  const names = [...readZip(await readFile(await file.path())).keys()];
  expect(names.toSorted()).toEqual([...numbers.map((number) => `${number}.pdf`), "invoices.csv"].toSorted());
  expect(await page.getByText("missing from the download").count()).toBe(0);
  // One that is not there any more for who asks.
  await page.route("**/pdfs.zip?*", async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("invoices", `R999999999999,${url.searchParams.get("invoices")!.split(",").slice(1).join()}`);
    await route.continue({ url: url.toString() });
  });
  await press("Download PDFs");
  await page.getByText("1 PDF is missing from the download.").waitFor();
  expect(await opened.findProblems()).toEqual([]);
});

test("who may only look is offered the file alone; all of it in Hindi", async () => {
  const viewer = await Browser.signIn(site, await newPerson(site, messages.merchantId, "Viewer"));
  const { page } = (opened = await browser.open("/invoices", { as: viewer, language: "hi" }));
  await tick(`चुनें: ${numbers[0]!}`);
  await page.getByRole("button", { name: "PDF डाउनलोड करें" }).waitFor();
  expect(await page.getByRole("button", { name: "याद दिलाएँ" }).count()).toBe(0);
  await opened.pictures("many-hindi");
  expect(await opened.findProblems()).toEqual([]);
});
