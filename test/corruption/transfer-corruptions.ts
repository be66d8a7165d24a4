// What somebody with the whole database may do to transfers, to those whom they went to, and to the bank's book.
import { BENEFICIARY_ID } from "../support/ledger.ts";
import { OF_MERCHANT, one, setIn, type Corruption } from "./corruption.ts";

const transfer = (change: string, name = "paid") => setIn("transfer", "transfer_id", name, change);
/** Whom the transfers went to. */
const OF_VENDOR = `${OF_MERCHANT} and beneficiary_id = ${BENEFICIARY_ID}`;
const vendor = (change: string) => `update beneficiary set ${change} where ${OF_VENDOR}`;
export const TRANSFERS: readonly Corruption[] = [
  one("a transfer's payee", "booked_payee", vendor("name = 'Somebody Else'")),
  one(
    "a transfer's payee, and the bank's book with it",
    "sealed_beneficiary",
    vendor("name = 'Somebody Else'"),
    "update simulator.payment set payee_name = 'Somebody Else' where transfer_id = $paid",
  ),
  one("the IFSC that a transfer went to", "sealed_beneficiary", vendor("ifsc = 'HDFC0000001'")),
  one(
    "the account that a transfer went to, encrypted as Nodal does it",
    "sealed_beneficiary",
    vendor("account_number = '$account', account_index = '\\\\x$index'"),
  ),
  one(
    "the account that a transfer went to, of another beneficiary",
    "encrypted_values",
    vendor("account_number = (select account_number from beneficiary where beneficiary_id = $payee)"),
  ),
  one(
    "the account that a transfer went to is gone",
    "sealed_beneficiary",
    vendor("account_number = null, account_index = null, upi = 'enc1:1:xx', upi_index = 'x'"),
  ),
  one("whom a transfer went to is gone", "transfer_payee", `delete from beneficiary where ${OF_VENDOR}`),
  one("whom a transfer went to is another merchant's", "transfer_payee", transfer("beneficiary_id = $foreign")),
  one("who had the account of a withdrawal", "audit_chain", transfer("account_holder = 'Somebody Else'", "withdrawn")),
  one("the IFSC of a withdrawal", "audit_chain", transfer("ifsc = 'HDFC0000001'", "withdrawn")),
  one(
    "the account of a withdrawal, of another",
    "encrypted_values",
    transfer("account_number = (select account_number from beneficiary where beneficiary_id = $payee)", "withdrawn"),
  ),
  one(
    "that a withdrawal has an account",
    "audit_chain",
    "alter table transfer drop constraint transfer_own_account",
    transfer("account_number = null", "withdrawn"),
  ),
  one("a transfer's beneficiary", "audit_chain", transfer("beneficiary_id = $payee")),
  one("a transfer's reference", "audit_chain", transfer("reference_id = 'another'")),
  one("a transfer's narrative", "audit_chain", transfer("narrative = 'for another'")),
  one("a transfer's mode", "audit_chain", transfer("mode = 'upi'")),
  one("the way a transfer goes to the bank", "audit_chain", transfer("rail_mode = 'NEFT'", "waiting")),
  one("a transfer's rail", "audit_chain", transfer("rail = 'elsewhere'", "waiting")),
  one(
    "a transfer's kind",
    "audit_chain",
    "alter table transfer drop constraint transfer_of_its_kind, drop constraint transfer_own_account",
    transfer("kind = 'withdrawal'"),
  ),
  one("when a transfer was accepted", "transfer_time", transfer("added_at = added_at - interval '1 day'")),
  one("when a transfer was paid", "transfer_time", transfer("processed_at = processed_at + interval '1 day'")),
  one("a transfer's amount", "transfer_amount", transfer("amount_paise = amount_paise + 1")),
  one("a transfer's UTR", "booked_utr", transfer("utr = 'UTR1'")),
  one(
    "a transfer's UTR, and the bank's book with it",
    "transfer_utr",
    transfer("utr = 'UTR1'"),
    "update simulator.payment set utr = 'UTR1' where transfer_id = $paid",
  ),
  one("a UTR is gone", "transfer_utr", transfer("utr = null")),
  one("a UTR is gone with its proof", "transfer_utr", transfer("utr = null, utr_proof = null")),
  one("the proof that a failed transfer has no UTR", "transfer_utr", transfer("utr_proof = null", "resolved")),
  one(
    "a UTR of another payment, with its proof",
    "transfer_utr",
    "update transfer set (utr, utr_proof) = (select utr, utr_proof from transfer where transfer_id = $refund) where transfer_id = $paid",
  ),
  one("a UTR of what was not paid", "transfer_utr", transfer("utr = 'UTR1'", "waiting")),
  one("that people recorded an outcome", "transfer_resolved", transfer("resolved_as = 'success'")),
  one("which outcome people recorded", "transfer_resolved", transfer("resolved_as = 'success'", "resolved")),
  one("that people did not record an outcome", "transfer_resolved", transfer("resolved_as = null", "resolved")),
  ...["RESERVED", "UNKNOWN", "PENDING", "AWAITING_APPROVAL"].flatMap((state) => [
    one(`a paid transfer is ${state} again`, "transfer_proof", transfer(`state = '${state}'`)),
    one(`a failed transfer is ${state} again`, "transfer_proof", transfer(`state = '${state}'`, "resolved")),
  ]),
  one("a transfer that waits has ended", "transfer_proof", transfer("state = 'SUCCESS'", "waiting")),
  one("a transfer is gone", "posting_subject", "delete from transfer where transfer_id = $paid"),
  one("a transfer is said to be unpaid", "transfer_postings", transfer("state = 'PENDING'")),
  one(
    "a payment is gone from the bank's book",
    "success_not_paid",
    "delete from simulator.payment where transfer_id = $paid",
  ),
  one(
    "the bank has paid another amount",
    "booked_amount",
    "update simulator.payment set amount_paise = 1 where transfer_id = $paid",
  ),
  one(
    "the bank has paid somebody else",
    "booked_payee",
    "update simulator.payment set payee_name = 'X' where transfer_id = $paid",
  ),
];
