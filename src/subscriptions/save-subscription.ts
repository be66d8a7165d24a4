// Use case: save a new subscription, with the invoices of its past occurrences. subscription-routes.ts has the API.
import {
  customersOf,
  formatInvoiceId,
  newCustomerEvents,
  warningsOfInvoice,
  type Invoice,
  type InvoiceInput,
} from "../invoices/index.ts";
import { auditValues, recordEvents } from "../ledger/index.ts";
import {
  findMerchantByKey,
  runIdempotently,
  todayOf,
  type Answered,
  type Context,
  type Merchant,
} from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { type Connection, inSavepoint, inTrial } from "../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../platform/errors.ts";
import { warn, type Warning } from "../platform/http/warning.ts";
import { formatTimestamp } from "../platform/time.ts";
import { parkSubscription, billOccurrences } from "./bill-due.ts";
import {
  billDateOf,
  countDue,
  isDue,
  MAX_PAST_OCCURRENCES,
  upcomingDates,
  type Plan,
  type Subscription,
} from "./subscription.ts";
import { insertSubscription } from "./subscription-store.ts";
import type { JsonObject } from "../platform/json.ts";

export type SaveSubscription = {
  readonly plan: Plan;
  /** `null` for the merchant's default template. */
  readonly templateId: bigint | null;
  readonly carryDues: boolean;
  /** The repeated invoice: its customer, and everything else as it is to be stored. */
  readonly input: InvoiceInput;
  readonly invoice: JsonObject;
};

/**
 * In a form that survives JSON: the answer to an Idempotency-Key is stored. Dates are `YYYY-MM-DD`, timestamps in the merchant's
 * time zone.
 */
export type SavedSubscription = {
  readonly subscriptionId: string;
  readonly status: string;
  readonly nextDates: readonly string[];
  /** The invoices created at once, in the form of the API. */
  readonly invoiceIds: readonly string[];
  /** Why not all due occurrences could be billed; `null` if they were. Answers stored by older versions have none. */
  readonly parked?: {
    readonly code: string;
    readonly reason: string;
    readonly since: string;
    readonly retryAt: string;
  } | null;
  /** The warnings of its first invoice, with the request's fields. Left out if there are none. */
  readonly warnings?: readonly Warning[];
};

/**
 * Saves a subscription. Its first invoice is created, or tried if it is not due yet, so that its errors are reported now. Past
 * occurrences are billed in the same transaction, each with its own dates; one that fails, after the first, parks the subscription.
 * @throws NodalError as saving an invoice does, or `too_many_occurrences`
 */
export async function saveSubscription(
  { pool, ids, merchant: caller, idempotency }: Context<Merchant>,
  request: SaveSubscription,
): Promise<Answered<SavedSubscription>> {
  return runIdempotently(pool, caller, idempotency, async (connection) => {
    // Its clock may have been moved since its key was last looked up.
    const merchant = (await findMerchantByKey(connection, caller)) ?? caller;
    const today = todayOf(merchant);
    refuseTooMany(request.plan, today);
    const [customer] = await customersOf({ connection, ids, merchant }, [request.input], ["invoice"]);
    const saved = newSubscription(merchant, request, await ids.next(), customer!.customerId);
    await insertSubscription(connection, saved);
    const created = [
      ...newCustomerEvents([request.input], [customer!]),
      { type: "subscription.created", subjectId: saved.subscriptionId, after: auditValues(saved) },
    ];
    if (!isDue(saved, today)) {
      const [tried] = await inTrial(connection, () => billOccurrences(connection, ids, merchant, [saved]));
      await recordEvents(connection, merchant, created);
      return { ...describe(merchant, saved, []), ...warn(warningsOfFirst(tried!.invoice, today)) };
    }
    const [first] = await billOccurrences(connection, ids, merchant, [saved], created);
    const further = await billPast(connection, ids, merchant, first!.subscription, today);
    const invoiceIds = [first!.invoice.invoiceId, ...further.invoiceIds];
    return { ...describe(merchant, further.subscription, invoiceIds), ...warn(warningsOfFirst(first!.invoice, today)) };
  });
}

/** Members of an invoice that have another name in a subscription request. */
const PLACES: Readonly<Record<string, string>> = {
  bill_date: "start_date",
  due_date: "due_date",
  template_id: "template_id",
};

/** The warnings of a subscription's first invoice, saved or tried on `today`, by the fields of the request. */
function warningsOfFirst(invoice: Invoice, today: Temporal.PlainDate): Warning[] {
  return warningsOfInvoice(invoice, today).map((warning) => ({
    ...warning,
    field: PLACES[warning.field] ?? `invoice.${warning.field}`,
  }));
}

function refuseTooMany(plan: Plan, today: Temporal.PlainDate): void {
  if (countDue(plan, today) <= MAX_PAST_OCCURRENCES) return;
  const problem =
    `: more than ${MAX_PAST_OCCURRENCES} invoices would be due by now. ` +
    "Send a later start_date, or bill past dates with invoice/save.";
  throw fieldRefusal("too_many_occurrences", "start_date", problem);
}

function newSubscription(
  { bucket, merchantId }: Merchant,
  { plan, templateId, carryDues, input, invoice }: SaveSubscription,
  subscriptionId: bigint,
  customerId: bigint,
): Subscription {
  const now = Temporal.Now.instant();
  return {
    ...plan,
    bucket,
    merchantId,
    subscriptionId,
    customerId,
    templateId,
    franchiseId: input.franchiseId ?? 0n,
    carryDues,
    invoice,
    state: "Active",
    nextOccurrence: 0,
    nextBillDate: billDateOf(plan, 0),
    pausedDate: null,
    parking: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Bills the due occurrences after the first, in order, until one fails. */
async function billPast(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  first: Subscription,
  today: Temporal.PlainDate,
): Promise<{ subscription: Subscription; invoiceIds: bigint[] }> {
  let subscription = first;
  const invoiceIds: bigint[] = [];
  while (isDue(subscription, today)) {
    const open = subscription;
    try {
      const [billed] = await inSavepoint(connection, () => billOccurrences(connection, ids, merchant, [open]));
      subscription = billed!.subscription;
      invoiceIds.push(billed!.invoice.invoiceId);
    } catch (error) {
      if (!(error instanceof NodalError) || error.status >= 500) throw error;
      return { subscription: await parkSubscription(connection, merchant, open, error), invoiceIds };
    }
  }
  return { subscription, invoiceIds };
}

function describe(
  { timeZone }: Merchant,
  subscription: Subscription,
  invoiceIds: readonly bigint[],
): SavedSubscription {
  const { parking } = subscription;
  return {
    subscriptionId: String(subscription.subscriptionId),
    status: subscription.state,
    nextDates: upcomingDates(subscription).map(String),
    invoiceIds: invoiceIds.map(formatInvoiceId),
    parked: parking && {
      code: parking.code,
      reason: parking.reason,
      since: formatTimestamp(parking.since, timeZone),
      retryAt: formatTimestamp(parking.retryAt, timeZone),
    },
  };
}
