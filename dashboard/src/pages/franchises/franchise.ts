// Franchises as the server describes them.
// What belongs here: types of answers, and the questions that several pages ask.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { indianAmount } from "../../format/money.ts";
import { franchises as words } from "../../strings/franchises.ts";

/** In lists. */
export type FranchiseRow = {
  readonly franchise_id: string;
  readonly franchise_code: string;
  readonly franchise_name: string;
  readonly status: "active" | "deleted";
  readonly contact_person_name: string;
  readonly email_id: string;
  readonly mobile: string;
  readonly commission_type: "Percentage" | "Fixed";
  readonly commission: string;
  readonly settlement_type: "Auto" | "Manual";
  readonly commission_accrued: string;
  readonly commission_paid: string;
  readonly commission_due: string;
  readonly created_at: string;
};

export type Franchise = FranchiseRow & {
  readonly pan_number: string;
  readonly aadhar_number: string;
  readonly gst_number: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
  /** Whether commission goes to the account, by itself or when somebody says so. */
  readonly enable_online_settlement: boolean;
  readonly bank_holder_name: string;
  readonly account_number: string;
  readonly bank_name: string;
  readonly account_type: "" | "Saving" | "Current";
  readonly ifsc: string;
  readonly login_email: string | null;
  readonly role_name: string | null;
  /** Whether there is a sign-in that is not let in at the moment. */
  readonly login_disabled: boolean;
  /** Of another bank account that waits for a second person. */
  readonly account_approval_id: string | null;
  readonly next_payout_at: string | null;
  readonly under_way: string;
  readonly payable: string;
  /** Whether it is not paid by itself until somebody who may move money settles it. */
  readonly commission_waits: boolean;
};

/** Commission that was paid by other means than a transfer. */
export type CommissionPayment = {
  readonly payment_id: string;
  readonly amount: string;
  readonly paid_date: string;
  readonly mode: string;
  readonly bank_ref_no: string;
  readonly note: string;
  readonly reversed_at: string | null;
  readonly reversal_reason: string | null;
};

export type Payout = {
  readonly transfer_id: string;
  readonly amount: string;
  readonly status: string;
  readonly utr: string;
  readonly added_at: string;
};

/** One franchise with its last payouts, and its last payments by other means. */
export const franchiseQuery = (franchiseId: string) =>
  queryOptions({
    queryKey: ["/franchises", "one", franchiseId],
    queryFn: ({ signal }) =>
      api<{ franchise: Franchise; payouts: Payout[]; payments: CommissionPayment[] }>(
        "GET",
        `/franchises/${franchiseId}`,
        { signal },
      ),
  });

/** What forms about a franchise's sign-in choose from. */
export const franchiseFormQuery = queryOptions({
  queryKey: ["/franchises", "form"],
  queryFn: ({ signal }) => api<{ roles: string[] }>("GET", "/franchises/form", { signal }),
});

/** `12.50 %`, or an amount. */
export function rateOf({ commission_type, commission }: Pick<FranchiseRow, "commission_type" | "commission">): string {
  return commission_type === "Percentage" ? words.percent(commission) : `₹${indianAmount(commission)}`;
}
