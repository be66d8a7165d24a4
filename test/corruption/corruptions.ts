// What somebody with the whole database may do to it, and which check of `nodal verify` says so. That books are broken
// in themselves is in src/payouts.
import { OF_MERCHANT, one, setIn, type Corruption } from "./corruption.ts";
import { ELSEWHERE } from "./elsewhere-corruptions.ts";
import { TRANSFERS } from "./transfer-corruptions.ts";

const merchant = (change: string) => setIn("merchant", "merchant_id", "merchant", change);
const invoice = (change: string) => setIn("invoice", "invoice_id", "open", change);
const franchise = (change: string) => setIn("franchise", "franchise_id", "franchise", change);
const login = (change: string) => setIn("login", "login_id", "ravi", change);

const FUNDING = `with book as (
    update ledger_book set last_entry_no = last_entry_no + 1,
      available_paise = available_paise + 500, nodal_bank_paise = nodal_bank_paise - 500
    where ${OF_MERCHANT} returning *
  ), money as (
    insert into funding (bucket, merchant_id, funding_id, reference, amount_paise, created_at)
    select bucket, merchant_id, 77, 'planted', 500, now() from book
  )
  insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor, kind, debit_kind,
    debit_owner_id, credit_kind, credit_owner_id, amount_paise)
  select bucket, merchant_id, last_entry_no, 'balance.funded', 77, now(), 'command:asha', 'funds_in', 'nodal_bank', 0,
    'available', 0, 500 from book`;

/** An entry by SQL, numbered as it has to be. */
function entry(type: string, subject: string, columns = "", values = ""): string {
  return `with book as (
      update ledger_book set last_entry_no = last_entry_no + 1 where ${OF_MERCHANT} returning *
    )
    insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor${columns})
    select bucket, merchant_id, last_entry_no, '${type}', ${subject}, now(), 'command:asha'${values} from book`;
}

/** Commission by SQL, with all that belongs to it, as if the merchant had earned it for its franchise. */
const COMMISSION = `with book as (
    update ledger_book set last_entry_no = last_entry_no + 1 where ${OF_MERCHANT} returning *
  ), moved as (
    update ledger_account set balance = balance + case kind when 'commission_payable' then 1 else -1 end
    where ${OF_MERCHANT} and (kind, owner_id) in (('commission_payable', $franchise), ('commission_expense', 0))
  ), earned as (
    insert into commission (bucket, merchant_id, settlement_id, invoice_id, franchise_id, amount_paise, accrued_at)
    select bucket, merchant_id, $merchant, $invoice, $franchise, 1, now() from book
  )
  insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor, kind, debit_kind,
    debit_owner_id, credit_kind, credit_owner_id, amount_paise)
  select bucket, merchant_id, last_entry_no, 'commission.accrued', $merchant, now(), 'command:asha',
    'commission_accrued', 'commission_expense', 0, 'commission_payable', $franchise, 1 from book`;

/** What names the merchant's money that has one name. */
const DEPOSIT = `${OF_MERCHANT} and funding_id <> $twice`;

const MONEY: readonly Corruption[] = [
  one("a well-formed funding", "funding_proof", FUNDING),
  one(
    "a well-formed funding with the proof of another",
    "funding_proof",
    FUNDING,
    `update funding set proof = (select proof from funding where funding_id = $twice) where funding_id = 77`,
  ),
  one(
    "balances that are kept for statements",
    "kept_balance",
    `insert into book_balance select bucket, merchant_id, 2000, available_paise + 1, held_paise from ledger_book where ${OF_MERCHANT}`,
  ),
  one(
    "a deposit is gone, so that it could be credited again",
    "funding_deposit",
    `delete from deposit where ${DEPOSIT}`,
  ),
  one(
    "one of the names of a deposit is gone",
    "funding_proof",
    "delete from deposit where deposit_key = (select deposit_key from deposit where funding_id = $twice limit 1)",
  ),
  one("the key of a deposit", "funding_proof", `update deposit set deposit_key = sha256('else') where ${DEPOSIT}`),
  one("among whose deposits one is", "funding_proof", `update deposit set scope = scope + 1 where ${DEPOSIT}`),
  one("whose deposit it is", "funding_proof", `update deposit set merchant_id = $other where ${DEPOSIT}`),
  one("which funding a deposit is of", "funding_proof", `update deposit set funding_id = 77 where ${DEPOSIT}`),
  one(
    "a deposit of one funding is another's too",
    "funding_proof",
    `update deposit set funding_id = $twice where ${DEPOSIT}`,
  ),
  one(
    "a name of a deposit is added",
    "funding_proof",
    `insert into deposit select scope, sha256('else'), bucket, merchant_id, funding_id from deposit where ${DEPOSIT}`,
  ),
  one("a funding's reference", "funding_proof", "update funding set reference = 'another' where funding_id = $twice"),
  one(
    "a funding's time",
    "funding_proof",
    `update funding set created_at = created_at - interval '1 day' where ${OF_MERCHANT}`,
  ),
  one(
    "a funding's amount",
    "funding_posting",
    `update funding set amount_paise = amount_paise + 1 where ${OF_MERCHANT}`,
  ),
  one(
    "a balance",
    "account_balance",
    `update ledger_book set available_paise = available_paise + 1 where ${OF_MERCHANT}`,
  ),
  one(
    "the balance of an account that is a row",
    "account_balance",
    `update ledger_account set balance = balance - 1 where ${OF_MERCHANT} and kind = 'commission_expense'`,
  ),
  one(
    "the row of an account is gone",
    "account_balance",
    `delete from ledger_account where ${OF_MERCHANT} and kind = 'commission_expense'`,
  ),
  one(
    "money between the merchant's book and the operator's",
    "sum_of_accounts",
    `update ledger_account set balance = balance - 1 where ${OF_MERCHANT} and kind = 'commission_expense'`,
    `update ledger_book set fee_expense_paise = fee_expense_paise + 1 where ${OF_MERCHANT}`,
  ),
  ...["gift", "available"].map((kind) =>
    one(
      `a row of the account ${kind}`,
      "account_kind",
      `insert into ledger_account (bucket, merchant_id, kind, owner_id)
       select bucket, merchant_id, '${kind}', 0 from ledger_book where ${OF_MERCHANT}`,
    ),
  ),
  one(
    "the change number of a posting",
    "audit_chain",
    `update journal set change_no = 1 where ${OF_MERCHANT} and kind = 'commission_accrued'`,
  ),
  one(
    "a posting's amount",
    "account_balance",
    `update journal set amount_paise = amount_paise + 1 where ${OF_MERCHANT} and kind = 'funds_in'`,
  ),
  one(
    "a posting's time",
    "audit_chain",
    `update journal set created_at = created_at - interval '1 day' where ${OF_MERCHANT} and kind = 'funds_in'`,
  ),
  one("a posting is gone", "entry_numbers", `delete from journal where ${OF_MERCHANT} and kind = 'funds_in'`),
  one(
    "a commission",
    "commission_posting",
    `update commission set amount_paise = amount_paise + 1 where ${OF_MERCHANT}`,
  ),
  one("who earned a commission", "commission_posting", `update commission set franchise_id = 1 where ${OF_MERCHANT}`),
  one(
    "how commission was paid by other means",
    "sealed_commission_payment",
    "update commission_payment set mode = 'UPI' where payment_id = $payment",
  ),
  one(
    "an entry of commission that was paid by other means",
    "event_proof",
    entry("commission.payment_recorded", "$payment"),
  ),
];

const PEOPLE: readonly Corruption[] = [
  one(
    "an access key's hash, of another key",
    "sealed_merchant",
    `update access_key set secret_hash = (select secret_hash from access_key where access_key_id <> '$key' and ${OF_MERCHANT} limit 1) where access_key_id = '$key'`,
  ),
  one(
    "an access key is revoked",
    "sealed_merchant",
    "update access_key set revoked_at = now() where access_key_id = '$key'",
  ),
  one(
    "an access key is added",
    "sealed_merchant",
    `insert into access_key select bucket, merchant_id, access_key_id || '0', secret_hash, name, scopes, addresses, expires_at, made_by, proof, now() from access_key where access_key_id = '$key'`,
  ),
  one(
    "an access key may do less than it could",
    "sealed_merchant",
    "update access_key set scopes = 'payouts.view' where access_key_id = '$key'",
  ),
  one("an access key is gone", "sealed_merchant", "delete from access_key where access_key_id = '$key'"),
  one(
    "a login's hash, of another login",
    "sealed_login",
    login("password_hash = (select password_hash from login where login_id = $meena)"),
  ),
  one("a login's role", "sealed_login", login("role_name = 'Owner'")),
  one("a login's address", "sealed_login", login("email = 'else@example.com'")),
  one("a login is disabled", "sealed_login", login("disabled_at = now()")),
  one(
    "a login is added",
    "sealed_login",
    `insert into login (
       bucket, merchant_id, login_id, kind, email, name, role_name, password_hash, must_change_password, created_at)
     select bucket, merchant_id, 78, kind, 'new@example.com', name, 'Owner', password_hash, false, now()
     from login where login_id = $ravi`,
  ),
  one("a login is gone", "sealed_login", "delete from login where login_id = $ravi"),
  one("whom an address signs in", "sealed_login", "update sign_in set subject_id = $meena where subject_id = $ravi"),
  one(
    "that an address signs in without its merchant",
    "sealed_login",
    "update sign_in set alone_since = null where subject_id = $ravi",
  ),
  one(
    "since when an address signs in without its merchant",
    "sealed_login",
    "update sign_in set alone_since = alone_since - interval '1 day' where subject_id = $ravi",
  ),
  one(
    "what a role allows",
    "sealed_merchant",
    `update role set permissions = '{payouts.create}' where ${OF_MERCHANT} and role_name = 'Clerk'`,
  ),
  one(
    "a role is added",
    "sealed_merchant",
    `insert into role select bucket, merchant_id, 'Boss', permissions from role where ${OF_MERCHANT} limit 1`,
  ),
  one(
    "a policy's limit",
    "sealed_merchant",
    `update payout_policy set transfer_limit_paise = null where ${OF_MERCHANT}`,
  ),
  one("a policy is gone", "sealed_merchant", `delete from payout_policy where ${OF_MERCHANT}`),
  one("that a merchant is live", "sealed_merchant", merchant("live = true")),
  one("a merchant's status", "sealed_merchant", merchant("status = 'suspended'")),
  one("a merchant's rate limit", "sealed_merchant", merchant("rate_limit_per_minute = 100000")),
  one("a merchant's GSTIN", "sealed_merchant", merchant("gstin = '27AAACI1234K1Z5'")),
  one("a merchant's name", "sealed_merchant", merchant("name = 'Other Traders'")),
  one("the IFSC of a merchant's bank account", "sealed_merchant", merchant("ifsc = 'YESB0000262'")),
  one("a merchant's bank account", "sealed_merchant", merchant("bank_account = ''")),
  one("a merchant's bank account does not open", "sealed_merchant", merchant("bank_account = 'enc1:2:AAAA'")),
  one(
    "where events are sent",
    "sealed_webhook_endpoint",
    "update webhook_endpoint set url = 'https://else.example.com' where endpoint_id = $endpoint",
  ),
];

const BILLS: readonly Corruption[] = [
  one("a franchise's payee", "sealed_franchise", franchise("beneficiary_id = beneficiary_id + 1")),
  one("a franchise's terms", "sealed_franchise", franchise("commission_hundredths = 9000")),
  one("a franchise's IFSC", "sealed_franchise", franchise("ifsc = 'HDFC0000001'")),
  one("a franchise's account number", "sealed_franchise", franchise("account_number = ''")),
  one(
    "that commission of a franchise waits",
    "sealed_franchise",
    "update commission set waits = not waits where franchise_id = $franchise",
  ),
  one(
    "the terms that an invoice keeps",
    "sealed_invoice",
    "update commission_rate set commission_hundredths = commission_hundredths * 100 where invoice_id = $invoice",
  ),
  one(
    "the terms that an invoice will have",
    "sealed_invoice",
    "insert into commission_rate select bucket, merchant_id, $open, franchise_id, 'Fixed', 10000000 from commission_rate where invoice_id = $invoice",
  ),
  one(
    "to whom a refund goes",
    "sealed_credit_note",
    "update credit_note set refund_beneficiary_id = refund_beneficiary_id + 1 where credit_note_id = $note",
  ),
  one("how a franchise is settled", "sealed_franchise", franchise("settlement_type = 'Manual'")),
  one(
    "a beneficiary's IFSC",
    "sealed_beneficiary",
    "update beneficiary set ifsc = 'HDFC0000001' where beneficiary_id = $payee",
  ),
  one(
    "since when a beneficiary is known",
    "sealed_beneficiary",
    "update beneficiary set created_at = created_at - interval '30 days' where beneficiary_id = $payee",
  ),
  one("a beneficiary's name", "sealed_beneficiary", "update beneficiary set name = 'X' where beneficiary_id = $payee"),
  one(
    "a beneficiary is added",
    "sealed_beneficiary",
    `insert into beneficiary select (jsonb_populate_record(beneficiary, '{"beneficiary_id": 79, "account_index": "\\\\x01"}')).* from beneficiary where beneficiary_id = $payee`,
  ),
  one("a beneficiary is gone", "sealed_beneficiary", "delete from beneficiary where beneficiary_id = $payee"),
  one("a customer's name", "sealed_customer", "update customer set customer_name = 'X' where customer_id = $customer"),
  one("a customer's state", "sealed_customer", "update customer set state = 'Kerala' where customer_id = $customer"),
  one("an invoice's GSTIN", "sealed_invoice", invoice("content = jsonb_set(content, '{x}', '\"29AAAAA0000A1Z5\"')")),
  one("an invoice's recipient", "sealed_invoice", invoice("content = content || '{\"customer\": {}}'")),
  one("an invoice's customer", "sealed_invoice", invoice("customer_id = $customer")),
  one("an invoice's number", "sealed_invoice", invoice("invoice_number = 'X-1'")),
  one("an invoice's date", "sealed_invoice", invoice("due_date = due_date + 30")),
  one("an invoice's franchise", "sealed_invoice", invoice("franchise_id = $franchise")),
  one("an invoice's link", "sealed_invoice", invoice("public_token = 'known'")),
  one(
    "a settlement's reference",
    "sealed_settlement",
    "update settlement set bank_ref_no = 'X' where settlement_id = $settlement",
  ),
  one(
    "a settlement's mode",
    "sealed_settlement",
    "update settlement set mode = 'UPI' where settlement_id = $settlement",
  ),
  one(
    "a credit note's reason",
    "sealed_credit_note",
    "update credit_note set reason = 'X' where credit_note_id = $note",
  ),
  one("a refund's row is gone", "sealed_credit_note", "delete from credit_note_refund where credit_note_id = $note"),
  one(
    "a refund's row names another transfer",
    "sealed_credit_note",
    "update credit_note_refund set transfer_id = $paid where credit_note_id = $note",
  ),
  one(
    "a refund's row is added",
    "sealed_credit_note",
    "insert into credit_note_refund select bucket, merchant_id, credit_note_id, 2, $paid from credit_note_refund where credit_note_id = $note",
  ),
];

const LOG: readonly Corruption[] = [
  one(
    "money that moved is told as something else",
    "posting_type",
    `update journal set type = 'merchant.changed' where ${OF_MERCHANT} and kind = 'success'`,
  ),
  one("a transfer is said to be paid, and no money moved", "event_proof", entry("transfer.success", "$waiting")),
  one(
    "a posting about a thing goes with a change of it",
    "sealed_merchant",
    merchant("city = 'Elsewhere'"),
    COMMISSION,
  ),
  one(
    "what an entry says",
    "audit_chain",
    `update journal set after = '{}' where ${OF_MERCHANT} and type = 'merchant.changed'`,
  ),
  one(
    "who did it",
    "audit_chain",
    `update journal set actor = 'command:else' where ${OF_MERCHANT} and type = 'merchant.changed'`,
  ),
  one(
    "an entry that says so goes with a change",
    "event_proof",
    merchant("live = true"),
    entry("merchant.changed", "$merchant"),
  ),
  one(
    "an entry with the proof of another goes with a change",
    "event_proof",
    merchant("live = true"),
    entry(
      "merchant.changed",
      "$merchant",
      ", before, after, proof",
      `, (select before from journal where type = 'merchant.changed' and ${OF_MERCHANT}), (select after from journal where type = 'merchant.changed' and ${OF_MERCHANT}), (select proof from journal where type = 'merchant.changed' and ${OF_MERCHANT})`,
    ),
  ),
  one(
    "an entry is there twice",
    "event_proof",
    `insert into journal select (jsonb_populate_record(journal, jsonb_build_object('entry_no', (select last_entry_no + 1 from ledger_book where ${OF_MERCHANT})))).* from journal where ${OF_MERCHANT} and type = 'merchant.changed'`,
    `update ledger_book set last_entry_no = last_entry_no + 1 where ${OF_MERCHANT}`,
  ),
  one("an entry is gone", "entry_numbers", `delete from journal where ${OF_MERCHANT} and type = 'merchant.changed'`),
  one("a seal is gone", "seal_chain", `delete from journal_seal where ${OF_MERCHANT}`),
  one(
    "a merchant's seals are gone, as if it had never been sealed",
    "seal_chain",
    `delete from journal_seal where ${OF_MERCHANT}`,
    `delete from sealed_book where ${OF_MERCHANT}`,
    `delete from sealed_thing where ${OF_MERCHANT}`,
  ),
  one("a seal", "audit_chain", `update journal_seal set seal = sha256('') where ${OF_MERCHANT}`),
  one("a link is gone", "seal_chain", "delete from seal_link where link_no = 1"),
  one("a link", "seal_chain", "update seal_link set head = sha256('') where link_no = 1"),
  one("the head of the chain", "seal_chain", "update seal_head set head = sha256('')"),
  one("all of the chain", "seal_chain", "delete from seal_link", "update seal_head set link_no = 0, head = ''"),
  one(
    "a mark is gone with its row",
    "audit_chain",
    "delete from sealed_thing where thing_id = $payee",
    "delete from beneficiary where beneficiary_id = $payee",
  ),
  one(
    "a mark of another",
    "sealed_login",
    "update sealed_thing set mac = (select mac from sealed_thing where kind = 'login' and thing_id = $meena) where kind = 'login' and thing_id = $ravi",
  ),
];

export const CORRUPTIONS: readonly Corruption[] = [...TRANSFERS, ...MONEY, ...PEOPLE, ...ELSEWHERE, ...BILLS, ...LOG];
