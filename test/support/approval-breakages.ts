// Ways to break the guarantees of approvals and daily limits, one or more for each check of verify. verify.test.ts runs them.
import type { Breakage } from "./payout-breakages.ts";

const WAITS = "update transfer set state = 'AWAITING_APPROVAL' where transfer_id = $reserved";
const OUT_OF_QUEUE = "delete from transfer_dispatch where transfer_id = $reserved";

/** Requests approval of a transfer, or decides it at once. */
function approvalOf(transfer: string, decision: string | null = null): string {
  const decided = decision === null ? "null, null, null" : `'${decision}', 'user:2', now()`;
  return `insert into approval (
      bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, decision, decided_by, decided_at)
    select bucket, merchant_id, transfer_id, kind, transfer_id, 'user:1', now(), ${decided}
    from transfer where transfer_id = $${transfer}`;
}

/** A payee, and a decision on it if given. */
function payee(approval: string, decision?: string): string[] {
  const inserted = `insert into beneficiary (
      bucket, merchant_id, beneficiary_id, name, email_id, mobile, upi, upi_index, address, city, state, zipcode,
      created_at, approval)
    select bucket, merchant_id, 77, 'Asha', '', '', 'enc1:x', 'x', '', '', '', '', now(), '${approval}'
    from merchant where merchant_id = $merchant`;
  const decided = `insert into approval (
      bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, decision, decided_by, decided_at)
    select bucket, merchant_id, 77, 'beneficiary', 77, 'user:1', now(), '${decision}', 'user:2', now()
    from merchant where merchant_id = $merchant`;
  return decision === undefined ? [inserted] : [inserted, decided];
}

export const APPROVAL_BREAKAGES: readonly Breakage[] = [
  {
    what: "a transfer waits for approval, and nobody was asked for it",
    break: [WAITS, OUT_OF_QUEUE],
    reports: ["approval_of_transfer"],
    subjects: ["reserved"],
    found: "none",
  },
  {
    what: "a transfer still waits though it was approved",
    break: [WAITS, OUT_OF_QUEUE, approvalOf("reserved", "approved")],
    reports: ["approval_of_transfer"],
    found: "approved",
  },
  {
    what: "a transfer is on its way before anybody approved it",
    break: [approvalOf("submitting")],
    reports: ["approval_of_transfer"],
    subjects: ["submitting"],
    found: "open",
  },
  {
    what: "a transfer was paid that was not approved",
    break: [approvalOf("success", "expired")],
    reports: ["approval_of_transfer"],
    found: "expired",
  },
  {
    what: "a transfer is rejected, and its approval is open",
    break: [approvalOf("rejected")],
    reports: ["approval_of_transfer"],
    found: "open",
  },
  {
    what: "a transfer that waits for approval is in the queue",
    break: [WAITS, approvalOf("reserved")],
    reports: ["dispatch_finished"],
    subjects: ["reserved"],
    found: "AWAITING_APPROVAL",
  },
  {
    what: "the bank has a payment that waits for approval",
    break: [
      WAITS,
      OUT_OF_QUEUE,
      approvalOf("reserved"),
      `insert into simulator.payment (bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr,
         acknowledged)
       select bucket, merchant_id, transfer_id, amount_paise, 'IMPS', 'Asha Rao', 'SUCCESS', 'U', true
       from transfer where transfer_id = $reserved`,
    ],
    reports: ["booked_before_submitted"],
    found: "AWAITING_APPROVAL",
  },
  {
    what: "a payout that had to be approved was paid, and no entry says that it was",
    break: [
      "update journal set type = 'transfer.awaiting_approval' where subject_id = $success and type = 'transfer.accepted'",
    ],
    reports: ["approval_entry"],
    subjects: ["success"],
    found: "none",
  },
  {
    what: "a payee waits, and nobody was asked for it",
    break: payee("pending"),
    reports: ["approval_of_payee"],
    found: "none",
  },
  {
    what: "a payee can be paid that was rejected",
    break: payee("approved", "rejected"),
    reports: ["approval_of_payee"],
    found: "rejected",
  },
  {
    what: "a payee can't be paid that was approved",
    break: payee("rejected", "approved"),
    reports: ["approval_of_payee"],
    found: "approved",
  },
  {
    what: "a transfer counts towards a day that does not know of it",
    break: ["update transfer set counted_on = '2026-11-22' where transfer_id = $success"],
    reports: ["counted_day"],
    expected: "100.50",
    found: "0.00",
  },
  {
    what: "a day counts what came back",
    break: [
      "update transfer set counted_on = '2026-11-22' where transfer_id = $failed",
      `insert into payout_day select bucket, merchant_id, '2026-11-22', 10050 from merchant where merchant_id = $merchant`,
    ],
    reports: ["counted_day"],
    expected: "0.00",
    found: "100.50",
  },
];
