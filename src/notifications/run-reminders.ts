// Use case: queues the reminders that are due on each merchant's current day. invoices/ finds the invoices.
import { findOwingReminder, queueReminders, type OpenInvoice, type ReminderSpan } from "../invoices/index.ts";
import { todayOf, type MerchantKey, type OperatorContext } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { isLockTimeout } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import { advanceClock, type AdvanceClock, type ClockMove, type ClockParts } from "../subscriptions/index.ts";
import { listReminding, markReminded, type Reminding } from "./setting-store.ts";

const LOOK_MS = 60_000;
/** How many days late a reminder is still sent if the service was down on its day. */
const PATIENCE_DAYS = 3;
/** The time of the merchant's day from which reminders are sent, so that none is sent at night. */
const FIRST_HOUR = Temporal.PlainTime.from("09:00");
const PAGE_INVOICES = 1000;

/** The schedule that queues reminders for every merchant that has them, once on each day of the merchant. */
export function reminderSchedule(ids: IdSource): Schedule {
  const run: Schedule["run"] = async (pool, signal) => {
    await runReminders(pool, ids, null, signal);
  };
  return { name: "reminders", everyMs: LOOK_MS, run };
}

/**
 * Queues the reminders that are due on each merchant's current day, and missed ones of the last three days; for each invoice only the
 * latest, and each only once. If one merchant is given, it is processed even if today's were queued, since its clock may have been moved.
 * A merchant whose rows are locked is left to the next run. Returns how many were queued; the signal stops it between merchants.
 */
export async function runReminders(
  pool: Pool,
  ids: IdSource,
  merchant: MerchantKey | null = null,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  let queued = 0;
  for (const reminding of await listReminding(pool, merchant)) {
    if (signal.aborted) break;
    const today = todayOf(reminding);
    try {
      queued += await remind(pool, ids, reminding, today);
      await markReminded(pool, reminding, today);
    } catch (error) {
      if (merchant !== null || !isLockTimeout(error)) throw error;
    }
  }
  return queued;
}

/**
 * Moves a merchant's clock ahead, does everything that is due by then, and queues and counts the reminders of that day.
 * @throws as `advanceClock` does
 */
export async function advanceClockAndRemind(
  context: ClockParts & OperatorContext,
  to: AdvanceClock,
): Promise<ClockMove & { readonly reminders: number }> {
  const moved = await advanceClock(context, to);
  return { ...moved, reminders: await runReminders(context.pool, context.ids, moved.merchant) };
}

async function remind(pool: Pool, ids: IdSource, merchant: Reminding, today: Temporal.PlainDate): Promise<number> {
  const { channels, reminderDays, timeZone } = merchant;
  const dueAt = firstMoment(timeZone, today);
  let queued = 0;
  for (const span of reminderSpans(reminderDays, today)) {
    let page: OpenInvoice[] = [];
    do {
      page = await findOwingReminder(pool, merchant, span, page.at(-1) ?? null, PAGE_INVOICES);
      queued += await queueReminders(pool, ids, merchant, page, { days: span.days, channels, dueAt });
    } while (page.length === PAGE_INVOICES);
  }
  return queued;
}

/**
 * The due dates of the invoices that get each reminder today. A reminder can be sent until the next one's day has come, and for three
 * days at most, so that no invoice gets two.
 */
function reminderSpans(reminderDays: readonly number[], today: Temporal.PlainDate): ReminderSpan[] {
  const inOrder = reminderDays.toSorted((a, b) => a - b);
  return inOrder.map((days, index) => {
    const next = inOrder[index + 1];
    const patience = next === undefined ? PATIENCE_DAYS : Math.min(PATIENCE_DAYS, next - days - 1);
    const lastDue = today.subtract({ days });
    return { days, firstDue: lastDue.subtract({ days: patience }), lastDue };
  });
}

/** When a day's reminders are sent: in the morning, or now if that has passed or the clock was moved. */
function firstMoment(timeZone: string, today: Temporal.PlainDate): Temporal.Instant {
  const now = Temporal.Now.zonedDateTimeISO(timeZone);
  const isMoved = !now.toPlainDate().equals(today);
  const isDay = Temporal.PlainTime.compare(now.toPlainTime(), FIRST_HOUR) >= 0;
  return (isMoved || isDay ? now : now.withPlainTime(FIRST_HOUR)).toInstant();
}
