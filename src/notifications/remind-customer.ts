// Use case: a user reminds a customer of a due invoice today. run-reminders.ts sends reminders on the configured days.
import { findCustomers, type Customer } from "../customers/index.ts";
import { dueOf, findInvoice, invoiceNotFound, queueReminders, type Invoice } from "../invoices/index.ts";
import { recordEvents } from "../ledger/index.ts";
import { runIdempotently, todayOf, type Answered, type Context, type Merchant } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatIndianDate } from "../platform/indian-format.ts";
import { findDeadAddress } from "./address-store.ts";
import type { ChannelName } from "./notification.ts";
import { findSetting, MAX_REMINDER_DAYS } from "./setting-store.ts";
import { recipientOf, unreachable } from "./subject.ts";

/**
 * Queues a reminder on each of the merchant's channels that reaches the customer, and returns the channels. Like one of `nodal reminder
 * set`, it is the reminder of the merchant's current day, so a customer gets only one each day.
 * @throws NodalError `invoice_not_found`; `validation_failed` if nothing is due, the invoice is dated today or later, or the
 * customer can't be reached; `limit_exceeded` if today's reminder exists
 */
export async function remindCustomer(
  { pool, ids, merchant, idempotency }: Context<Merchant>,
  invoiceId: bigint,
): Promise<Answered<{ readonly channels: readonly ChannelName[] }>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const { bucket, merchantId } = merchant;
    const invoice = await findInvoice(connection, { bucket, merchantId, invoiceId }, true);
    if (!invoice) throw invoiceNotFound();
    const days = daysSinceDue(invoice, todayOf(merchant));
    const channels = await channelsTo(connection, invoice);
    const reminder = { days, channels, dueAt: Temporal.Now.instant() };
    if ((await queueReminders(connection, ids, merchant, [invoice], reminder)) === 0) {
      throw new NodalError("limit_exceeded", "The customer already got a reminder of this invoice today: wait a day.");
    }
    const after = { channels: channels.join(", ") };
    await recordEvents(connection, merchant, [{ type: "invoice.reminder_queued", subjectId: invoiceId, after }]);
    return { channels };
  });
}

/** Days from the due date to today, negative before it. */
function daysSinceDue(invoice: Invoice, today: Temporal.PlainDate): number {
  if (dueOf(invoice) === 0n) throw refused("Nothing is due on this invoice.");
  if (Temporal.PlainDate.compare(today, invoice.billDate) <= 0) {
    throw refused("The invoice is dated today or later: send it now, and remind from the day after its date.");
  }
  const days = invoice.dueDate.until(today, { largestUnit: "days" }).days;
  if (days >= -MAX_REMINDER_DAYS) return days;
  const due = formatIndianDate(invoice.dueDate);
  throw refused(`The invoice is due on ${due}: reminders can start ${MAX_REMINDER_DAYS} days before.`);
}

/** The merchant's channels on which a customer is reached. */
async function channelsTo(connection: Connection, invoice: Invoice): Promise<ChannelName[]> {
  const { channels } = await findSetting(connection, invoice);
  const customer = (await findCustomers(connection, invoice, [invoice.customerId])).get(invoice.customerId)!;
  const reaching: ChannelName[] = [];
  const reasons: string[] = [];
  for (const channel of channels) {
    const reason = await reasonAgainstChannel(connection, customer, channel);
    if (reason === null) reaching.push(channel);
    else reasons.push(reason);
  }
  if (reaching.length === 0) throw refused(reasons.join(" "));
  return reaching;
}

/** Why a customer can't be reached on a channel, as a sentence; `null` for no known reason. */
async function reasonAgainstChannel(
  connection: Connection,
  customer: Customer,
  channel: ChannelName,
): Promise<string | null> {
  const recipient = recipientOf(customer, channel);
  if (recipient === "") return unreachable(channel);
  const dead = channel === "mail" ? await findDeadAddress(connection, customer, recipient) : null;
  return dead && `The customer's e-mail address is dead: ${dead.reason}`;
}

function refused(message: string): NodalError {
  return new NodalError("validation_failed", message);
}
