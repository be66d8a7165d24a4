// A saved beneficiary, as the pages of payouts show it.
import type { Answer } from "../../api/contract.ts";

export type Beneficiary = Answer<"GET", "/beneficiaries/:beneficiary_id">;

/** Whether the bank still checks its account. */
export function isBeingVerified({ verification }: Pick<Beneficiary, "verification">): boolean {
  return verification === "pending";
}

/** Where its money goes, in one line. */
export function accountOf({ account_number, ifsc, upi }: Pick<Beneficiary, "account_number" | "ifsc" | "upi">): string {
  const account = account_number === "" ? "" : `${account_number} ${ifsc}`;
  return [account, upi].filter((part) => part !== "").join(" · ");
}
