// A customer's statement of account as PDF, and mailed: docs/accounts.md#reports
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { MailServer } from "../support/mail.ts";
import type { Answer } from "../support/nodal.ts";
import { Messages } from "../support/notifications.ts";
import { readPdf } from "../support/pdf.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

const PERIOD = { from_date: "2026-06-01", to_date: "2026-06-30" };
const MAIL_FROM = "billing@nodal.example";

let mail: MailServer;
let site: Installation;
let messages: Messages;
let owner: Browser;
let call: Raw;
let customerId: string;
let address: string;
let count = 0;
beforeAll(async () => {
  mail = await MailServer.start();
  site = await Installation.start({ SMTP_URL: mail.url, MAIL_FROM });
});
beforeEach(async () => {
  address = `accounts${(count += 1)}@example.com`;
  messages = await Messages.ofNewMerchant(site, address);
  owner = await Browser.signIn(site, await newPerson(site, messages.invoices.merchant.id));
  call = rawOf(site, owner);
  customerId = await idOf("C2");
  await messages.invoices.add({ customer_code: "C2", bill_date: "2026-05-20", due_date: "2026-05-30" });
  const { invoice_id } = await messages.invoices.add({
    customer_code: "C2",
    bill_date: "2026-06-10",
    due_date: "2026-06-20",
  });
  const paid = { invoice_id, amount: "40.00", date: "2026-06-15", mode: "NEFT", bank_ref_no: "UTR0615" };
  await messages.invoices.settle(paid);
});
afterAll(async () => {
  await site?.stop();
  await mail?.stop();
});

async function idOf(code: string): Promise<string> {
  const { body } = await call("GET", "/customers");
  return body.customers.find(({ customer_code }: Answer["body"]) => customer_code === code).customer_id;
}

const send = (body: object, id = customerId) => call("POST", `/customers/${id}/send-statement`, { ...PERIOD, ...body });

test("the PDF has the letterhead, the customer, each line with its balance, and the sums", async () => {
  const query = new URLSearchParams(PERIOD);
  const { status, bytes } = await owner.getFile(`/customers/${customerId}/statement/pdf?${query.toString()}`);
  expect(status).toBe(200);
  const text = (await readPdf(bytes)).pages.join(" ");
  for (const words of ["Statement of account", "Asha Traders", "1 Jun 2026 to 30 Jun 2026", "UTR0615"]) {
    expect(text).toContain(words);
  }
  expect(text).toMatch(/Opening balance 100\.00/);
  expect(text).toMatch(/Closing balance 100\.00 40\.00 160\.00/);
});

test("it is mailed to the customer with its PDF, or to another address, and the log says so", async () => {
  const { status, body } = await send({});
  expect(status, JSON.stringify(body)).toBe(200);
  await messages.until("Sent");
  const { body: sent } = await call("GET", "/messages");
  expect(sent.messages).toMatchObject([{ kind: "statement", recipient: address }]);
  const [received] = mail.to(address);
  expect(received).toMatchObject({
    subject: "Statement of account from Asha Traders: ₹160.00 due, 1 Jun 2026 to 30 Jun 2026",
    replyTo: [{ address: expect.stringContaining("@") }],
  });
  expect(received!.text).toMatch(/Opening balance: +₹100\.00\nCharged: +₹100\.00\nPaid and credited: +₹40\.00\n/);
  expect(received!.html).not.toContain("href=");
  expect(received!.attachments.map(({ filename }) => filename)).toEqual(["statement-2026-06-01-to-2026-06-30.pdf"]);
  const text = (await readPdf(new Uint8Array(received!.attachments[0]!.content as ArrayBuffer))).pages.join(" ");
  expect(text).toContain("UTR0615");

  // The list of one customer's messages has no other's.
  const ofCustomer = async (id: string) => (await call("GET", `/messages?customer_id=${id}&state=Sent`)).body.messages;
  expect(await ofCustomer(customerId)).toMatchObject([{ kind: "statement" }]);
  expect([await ofCustomer(await idOf("C1")), await ofCustomer("1")]).toEqual([[], []]);

  const other = `cfo${count}@example.com`;
  expect((await send({ email: other })).status).toBe(200);
  await messages.until("Sent", "Sent");
  expect(mail.to(other)).toHaveLength(1);
  const { body: history } = await call("GET", `/audit?subject=${customerId}`);
  expect(history.entries).toContainEqual(
    expect.objectContaining({
      type: "customer.statement_queued",
      after: { ...PERIOD, send_to: other },
    }),
  );
  expect(await site.findProblems()).toEqual([]);
});

test("a customer without an address, another merchant's customer and a wrong period are refused, and nothing is queued", async () => {
  await messages.invoices.addCustomer({ customer_code: "MUTE", customer_name: "No Mail" });
  const refused = await send({}, await idOf("MUTE"));
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining("no e-mail address")]);
  const backwards = await send({ from_date: "2026-07-01" });
  expect([backwards.status, backwards.body.error.fields[0].path]).toEqual([400, "to_date"]);
  const stranger = await Messages.ofNewMerchant(site, "stranger@example.com");
  const theirs = rawOf(site, await Browser.signIn(site, await newPerson(site, stranger.invoices.merchant.id)));
  const elsewhere = await theirs("POST", `/customers/${customerId}/send-statement`, PERIOD);
  expect([elsewhere.status, elsewhere.body.error.code]).toEqual([404, "customer_not_found"]);
  expect((await call("GET", "/messages")).body.messages).toEqual([]);
});
