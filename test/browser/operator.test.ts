// An operator in a browser: makes a merchant, credits its balance, moves its clock, suspends it, and looks at the jobs.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { MerchantClient } from "../support/nodal.ts";

let site: Installation;
let browser: TestBrowser;
let operator: Browser;

beforeAll(async () => {
  site = await Installation.start();
  browser = await TestBrowser.shared(site.server.baseUrl);
  operator = await Browser.signIn(site, await newPerson(site, null, "Operator"));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

/** The page as it is now, on a phone in the dark as well: nothing complains, nothing scrolls sideways. */
async function look(opened: TestPage, name: string): Promise<void> {
  expect(await browser.lookAt(opened, name), name).toEqual([]);
}

test("a merchant is created, credited once for each reference, moved ahead and suspended", async () => {
  const opened = await browser.open("/", { as: operator });
  const { page } = opened;
  await page.getByRole("button", { name: "New merchant" }).click();
  await page.getByLabel("Business name").fill("Asha Traders");
  await page.getByRole("textbox", { name: "E-mail", exact: true }).fill("asha@example.com");
  await page.getByRole("dialog").getByRole("button", { name: "New merchant" }).click();
  const dialog = page.getByRole("dialog", { name: "Merchant created" });
  await dialog.waitFor();
  const [id, secret, email, password, link] = await dialog.locator("code").allTextContents();
  await opened.picture("merchant-created");
  expect(await opened.findProblems()).toEqual([]);
  const keys = { access_key_id: id!, secret_access_key: secret! };
  const client = await MerchantClient.signIn(site.server.baseUrl, keys);
  const signIn = await new Browser(site.server.baseUrl).post("/session/sign-in", { email, password });
  expect(signIn.body.state).toBe("change_password");
  expect(link).toMatch(new RegExp(`^${site.server.baseUrl}/sign-in\\?merchant=[0-9]+$`));
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await look(opened, "merchants");

  await page.getByRole("link", { name: "Manage Asha Traders" }).click();
  for (const told of ["credited with", "was already credited with"]) {
    await page.getByRole("button", { name: "Add funds" }).click();
    await page.getByLabel("Amount").fill("1,25,000.50");
    await page.getByLabel("Reference").fill("UTR123456789");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Rupees One Lakh Twenty-Five Thousand and Fifty Paise Only").waitFor();
    await opened.picture("fund-confirm");
    expect(await opened.findProblems()).toEqual([]);
    // Twice at once: the reference credits once all the same.
    await page.getByRole("dialog").getByRole("button", { name: "Add funds" }).dblclick();
    await page.getByText(new RegExp(`₹1,25,000.50 ${told} reference UTR123456789`)).waitFor();
  }
  expect((await client.get("/api/v1/payout/balance")).body.balance).toBe("125000.50");
  await page.getByText("₹1,25,000.50", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Move ahead" }).click();
  await page.getByLabel("New date").fill("2020-01-01");
  await page.getByRole("dialog").getByRole("button", { name: "Move ahead" }).click();
  await page.getByText(/the clock can't go backwards/).waitFor();
  await page.getByLabel("New date").fill("2031-04-01");
  await page.getByRole("dialog").getByRole("button", { name: "Move ahead" }).click();
  await page.getByText("1 Apr 2031").waitFor();

  await page.getByRole("button", { name: "Suspend" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await page.getByText("Merchant suspended.").waitFor();
  await look(opened, "merchant");
  const answer = () => client.get("/api/v1/payout/balance").then(({ status }) => status);
  await expect.poll(answer, { timeout: 180_000 }).toBe(403);

  // The merchant's own pages, as the operator sees them, say whose they are.
  await page.getByRole("link", { name: "Open dashboard" }).click();
  await page.getByRole("navigation", { name: "Main navigation" }).getByText("Asha Traders").waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/m\/[0-9]+/);
  await page.context().close();
});

test("jobs and the check of the books are shown", async () => {
  const opened = await browser.open("/jobs", { as: operator });
  const { page } = opened;
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("No problems found").waitFor();
  const { last } = (await operator.get("/ledger-check")).body;
  expect(last).toMatchObject({ ok: true, violations: [] });
  await look(opened, "jobs");
  await page.context().close();
});

test("a merchant's own people can't do what operators do", async () => {
  const merchant = await site.newMerchant({ fund: "10.00" });
  const owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  const requests = [
    ["GET", "/operator-view", "merchants.view"],
    ["PUT", "/operator-view", "merchants.manage"],
    ["POST", "/fundings", "merchants.fund"],
    ["POST", "/clock/advance", "merchants.clock"],
    ["POST", "/ledger-check", "jobs.view"],
    ["GET", "/jobs", "jobs.view"],
  ] as const;
  for (const [method, path, permission] of requests) {
    const body = method === "GET" ? undefined : { amount: "5.00", reference: "x", to: "2031-01-01", live: "1" };
    const answer = await owner.send(method, path, body);
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, "access_denied"]);
    expect(answer.body.error).toContain(permission);
  }
  expect(await merchant.available()).toBe("10.00");
});
