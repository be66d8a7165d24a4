// Subscriptions as the server describes them.
// What belongs here: the types that both pages share, and under which key they are kept.

export type Parked = { readonly reason: string; readonly attempts: number; readonly retry_at: string };

export type Subscription = {
  readonly subscription_id: string;
  readonly status: string;
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

export const SUBSCRIPTIONS_KEY = ["/subscriptions"];
