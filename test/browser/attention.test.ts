// Transfers that need attention, in a browser: one is stuck, somebody says how it ended, and a second person approves.
// What the server does is in src/payouts/dispatch/resolve-transfer.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { replaceSecondFactor } from "../support/live.ts";
import { openBank, PayingMerchant, type Bank } from "../support/providers.ts";

const SAID = "Seen in the bank's statement of the 18th";

const LOADS_WITHIN_MS = 15_000;

let site: Installation;
let bank: Bank;
let browser: TestBrowser;
let merchant: PayingMerchant;
let owner: Browser;
let second: Browser;
let viewer: Browser;

beforeAll(async () => {
  bank = await openBank("cashfree");
  site = await Installation.start({ TRANSFER_WAIT_MS: "0" });
  browser = await TestBrowser.shared(site.server.baseUrl);
  merchant = await PayingMerchant.of(site);
  await merchant.connect(bank);
  await merchant.goLive(10_000_000n);
  owner = await signInOwner();
  second = await signInOwner();
  viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
  await bank?.standIn.stop();
});

/** Owners of a live merchant have a second factor. */
async function signInOwner(): Promise<Browser> {
  const person = await newPerson(site, merchant.id);
  const key = await requireMerchant(site.pool, BigInt(merchant.id));
  const login = { bucket: key.bucket, merchantId: key.merchantId, loginId: BigInt(person.id) };
  const app = await replaceSecondFactor(site.pool, login);
  const signedIn = await Browser.signIn(site, person);
  // Signing in may take longer than a code is good for, on a busy machine.
  const answer = await signedIn.post("/session/sign-in/second-factor", { code: await app.nextCode() });
  expect(answer).toMatchObject({ status: 200, body: { state: "signed_in" } });
  return signedIn;
}

async function look(opened: TestPage, name: string): Promise<void> {
  expect(await browser.lookAt(opened, name), name).toEqual([]);
}

/** Transfers that the provider took on weeks ago, and has not finished. */
async function beStuck(count: number): Promise<string[]> {
  bank.standIn.desk.faults.add({ kind: "deemed", count });
  const ids: string[] = [];
  for (let each = 0; each < count; each += 1) ids.push(await merchant.pay({ amount: `${each + 1}2500.00` }));
  for (const id of ids) await merchant.becomes(id, "PENDING");
  const before = "interval '20 days'";
  await site.pool.query(`update transfer set added_at = added_at - ${before} where transfer_id = any ($1)`, [ids]);
  await site.pool.query(
    `update journal set created_at = created_at - ${before} where subject_id = any ($1) and kind = 'reserve'`,
    [ids],
  );
  const stuck = async () => ((await owner.get("/stuck-transfers")).body.stuck as readonly unknown[]).length;
  await expect.poll(stuck).toBe(count);
  return ids;
}

test("while nothing is stuck, the page says so", async () => {
  const opened = await browser.open("/transfers", { as: owner });
  await opened.page.getByRole("link", { name: "Needs attention", exact: true }).click();
  await opened.page.getByText("Nothing needs attention").waitFor();
  expect(await browser.lookAt(opened, "attention-empty")).toEqual([]);
  await opened.page.context().close();
});

test("a stuck transfer is resolved with a second person, and what is said later stands beside it", async () => {
  const [first, other] = (await beStuck(3)) as [string, string];
  const opened = await browser.open("/transfers", { as: owner });
  const { page } = opened;
  const link = page.getByRole("link", { name: /^Needs attention/ });
  const open = "Needs attention (3)";
  // The page asks once. Where it did so while the server was busy, it is loaded again.
  const read = async (): Promise<string | null> => {
    try {
      await page.getByRole("link", { name: open }).waitFor({ timeout: LOADS_WITHIN_MS });
      return open;
    } catch {
      const instead = await link.textContent();
      await page.reload();
      return instead;
    }
  };
  await expect.poll(read).toBe(open);
  await link.click();
  await page.getByText("Pending").last().waitFor();
  await look(opened, "attention-stuck");

  const row = page.getByRole("row", { name: /12,500\.00/ });
  await row.getByRole("button", { name: "Resolve" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Evidence" }).fill(SAID);
  await dialog.getByRole("textbox", { name: "UTR" }).fill("412345678901");
  await look(opened, "attention-resolve");
  await dialog.getByRole("button", { name: "Send for approval" }).click();
  await row.getByRole("link", { name: "Waiting for approval" }).waitFor();
  await look(opened, "attention-waits");

  const deciding = await browser.open("/approvals", { as: second });
  await deciding.page.getByRole("link", { name: /stuck transfer/ }).click();
  await deciding.page.getByText(SAID).waitFor();
  expect(await browser.lookAt(deciding, "attention-approval")).toEqual([]);
  await deciding.page.getByRole("button", { name: "Approve" }).click();
  const confirm = deciding.page.getByRole("dialog");
  await confirm.getByText("Confirm this outcome?").waitFor();
  await confirm.getByRole("button", { name: "Approve" }).click();
  await deciding.page.getByText("Approved.").waitFor();
  await deciding.page.context().close();

  expect((await owner.get("/stuck-transfers")).body).toMatchObject({
    resolved: [{ transfer_id: first, resolved_as: "success", contradicts: null }],
  });
  // The provider says otherwise in the end.
  await site.pool.query("update transfer set state = 'REVERSED' where transfer_id = $1", [first]);
  await page.reload();
  await page.getByText("Provider disagrees").last().waitFor();
  await look(opened, "attention-contradicted");
  await site.pool.query("update transfer set state = 'SUCCESS' where transfer_id = $1", [first]);

  // What can't be is said in the dialog, and nothing is asked for.
  bank.credentials.secret = "another-secret";
  await page
    .getByRole("row", { name: /22,500\.00/ })
    .getByRole("button", { name: "Resolve" })
    .click();
  await dialog.getByRole("combobox", { name: "Outcome" }).selectOption("failed");
  await dialog.getByRole("textbox", { name: "Evidence" }).fill(SAID);
  await dialog.getByRole("button", { name: "Send for approval" }).click();
  await dialog.getByText(/enter what the bank statement shows/).waitFor();
  await opened.pictures("attention-refused");
  await dialog.getByRole("textbox", { name: "Bank statement" }).fill("No debit of 22,500.00 from the 18th to the 23rd");
  await dialog.getByRole("button", { name: "Send for approval" }).click();
  await dialog.waitFor({ state: "hidden" });
  bank.credentials.secret = "a-secret";
  const { body } = await owner.get("/stuck-transfers");
  const waiting = (body.stuck as { transfer_id: string; approval_id: string | null }[]).filter(
    (each) => each.approval_id,
  );
  expect(waiting.map((each) => each.transfer_id)).toEqual([other]);
  await page.context().close();
});

test("who may not move money sees it, and can't resolve; where the list can't be had, the page says so", async () => {
  const opened = await browser.open("/transfers/attention", { as: viewer });
  await opened.page.getByText("Pending").last().waitFor();
  expect(await opened.page.getByRole("button", { name: "Resolve" }).count()).toBe(0);
  const { stuck } = (await owner.get("/stuck-transfers")).body as { stuck: { transfer_id: string }[] };
  const path = `/stuck-transfers/${stuck[0]!.transfer_id}/resolve`;
  expect((await viewer.post(path, { as: "failed", reason: SAID })).status).toBe(403);
  expect(await owner.post(path, { as: "success", reason: SAID })).toMatchObject({
    status: 400,
    body: { errors: [{ field: "utr", code: "required" }] },
  });
  await opened.page.route("**/stuck-transfers", (route) =>
    route.fulfill({
      status: 500,
      json: { error: { code: "internal_error", message: "Something went wrong on the server." } },
    }),
  );
  await opened.page.reload();
  await opened.page.getByRole("alert").getByText("Something went wrong on the server.").waitFor();
  await opened.pictures("attention-error");
  await opened.page.context().close();

  const neighbour = await site.newMerchant();
  const stranger = await Browser.signIn(site, await newPerson(site, neighbour.id));
  expect((await stranger.get("/stuck-transfers")).body).toEqual({ stuck: [], resolved: [] });
  expect((await stranger.post(path, { as: "failed", reason: SAID })).status).toBe(404);
});
