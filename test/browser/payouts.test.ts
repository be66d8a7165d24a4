// Payouts in a browser: who is paid, how it stands, what is done about it, and who may do it.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";

const REVERSED = { account_number: "7766671735000", ifsc: "SBIN0000004" };

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let ownerPage: TestPage;
let page: Page;

beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ fund: "500000.00", bank: GOOD_ACCOUNT });
  ownerPage = await signIn(await newPerson(site, merchant.id));
  ({ page } = ownerPage);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

async function signIn({ email, password }: Person): Promise<TestPage> {
  const opened = await browser.open("/sign-in");
  await opened.page.getByLabel("E-mail").fill(email);
  await opened.page.getByRole("textbox", { name: "Password" }).fill(password);
  await opened.page.getByRole("button", { name: "Sign in" }).click();
  await opened.page.getByRole("heading", { level: 1, name: "Wire Traders" }).waitFor();
  return opened;
}

/** What is wrong on the page. Where pictures are wanted, it is kept in both modes and sizes. */
async function look(name: string, at: TestPage = ownerPage): Promise<string[]> {
  const problems = await at.findProblems();
  await at.pictures(name);
  return problems;
}

const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const badge = (word: string) => page.getByText(word, { exact: true }).first();

async function addBeneficiary(name: string, account: { account_number: string; ifsc: string }): Promise<void> {
  await ownerPage.goTo("/beneficiaries/new");
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("textbox", { name: "Account" }).fill(account.account_number);
  await page.getByRole("textbox", { name: "IFSC" }).fill(account.ifsc);
  await page.getByRole("button", { name: "Save beneficiary" }).click();
  await heading(name).waitFor();
}

describe("before there is anything", () => {
  test.each(["/", "/transfers", "/withdrawals", "/beneficiaries", "/approvals", "/approvals/policy"])(
    "%s says what to do",
    async (path) => {
      await ownerPage.goTo(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await look(`empty${path.replaceAll("/", "-")}`)).toEqual([]);
    },
  );

  test("the home page comes with less than 400 KB", async () => {
    const context = ownerPage.page.context();
    const fresh = await browser.newPage({ context });
    await fresh.goTo("/");
    expect(fresh.transferredBytes).toBeLessThan(400 * 1024);
    await fresh.page.close();
  });
});

describe("a beneficiary", () => {
  test("is refused at its fields, with what was typed kept, and then saved", async () => {
    await ownerPage.goTo("/beneficiaries/new");
    await page.getByRole("textbox", { name: "Name" }).fill("Asha Rao");
    await page.getByRole("textbox", { name: "Account" }).fill(GOOD_ACCOUNT.account_number);
    await page.getByRole("textbox", { name: "IFSC" }).fill("YESB");
    await page.getByRole("button", { name: "Save beneficiary" }).click();
    await page.getByText("An IFSC has 4 letters").waitFor();
    expect(await look("beneficiary-refused")).toEqual([]);
    expect(await page.getByRole("textbox", { name: "Account" }).inputValue()).toBe(GOOD_ACCOUNT.account_number);
    await page.getByRole("textbox", { name: "IFSC" }).fill(GOOD_ACCOUNT.ifsc);
    await page.getByRole("button", { name: "Save beneficiary" }).click();
    await heading("Asha Rao").waitFor();
    await page.getByText("No payments to this beneficiary yet.").waitFor();
    expect(await look("beneficiary")).toEqual([]);
  });
});

describe("a transfer", () => {
  test("is asked about in words, leaves once for a press and a retry, and is watched", async () => {
    await page.getByRole("link", { name: "Pay", exact: true }).click();
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByRole("combobox", { name: "Beneficiary" }).fill("asha");
    await page.getByRole("option", { name: /^Asha Rao/ }).click();
    await page.getByText(GOOD_ACCOUNT.account_number).first().waitFor();
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("Enter an amount above ₹0").waitFor();
    await page.getByRole("textbox", { name: "Amount" }).fill("9,00,000.00");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("The available balance doesn't cover this amount", { exact: false }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("textbox", { name: "Amount" }).fill("1,23,456.50");
    await page.getByRole("button", { name: "Review" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Balance after").waitFor();
    await dialog.getByText("₹3,76,543.50").waitFor();
    await dialog.getByText("Bank transfer (IMPS)").waitFor();
    await dialog.getByText("One Lakh Twenty-Three Thousand", { exact: false }).waitFor();
    expect(await look("transfer-confirm")).toEqual([]);
    // The answer is lost, and the person tries again.
    await page.route(
      "**/api/v4/transfers",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await dialog.getByRole("button", { name: "Transfer now" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByRole("button", { name: "Transfer now" }).click();
    await heading(/^₹[\d,.]+ to /).waitFor();
    await badge("Paid").waitFor();
    expect(await merchant.available()).toBe("376543.50");
    expect(await look("transfer-paid")).toEqual([]);
  });

  test("that comes back says so by itself, with advice, and is paid again under another reference", async () => {
    await addBeneficiary("Ravi Kumar", REVERSED);
    await page.getByRole("link", { name: "Pay", exact: true }).click();
    await page.getByRole("textbox", { name: "Amount" }).fill("2500");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Transfer now" }).click();
    await heading(/^₹[\d,.]+ to /).waitFor();
    await badge("Reversed").waitFor();
    const steps = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
    await steps.filter({ hasText: "Returned by the bank" }).waitFor();
    expect(await page.getByText("RETURNED_FROM_BENEFICIARY").isVisible()).toBe(false);
    await page.getByRole("heading", { name: "Technical details" }).click();
    await page.getByText("RETURNED_FROM_BENEFICIARY").waitFor();
    await page.getByText("Check the account with the payee before you pay again.").waitFor();
    const reference = await page.getByText(/^P-\d{8}-/).textContent();
    expect(await look("transfer-reversed")).toEqual([]);
    await page.getByRole("link", { name: "Pay again" }).click();
    await page.getByText("Ravi Kumar").first().waitFor();
    expect(await page.getByRole("textbox", { name: "Amount" }).inputValue()).toBe("2500.00");
    await page.getByRole("button", { name: "Payment date and reference" }).click();
    expect(await page.getByRole("textbox", { name: "Reference" }).inputValue()).not.toBe(reference);
    expect(await look("transfer-again")).toEqual([]);
  });

  test("goes to somebody new without leaving the form, by the way that the amount needs", async () => {
    await ownerPage.goTo("/transfers/new");
    await page.getByRole("combobox", { name: "Beneficiary" }).fill("Nobody So Far");
    await page.getByRole("option", { name: "Add “Nobody So Far” as a new beneficiary" }).click();
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Nobody So Far");
    await page.getByText("UPI ID", { exact: true }).click();
    await page.getByRole("button", { name: "Save and use" }).click();
    await page.getByText("A UPI ID looks like").first().waitFor();
    await page.getByText("Bank account", { exact: true }).click();
    await page.getByRole("textbox", { name: "Account number" }).fill(GOOD_ACCOUNT.account_number);
    await page.getByRole("textbox", { name: "IFSC" }).fill("HDFC");
    await page.getByRole("button", { name: "Save and use" }).click();
    await page.getByText("An IFSC has 4 letters").waitFor();
    expect(await look("transfer-new-payee")).toEqual([]);
    await page.getByRole("textbox", { name: "Account number" }).fill("000890289871772");
    await page.getByRole("textbox", { name: "IFSC" }).fill("SCBL0036078");
    await page.getByRole("button", { name: "Save and use" }).click();
    await page.getByRole("button", { name: "Change" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/transfers/new");
    const summary = page.locator("section", { has: page.getByRole("heading", { name: "Summary" }) });
    await page.getByRole("textbox", { name: "Amount" }).fill("1200");
    await page.getByText("IMPS: Within minutes").waitFor();
    await summary.getByText("One Thousand Two Hundred", { exact: false }).waitFor();
    await summary.getByText("Nobody So Far").waitFor();
    expect(await look("transfer-new-summary")).toEqual([]);

    // Somebody whose account is saved already is not saved twice, but chosen.
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByRole("combobox", { name: "Beneficiary" }).click();
    await page.getByRole("option", { name: "New beneficiary" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Asha R");
    await page.getByRole("textbox", { name: "Account number" }).fill(GOOD_ACCOUNT.account_number);
    await page.getByRole("textbox", { name: "IFSC" }).fill(GOOD_ACCOUNT.ifsc);
    await page.getByRole("button", { name: "Save and use" }).click();
    await summary.getByText("Asha Rao").waitFor();
  });

  test("is found in the list by filters that are in the address", async () => {
    await ownerPage.goTo("/transfers");
    expect(await look("transfers")).toEqual([]);
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByRole("combobox", { name: "Status" }).selectOption("REVERSED");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(page.url()).toContain("status=REVERSED");
    await page.locator("tbody a").first().click();
    await heading(/^₹[\d,.]+ to /).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByRole("combobox", { name: "Status" }).inputValue()).toBe("REVERSED");
    await ownerPage.goTo("/transfers?search=nobody");
    await page.getByText("No results").waitFor();
    expect(await look("transfers-no-match")).toEqual([]);
  });
});

test("a withdrawal goes to the own account", async () => {
  await ownerPage.goTo("/withdrawals/new");
  await page.getByRole("textbox", { name: "Amount" }).fill("1000");
  expect(await look("withdrawal-new")).toEqual([]);
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw now" }).click();
  await heading(/^₹1,000.00 to /).waitFor();
  await badge("Paid").waitFor();
  await ownerPage.goTo("/withdrawals");
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
});

test("the statement runs down to the balance, and is had as a file", async () => {
  await ownerPage.goTo("/statement");
  await page.getByText("₹3,75,543.50").first().waitFor();
  await page.getByRole("combobox", { name: "Period" }).selectOption({ label: "This month" });
  await expect.poll(() => page.url()).toContain("from=");
  await page
    .getByRole("button", { name: /^Ledger entries of Transfer to .*paid by/ })
    .first()
    .click();
  await page.getByRole("cell", { name: "Amount reserved" }).waitFor();
  expect(await look("statement")).toEqual([]);
  const document = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download PDF" }).click();
  expect((await document).suggestedFilename()).toBe("statement.pdf");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  expect((await download).suggestedFilename()).toBe("statement.csv");
});

test("the home page shows balances, today's payouts, and what came back", async () => {
  await ownerPage.goTo("/");
  await page.getByText("₹3,75,543.50").first().waitFor();
  await page.getByText("1 payout failed or was reversed in the last 7 days").waitFor();
  expect(await look("home")).toEqual([]);
  await ownerPage.goTo("/beneficiaries");
  expect(await look("beneficiaries")).toEqual([]);
});

describe("before money moves", () => {
  const review = async (amount: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Amount" }).fill(amount);
    await page.getByRole("button", { name: "Review" }).click();
  };

  test("limits, balance, mode and who has to approve are checked and shown, with what will be left", async () => {
    const owner = await Browser.signIn(site, await newPerson(site, merchant.id));
    const rules = { approve_over: "5000.00", transfer_limit: "8000.00", daily_limit: "200000.00" };
    expect((await owner.put("/payout-policy", rules)).status).toBe(200);
    await ownerPage.goTo("/beneficiaries?search=Asha");
    await page.getByRole("link", { name: "Asha Rao" }).click();
    await page.getByRole("link", { name: "Pay", exact: true }).click();
    await page.getByText("Available: ₹3,75,543.50").waitFor();
    await review("8000.01");
    await page.getByRole("alert").getByText("at most ₹8,000 each", { exact: false }).waitFor();
    expect(await page.getByRole("dialog").count(), "refused before the question").toBe(0);
    expect(await look("transfer-over-limit")).toEqual([]);

    await review("6000");
    const facts = page.getByRole("dialog");
    await facts.getByText("Needs approval", { exact: false }).waitFor();
    const shown = Object.fromEntries(
      await facts
        .locator("dt")
        .evaluateAll((names) =>
          names.map((name) => [name.textContent, (name.nextElementSibling as { textContent: string }).textContent]),
        ),
    ) as Record<string, string>;
    expect(shown).toMatchObject({
      Mode: "Bank transfer (IMPS)",
      "Available now": "₹3,75,543.50",
      "Balance after": "₹3,69,543.50",
      "Daily limit left": "₹2,00,000.00",
    });
    expect(await look("transfer-needs-approval")).toEqual([]);
    await facts.getByRole("button", { name: "Send for approval" }).waitFor();
    await facts.getByRole("button", { name: "Cancel" }).click();
    await review("4000");
    await facts.getByText("₹3,71,543.50").waitFor();
    expect(await facts.getByText("Needs approval", { exact: false }).count()).toBe(0);
    expect(await merchant.available(), "nothing has moved").toBe("375543.50");
    await facts.getByRole("button", { name: "Cancel" }).click();
  });
});

describe("a second person", () => {
  test("approves what one person has asked for, and that one can't", async () => {
    await ownerPage.goTo("/approvals/policy");
    await page.getByLabel("Payouts above this amount need approval").fill("5000");
    await page.getByRole("button", { name: "Save rules" }).click();
    await page.getByText("Payout rules saved.").waitFor();
    expect(await look("policy")).toEqual([]);
    await ownerPage.goTo("/beneficiaries?search=Asha");
    await page.getByRole("link", { name: "Asha Rao" }).click();
    await page.getByRole("link", { name: "Pay", exact: true }).click();
    await page.getByRole("textbox", { name: "Amount" }).fill("6000");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send for approval" }).click();
    await badge("Waiting for approval").waitFor();
    await ownerPage.goTo("/approvals");
    expect(await look("approvals")).toEqual([]);
    await page.locator("tbody a").first().click();
    await page.getByText("You requested this").waitFor();
    const path = new URL(page.url()).pathname;

    const second = await signIn(await newPerson(site, merchant.id));
    await second.goTo(path);
    await second.page.getByRole("textbox", { name: "Note" }).fill("Seen");
    expect(await look("approval", second)).toEqual([]);
    await second.page.getByRole("button", { name: "Approve" }).click();
    const dialog = second.page.getByRole("dialog");
    await dialog.getByText("Six Thousand", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Approve" }).click();
    await second.page.getByText("Approved", { exact: true }).first().waitFor();
    expect(await second.findProblems()).toEqual([]);
    await expect.poll(() => merchant.available()).toBe("369543.50");
  });
});

test("who may only look is offered nothing more, and is refused by the server", async () => {
  const viewer = await signIn(await newPerson(site, merchant.id, "Viewer"));
  await viewer.goTo("/transfers");
  await viewer.page.getByRole("heading", { level: 1, name: "Transfers" }).waitFor();
  expect(await viewer.page.getByRole("link", { name: "New transfer" }).count()).toBe(0);
  await viewer.goTo("/transfers/new");
  await viewer.page.getByText("You don't have access").waitFor();
  const status = await viewer.page.evaluate(async () => {
    const session = (await (await fetch("/api/session")).json()) as { csrf_token: string };
    const answer = await fetch("/api/v4/transfers", {
      method: "POST",
      headers: { "content-type": "application/json", "x-nodal-csrf": session.csrf_token },
      body: JSON.stringify({ beneficiary_id: "1", amount: "1.00", reference_id: "X" }),
    });
    return answer.status;
  });
  expect(status).toBe(403);
  expect(await viewer.findProblems()).toEqual([]);
});
