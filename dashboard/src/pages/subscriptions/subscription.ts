// Subscriptions as the server describes them.
// What belongs here: the types that the pages share, and what every change ends with.
import { useQueryClient } from "@tanstack/react-query";

export type Parked = { readonly reason: string; readonly attempts: number; readonly retry_at: string };

export type Subscription = {
  readonly subscription_id: string;
  readonly status: string;
  readonly customer_id: string;
  readonly customer_code: string;
  readonly customer_name: string;
  readonly mode: string;
  readonly repeat_every: string;
  readonly start_date: string;
  readonly end_mode: string;
  readonly occurences: string;
  readonly end_date: string;
  /** `1` or `0`. */
  readonly carry_forword_dues: string;
  /** Empty where none is to come. */
  readonly next_invoice_date: string;
  readonly parked: Parked | null;
  readonly created_at: string;
};

/** What each invoice comes to as things are, without dues of any kind. */
export type Each = {
  readonly sub_total: string;
  readonly amount: string;
  readonly rows: readonly {
    readonly item: string;
    readonly sac_code: string;
    readonly description: string;
    readonly total_amount: string;
  }[];
  readonly taxes: readonly {
    readonly name: string;
    readonly percentage: string;
    readonly applicable_on: string;
    readonly amount: string;
  }[];
};

/** What resuming would skip. */
export type Missed = { readonly count: number; readonly first: string; readonly last: string };

export type SubscriptionDetail = {
  readonly subscription: Subscription & { readonly template_name: string };
  /** `null` where the invoice could not be made. */
  readonly each: Each | null;
  readonly dates: readonly { readonly bill_date: string; readonly due_date: string }[];
  readonly missed: Missed;
};

/** Everything about subscriptions, and about the invoices that they make. */
const CHANGED = /^\/(subscriptions|invoices|customers)(\/|$)/;

/** Reads anew what a change of a subscription may have changed. */
export function useAfterChange(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ predicate: ({ queryKey }) => CHANGED.test(String(queryKey[0])) });
}
