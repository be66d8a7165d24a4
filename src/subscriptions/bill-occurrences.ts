// One step of billing: the next occurrence of each of some subscriptions, in the caller's transaction.
// What belongs here: what an occurrence makes, together. Which ones are due, and what a failure means, is the caller's.
import { billInvoices } from "../invoices/index.ts";
import { recordEvents, type Happening } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { nextInvoiceInput } from "./occurrence-invoice.ts";
import { dueDateOf, moveOn, type Subscription } from "./subscription.ts";
import {
  findOpenInvoices,
  findSkippedAhead,
  insertOccurrences,
  updateSubscriptions,
  type SubscriptionOccurrence,
} from "./subscription-store.ts";

/** A subscription after its occurrence, with the invoice that was made. */
export type Billed = { readonly subscription: Subscription; readonly invoiceId: bigint };

/**
 * Makes the invoice of the next occurrence of each subscription, in the given order, and moves the subscriptions on. They
 * are active, held, and have one template. `before` is told ahead of the billing itself.
 * @throws NodalError as `billInvoices` does; the transaction, or its savepoint, must be rolled back then
 */
export async function billOccurrences(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  subscriptions: readonly Subscription[],
  before: readonly Happening[] = [],
): Promise<Billed[]> {
  const [first] = subscriptions;
  if (!first) return [];
  const carrying = subscriptions.filter(({ carryDues, nextOccurrence }) => carryDues && nextOccurrence > 0);
  const open = await openInvoicesOf(connection, merchant, carrying);
  const skipped = await findSkippedAhead(connection, merchant, subscriptions);
  const inputs = subscriptions.map((each) => nextInvoiceInput(each, open.get(each.subscriptionId) ?? []));
  const invoices = await billInvoices(connection, ids, merchant, first.templateId, inputs);
  const now = Temporal.Now.instant();
  const billed = subscriptions.map((each, index): Billed => {
    const subscription = moveOn(each, skipped.get(each.subscriptionId) ?? new Set(), now);
    return { subscription, invoiceId: invoices[index]!.invoiceId };
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
    };
  });
  await insertOccurrences(connection, merchant, occurrences);
  const moved = billed.map(({ subscription }) => subscription);
  await updateSubscriptions(connection, merchant, moved);
  await recordEvents(connection, merchant, [...before, ...moved.flatMap(happeningsOf)]);
  return billed;
}

function happeningsOf({ subscriptionId: subjectId, state }: Subscription): Happening[] {
  const billed = { type: "subscription.billed", subjectId };
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
