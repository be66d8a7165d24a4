// Reminders of what is due, by the merchant's clock: on which days they come, how often, and when they stop.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { MerchantKey } from "../../src/merchants/index.ts";
import { changeSetting } from "../../src/notifications/index.ts";
import { runReminders } from "../../src/notifications/run-reminders.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { Installation } from "../support/installation.ts";
import { MailServer } from "../support/mail.ts";
import { Messages } from "../support/notifications.ts";
import { recordEventsOf } from "../support/record-events.ts";
import { reproveMerchants } from "../support/reprove.ts";

let installation: Installation;
let mail: MailServer;

beforeAll(async () => {
  mail = await MailServer.start();
  installation = await Installation.start({ SMTP_URL: mail.url });
  // The server's own look must not come between a clock that moves and the look that is counted.
  await installation.pool.query(
    "update schedule set next_run_at = now() + interval '1 hour' where schedule_name = 'reminders'",
  );
});
beforeEach(() => {
  mail.refuseRecipient = () => null;
});
afterAll(async () => {
  await installation.stop();
  await mail.stop();
});

const DUE = Temporal.PlainDate.from("2031-06-15");
const BILLED = { customer_code: "C2", bill_date: "2031-06-01", due_date: DUE.toString() };

const ids = () => new IdSource(installation.pool);

async function keyOf({ merchantId }: Messages): Promise<MerchantKey> {
  const { rows } = await installation.pool.query<{ bucket: number }>(
    "select bucket from merchant where merchant_id = $1",
    [merchantId],
  );
  return { bucket: rows[0]!.bucket, merchantId: BigInt(merchantId) };
}

/** Moves the merchant's clock to so many days after the due date. */
async function moveTo(messages: Messages, days: number): Promise<void> {
  await messages.change("update merchant set clock_date = $2 where merchant_id = $1", DUE.add({ days }).toString());
  await reproveMerchants(installation.pool);
  await recordEventsOf(installation.pool, messages.merchantId, "merchant.created", [messages.merchantId]);
}

/** Moves the merchant's clock, and returns how many reminders that queued. */
async function remindAt(messages: Messages, days: number): Promise<number> {
  await moveTo(messages, days);
  return runReminders(installation.pool, ids(), await keyOf(messages));
}

async function remindOn(messages: Messages, ...reminderDays: number[]): Promise<void> {
  const merchant = await keyOf(messages);
  await changeSetting({ pool: installation.pool, merchant }, { channels: ["mail"], reminderDays });
}

test("come on their days, once each, and stop on payment", async () => {
  const messages = await Messages.ofNewMerchant(installation, "remind@example.com");
  const { invoice_id, invoice_number } = await messages.invoices.add(BILLED);
  expect(await remindAt(messages, 0)).toBe(0);
  await remindOn(messages, -3, 0, 7, 14);
  expect(await remindAt(messages, -4)).toBe(0);
  expect(await remindAt(messages, -3)).toBe(1);
  expect(await remindAt(messages, -3)).toBe(0);
  await messages.until("Sent");
  await messages.invoices.pay(invoice_id, "40.00");
  expect(await remindAt(messages, 0)).toBe(1);
  await messages.until("Sent", "Sent");
  expect(await remindAt(messages, 7)).toBe(1);
  await messages.until("Sent", "Sent", "Sent");
  const received = mail.to("remind@example.com");
  const about = `Reminder: invoice ${invoice_number} from Asha Traders:`;
  expect(received.map(({ subject }) => subject)).toEqual([
    `${about} ₹100.00 due in 3 days`,
    `${about} ₹60.00 due today`,
    `${about} ₹60.00 overdue by 7 days`,
  ]);
  expect(received.every(({ attachments }) => attachments[0]!.mimeType === "application/pdf")).toBe(true);
  await messages.invoices.pay(invoice_id, "60.00");
  expect(await remindAt(messages, 14)).toBe(0);
});

test("that wait while the invoice is paid are not sent any more", async () => {
  const messages = await Messages.ofNewMerchant(installation, "paid@example.com");
  await remindOn(messages, 0);
  const { invoice_id } = await messages.invoices.add(BILLED);
  mail.refuseRecipient = () => "450 4.2.0 Later";
  expect(await remindAt(messages, 0)).toBe(1);
  await messages.retryAfter(1, () => messages.invoices.pay(invoice_id, "100.00"));
  const [row] = await messages.until("Suppressed");
  expect(row!.reason).toBe("The invoice is paid.");
});

test("that were missed are sent for three days, the latest of them only", async () => {
  const messages = await Messages.ofNewMerchant(installation, "missed@example.com");
  await remindOn(messages, -3, 0, 2);
  await messages.invoices.add(BILLED);
  // Billed on its due date, it needs no reminder on that day.
  await messages.invoices.add({ ...BILLED, bill_date: DUE.toString() });
  expect(await remindAt(messages, 1)).toBe(1);
  expect((await messages.read()).map((row) => row.reminder_days)).toEqual([0]);
  const late = await Messages.ofNewMerchant(installation, "late@example.com");
  await remindOn(late, 0, 20);
  await late.invoices.add(BILLED);
  expect(await remindAt(late, 4)).toBe(0);
  expect(await remindAt(late, 3)).toBe(1);
});

test("are queued once by several at once, and by the server's own schedule", async () => {
  const messages = await Messages.ofNewMerchant(installation, "schedule@example.com");
  await messages.invoices.add(BILLED);
  await moveTo(messages, 0);
  await remindOn(messages, 0, 1);
  await Promise.all([1, 2, 3].map(() => runReminders(installation.pool, ids())));
  await messages.until("Sent");
  await moveTo(messages, 1);
  await installation.pool.query("update schedule set next_run_at = now() where schedule_name = 'reminders'");
  await messages.until("Sent", "Sent");
  expect((await messages.read()).map((row) => row.reminder_days)).toEqual([0, 1]);
});

test("have no reason left in the end that verify would object to", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
