// Use case: count the units by which an operator bills a merchant, from its journal of some days.
import { countEntries, findFirstEntry, type EntryCount } from "../ledger/index.ts";
import type { Merchant, ReadContext } from "../merchants/index.ts";
import { validationError } from "../platform/errors.ts";
import { formatPaise } from "../platform/money.ts";

/** Days in the merchant's time zone, both included. */
export type UsagePeriod = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };

/** The longest period: a year. */
const MAX_DAYS = 366;

/** Postings by which money left: src/ledger/posting-rules.ts. */
const PAID = ["success", "late_success", "late_success_unfunded"];
const RETURNED = ["reversed"];
const COUNTED = {
  invoices_created: "invoice.created",
  payments_recorded: "settlement.recorded",
  subscription_invoices: "subscription.billed",
  accounts_verified: "beneficiary.checked",
} as const;

/**
 * Counts a merchant's payouts, invoices and verified accounts by the time of the event. A payout counts when the bank paid it, and
 * again as returned if the money came back.
 * @throws NodalError `validation_failed` for a period that ends before it begins, or is longer than a year
 */
export async function readUsage({ pool, merchant }: ReadContext<Merchant>, { from, to }: UsagePeriod) {
  checkPeriod({ from, to });
  const startOf = (day: Temporal.PlainDate): Temporal.Instant => day.toZonedDateTime(merchant.timeZone).toInstant();
  const first = await findFirstEntry(pool, merchant, startOf(from));
  const end = await findFirstEntry(pool, merchant, startOf(to.add({ days: 1 })));
  const kinds = [...PAID, ...RETURNED];
  const counts = await countEntries(pool, merchant, { first, end }, { kinds, types: Object.values(COUNTED) });
  const paid = sum(PAID.map((kind) => counts.get(kind)));
  const returned = sum(RETURNED.map((kind) => counts.get(kind)));
  const countOf = (name: keyof typeof COUNTED): number => Number(counts.get(COUNTED[name])?.count ?? 0n);
  return {
    payout_count: Number(paid.count),
    payout_amount: formatPaise(paid.amountPaise),
    return_count: Number(returned.count),
    return_amount: formatPaise(returned.amountPaise),
    invoices_created: countOf("invoices_created"),
    payments_recorded: countOf("payments_recorded"),
    subscription_invoices: countOf("subscription_invoices"),
    accounts_verified: countOf("accounts_verified"),
  };
}

function checkPeriod({ from, to }: UsagePeriod): void {
  const days = from.until(to, { largestUnit: "days" }).days;
  const problem =
    days < 0 ? "must not be before from." : `must be at most ${MAX_DAYS} days from from: use several requests.`;
  if (days < 0 || days >= MAX_DAYS) throw validationError([{ field: "to", code: "invalid", problem }]);
}

function sum(counts: readonly (EntryCount | undefined)[]): EntryCount {
  return counts.reduce<EntryCount>(
    (total, each) => ({
      count: total.count + (each?.count ?? 0n),
      amountPaise: total.amountPaise + (each?.amountPaise ?? 0n),
    }),
    { count: 0n, amountPaise: 0n },
  );
}
