// Ways to break the books, one or more for each check of verify. verify.test.ts runs them.
import { AMOUNT_PAISE } from "./payout-stories.ts";
import { feeOf } from "./fee-statements.ts";

/** How to break one rule, and what `verify` must report. `$name` is the id of a merchant or transfer. */
export type Breakage = {
  readonly what: string;
  readonly break: readonly string[];
  /** The checks that report it; a breakage may have unavoidable consequences. */
  readonly reports: readonly string[];
  readonly subjects?: readonly string[];
  readonly expected?: string;
  readonly found?: string;
};

const OF_MERCHANT = "merchant_id = $merchant";

export const BREAKAGES: readonly Breakage[] = [
  {
    what: "the simulator paid for a live merchant",
    break: ["update merchant set live = true where merchant_id = $other"],
    reports: ["live_on_simulator"],
    found: "simulator, SUCCESS",
  },
  {
    what: "a transfer left over another rail, and nothing says so",
    break: ["update transfer set first_rail = rail, rail = 'cashfree:2' where transfer_id = $failed"],
    reports: ["booked_without_transfer", "transfer_rail"],
    subjects: ["failed"],
    found: "cashfree:2",
  },
  {
    what: "people recorded the outcome of a transfer, and nothing says so",
    break: ["update transfer set resolved_as = 'failed' where transfer_id = $failed"],
    reports: ["transfer_resolved"],
    subjects: ["failed"],
    expected: "none",
    found: "failed",
  },
  {
    what: "an account's balance is not its postings",
    break: [
      `update ledger_book set available_paise = available_paise + 1, nodal_bank_paise = nodal_bank_paise - 1
       where ${OF_MERCHANT}`,
    ],
    reports: ["account_balance"],
  },
  {
    what: "a posted account does not exist",
    break: [
      "alter table journal drop constraint journal_rule",
      `update journal set credit_kind = 'reserves' where ${OF_MERCHANT} and kind = 'funds_in'`,
    ],
    reports: ["account_balance", "posting_rule"],
    found: "no such account",
  },
  {
    what: "money appears",
    break: [`update ledger_book set available_paise = available_paise + 100 where ${OF_MERCHANT}`],
    reports: ["account_balance", "sum_of_accounts"],
  },
  {
    what: "a balance that is kept for statements is not what its entries leave",
    break: [
      `insert into book_balance
       select bucket, merchant_id, 2000, available_paise + 1, held_paise from ledger_book where ${OF_MERCHANT}`,
    ],
    reports: ["kept_balance"],
  },
  {
    what: "a balance is negative",
    break: [
      "alter table ledger_book drop constraint ledger_book_never_negative",
      "update ledger_book set available_paise = -1 where merchant_id = $other",
    ],
    reports: ["account_balance", "negative_balance", "sum_of_accounts"],
    found: "-0.01",
  },
  {
    what: "a merchant keeps what it has while it owes",
    break: [
      "alter table ledger_book drop constraint ledger_book_owes_first",
      `update ledger_book set owed_by_merchant_paise = -7, available_paise = available_paise + 7 where ${OF_MERCHANT}`,
    ],
    reports: ["account_balance", "owed_and_available"],
  },
  {
    what: "a fee is taken for a transfer that was not paid",
    break: feeOf("failed", "fee"),
    reports: ["transfer_fee"],
    subjects: ["failed"],
    found: "fee",
  },
  {
    what: "a fee is taken from the merchant and from the platform",
    break: [...feeOf("success", "fee"), ...feeOf("success", "fee_expensed")],
    reports: ["transfer_fee"],
    subjects: ["success"],
    found: "fee, fee_expensed",
  },
  {
    what: "a fee comes back with a payment that did not",
    break: [...feeOf("success", "fee"), ...feeOf("success", "fee_returned")],
    reports: ["transfer_fee_return"],
    subjects: ["success"],
    found: "0.07",
  },
  {
    what: "a fee comes back that was never taken",
    break: feeOf("returned", "fee_returned"),
    reports: ["transfer_fee_return"],
    subjects: ["returned"],
    expected: "nothing, as no fee was taken",
  },
  {
    what: "a deposit could be credited again",
    break: ["delete from deposit where merchant_id = $merchant"],
    reports: ["funding_deposit"],
    found: "no deposit",
  },
  {
    what: "a fee from a statement was never posted",
    break: [
      `insert into late_fee (bucket, merchant_id, fee_id, transfer_id, amount_paise, is_expensed, booked_at)
       select bucket, merchant_id, 3, transfer_id, 7, false, now() from transfer where transfer_id = $success`,
    ],
    reports: ["late_fee"],
    expected: "0.07",
    found: "none",
  },
  {
    what: "a number is left out",
    break: [
      `update journal set entry_no = entry_no + 1 where ${OF_MERCHANT} and entry_no = (
      select last_entry_no from ledger_book where ${OF_MERCHANT})`,
    ],
    reports: ["entry_numbers"],
  },
  {
    what: "a book's number has run ahead",
    break: [`update ledger_book set last_entry_no = last_entry_no + 1 where ${OF_MERCHANT}`],
    reports: ["entry_numbers"],
  },
  {
    what: "an entry is gone",
    break: [
      `delete from journal where ${OF_MERCHANT} and entry_no = (
      select min(entry_no) from journal where ${OF_MERCHANT} and kind is null)`,
    ],
    reports: ["entry_numbers"],
  },
  {
    what: "a merchant has no book",
    break: ["delete from ledger_book where merchant_id = $other"],
    reports: ["account_balance", "entry_numbers"],
  },
  {
    what: "a posting does not follow its rule",
    break: [
      "alter table journal drop constraint journal_rule",
      "update journal set debit_kind = 'fee_expense' where subject_id = $late and kind = 'late_success'",
      `update ledger_book set fee_expense_paise = fee_expense_paise - ${AMOUNT_PAISE},
         available_paise = available_paise + ${AMOUNT_PAISE} where ${OF_MERCHANT}`,
    ],
    reports: ["posting_rule"],
    expected: "available to payout_clearing",
    found: "fee_expense to payout_clearing",
  },
  {
    what: "a posting is of an unknown kind",
    break: [
      "alter table journal drop constraint journal_rule",
      "update journal set kind = 'gift' where subject_id = $late and kind = 'late_success'",
    ],
    reports: ["posting_rule", "transfer_postings", "transfer_time"],
    expected: "a kind that has a rule",
  },
  {
    what: "a transfer has two postings of one kind",
    break: [
      "drop index journal_once",
      `insert into journal
       select (jsonb_populate_record(journal, jsonb_build_object(
         'entry_no', (select last_entry_no + 1 from ledger_book where ${OF_MERCHANT})))).*
       from journal where subject_id = $success and kind = 'success'`,
      `update ledger_book set last_entry_no = last_entry_no + 1, held_paise = held_paise - ${AMOUNT_PAISE},
         payout_clearing_paise = payout_clearing_paise + ${AMOUNT_PAISE} where ${OF_MERCHANT}`,
    ],
    reports: ["held_balance", "posting_once", "transfer_postings"],
    subjects: ["success"],
    found: "2",
  },
  {
    what: "a posting is told as something else than the money that it moved",
    break: [`update journal set type = 'invoice.created' where ${OF_MERCHANT} and kind = 'funds_in'`],
    reports: ["posting_type"],
    expected: "^balance\\.funded$",
    found: "invoice.created",
  },
  {
    what: "a funding is larger than its posting",
    break: [`update funding set amount_paise = amount_paise + 100 where ${OF_MERCHANT}`],
    reports: ["funding_posting"],
    expected: "10001.00",
    found: "10000.00",
  },
  {
    what: "a funding has no posting",
    break: [
      `insert into funding select bucket, merchant_id, 5, 'second', 100, now() from funding where ${OF_MERCHANT}`,
    ],
    reports: ["funding_deposit", "funding_posting"],
    found: "no posting",
  },
  {
    what: "a posting's funding is gone",
    break: [`delete from funding where ${OF_MERCHANT}`],
    reports: ["funding_deposit", "posting_subject"],
    found: "none with this id",
  },
  {
    what: "a posting's transfer is gone",
    break: ["delete from transfer where transfer_id = $rejected"],
    reports: ["posting_subject"],
    subjects: ["rejected"],
  },
  {
    what: "held is not the open transfers",
    break: [
      `update ledger_book set held_paise = held_paise - 50, available_paise = available_paise + 50 where ${OF_MERCHANT}`,
    ],
    reports: ["account_balance", "held_balance"],
  },
  {
    what: "a transfer has failed without giving its money back",
    break: ["update transfer set state = 'FAILED', claim_id = null where transfer_id = $submitting"],
    reports: ["held_balance", "transfer_postings"],
    subjects: ["submitting"],
    expected: "reserve, failed",
    found: "reserve",
  },
  {
    what: "a transfer has no postings at all",
    break: [
      `insert into transfer select (jsonb_populate_record(transfer, '{"transfer_id": 6, "reference_id": "new"}')).*
       from transfer where transfer_id = $failed`,
    ],
    reports: ["transfer_postings"],
    found: "none",
  },
  {
    what: "a finished transfer says SUCCESS where it was reversed",
    break: [
      "update transfer set state = 'SUCCESS', rail = 'cashfree' where transfer_id = $neverLeft",
      "delete from simulator.payment where transfer_id = $neverLeft",
    ],
    reports: ["transfer_postings"],
    subjects: ["neverLeft"],
  },
  {
    what: "a posting is not of its transfer's amount",
    break: ["update transfer set amount_paise = 9999 where transfer_id = $rejected"],
    reports: ["transfer_amount"],
    subjects: ["rejected"],
    expected: "99.99",
    found: "100.50",
  },
  {
    what: "the bank paid what the ledger has as failed",
    break: ["update simulator.payment set status = 'SUCCESS' where transfer_id = $failed"],
    reports: ["paid_but_failed_in_ledger"],
    subjects: ["failed"],
    found: "SUCCESS",
  },
  {
    what: "the bank may still pay what the ledger has as failed",
    break: ["update simulator.payment set status = 'PENDING' where transfer_id = $failed"],
    reports: ["paid_but_failed_in_ledger"],
    subjects: ["failed"],
    found: "PENDING",
  },
  {
    what: "the bank has not taken back what the ledger has as reversed",
    break: ["update simulator.payment set status = 'SUCCESS' where transfer_id = $returned"],
    reports: ["paid_but_reversed_in_ledger"],
    subjects: ["returned"],
  },
  {
    what: "the bank paid a transfer that does not exist",
    break: [
      `insert into simulator.payment (bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr,
         acknowledged)
       values (0, $merchant, 8, 100, 'IMPS', 'Asha Rao', 'SUCCESS', 'U', true)`,
    ],
    reports: ["booked_without_transfer"],
  },
  {
    what: "the bank has a transfer of another rail",
    break: ["update transfer set rail = 'cashfree' where transfer_id = $failed"],
    reports: ["booked_without_transfer"],
    subjects: ["failed"],
  },
  {
    what: "the bank was called before the attempt was durable",
    break: [
      `insert into simulator.payment (bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr,
         acknowledged)
       select bucket, merchant_id, transfer_id, amount_paise, 'IMPS', 'Asha Rao', 'SUCCESS', 'U', true
       from transfer where transfer_id = $reserved`,
    ],
    reports: ["booked_before_submitted"],
    subjects: ["reserved"],
  },
  {
    what: "the bank paid another amount",
    break: ["update simulator.payment set amount_paise = 1 where transfer_id = $success"],
    reports: ["booked_amount"],
    subjects: ["success"],
    expected: "100.50",
    found: "0.01",
  },
  {
    what: "a transfer's payee is not whom the bank paid",
    break: [`update beneficiary set name = 'Somebody Else' where ${OF_MERCHANT}`],
    reports: ["booked_payee"],
    subjects: ["success"],
    expected: "Somebody Else, YESB0000262, IMPS",
  },
  {
    what: "a transfer's beneficiary is gone",
    break: [`delete from beneficiary where ${OF_MERCHANT}`],
    reports: ["transfer_payee"],
    subjects: ["success"],
    found: "none with the id 1",
  },
  {
    what: "a transfer went to a beneficiary of another merchant",
    break: [
      `insert into beneficiary (
         bucket, merchant_id, beneficiary_id, name, email_id, mobile, upi, upi_index, address, city, state, zipcode,
         created_at)
       select bucket, merchant_id, 78, 'Asha Rao', '', '', 'enc1:x', 'x', '', '', '', '', now()
       from merchant where merchant_id = $other`,
      "update transfer set beneficiary_id = 78 where transfer_id = $success",
    ],
    reports: ["transfer_payee"],
    subjects: ["success"],
    found: "none with the id 78",
  },
  {
    what: "a transfer went another way than the bank says",
    break: ["update simulator.payment set mode = 'NEFT' where transfer_id = $success"],
    reports: ["booked_payee"],
    subjects: ["success"],
    found: "Asha Rao, NEFT",
  },
  {
    what: "a transfer is older than its first posting",
    break: ["update transfer set added_at = added_at - interval '1 day' where transfer_id = $reserved"],
    reports: ["transfer_time"],
    subjects: ["reserved"],
  },
  {
    what: "a transfer was processed at another time than its last posting",
    break: ["update transfer set processed_at = processed_at + interval '1 s' where transfer_id = $returned"],
    reports: ["transfer_time"],
    subjects: ["returned"],
  },
  {
    what: "the UTR is not the bank's",
    break: ["update transfer set utr = null where transfer_id = $success"],
    reports: ["booked_utr"],
    subjects: ["success"],
    found: "none",
  },
  {
    what: "the bank never heard of what the ledger has as paid",
    break: ["delete from simulator.payment where transfer_id = $success"],
    reports: ["success_not_paid"],
    subjects: ["success"],
  },
  {
    what: "the bank declined what the ledger has as paid",
    break: ["update simulator.payment set status = 'FAILED' where transfer_id = $late"],
    reports: ["success_not_paid"],
    subjects: ["late"],
  },
  {
    what: "the bank took back what the ledger has as paid, and the ledger was told",
    break: ["update simulator.payment set status = 'REVERSED' where transfer_id = $lateUnfunded"],
    reports: ["success_not_paid"],
    subjects: ["lateUnfunded"],
    found: "REVERSED",
  },
];
