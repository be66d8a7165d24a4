// Ways to break the guarantees of payout batches, one or more for each check of verify. verify.test.ts runs them.
import type { Breakage } from "./payout-breakages.ts";

/** A batch in this state. */
function batch(status: string, dueAt: string | null, isApproved = false): string {
  return `insert into payout_batch (
      bucket, merchant_id, batch_id, kind, name, line_count, total_paise, status, is_approved, requested_by, added_at, due_at)
    select bucket, merchant_id, 88, 'bulk', '', 1, 100, '${status}', ${isApproved}, 'user:1', now(), ${dueAt}
    from merchant where merchant_id = $merchant`;
}

/** A line of it in this state, for the transfer of an id. */
function line(state: string, transfer: string): string {
  return `insert into payout_batch_line (
      bucket, merchant_id, batch_id, line_no, transfer_id, reference_id, beneficiary_id, payee_name, amount_paise, narrative,
      state)
    select bucket, merchant_id, 88, 1, ${transfer}, 'line-1', 1, '', 100, '', '${state}'
    from merchant where merchant_id = $merchant`;
}

/** An entry that says something of it. */
function entry(type: string, subject: string, after: string): string {
  return `with book as (
      update ledger_book set last_entry_no = last_entry_no + 1 where merchant_id = $merchant returning *
    )
    insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor, after)
    select bucket, merchant_id, last_entry_no, '${type}', ${subject}, now(), 'user:1', '${after}' from book`;
}

const NO_ONE = "999999";

export const BATCH_BREAKAGES: readonly Breakage[] = [
  {
    what: "a line says that it was requested, and there is no transfer of it",
    break: [batch("finished", null), line("requested", NO_ONE)],
    reports: ["transfer_of_line"],
    found: "none",
  },
  {
    what: "the transfer of a line is another one",
    break: [batch("finished", null), line("requested", "$success")],
    reports: ["transfer_of_line"],
    subjects: ["success"],
    expected: "line-1, 1.00",
  },
  {
    what: "a refused line was paid all the same",
    break: [batch("finished", null), line("refused", "$success")],
    reports: ["transfer_of_line"],
    subjects: ["success"],
    expected: "none",
  },
  {
    what: "a repeated line stands for nothing",
    break: [batch("finished", null), line("repeated", NO_ONE)],
    reports: ["transfer_of_line"],
    found: "none",
  },
  {
    what: "a line waits, and nobody looks after its batch",
    break: [batch("running", null), line("waiting", NO_ONE)],
    reports: ["batch_looked_after"],
    found: "1",
  },
  {
    what: "a line waits, and its batch is looked after in years",
    break: [batch("running", "'2035-01-01'"), line("waiting", NO_ONE)],
    reports: ["batch_due"],
  },
  {
    what: "a batch waits for approval, and nobody was asked for it",
    break: [batch("awaiting_approval", null), line("waiting", NO_ONE)],
    reports: ["approval_of_batch"],
    found: "none",
  },
  {
    what: "a batch counts as approved that nobody approved",
    break: [batch("running", "now()", true), line("waiting", NO_ONE)],
    reports: ["approval_of_batch"],
    expected: "approved",
  },
  {
    what: "a line of a batch is gone",
    break: [batch("finished", null)],
    reports: ["batch_lines"],
    expected: "1, 1.00",
    found: "none",
  },
  {
    what: "a batch that was requested is gone with its lines",
    break: [entry("payout_batch.requested", "88", '{"line_count": 1, "total": "1.00"}')],
    reports: ["batch_requested"],
    expected: "1, 1.00",
    found: "none",
  },
  {
    what: "a batch that was finished runs again",
    break: [batch("running", "now()"), line("waiting", NO_ONE), entry("payout_batch.finished", "88", "{}")],
    reports: ["batch_ended"],
    found: "running",
  },
  {
    what: "a line that was refused waits again",
    break: [
      batch("running", "now()"),
      line("waiting", NO_ONE),
      entry("payout_batch.lines_refused", "88", '{"lines": [1]}'),
    ],
    reports: ["line_ended"],
    found: "waiting",
  },
  {
    what: "a payout of a later day that was cancelled waits again",
    break: [batch("running", "now()"), line("waiting", NO_ONE), entry("scheduled_payout.cancelled", NO_ONE, "{}")],
    reports: ["line_ended"],
    found: "waiting",
  },
];
