// Use case: bill a merchant's due subscriptions, batch by batch, and park those that fail. Each step bills the next occurrence of
// some subscriptions: the repeated invoice, with that occurrence's dates. The schedule, in which merchants take turns, is here too.
import { setTimeout as sleep } from "node:timers/promises";
import { findBookSetting, openDay, type BookSetting } from "../books/index.ts";
import {
  NO_SETTINGS,
  billInvoices,
  fillRows,
  invoiceUpdateFields,
  toInvoiceInput,
  type InTurn,
  type Invoice,
  type InvoiceInput,
  type InvoiceSettings,
} from "../invoices/index.ts";
import { auditValues, recordEvents, type NewEvent } from "../ledger/index.ts";
import { findMerchantByKey, todayOf, type Context, type Merchant, type MerchantKey } from "../merchants/index.ts";
import { runBatch } from "../platform/batcher.ts";
import { isLockTimeout } from "../platform/database/failure.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { decode, encoderOf, type Decoded } from "../platform/http/field.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import type { JsonObject } from "../platform/json.ts";
import type { Logger } from "../platform/log.ts";
import {
  findDue,
  findDueMerchants,
  findOpenInvoices,
  findSkippedAhead,
  findSubscription,
  insertOccurrences,
  lockDue,
  updateSubscriptions,
  type DueFilter,
  type SubscriptionOccurrence,
} from "./subscription-store.ts";
import { dueDateOf, isDue, moveOn, park, type Subscription } from "./subscription.ts";
import { valuesOf, withPlaceholders } from "./placeholders.ts";

/** How many subscriptions are billed in one transaction. Others that write for the merchant wait for its commit. */
const BATCH_SUBSCRIPTIONS = 100;
/** After this many failures, a merchant's run ends: the next run tries again. */
const MAX_FAILURES = 1000;
/** How long a batch waits for an unreachable database. */
const PATIENCE_MS = 2000;

export type BillingParts = {
  readonly pool: Pool;
  readonly ids: IdSource;
  /** If the process also saves invoices by request: billing then queues there, not in the database. */
  readonly inTurn?: InTurn;
  readonly logger: Logger;
};

type BillingContext = BillingParts & Pick<Context, "merchant">;

const atOnce: InTurn = (_merchant, work) => work();

export type BillingOptions = {
  /** One subscription; all if left out. */
  readonly subscriptionId?: bigint;
  /** Whether parked ones are tried before their time. */
  readonly retryParked?: boolean;
  /** Ends the work after the current batch. */
  readonly signal?: AbortSignal;
};

/** The result of a batch. */
export type BatchOutcome = {
  readonly billed: number;
  /** Subscriptions that failed, and must not be tried again in this run. */
  readonly failed: readonly bigint[];
};

/**
 * Bills all occurrences of a merchant that are due by its own day, oldest first, each missed one with its own dates. Safe beside
 * other processes: each occurrence creates one invoice. Refused subscriptions are parked, and those that the database failed on are
 * left for the next call. Nothing is billed while the merchant is suspended. Returns how many invoices this call created.
 */
export async function billDue(context: BillingContext, options: BillingOptions = {}): Promise<number> {
  const failed: bigint[] = [];
  let billed = 0;
  for (;;) {
    const outcome = await billDueBatch(context, { ...options, except: failed });
    billed += outcome?.billed ?? 0;
    failed.push(...(outcome?.failed ?? []));
    if (outcome === null || options.signal?.aborted) return billed;
  }
}

/**
 * Bills one occurrence each of the merchant's subscriptions that are due on the oldest day, except those in `except`. Returns
 * `null` if nothing is due.
 * @throws NodalError `unavailable` if the database is unreachable; the database's error if the merchant's rows are locked
 * (`isLockTimeout`)
 */
async function billDueBatch(
  { merchant: key, ...parts }: BillingContext,
  { except, subscriptionId, retryParked = false }: BillingOptions & { readonly except: readonly bigint[] },
): Promise<BatchOutcome | null> {
  if (except.length >= MAX_FAILURES) return null;
  // Read again: its clock, its status and its printed details may have changed since the last batch.
  const merchant = await findMerchantByKey(parts.pool, key);
  if (merchant?.status !== "active") return null;
  const today = todayOf(merchant);
  const filter: DueFilter = {
    today,
    now: Temporal.Now.instant(),
    subscriptionId: subscriptionId ?? null,
    retryParked,
    except,
  };
  const oldest = await findDue(parts.pool, key, filter, BATCH_SUBSCRIPTIONS);
  if (oldest.length === 0) return null;
  // Day by day, so that the numbers of a series rise with the dates of all its subscriptions.
  const day = oldest[0]!.billDate;
  const due = oldest.filter(({ billDate }) => billDate.equals(day));
  const failed: bigint[] = [];
  let billed = 0;
  // A transaction takes numbers from one template's series only, so that two of them can't deadlock.
  for (const group of Map.groupBy(due, ({ templateId }) => templateId).values()) {
    const ids = group.map((each) => each.subscriptionId);
    const outcomes = await (parts.inTurn ?? atOnce)(merchant, () =>
      runBatch(ids, (some) => billTogether(parts, merchant, day, some), PATIENCE_MS),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (isLockTimeout(outcome) || (outcome instanceof NodalError && outcome.code === "unavailable")) throw outcome;
      if (outcome instanceof Error) {
        failed.push(ids[index]!);
        await setAside(parts, merchant, today, ids[index]!, outcome);
      } else billed += outcome;
    }
  }
  return { billed, failed };
}

/**
 * Bills the occurrence of each of these on `day`, or an earlier one, all or none. Returns 1 for each, and 0 for one that another
 * process has billed.
 */
async function billTogether(
  { pool, ids }: BillingParts,
  merchant: Merchant,
  day: Temporal.PlainDate,
  subscriptionIds: readonly bigint[],
): Promise<(0 | 1)[]> {
  const billed = await inTransaction(pool, async (connection) => {
    const due = await lockDue(connection, merchant, subscriptionIds, day);
    return billOccurrences(connection, ids, merchant, due);
  });
  const done = new Set(billed.map(({ subscription }) => subscription.subscriptionId));
  return subscriptionIds.map((id) => (done.has(id) ? 1 : 0));
}

/** Refused ones are parked. Those that the database failed on don't change, and are tried by the next run. */
async function setAside(
  { pool, logger }: BillingParts,
  merchant: Merchant,
  today: Temporal.PlainDate,
  subscriptionId: bigint,
  error: Error,
): Promise<void> {
  const names = { merchant_id: String(merchant.merchantId), subscription_id: String(subscriptionId) };
  // The period was locked meanwhile: the next run uses the first open day.
  if (error instanceof NodalError && error.code === "period_locked") return;
  if (!(error instanceof NodalError) || error.status >= 500) {
    logger.error({ err: error, ...names }, "could not bill a subscription");
    return;
  }
  await inTransaction(pool, async (connection) => {
    const subscription = await findSubscription(connection, merchant, subscriptionId, true);
    // Another process was faster, and has billed, paused or cancelled it.
    if (subscription !== null && isDue(subscription, today)) {
      await parkSubscription(connection, merchant, subscription, error);
    }
  });
}

/** Parks a subscription whose row the caller has locked. The event is recorded once, not after each attempt. */
export async function parkSubscription(
  connection: Connection,
  merchant: Merchant,
  subscription: Subscription,
  error: NodalError,
): Promise<Subscription> {
  const parked = park(subscription, error, Temporal.Now.instant());
  await updateSubscriptions(connection, [parked]);
  const { code, reason } = parked.parking;
  const event = { type: "subscription.parked", subjectId: subscription.subscriptionId, after: { code, reason } };
  await recordEvents(connection, merchant, subscription.parking === null ? [event] : []);
  return parked;
}

const LOOK_MS = 5000;
/** How many merchants are billed at once: one is computed while the database writes the other. */
const MERCHANTS_AT_ONCE = 2;
/**
 * After a batch the biller pauses for this share of its duration, so that requests find the server free: for half of that if it
 * bills only one merchant, as at the end of a run, when one has far more than the others.
 */
const REST_SHARE = 0.5;

/** The schedule that bills every merchant's due subscriptions. */
export function subscriptionSchedule(parts: Omit<BillingParts, "pool">): Schedule {
  return { name: "subscriptions", everyMs: LOOK_MS, run: (pool, signal) => billAllDue({ ...parts, pool }, signal) };
}

/**
 * Bills every active merchant's due subscriptions, a batch each in turn, so that none waits for all of another's. Ends when only
 * failed ones are left, or soon after the signal. A merchant with locked rows has no further turn in this run.
 */
async function billAllDue(parts: BillingParts, signal: AbortSignal): Promise<void> {
  const failed: Failures = new Map();
  for (;;) {
    const due = await findDueMerchants(parts.pool, Temporal.Now.instant());
    let handled = 0;
    let billing = MERCHANTS_AT_ONCE;
    const takeTurns = async (): Promise<void> => {
      for (let merchant = due.shift(); merchant && !signal.aborted; merchant = due.shift()) {
        const startedAtMs = performance.now();
        const done = await takeTurn(parts, merchant, failed);
        handled += done;
        if (done > 0) await sleep((performance.now() - startedAtMs) * REST_SHARE * (billing / MERCHANTS_AT_ONCE));
      }
      billing -= 1;
    };
    const ended = await Promise.allSettled(Array.from({ length: MERCHANTS_AT_ONCE }, takeTurns));
    for (const each of ended) if (each.status === "rejected") throw each.reason;
    if (handled === 0 || signal.aborted) return;
  }
}

/** The failures of each merchant in a run; `held` ends its turns. */
type Failures = Map<string, readonly bigint[] | "held">;

/** A merchant's turn. Returns how many subscriptions it handled, and records failures. */
async function takeTurn(parts: BillingParts, merchant: MerchantKey, failedOf: Failures): Promise<number> {
  const key = `${merchant.bucket} ${merchant.merchantId}`;
  const failed = failedOf.get(key) ?? [];
  if (failed === "held") return 0;
  const outcome = await billDueBatch({ ...parts, merchant }, { except: failed }).catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
    parts.logger.warn(
      { err: error, merchant_id: String(merchant.merchantId) },
      "a merchant's rows are locked: billing it later",
    );
    return "held" as const;
  });
  if (outcome === "held") failedOf.set(key, outcome);
  if (outcome === null || outcome === "held") return 0;
  failedOf.set(key, [...failed, ...outcome.failed]);
  return outcome.billed + outcome.failed.length;
}

/** A subscription after its occurrence, with the new invoice. */
export type Billed = { readonly subscription: Subscription; readonly invoice: Invoice };

/**
 * Creates the invoice of the next occurrence of each subscription, in the given order, and advances the subscriptions. They are
 * active, locked, and have the same template. The events in `before` come before those of billing.
 * docs/rules/subscriptions.md#one-invoice-each
 * @throws NodalError as `billInvoices` does; the transaction, or its savepoint, must then be rolled back
 */
export async function billOccurrences(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  subscriptions: readonly Subscription[],
  before: readonly NewEvent[] = [],
): Promise<Billed[]> {
  const [first] = subscriptions;
  if (!first) return [];
  const carrying = subscriptions.filter(({ carryDues, nextOccurrence }) => carryDues && nextOccurrence > 0);
  const open = await openInvoicesOf(connection, merchant, carrying);
  const skipped = await findSkippedAhead(connection, merchant, subscriptions);
  const setting = await findBookSetting(connection, merchant);
  const inputs = subscriptions.map((each) => nextInvoiceInput(each, open.get(each.subscriptionId) ?? [], setting));
  const invoices = await billInvoices(
    { connection, ids, merchant },
    { templateId: first.templateId, invoices: inputs },
  );
  const now = Temporal.Now.instant();
  const billed = subscriptions.map((each, index): Billed => {
    const subscription = moveOn(each, skipped.get(each.subscriptionId) ?? new Set(), now);
    return { subscription, invoice: invoices[index]! };
  });
  const occurrences = subscriptions.map((each, index): SubscriptionOccurrence => {
    const billDate = each.nextBillDate!;
    return {
      subscriptionId: each.subscriptionId,
      occurrenceNo: each.nextOccurrence,
      billDate,
      dueDate: dueDateOf(each, billDate),
      state: "Billed",
      invoiceId: invoices[index]!.invoiceId,
      movedTo: invoices[index]!.billDate.equals(billDate) ? null : invoices[index]!.billDate,
    };
  });
  await insertOccurrences(connection, merchant, occurrences);
  const moved = billed.map(({ subscription }) => subscription);
  await updateSubscriptions(connection, moved);
  const events = billed.flatMap(({ subscription, invoice }, index) =>
    eventsOf(subscription, subscriptions[index]!.nextBillDate!, invoice),
  );
  await recordEvents(connection, merchant, [...before, ...events]);
  return billed;
}

/** The log event of a billed occurrence: with both dates if its own is in a locked period. */
function eventsOf(
  { subscriptionId: subjectId, state }: Subscription,
  plannedDate: Temporal.PlainDate,
  { billDate }: Pick<Invoice, "billDate">,
): NewEvent[] {
  const moved = billDate.equals(plannedDate) ? {} : { after: auditValues({ plannedDate, billDate }) };
  const billed = { type: "subscription.billed", subjectId, ...moved };
  return state === "Completed" ? [billed, { type: "subscription.completed", subjectId }] : [billed];
}

async function openInvoicesOf(
  connection: Connection,
  merchant: Merchant,
  carrying: readonly Subscription[],
): Promise<Map<bigint, bigint[]>> {
  if (carrying.length === 0) return new Map();
  return findOpenInvoices(
    connection,
    merchant,
    carrying.map(({ subscriptionId }) => subscriptionId),
  );
}

/**
 * The stored invoice object: in the form of the API, without its dates and customer, which the subscription itself has:
 * docs/rules/subscriptions.md#dates-of-the-subscription. Rows are filled in from their `items` now, and stay so.
 */
export function toKeptInvoice(
  invoice: Decoded<typeof invoiceUpdateFields>,
  items: InvoiceSettings["items"] = NO_SETTINGS.items,
): JsonObject {
  const filled = fillRows(invoice.particular_rows ?? [], items);
  const rows = filled.map((row) => ({ ...row, item_code: null }));
  const kept = {
    ...invoice,
    particular_rows: invoice.particular_rows && rows,
    bill_date: null,
    due_date: null,
    customer_code: null,
    new_customer: null,
  };
  return encoderOf(invoiceUpdateFields)(kept) as JsonObject;
}

/**
 * The stored invoice object as the next occurrence sends it.
 * @throws NodalError `validation_failed` if it is no longer valid
 */
export function keptInput({ invoice, ...subscription }: Subscription): InvoiceInput {
  const errors: FieldError[] = [];
  const filled = withPlaceholders(invoice, valuesOf(subscription, subscription.nextOccurrence));
  const input = toInvoiceInput(decode(invoiceUpdateFields, filled), "invoice", NO_SETTINGS, errors);
  if (errors.length > 0) throw validationError(errors);
  return input;
}

/**
 * The input for the invoice of the next occurrence. Previous dues and an invoice number that were sent are for the first one only:
 * they are billed once, and numbers are unique. In a locked period it uses the first open day:
 * docs/rules/subscriptions.md#locked-periods
 * @throws NodalError `validation_failed` if the stored invoice object is no longer valid
 */
function nextInvoiceInput(subscription: Subscription, carries: readonly bigint[], setting: BookSetting): InvoiceInput {
  const input = keptInput(subscription);
  const billDate = openDay(setting, subscription.nextBillDate!);
  const isFirst = subscription.nextOccurrence === 0;
  return {
    ...input,
    takesSeriesNumber: !isFirst,
    customerId: subscription.customerId,
    billDate,
    dueDate: dueDateOf(subscription, billDate),
    previousDuesPaise: isFirst ? input.previousDuesPaise : null,
    carries,
  };
}
