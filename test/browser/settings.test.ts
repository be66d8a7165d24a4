// What a merchant sets up, in a browser: access keys, webhooks, users and roles, the company.
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { MerchantClient } from "../support/nodal.ts";

let site: Installation;
let browser: TestBrowser;
let merchant: TestMerchant;
let owner: Browser;
let receiver: Server;
let receiverUrl: string;

beforeAll(async () => {
  site = await Installation.start({ WEBHOOK_ALLOW_PRIVATE: "on" });
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await site.newMerchant({ name: "Asha Traders" });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  receiver = createServer((_request, response) => response.end("thanks")).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
});
afterAll(async () => {
  receiver?.close();
  await browser?.stop();
  await site?.stop();
});

/** The page as it is now, on a phone in the dark as well: nothing complains, nothing scrolls sideways. */
async function look(opened: TestPage, name: string): Promise<void> {
  expect(await browser.lookAt(opened, name), name).toEqual([]);
}

test("a key is created and revoked, and the API agrees", async () => {
  const opened = await browser.open("/settings/keys", { as: owner });
  const { page } = opened;
  await page.getByRole("button", { name: "New access key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "New access key" }).click();
  const dialog = page.getByRole("dialog", { name: "Your new access key" });
  await dialog.waitFor();
  const [id, secret] = await dialog.locator("code").allTextContents();
  await opened.picture("keys-new");
  expect(await opened.findProblems()).toEqual([]);
  const keys = { access_key_id: id!, secret_access_key: secret! };
  await MerchantClient.signIn(site.server.baseUrl, keys);

  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await page.getByRole("heading", { name: "Sample requests" }).waitFor();
  await look(opened, "keys");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download JSON: Save customers" }).click();
  expect((await download).suggestedFilename()).toBe("customers.json");

  await page.getByRole("button", { name: `Revoke ${id}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Access key revoked.").waitFor();
  await page.getByText(/^Revoked on/).waitFor();
  // Servers notice it within seconds.
  const refusal = () => MerchantClient.signIn(site.server.baseUrl, keys).then(() => "accepted", String);
  await expect.poll(refusal, { timeout: 180_000 }).toContain("revoked");
  await page.context().close();
});

test("a key with chosen terms is refused what it lacks, and the list shows its terms", async () => {
  const opened = await browser.open("/settings/keys", { as: owner });
  const { page } = opened;
  await page.getByRole("button", { name: "New access key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an access key" });
  await dialog.getByLabel("Name").fill("Monthly reports");
  await dialog.getByLabel("Do only what you choose").check();
  await dialog.getByRole("button", { name: "New access key" }).click();
  await dialog.getByText("Choose at least one.").waitFor();
  await dialog.getByLabel("See invoices").check();
  await dialog.getByLabel("Allowed IP addresses").fill("127.0.0.0/8, office");
  await look(opened, "keys-terms");
  await dialog.getByRole("button", { name: "New access key" }).click();
  await dialog.getByText("must be an IP address or a CIDR range").waitFor();
  await dialog.getByLabel("Allowed IP addresses").fill("127.0.0.0/8");
  await dialog.getByRole("button", { name: "New access key" }).click();
  const made = page.getByRole("dialog", { name: "Your new access key" });
  await made.waitFor();
  const [id, secret] = await made.locator("code").allTextContents();
  await made.getByRole("button", { name: "I have saved it" }).click();
  const row = page.getByRole("row", { name: /Monthly reports/ });
  await row.getByText("1 of 32").waitFor();
  await row.getByText("Only from 127.0.0.0/8").waitFor();
  await look(opened, "keys-limited");
  const ask = async (path: string): Promise<number> => {
    const body = JSON.stringify({ access_key_id: id, secret_access_key: secret });
    const headers = { "content-type": "application/json" };
    return (await fetch(`${site.server.baseUrl}${path}`, { method: "POST", headers, body })).status;
  };
  expect(await ask("/api/v1/merchant/invoice/getlist")).toBe(200);
  expect(await ask("/api/v1/merchant/customer/getlist")).toBe(403);
  await page.context().close();
});

test("an endpoint is added, tested and stopped, and its log shows what was answered", async () => {
  const opened = await browser.open("/settings/webhooks", { as: owner });
  const { page } = opened;
  await page.getByText("No webhook endpoints").waitFor();
  await look(opened, "webhooks-empty");
  await page.getByRole("button", { name: "New endpoint" }).click();
  await page.getByLabel("URL").fill("ftp://example.com/");
  await page.getByLabel("Selected events").check();
  await page.getByLabel("All transfer events").check();
  await page.getByRole("button", { name: "Create endpoint" }).click();
  // The refusal stands at the field, and nothing that was typed is lost.
  await page.getByText(/^Must (be|begin)/).waitFor();
  await opened.picture("webhook-refused");
  expect(await opened.findProblems()).toEqual([]);
  expect(await page.getByLabel("All transfer events").isChecked()).toBe(true);
  await page.getByLabel("URL").fill(receiverUrl);
  await page.getByRole("button", { name: "Create endpoint" }).click();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await look(opened, "webhooks");

  await page.getByRole("link", { name: receiverUrl }).click();
  await page.getByText("No deliveries yet").waitFor();
  await page.getByRole("button", { name: "Send test event" }).click();
  await page.getByText("Test event delivered (HTTP 200).").waitFor();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByRole("button", { name: "Response to event test" }).click();
  await page.getByRole("dialog").getByText("thanks").waitFor();
  await page.keyboard.press("Escape");
  await look(opened, "webhook");
  const results = page.getByRole("navigation", { name: "Result" });
  expect(await results.getByRole("link").allTextContents()).toEqual(["All", "Delivered", "Failed"]);
  await results.getByRole("link", { name: "Failed" }).click();
  await page.getByText("No results").waitFor();
  await page.waitForURL("**?status=not_taken");
  const path = new URL(page.url()).pathname.replace("/settings", "");
  await owner.post(`${path}/test`);
  const first = (await owner.get(`${path}/attempts?limit=1&status=taken`)).body;
  const second = (await owner.get(`${path}/attempts?limit=1&status=taken&after=${first.next}`)).body;
  expect([first.attempts.length, second.attempts.length]).toEqual([1, 1]);
  expect([first.next === null, second.next], "two attempts were made").toEqual([false, null]);
  const unknown = await owner.post(`${path}/redeliver`, { event: "999" });
  expect(unknown.body.error).toContain("Event 999 was not sent to this endpoint");

  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByText("Endpoint disabled.").waitFor();
  const [endpoint] = (await owner.get("/webhooks")).body.endpoints;
  expect(endpoint).toMatchObject({ status: "Disabled", events: "transfer.*", url: receiverUrl });
  await page.context().close();
});

test("a role that was made may not do what it does not allow, in the page or by request", async () => {
  const opened = await browser.open("/settings/roles", { as: owner });
  const { page } = opened;
  await page.getByRole("button", { name: "New role" }).click();
  await page.getByLabel("Name").fill("Support");
  await page.getByLabel("See company details").check();
  await page.getByLabel("Set up webhooks").check();
  await opened.picture("role-new");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Role saved.").waitFor();
  await look(opened, "roles");

  const support = await Browser.signIn(site, await newPerson(site, merchant.id, "Support"));
  const theirs = await browser.open("/settings/company", { as: support });
  await theirs.page.getByRole("heading", { name: "Company details" }).waitFor();
  expect(await theirs.page.getByRole("button", { name: "Edit" }).count()).toBe(0);
  const links = await theirs.page.getByRole("navigation").getByRole("link").allTextContents();
  expect(links).toContain("Webhooks");
  expect(links).not.toContain("Access keys");
  await theirs.goTo("/settings/keys");
  await theirs.page.getByText("You don't have access").waitFor();
  expect(await theirs.findProblems()).toEqual([]);
  const before = await owner.get("/access-keys");
  const requests = [
    ["POST", "/access-keys", "keys.manage"],
    ["PUT", "/profile", "profile.manage"],
    ["POST", "/users", "users.manage"],
  ] as const;
  for (const [method, path, permission] of requests) {
    const answer = await support.send(method, path, {});
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, "access_denied"]);
    expect(answer.body.error).toContain(permission);
  }
  expect((await support.get("/webhooks")).status).toBe(200);
  expect((await owner.get("/access-keys")).body).toEqual(before.body);
  await theirs.page.context().close();
  await page.context().close();
});

test("a user is added and disabled", async () => {
  const opened = await browser.open("/settings/users", { as: owner });
  const { page } = opened;
  await page.getByRole("button", { name: "New user" }).click();
  await page.getByLabel("Name").fill("Ravi Kumar");
  await page.getByLabel("E-mail").fill("ravi.kumar@example.com");
  await page.getByLabel("Role").selectOption("Accountant");
  await page.getByRole("dialog").getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog", { name: "Temporary password" });
  await dialog.waitFor();
  const [email, password, link] = await dialog.locator("code").allTextContents();
  expect(link).toBe(`${site.server.baseUrl}/sign-in?merchant=${merchant.id}`);
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  const person = new Browser(site.server.baseUrl);
  const named = { password, merchant: merchant.id };
  const signIn = await person.post("/session/sign-in", { ...named, email });
  expect([signIn.status, signIn.body.state]).toEqual([200, "change_password"]);
  await look(opened, "users");

  await page.getByRole("button", { name: "Edit Ravi Kumar" }).click();
  await page.getByLabel("E-mail").fill("ravi@example.org");
  await opened.picture("user-change");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("User saved.").waitFor();
  expect((await person.get("/session")).status, "signed out").toBe(401);
  expect((await person.post("/session/sign-in", { ...named, email })).status).toBe(401);
  expect((await person.post("/session/sign-in", { ...named, email: "ravi@example.org" })).status).toBe(200);
  await page.getByRole("button", { name: "Edit Ravi Kumar" }).click();
  await page.getByLabel("Disabled (can't sign in)").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("row", { name: /Ravi Kumar/ })
    .getByText(/^disabled$/i)
    .waitFor();
  expect((await person.get("/session")).status).toBe(401);
  await page.getByRole("button", { name: "Name", exact: true }).click();
  await page.waitForURL("**?sort=name");
  const names = await page
    .getByRole("row")
    .getByText(/^(Person|Ravi)/)
    .allTextContents();
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, "en")));
  expect(names.length).toBeGreaterThan(2);
  await page.context().close();
});

test("the company is changed, with a warning where GSTIN and PAN differ, and a bank account is shown masked", async () => {
  const opened = await browser.open("/settings/company", { as: owner });
  const { page } = opened;
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByLabel("GSTIN").fill("29AAACI1234K1ZN");
  expect(await page.getByText("This GSTIN's check digit is wrong").count()).toBe(0);
  await page.getByLabel("GSTIN").fill("29AAACI1234K1Z5");
  await page.getByText("This GSTIN's check digit is wrong").waitFor();
  await page.getByLabel("State").selectOption("Kerala");
  await page.getByLabel("PAN", { exact: true }).fill("x");
  // Asked about before anything is sent, as in a customer's form.
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The check digit of GSTIN 29AAACI1234K1Z5 is wrong").waitFor();
  await page.getByRole("button", { name: "Save anyway" }).click();
  await page.getByText(/^Must be a PAN/).waitFor();
  expect(await page.getByLabel("GSTIN").inputValue()).toBe("29AAACI1234K1Z5");
  await opened.picture("company-refused");
  expect(await opened.findProblems()).toEqual([]);
  await page.getByLabel("PAN", { exact: true }).fill("ABCDE1234F");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/PAN differs from the one in the GSTIN/).waitFor();
  await page.getByText("GSTIN: The check digit is wrong").waitFor();
  await page.getByText("The GSTIN belongs to Karnataka, but the address is in Kerala").waitFor();

  await page.getByRole("button", { name: "Change bank account" }).click();
  await page.getByLabel("Account number", { exact: false }).first().fill("00011020001772");
  await page.getByLabel("Confirm account number").fill("00011020001773");
  await page.getByLabel("IFSC").fill("HDFC0000001");
  const save = page.getByRole("dialog").getByRole("button", { name: "Change bank account" });
  await save.click();
  await page.getByText("The account numbers don't match.").waitFor();
  await page.getByLabel("Confirm account number").fill("00011020001772");
  await save.click();
  await page.getByText("Bank account saved.").waitFor();
  await look(opened, "company");
  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  const { profile } = (await viewer.get("/profile")).body;
  expect(profile.bank_account).not.toContain("0001102");
  expect(profile.bank_account).toMatch(/1772$/);
  await page.context().close();
});
