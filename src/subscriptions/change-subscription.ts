// Use case: an operator pauses, resumes or cancels a subscription.
import { auditChange, recordEvents, type NewEvent } from "../ledger/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { dueDateOf, missedInPause, atOccurrence, subscriptionNotFound, type Subscription } from "./subscription.ts";
import {
  findSkippedAhead,
  findSubscription,
  insertOccurrences,
  updateSubscriptions,
  type SubscriptionOccurrence,
} from "./subscription-store.ts";

export type ResumeSubscription = { readonly subscriptionId: bigint; readonly billMissed: boolean };

/**
 * Pauses an active subscription: nothing is billed until it is resumed.
 * @throws NodalError `subscription_not_found` or `subscription_state`
 */
export async function pauseSubscription(context: ReadContext<Merchant>, subscriptionId: bigint): Promise<Subscription> {
  return change(context, subscriptionId, "subscription.paused", async (_connection, subscription) => {
    requireState(subscription, "Paused", "Active");
    return { ...subscription, state: "Paused", pausedDate: todayOf(context.merchant) };
  });
}

/**
 * Resumes a paused subscription. Occurrences that fell due while it was paused are skipped, and count as occurrences; with
 * `billMissed` they are billed later. Those due before the pause are still billed.
 * @throws NodalError `subscription_not_found` or `subscription_state`
 */
export async function resumeSubscription(
  context: ReadContext<Merchant>,
  { subscriptionId, billMissed }: ResumeSubscription,
): Promise<Subscription> {
  return change(context, subscriptionId, "subscription.resumed", async (connection, subscription) => {
    requireState(subscription, "Active", "Paused");
    const resumed: Subscription = { ...subscription, state: "Active", pausedDate: null, parking: null };
    if (billMissed) return resumed;
    const skipped = await skipMissed(connection, context.merchant, subscription);
    let next = subscription.nextOccurrence;
    while (skipped.has(next)) next += 1;
    return atOccurrence(resumed, next, resumed.updatedAt);
  });
}

/**
 * Cancels a subscription permanently.
 * @throws NodalError `subscription_not_found` or `subscription_state`
 */
export async function cancelSubscription(
  context: ReadContext<Merchant>,
  subscriptionId: bigint,
): Promise<Subscription> {
  return change(context, subscriptionId, "subscription.cancelled", async (_connection, subscription) => {
    requireState(subscription, "Cancelled", "Active", "Paused");
    return { ...subscription, state: "Cancelled", nextBillDate: null, pausedDate: null, parking: null };
  });
}

async function change(
  { pool, merchant }: ReadContext<Merchant>,
  subscriptionId: bigint,
  type: string,
  apply: (connection: Connection, subscription: Subscription) => Promise<Subscription>,
): Promise<Subscription> {
  return inTransaction(pool, async (connection) => {
    const subscription = await findSubscription(connection, merchant, subscriptionId, true);
    if (!subscription) throw subscriptionNotFound(subscriptionId);
    const changed = await apply(connection, { ...subscription, updatedAt: Temporal.Now.instant() });
    await updateSubscriptions(connection, [changed]);
    const events: NewEvent[] = [{ type, subjectId: subscriptionId, ...auditChange(subscription, changed) }];
    if (changed.state === "Completed") events.push({ type: "subscription.completed", subjectId: subscriptionId });
    await recordEvents(connection, merchant, events);
    return changed;
  });
}

/** Saves as skipped the occurrences that fell due since the day after the pause. Returns all skipped ones from here on. */
async function skipMissed(
  connection: Connection,
  merchant: Merchant,
  subscription: Subscription,
): Promise<ReadonlySet<number>> {
  const { subscriptionId } = subscription;
  const known = (await findSkippedAhead(connection, merchant, [subscription])).get(subscriptionId) ?? new Set();
  const missed = missedInPause(subscription, todayOf(merchant), known).map(
    ({ occurrenceNo, billDate }): SubscriptionOccurrence => {
      const dueDate = dueDateOf(subscription, billDate);
      return { subscriptionId, occurrenceNo, billDate, dueDate, state: "Skipped", invoiceId: null, movedTo: null };
    },
  );
  await insertOccurrences(connection, merchant, missed);
  return new Set([...known, ...missed.map(({ occurrenceNo }) => occurrenceNo)]);
}

/**
 * Refuses a change of state that is not allowed.
 * @throws NodalError `subscription_state`
 */
function requireState(
  { subscriptionId, state }: Subscription,
  wanted: Subscription["state"],
  ...allowed: readonly Subscription["state"][]
): void {
  if (allowed.includes(state)) return;
  const problem =
    state === wanted ? `is already ${state.toLowerCase()}.` : `is ${state}, but must be ${allowed.join(" or ")}.`;
  throw new NodalError("subscription_state", `The subscription ${subscriptionId} ${problem}`);
}
