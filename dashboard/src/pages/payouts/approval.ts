// An approval as the server shows it, for the pages that show one.
// What belongs here: its type.

export type Approval = {
  readonly approval_id: string;
  readonly kind: string;
  readonly subject_id: string;
  readonly status: string;
  readonly requested_by: string;
  readonly requested_by_name: string | null;
  readonly requested_at: string;
  readonly expires_at: string | null;
  readonly decided_by: string | null;
  readonly decided_by_name: string | null;
  readonly decided_at: string | null;
  readonly note: string;
  /** The payout, payee or franchise that it is about; empty for other kinds. */
  readonly subject: {
    readonly amount?: string;
    readonly payee_name?: string;
    readonly account_number?: string;
    readonly ifsc?: string;
    readonly upi?: string;
    readonly reference_id?: string;
    readonly narrative?: string;
    readonly franchise_name?: string;
  };
  /** Whether whoever looks has asked for it, and so can't decide it. */
  readonly own: boolean;
  readonly bank_account?: string;
  readonly bank_holder?: string;
  readonly bank_name?: string;
  readonly ifsc?: string;
} & Partial<Policy>;

/** A merchant's rules for payouts; `null` is off. */
export type Policy = {
  readonly approve_over: string | null;
  readonly approve_payees: boolean;
  readonly cooling_off_minutes: number | null;
  readonly transfer_limit: string | null;
  readonly daily_limit: string | null;
  readonly approval_expires_hours: number;
};
