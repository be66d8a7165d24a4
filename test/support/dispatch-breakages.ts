// Ways to break the queue to the bank and processes' claims, and the check that must find each. payout-stories.ts has their
// transfers.
import type { Breakage } from "./payout-breakages.ts";

export const DISPATCH_BREAKAGES: readonly Breakage[] = [
  {
    what: "a transfer at the bank is looked at in years",
    break: ["update transfer_dispatch set due_at = '2035-01-01' where transfer_id = $pending"],
    reports: ["dispatch_due"],
    subjects: ["pending"],
  },
  {
    what: "a transfer at the bank is on hold",
    break: ["update transfer_dispatch set due_at = 'infinity' where transfer_id = $pending"],
    reports: ["dispatch_due"],
    subjects: ["pending"],
    found: "infinity",
  },
  {
    what: "a payment re-check is due in years",
    break: [
      `insert into payment_review (bucket, merchant_id, wait, due_at)
       select bucket, merchant_id, 'day', '2035-01-01' from merchant where merchant_id = $merchant`,
    ],
    reports: ["payment_review_due"],
  },
  {
    what: "an open transfer is not in the queue",
    break: ["delete from transfer_dispatch where transfer_id = $pending"],
    reports: ["dispatch_missing"],
    subjects: ["pending"],
  },
  {
    what: "a transfer is in hand under a claim that is not there",
    break: ["delete from dispatch_claim where transfer_ids @> array[$submitting::bigint]"],
    reports: ["dispatch_missing"],
    subjects: ["submitting"],
  },
  {
    what: "a transfer is in hand under a claim that does not list it",
    break: [
      "update dispatch_claim set transfer_ids = array_replace(transfer_ids, $submitting::bigint, 7) where claim_id > 0",
    ],
    reports: ["dispatch_missing"],
    subjects: ["submitting"],
  },
  {
    what: "a transfer may have been sent, and is neither in the queue nor in anybody's hand",
    break: ["update transfer set claim_id = null where transfer_id = $submitting"],
    reports: ["dispatch_missing"],
    subjects: ["submitting"],
  },
  {
    what: "a transfer in hand is in the queue too",
    break: [
      `insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at)
       select bucket, merchant_id, transfer_id, now() from transfer where transfer_id = $submitting`,
    ],
    reports: ["dispatch_in_hand"],
    subjects: ["submitting"],
    found: "SUBMITTING, and in the queue",
  },
  {
    what: "a finished transfer is in hand",
    break: ["update transfer set claim_id = 1 where transfer_id = $success"],
    reports: ["dispatch_in_hand"],
    subjects: ["success"],
    found: "SUCCESS",
  },
  {
    what: "a finished transfer is in the queue",
    break: [
      `insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at)
       select bucket, merchant_id, transfer_id, now() from transfer where transfer_id = $success`,
    ],
    reports: ["dispatch_finished"],
    subjects: ["success"],
    found: "SUCCESS",
  },
  {
    what: "the queue has a transfer that does not exist",
    break: [`insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at) values (0, $merchant, 7, now())`],
    reports: ["dispatch_finished"],
    found: "no such transfer",
  },
];
