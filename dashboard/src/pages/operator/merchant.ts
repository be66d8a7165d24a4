// A merchant as operators see it.
// What belongs here: its type, and under which key it is kept.

export type OperatorMerchant = {
  readonly merchant_id: string;
  readonly name: string;
  readonly email: string;
  readonly status: "active" | "suspended";
  readonly live: boolean;
  readonly rate_limit_per_minute: number | null;
  readonly time_zone: string;
  readonly today: string;
  readonly real_date: string;
  readonly clock_date: string | null;
  readonly available_balance: string;
  readonly held_balance: string;
  readonly created_at: string;
};

export type MerchantAnswer = { readonly merchant: OperatorMerchant };

/** Parts of the page get the merchant, where its routes are, and what to call with its new state. */
export type MerchantProps = {
  readonly merchant: OperatorMerchant;
  readonly path: string;
  readonly onChanged: (answer: MerchantAnswer) => void;
};

export const merchantKey = (merchantId: string) => ["/operator-view", merchantId];
