// A franchise as the server describes it.
import type { Answer } from "../../api/contract.ts";
import { indianAmount } from "../../format/money.ts";
import { franchises as words } from "../../strings/franchises.ts";

export type Franchise = Answer<"GET", "/franchises/:franchise_id">["franchise"];

/** Commission that was paid by other means than a transfer. */
export type CommissionPayment = Answer<"GET", "/franchises/:franchise_id">["payments"][number];

/** `12.50 %`, or an amount. */
export function rateOf({ commission_type, commission }: Pick<Franchise, "commission_type" | "commission">): string {
  return commission_type === "Percentage" ? words.percent(commission) : `₹${indianAmount(commission)}`;
}
