// One beneficiary in a browser: its bank while it is typed, its contact, its end.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
let owner: Browser;
let ownerPage: TestPage;
let page: Page;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  const merchant = await site.newMerchant({ fund: "5000.00" });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  ownerPage = await browser.open("/beneficiaries/new", { as: owner });
  ({ page } = ownerPage);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const look = (name: string) => browser.lookAt(ownerPage, name);
const button = (name: string) => page.getByRole("button", { name });
const fill = (label: string, text: string) => page.getByRole("textbox", { name: label }).fill(text);

test("an empty name and a wrong contact are shown with the other errors, before anything is sent", async () => {
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  await fill("Account", "50");
  await fill("Mobile", "12345");
  await fill("E-mail", "asha@");
  await button("Save beneficiary").click();
  await page.getByText("Enter a mobile number of 10 digits.").waitFor();
  await page.getByText("Enter an e-mail address, such as name@example.com.").waitFor();
  await page.getByText("Required.").waitFor();
  expect(await page.locator("[aria-invalid=true]").count()).toBe(5);
  expect(sent).toEqual([]);
  await ownerPage.goTo("/beneficiaries/new");
});

describe("an IFSC", () => {
  test("names its bank once it is typed, and says where it is in no list", async () => {
    await fill("IFSC", "HDFC000000");
    await page.getByText("11 characters, such as HDFC0000001").waitFor();
    await fill("IFSC", "hdfc0000001");
    await page.getByText("HDFC Bank", { exact: true }).waitFor();
    await fill("IFSC", "ZZZZ0000001");
    await page.getByText("We don't recognise this IFSC. Check it before you save.", { exact: true }).waitFor();
    expect(await ownerPage.findProblems()).toEqual([]);
    // It is accepted all the same.
    await fill("Name", "Rajeev Kumar");
    await fill("Account", "50100012345678");
    await fill("IFSC", "HDFC0ZZZZZZ");
    await page.getByText("HDFC Bank. We don't recognise this IFSC. Check it before you save.").waitFor();
    await ownerPage.pictures("beneficiary-unlisted");
    await button("Save beneficiary").click();
    await page.getByRole("heading", { level: 1, name: "Rajeev Kumar" }).waitFor();
    await page.getByText("HDFC Bank", { exact: true }).waitFor();
  });
});

describe("its page", () => {
  test("changes the contact, with what is wrong at its field", async () => {
    await button("Edit contact").click();
    await fill("E-mail", "no at sign");
    await fill("City", "Pune");
    await button("Save contact").click();
    await page.locator("[aria-invalid=true]").waitFor();
    await ownerPage.pictures("beneficiary-edit-refused");
    await fill("E-mail", "rajeev@example.com");
    await button("Save contact").click();
    await page.getByText("Contact saved.").waitFor();
    await page.getByText("rajeev@example.com").waitFor();
    expect(await look("beneficiary-changed")).toEqual([]);
  });

  test("has the bank asked whose the account is, and lets another name be accepted", async () => {
    await button("Verify account").click();
    await page.getByText("We pay ₹1.00 into the account").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Verify account" }).click();
    await page.getByText("The account holder's name matches.").waitFor();
    await page.getByText("Verified", { exact: true }).waitFor();
    await page.getByText("RAJEEV KUMAR", { exact: true }).waitFor();
    expect(await look("beneficiary-verified")).toEqual([]);
    const other = { name: "Meera Iyer", account_number: "7766671735000", ifsc: "SBIN0000004" };
    const { body } = await owner.post("/beneficiaries", other);
    const rajeev = page.url();
    await ownerPage.goTo(`/beneficiaries/${body.beneficiary_id as string}`);
    await button("Verify account").click();
    await page.getByRole("dialog").getByRole("button", { name: "Verify account" }).click();
    await page.getByText("The account holder is").waitFor();
    expect(await look("beneficiary-other-name")).toEqual([]);
    await button("Accept this name").click();
    await fill("Reason (kept in the audit log)", "Her company's account");
    await ownerPage.pictures("beneficiary-accept");
    await page.getByRole("dialog").getByRole("button", { name: "Accept this name" }).click();
    await page.getByText("Account accepted.").waitFor();
    await page.getByText("Name mismatch accepted", { exact: true }).waitFor();
    await ownerPage.goTo(new URL(rajeev).pathname);
    await page.getByRole("heading", { level: 1, name: "Rajeev Kumar" }).waitFor();
  });

  test("deactivates it after a question, and then offers neither to pay it nor to deactivate it", async () => {
    await ownerPage.chooseMore("Deactivate");
    await page.getByText("this can't be undone").waitFor();
    await ownerPage.pictures("beneficiary-deactivate");
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
    await page.getByText("Beneficiary deactivated.").waitFor();
    await page.getByText("Deactivated", { exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "Pay", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: /^More actions/ }).click();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["History"]);
    await page.keyboard.press("Escape");
    expect(await look("beneficiary-deactivated")).toEqual([]);
    await ownerPage.goTo("/beneficiaries");
    expect(await look("beneficiaries-deactivated")).toEqual([]);
  });
});

test("the books are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
