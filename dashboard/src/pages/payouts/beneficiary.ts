// A beneficiary as the server shows it, for the pages that show one.
// What belongs here: its type and its texts.

export type Beneficiary = {
  readonly beneficiary_id: string;
  readonly name: string;
  readonly email_id: string;
  readonly mobile: string;
  readonly account_number: string;
  readonly ifsc: string;
  readonly upi: string;
  readonly address: string;
  /** Whether a second person has approved it, where the rules ask for one. */
  readonly approval: "pending" | "approved" | "rejected";
  readonly created_at: string;
};

/** Where its money goes, in one line. */
export function accountOf({ account_number, ifsc, upi }: Beneficiary): string {
  const account = account_number === "" ? "" : `${account_number} ${ifsc}`;
  return [account, upi].filter((part) => part !== "").join(" · ");
}
