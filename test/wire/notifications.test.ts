// Messages to customers through a real mail server: what arrives, what is tried again, and what is not sent.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { PublicLinks } from "../../src/documents/index.ts";
import { openNotifications } from "../../src/notifications/index.ts";
import { settledToday } from "../support/days.ts";
import { readPdf } from "../support/pdf.ts";
import { readConfig } from "../../src/platform/config.ts";
import { createPool } from "../../src/platform/database/pool.ts";
import { createLogger } from "../../src/platform/log.ts";
import { createPdfRenderer } from "../../src/platform/pdf/renderer.ts";
import { Installation } from "../support/installation.ts";
import { MailServer, MessageReceiver } from "../support/mail.ts";
import { nodal, nodalJson } from "../support/nodal.ts";
import { Messages, NOTIFY } from "../support/notifications.ts";
import { TEST_ACTOR, withTestSecrets } from "../support/secrets.ts";
import { recordEventsOf, recordCustomerEvents } from "../support/record-events.ts";

const MAIL_FROM = "billing@nodal.example";

let installation: Installation;
let mail: MailServer;
let phones: MessageReceiver;

beforeAll(async () => {
  mail = await MailServer.start();
  phones = await MessageReceiver.start();
  installation = await Installation.start({ SMTP_URL: mail.url, MAIL_FROM, SMS_HTTP_URL: phones.url });
});
beforeEach(() => {
  mail.refuseRecipient = () => null;
  mail.refuseMail = () => null;
  phones.status = 200;
});
afterAll(async () => {
  await installation.stop();
  await mail.stop();
  await phones.stop();
});

describe("an invoice that its customer is to be told of", () => {
  test("arrives as HTML and text in the merchant's name, with its PDF, and counts as sent", async () => {
    const today = (await settledToday()).toString();
    const messages = await Messages.ofNewMerchant(installation, "parts@example.com");
    const rows = [{ item: "Work", gst: "18", total_amount: "100000.00" }];
    const saved = await messages.invoices.add({ ...NOTIFY, particular_rows: rows });
    const [row] = await messages.until("Sent");
    const [received] = mail.to("parts@example.com");
    expect(received).toMatchObject({
      subject: `Invoice ${saved["invoice_number"]} from Asha Traders: ₹1,18,000.00 due 15 Jun 2026`,
      from: { name: "Asha Traders", address: MAIL_FROM },
      replyTo: [{ name: "Asha Traders", address: "asha@traders.example" }],
      to: [{ name: "Rohan Mehta", address: "parts@example.com" }],
      messageId: `<${row!.notification_id}.${messages.merchantId}@nodal.example>`,
    });
    expect(received!.headers.find(({ key }) => key === "auto-submitted")?.value).toBe("auto-generated");
    for (const part of [received!.text, received!.html]) {
      expect(part).toContain("Rohan Mehta");
      expect(part).toContain("₹1,18,000.00");
      expect(part).toContain(saved["short_url"]);
      expect(part).toContain("15 Jun 2026");
    }
    expect(received!.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
      [`${saved["invoice_number"]}.pdf`, "application/pdf"],
    ]);
    const pdf = await readPdf(new Uint8Array(received!.attachments[0]!.content as ArrayBuffer));
    expect(pdf.pages[0]).toContain(saved["invoice_number"]);
    expect((await messages.invoices.read(saved["invoice_id"]))["sent_date"]).toContain(today);
    const bySentDate = { filter_by: "sent_date", from_date: today, to_date: today };
    expect((await messages.invoices.list(bySentDate)).body.total_records).toBe(1);
    // Its payment moves it among those of its day, not out of them.
    await messages.invoices.pay(saved["invoice_id"], "118000.00");
    expect((await messages.invoices.list({ ...bySentDate, status: "Paid offline" })).body.total_records).toBe(1);
  });

  test("shows the logo of its template as an inline picture", async () => {
    const messages = await Messages.ofNewMerchant(installation, "logo@example.com");
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    await installation.pool.query("update template set logo = $2, logo_type = 'image/png' where merchant_id = $1", [
      messages.merchantId,
      png,
    ]);
    await recordEventsOf(installation.pool, messages.merchantId, "template.created", [messages.invoices.templateId]);
    const paid = await messages.invoices.add({ customer_code: "C2" });
    await messages.invoices.settle({
      invoice_id: paid["invoice_id"],
      amount: "40.00",
      bank_ref_no: "UTR77",
      notify: "1",
    });
    await messages.until("Sent");
    const [received] = mail.to("logo@example.com");
    expect(received!.subject).toBe(`Payment of ₹40.00 received by Asha Traders for invoice ${paid["invoice_number"]}`);
    expect(received!.text).toMatch(/₹60\.00 remains due since 15 Jun 2026[^]*UTR77/);
    expect(received!.html).toContain('src="cid:logo@nodal"');
    const [logo, ...others] = received!.attachments;
    expect(logo).toMatchObject({ contentId: "<logo@nodal>", mimeType: "image/png", disposition: "inline" });
    expect(Buffer.from(logo!.content as ArrayBuffer)).toEqual(png);
    expect(others).toEqual([]);
  });

  test("comes from odd names without a header of theirs, and nothing in them is HTML", async () => {
    const messages = await Messages.ofNewMerchant(installation, "odd@example.com");
    const merchantName = 'அ "Über, Söhne" <b>&\r\nBcc: merchant@evil.example';
    const customerName = '\u202eनमस्ते "Q", <script>alert(1)</script>\nX-Evil: 1\r\n\r\nbody 😀';
    await installation.pool.query(
      "update template set company = jsonb_build_object('name', $2::text) where merchant_id = $1",
      [messages.merchantId, merchantName],
    );
    await recordEventsOf(installation.pool, messages.merchantId, "template.created", [messages.invoices.templateId]);
    await installation.pool.query("update customer set customer_name = $2 where merchant_id = $1", [
      messages.merchantId,
      customerName,
    ]);
    await recordCustomerEvents(installation.pool, messages.merchantId);
    await messages.invoices.add(NOTIFY);
    await messages.until("Sent");
    const { to, raw, mail: received } = mail.received.at(-1)!;
    expect(to).toEqual(["odd@example.com"]);
    expect(received.from).toEqual({ name: merchantName.replace("\r\n", " "), address: MAIL_FROM });
    expect(received.to).toEqual([{ name: customerName.replaceAll(/\s+/g, " "), address: "odd@example.com" }]);
    expect(received.subject).toContain(merchantName.replace("\r\n", " "));
    const head = raw.slice(0, raw.indexOf("\r\n\r\n"));
    expect(head).not.toMatch(/^(bcc|x-evil):/im);
    expect(received.html).not.toMatch(/<script|<b>/);
    expect(received.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });
});

describe("what can't be sent", () => {
  test("for now is tried again under the same id: a server that is busy, and one that is away", async () => {
    const messages = await Messages.ofNewMerchant(installation, "later@example.com");
    const seen: string[] = [];
    mail.refuseMail = ({ mail: { messageId } }) => {
      seen.push(messageId!);
      return seen.length === 1 ? "451 4.3.0 Busy" : null;
    };
    await messages.invoices.add(NOTIFY);
    expect((await messages.retryAfter(1, () => mail.stop())).reason).toBe("451 4.3.0 Busy");
    expect((await messages.retryAfter(2, () => mail.listen())).reason).toContain("ECONNREFUSED");
    expect((await messages.until("Sent"))[0]).toMatchObject({ attempts: 3, reason: null });
    expect(seen).toHaveLength(2);
    expect(new Set(seen).size).toBe(1);
    expect(mail.to("later@example.com")).toHaveLength(1);
  });

  test("waits longer and longer, and is given up after almost three days", async () => {
    const messages = await Messages.ofNewMerchant(installation, "never@example.com");
    mail.refuseRecipient = (address) => (address === "never@example.com" ? "450 4.2.0 Greylisted" : null);
    await messages.invoices.add(NOTIFY);
    const waitMinutes = async (): Promise<number> => {
      const { rows } = await installation.pool.query<{ minutes: number }>(
        "select round(extract(epoch from due_at - now()) / 60)::integer as minutes from notification where merchant_id = $1",
        [messages.merchantId],
      );
      return rows[0]!.minutes;
    };
    await messages.retryAfter(1, async () => expect(await waitMinutes()).toBe(1));
    await messages.retryAfter(2, async () => {
      expect(await waitMinutes()).toBe(5);
      // As if the days between had gone by.
      await installation.pool.query("update notification set attempts = 9 where merchant_id = $1", [
        messages.merchantId,
      ]);
    });
    await messages.retryAfter(10, async () => expect(await waitMinutes()).toBe(12 * 60));
    await messages.until("Failed");
  });

  test("to a dead address is not tried again, until the address is revived or another one is given", async () => {
    const today = (await settledToday()).toString();
    const messages = await Messages.ofNewMerchant(installation, "Dead@Example.com");
    const others = await Messages.ofNewMerchant(installation, "dead@example.com");
    const option = ["--merchant", messages.merchantId] as const;
    mail.refuseRecipient = () => "550 5.1.1 No such user";
    await messages.invoices.add(NOTIFY);
    await messages.until("Failed");
    mail.refuseRecipient = () => null;
    await messages.invoices.add(NOTIFY);
    const [, suppressed] = await messages.until("Failed", "Suppressed");
    expect(suppressed!.reason).toMatch(
      new RegExp(
        `^The mail server has rejected this address since ${today} \\d\\d:\\d\\d:\\d\\d: 550 5\\.1\\.1 No such user$`,
      ),
    );
    // It is dead for the merchant that found out, and for no other.
    await others.invoices.add(NOTIFY);
    await others.until("Sent");
    await messages.invoices.addCustomer({ customer_code: "C3", customer_name: "Other", email: "alive@example.com" });
    await messages.invoices.add({ ...NOTIFY, customer_code: "C3" });
    await messages.until("Failed", "Suppressed", "Sent");
    expect(
      (await nodal(installation.environment, "mail", "revive", ...option, "--address", "DEAD@example.com")).code,
    ).toBe(0);
    const again = await nodal(installation.environment, "mail", "revive", ...option, "--address", "dead@example.com");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("not among") as unknown });
    const slip = await nodal(installation.environment, "mail", "retry", ...option, "--mail", "last");
    expect(slip.stderr).toMatch(/--mail must be a message's id, which `nodal mail list` shows\./);
    await nodalJson(installation.environment, "mail", "retry", ...option, "--mail", suppressed!.notification_id);
    await messages.until("Failed", "Sent", "Sent");
  });

  test("because of a policy or a full mailbox fails, but says nothing against the address", async () => {
    const messages = await Messages.ofNewMerchant(installation, "policy@example.com");
    for (const reply of ["550 5.7.1 Relaying denied", "552 5.2.2 Mailbox full", null]) {
      mail.refuseRecipient = () => reply;
      await messages.invoices.add(NOTIFY);
      await vi.waitFor(async () => expect((await messages.read()).at(-1)!.state).toBe(reply ? "Failed" : "Sent"), {
        timeout: 180_000,
      });
    }
  });

  test("is suppressed once there is no reason for it, or nobody to send it to", async () => {
    const suppress = async (act: (messages: Messages, invoiceId: string) => unknown): Promise<string | null> => {
      const messages = await Messages.ofNewMerchant(installation, "reason@example.com");
      mail.refuseRecipient = () => "450 4.2.0 Later";
      const { invoice_id } = await messages.invoices.add(NOTIFY);
      await messages.retryAfter(1, () => act(messages, invoice_id!));
      return (await messages.until("Suppressed"))[0]!.reason;
    };
    const set = (sql: string) => async (messages: Messages) => {
      await messages.change(sql);
      await recordCustomerEvents(installation.pool, messages.merchantId);
    };
    expect(await suppress((messages, invoiceId) => messages.invoices.cancel(invoiceId))).toBe(
      "The invoice was cancelled.",
    );
    expect(await suppress(set("update merchant set status = 'suspended' where merchant_id = $1"))).toBe(
      "The merchant is suspended.",
    );
    expect(await suppress(set("update customer set email = '' where merchant_id = $1"))).toBe(
      "The customer has no e-mail address.",
    );
    expect(mail.to("reason@example.com")).toEqual([]);
  });
});

test("several senders at once send everything once", async () => {
  const messages = await Messages.ofNewMerchant(installation, "crowd@example.com");
  const pool = withTestSecrets(
    createPool({ url: installation.serverUrl, size: 4, role: "nodal_server", actor: TEST_ACTOR }),
  );
  const logger = createLogger("silent");
  const renderer = createPdfRenderer({ logger });
  const config = readConfig({ SMTP_URL: mail.url, MAIL_FROM });
  const links = new PublicLinks(() => "https://pay.example");
  const senders = [1, 2].map(() => openNotifications({ config, pool, links, renderer, logger }));
  await Promise.all(senders.map((sender) => sender.start(false)));
  const paid = await messages.invoices.add({
    customer_code: "C2",
    particular_rows: [{ item: "Work", total_amount: "60.00" }],
  });
  for (let payment = 0; payment < 20; payment += 1) {
    await messages.invoices.settle({ invoice_id: paid["invoice_id"], amount: "3.00", notify: "1" });
  }
  await messages.until(...Array.from({ length: 20 }, () => "Sent"));
  await Promise.all(senders.map((sender) => sender.stop(5000)));
  const names = mail.to("crowd@example.com").map(({ messageId }) => messageId);
  expect(names).toHaveLength(20);
  expect(new Set(names).size).toBe(20);
  await renderer.close();
  await pool.end();
});

describe("the channels that a merchant chose", () => {
  test("each carry every message, as a line to a phone or as a mail", async () => {
    const messages = await Messages.ofNewMerchant(installation, "both@example.com");
    const option = ["--merchant", messages.merchantId] as const;
    const set = await nodalJson(
      installation.environment,
      "reminder",
      "set",
      ...option,
      "--channels",
      "mail,sms,whatsapp",
    );
    expect(set).toEqual({ merchant_id: option[1], reminder_days: [], channels: ["mail", "sms", "whatsapp"] });
    const { invoice_number, short_url } = await messages.invoices.add(NOTIFY);
    const rows = await messages.until("Sent", "Sent", "Held");
    expect(mail.to("both@example.com")).toHaveLength(1);
    const text = `Asha Traders: invoice ${invoice_number} of ₹100.00, due 15 Jun 2026. ${short_url}`;
    const { notification_id } = rows.find(({ channel }) => channel === "sms")!;
    expect(phones.received.at(-1)).toEqual({
      channel: "sms",
      to: "+919876500000",
      text,
      merchant_id: option[1],
      notification_id,
      kind: "invoice",
    });
    expect(rows[2]).toMatchObject({
      channel: "whatsapp",
      reason: expect.stringContaining("WHATSAPP_HTTP_URL") as unknown,
    });
  });

  test("are tried again after a failure of the connector, and not after its refusal", async () => {
    const messages = await Messages.ofNewMerchant(installation, "phone@example.com");
    await nodalJson(
      installation.environment,
      "reminder",
      "set",
      "--merchant",
      messages.merchantId,
      "--channels",
      "sms",
    );
    phones.status = 503;
    await messages.invoices.add(NOTIFY);
    expect((await messages.retryAfter(1, () => (phones.status = 429))).reason).toBe("503 said so");
    expect((await messages.retryAfter(2, () => (phones.status = 400))).reason).toBe("429 said so");
    expect((await messages.until("Failed"))[0]!.reason).toBe("400 said so");
  });
});

test("nothing of all this breaks what verify checks", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
