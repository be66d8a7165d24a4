// Ways to break the books of commission, one or more for each check of them. verify-commission.test.ts runs them.
import type { Breakage } from "./payout-breakages.ts";

export const COMMISSION_BREAKAGES: readonly Breakage[] = [
  {
    what: "a settlement earned more than was posted",
    break: ["update commission set amount_paise = amount_paise + 1 where settlement_id = $settlement"],
    reports: ["commission_posting"],
    subjects: ["settlement"],
    found: "10.00 for $franchise",
  },
  {
    what: "commission is posted again as a change",
    break: [
      `insert into journal
       select (jsonb_populate_record(journal, jsonb_build_object('change_no', 1,
         'entry_no', (select last_entry_no + 1 from ledger_book where merchant_id = $merchant)))).*
       from journal where subject_id = $settlement and kind = 'commission_accrued'`,
      "update ledger_book set last_entry_no = last_entry_no + 1 where merchant_id = $merchant",
      `update ledger_account set balance = balance + case kind when 'commission_payable' then 1000 else -1000 end
       where merchant_id = $merchant
         and (kind, owner_id) in (('commission_payable', $franchise), ('commission_expense', 0))`,
    ],
    reports: ["commission_posting"],
    subjects: ["settlement"],
    expected: "10.00 for $franchise",
    found: "20.00 for $franchise",
  },
  {
    what: "a posting's commission is gone",
    break: ["delete from commission where settlement_id = $settlement"],
    reports: ["commission_posting"],
    subjects: ["settlement"],
    expected: "none",
  },
  {
    what: "a settlement's commission has no posting",
    break: [
      `insert into commission (bucket, merchant_id, settlement_id, invoice_id, franchise_id, amount_paise, accrued_at)
       values (0, $merchant, 5, 6, $franchise, 100, now())`,
    ],
    reports: ["commission_posting"],
    found: "no posting",
  },
  {
    what: "a settlement earned for another franchise than is noted",
    break: ["update commission set franchise_id = $other where settlement_id = $settlement"],
    reports: ["commission_posting"],
    subjects: ["settlement"],
  },
  {
    what: "more was taken back than posted",
    break: ["update commission set reversed_paise = 1 where settlement_id = $settlement"],
    reports: ["commission_reversed"],
    subjects: ["franchise"],
  },
  {
    what: "less was taken back than posted",
    break: ["update commission set reversed_paise = 0 where settlement_id = $reversed"],
    reports: ["commission_reversed"],
    subjects: ["franchise"],
    expected: "0.00",
    found: "5.00",
  },
  {
    what: "commission waits, and none of the franchise's is on hold",
    break: ["update commission set waits = true where settlement_id = $settlement"],
    reports: ["commission_hold"],
    subjects: ["franchise"],
    found: "0.00",
  },
  {
    what: "a franchise has no row for commission on hold",
    break: ["delete from commission_hold where franchise_id = $other"],
    reports: ["commission_hold"],
    subjects: ["other"],
    expected: "0.00",
    found: "none",
  },
  {
    what: "a franchise lacks an account",
    break: ["delete from ledger_account where owner_id = $other and kind = 'commission_settled'"],
    reports: ["commission_accounts"],
    subjects: ["other"],
    found: "1",
  },
  {
    what: "an account's franchise is gone",
    break: ["delete from franchise where franchise_id = $other"],
    reports: ["commission_accounts"],
    subjects: ["other"],
    expected: "no such franchise",
  },
  {
    what: "a franchise's balance is not its postings",
    break: [
      "update ledger_account set balance = balance + 1 where owner_id = $franchise and kind = 'commission_payable'",
      "update ledger_account set balance = balance - 1 where owner_id = $franchise and kind = 'commission_settled'",
    ],
    reports: ["account_balance"],
    subjects: ["franchise"],
  },
  {
    what: "a posting has no owner where its rule has one",
    break: [
      "update journal set credit_owner_id = 0 where subject_id = $settlement",
      "update commission set franchise_id = 0 where settlement_id = $settlement",
    ],
    reports: ["account_balance", "posting_rule"],
    expected: "commission_expense to commission_payable of an owner",
    found: "commission_expense to commission_payable",
  },
  {
    what: "a payout settles what is owed to another franchise",
    break: [
      "update journal set credit_owner_id = $other where subject_id = $paid and kind = 'commission_paid'",
      `update ledger_account set balance = balance + case owner_id when $other then 1000 else -1000 end
       where owner_id in ($other, $franchise) and kind = 'commission_settled'`,
    ],
    reports: ["posting_rule"],
  },
  {
    what: "a payout is booked for a franchise that it did not go to",
    break: ["update transfer set franchise_id = $other where transfer_id = $paid"],
    reports: ["commission_payee"],
    subjects: ["paid"],
    expected: "$other",
    found: "$franchise",
  },
  {
    what: "a payout succeeded and the commission is still owed",
    break: ["update journal set subject_id = 7 where subject_id = $paid and kind = 'commission_paid'"],
    reports: ["posting_subject", "transfer_postings"],
    expected:
      "reserve, success, commission_paid or reserve, failed, late_success, commission_paid or reserve, failed, late_success_unfunded, commission_paid",
    found: "reserve, success",
  },
  {
    what: "a merchant's transfer paid commission",
    break: [
      `update transfer set kind = 'transfer', reference_id = 'r', franchise_id = null where transfer_id = $returned`,
    ],
    reports: ["commission_payee", "transfer_postings"],
    subjects: ["returned"],
  },
  {
    what: "a payment by other means was never posted",
    break: [
      `insert into commission_payment (
         bucket, merchant_id, payment_id, franchise_id, amount_paise, paid_date, mode, bank_ref_no, note, recorded_at)
       values (0, $merchant, 5, $franchise, 100, current_date, 'Cash', '', '', now())`,
    ],
    reports: ["commission_payment"],
    expected: "1.00 to $franchise",
    found: "no posting",
  },
];
