// Mail about approvals through a server and a mail server: it comes by itself, is listed, and is switched off by the
// person. Who gets it and how often is in src/notifications/notify-approvers.test.ts.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson, type Person } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { MailServer } from "../support/mail.ts";
import { nodal, nodalJson } from "../support/nodal.ts";
import { insertRole } from "../../src/merchants/users/role-store.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";

const PATIENCE = { timeout: 180_000 };

let site: Installation;
let mail: MailServer;
let merchant: TestMerchant;
let beneficiary_id: string;
let [asking, deciding] = [{} as Person, {} as Person];
let maker: Browser;
let checker: Browser;

beforeAll(async () => {
  mail = await MailServer.start();
  site = await Installation.start({
    SMTP_URL: mail.url,
    MAIL_FROM: "nodal@pay.example",
    PUBLIC_URL: "https://pay.example",
  });
});
beforeEach(async () => {
  merchant = await site.newMerchant({ name: "Asha Traders", fund: "100000.00" });
  beneficiary_id = await merchant.addBeneficiary();
  asking = await newPerson(site, merchant.id);
  deciding = await newPerson(site, merchant.id);
  maker = await Browser.signIn(site, asking);
  checker = await Browser.signIn(site, deciding);
  await maker.put("/payout-policy", { approve_over: "0.00" });
});
afterAll(async () => {
  await site.stop();
  await mail.stop();
});

/** Requests payouts that wait, all at one time of half a minute ago: one mail tells of them, however slow the requests were. */
async function ask(...amounts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const amount of amounts) {
    const answer = await maker.post("/transfers", { beneficiary_id, amount, reference_id: randomUUID().slice(0, 20) });
    expect(answer).toMatchObject({ status: 200 });
    ids.push(String(answer.body["transfer_id"]));
    await shift(ids.slice(-1), 3600);
  }
  await shift(ids, -3600 - 31);
  return ids;
}

/**
 * Changes when payouts were requested, of all in one transaction. One that was not requested at its own time can't be
 * approved.
 */
async function shift(ids: readonly string[], seconds: number): Promise<void> {
  await inTransaction(site.pool, async (connection) => {
    for (const id of ids) {
      const { rows } = await connection.query<{ at: Temporal.Instant }>(
        "select requested_at as at from approval where approval_id = $1",
        [id],
      );
      // As a value: Citus calculates with no column of time zones in an update.
      const at = rows[0]!.at.add({ seconds });
      await connection.query("update approval set requested_at = $2 where approval_id = $1", [id, at.toString()]);
    }
  });
}

const untold = async (): Promise<number> => {
  const { rows } = await site.pool.query("select from approval where merchant_id = $1 and told_at is null", [
    merchant.id,
  ]);
  return rows.length;
};

test("each person who may decide gets one mail, the requester none; the lists show it to those who may see payouts", async () => {
  const [id] = await ask("23529.56", "10.00");
  await expect.poll(() => mail.to(deciding.email).length, PATIENCE).toBe(1);
  const [received] = mail.to(deciding.email);
  expect(received!.subject).toBe("2 requests need your approval: Asha Traders (sandbox)");
  expect(received!.from).toEqual({ name: "Asha Traders (sandbox)", address: "nodal@pay.example" });
  for (const part of [received!.text, received!.html]) {
    expect(part).toContain("₹23,529.56");
    expect(part).toContain(asking.email);
    expect(part).toContain("https://pay.example/approvals");
  }
  expect(received!.attachments).toEqual([]);
  expect(mail.to(asking.email)).toEqual([]);

  const { body } = await checker.get("/messages?state=Sent");
  expect(body["messages"]).toMatchObject([{ kind: "approval", channel: "mail", recipient: deciding.email }]);
  const [listed] = await nodalJson<{ mail_id: string; kind: string; recipient: string }[]>(
    site.environment,
    "mail",
    "list",
    "--merchant",
    merchant.id,
    "--state",
    "Sent",
  );
  expect(listed).toMatchObject({ kind: "approval", recipient: deciding.email });
  const one = ["--merchant", merchant.id, "--mail", listed!.mail_id];
  expect((await nodal(site.environment, "mail", "show", ...one)).stdout).toContain("₹23,529.56");
  // What it says of payouts is for who sees payouts.
  const { rows } = await site.pool.query("select bucket from merchant where merchant_id = $1", [merchant.id]);
  const key = { bucket: (rows[0] as { bucket: number }).bucket, merchantId: BigInt(merchant.id) };
  await inTransaction(site.pool, (connection) =>
    insertRole(connection, key, { name: "Clerk", permissions: ["notifications.view"] }),
  );
  const clerk = await Browser.signIn(site, await newPerson(site, merchant.id, "Clerk"));
  expect(await clerk.get(`/messages/${listed!.mail_id}`)).toMatchObject({
    status: 403,
    body: { code: "access_denied" },
  });
  expect((await clerk.get("/messages")).body["messages"]).toMatchObject([{ recipient: "XXXX@example.com" }]);

  // It is never sent without a reason: once all is decided, also not again by hand.
  await site.pool.query("update notification set state = 'Held', sent_at = null where notification_id = $1", [
    listed!.mail_id,
  ]);
  for (const { approval_id } of (await checker.get("/approvals")).body["approvals"] as { approval_id: string }[]) {
    await shift([String(approval_id)], 31);
    expect(await checker.post(`/approvals/${approval_id}/approve`, { note: "" })).toMatchObject({ status: 200 });
  }
  expect(await checker.get(`/approvals/${id}`)).toMatchObject({ body: { status: "approved" } });
  expect(await checker.post(`/messages/${listed!.mail_id}/retry`)).toMatchObject({ status: 200 });
  await expect
    .poll(async () => (await checker.get(`/messages/${listed!.mail_id}`)).body["message"], PATIENCE)
    .toMatchObject({ state: "Suppressed", reason: expect.stringContaining("No requests left to decide") });
  expect(mail.to(deciding.email)).toHaveLength(1);
});

test("a person who has switched it off gets none; the audit log says who has switched what", async () => {
  expect((await checker.get("/session")).body["approval_mail"]).toBe(true);
  expect(await checker.put("/session/approval-mail", { on: 0 })).toMatchObject({ status: 200, body: { on: false } });
  expect((await checker.get("/session")).body["approval_mail"]).toBe(false);
  await checker.put("/session/approval-mail", { on: 0 });
  const { rows } = await site.pool.query(
    "select actor, before, after from journal where merchant_id = $1 and type = 'login.changed' and subject_id = $2",
    [merchant.id, deciding.id],
  );
  const changed = { before: { approval_mail: true }, after: { approval_mail: false } };
  expect(rows).toEqual([{ actor: `user:${deciding.id}`, ...changed }]);
  await ask("10.00");
  await expect.poll(untold, PATIENCE).toBe(0);
  expect((await checker.get("/messages")).body["messages"]).toEqual([]);
  // On again, it is of what comes from then on; who decides nothing has nothing to switch.
  await checker.put("/session/approval-mail", { on: 1 });
  await ask("20.00");
  await expect.poll(() => mail.to(deciding.email).length, PATIENCE).toBe(1);
  const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  expect((await viewer.get("/session")).body["approval_mail"]).toBeNull();
});
