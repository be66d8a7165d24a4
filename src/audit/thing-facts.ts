// The things that entries of the log are about, and which of their columns change with such an entry only.
// What belongs here: the list. Columns that change without an entry about the thing (counters, when somebody was last
// seen, what is paid of an invoice) are left out: what they say follows from others, and is checked there.

export type ThingKind = {
  /** Also the name of its table, where that is not said. */
  readonly kind: string;
  readonly table?: string;
  /** What these facts say never changes: an entry about the thing gives no new mark to facts that have changed. */
  readonly isFixed?: true;
  /** The column with its id, which is the subject of the entries about it. */
  readonly id: string;
  /** What a row says, as SQL expressions that do not depend on settings of the connection. */
  readonly facts: string;
  /** Encrypted columns, bound to the merchant and, but for the merchant's own, the id. */
  readonly secrets: readonly string[];
  /** Rows with no entry about them by themselves are left out. */
  readonly where?: string;
};

const time = (column: string): string => `extract(epoch from ${column})`;
const day = (column: string): string => `${column} - date '2000-01-01'`;
const OF_MERCHANT = "own.bucket = merchant.bucket and own.merchant_id = merchant.merchant_id";

/** The rows of another table that go by the merchant, as one text. */
function ofMerchant(table: string, facts: string, key: string): string {
  return `(select string_agg(row(${facts})::text, ' ' order by ${key}) from ${table} own where ${OF_MERCHANT})`;
}

export const THING_KINDS: readonly ThingKind[] = [
  {
    kind: "merchant",
    id: "merchant_id",
    // Roles and keys have names and no ids, and a policy is one row: the entries about them are about the merchant.
    facts: `name, email, mobile, address, city, state, zipcode, gstin, ifsc, bank_holder, time_zone,
      rate_limit_per_minute, status, live, counterpart_id, ${time("created_at")},
      ${ofMerchant("role", "role_name, permissions", 'role_name collate "C"')},
      ${ofMerchant("access_key", `access_key_id, encode(secret_hash, 'hex'), ${time("revoked_at")}`, 'access_key_id collate "C"')},
      ${ofMerchant("payout_policy", "approve_over_paise, approve_payees, verified_payees_only, cooling_off_minutes, transfer_limit_paise, daily_limit_paise, approval_expires_hours", "own.merchant_id")}`,
    secrets: ["pan", "bank_account"],
  },
  {
    kind: "login",
    id: "login_id",
    // Whom its address signs in, too, and since when without its merchant: that is looked up by a hash of the address.
    facts: `login.kind, email, name, role_name, password_hash, ${time("totp_confirmed_at")}, ${time("disabled_at")},
      (select row(own.bucket, own.merchant_id, own.subject_kind, own.subject_id, ${time("own.alone_since")})::text
       from sign_in own
       where own.email_hash = sha256(convert_to(lower(btrim(email) collate "C"), 'UTF8'))
         and own.bucket = login.bucket and own.merchant_id = login.merchant_id)`,
    secrets: [],
  },
  {
    kind: "beneficiary",
    id: "beneficiary_id",
    // Whom it stands for, since transfers keep no copy. Also since when it is known: the time that it has to cool off is
    // counted from there.
    facts: `type, name, ifsc, encode(account_index, 'hex'), encode(upi_index, 'hex'), ${time("created_at")}`,
    secrets: [],
    isFixed: true,
  },
  {
    // Whether it may be paid, how to reach it, and what the bank said of its account.
    kind: "beneficiary_standing",
    table: "beneficiary",
    id: "beneficiary_id",
    facts: `approval, email_id, mobile, address, city, state, zipcode, verification, ${time("verified_at")}, name_at_bank,
      bank_branch, verification_utr, verification_reference`,
    secrets: [],
  },
  {
    kind: "franchise",
    id: "franchise_id",
    facts: `franchise_code, franchise_name, contact_person_name, email_id, mobile, gst_number, address, city, state, zipcode,
      online_settlement, commission_type, commission_hundredths, settlement_type, bank_holder_name, bank_name,
      account_type, ifsc, beneficiary_id, login_email, role_name, deleted_at is null,
      exists (select from commission own where own.bucket = franchise.bucket and own.merchant_id = franchise.merchant_id
        and own.franchise_id = franchise.franchise_id and own.waits)`,
    secrets: ["pan_number", "aadhar_number", "account_number"],
  },
  {
    kind: "customer",
    id: "customer_id",
    facts: "customer_code, customer_name, email, mobile, address, city, state, zipcode, custom_fields",
    secrets: [],
  },
  {
    kind: "invoice",
    id: "invoice_id",
    facts: `customer_id, template_id, franchise_id, series_id, financial_year, invoice_number, cycle_name,
      ${day("bill_date")}, ${day("due_date")}, sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise, content,
      public_token, revision, status = 'Cancelled',
      (select row(own.franchise_id, own.commission_type, own.commission_hundredths)::text from commission_rate own
       where own.bucket = invoice.bucket and own.merchant_id = invoice.merchant_id and own.invoice_id = invoice.invoice_id)`,
    secrets: [],
  },
  {
    kind: "settlement",
    id: "settlement_id",
    facts: `invoice_id, ${day("paid_date")}, amount_paise, mode, bank_name, bank_ref_no, cheque_no, cash_paid_to,
      ${time("reversed_at")}, reversal_reason`,
    secrets: [],
    // The others are parts of one: verify of invoices adds them up.
    where: "via_settlement_id is null",
  },
  {
    kind: "commission_payment",
    id: "payment_id",
    facts: `franchise_id, amount_paise, ${day("paid_date")}, mode, bank_ref_no, note, ${time("recorded_at")},
      ${time("reversed_at")}, reversal_reason`,
    secrets: [],
  },
  {
    kind: "credit_note",
    id: "credit_note_id",
    facts: `invoice_id, series_id, financial_year, credit_note_number, ${day("note_date")}, amount_paise, taxable_paise,
      tax_paise, reason, content, refund_beneficiary_id,
      (select string_agg(row(own.attempt, own.transfer_id)::text, ' ' order by own.attempt) from credit_note_refund own
       where own.bucket = credit_note.bucket and own.merchant_id = credit_note.merchant_id
         and own.credit_note_id = credit_note.credit_note_id)`,
    secrets: [],
  },
  {
    kind: "approval",
    id: "approval_id",
    facts: `approval.kind, subject_id, requested_by, ${time("requested_at")}, change, decision, decided_by,
      ${time("decided_at")}, note`,
    secrets: ["account_number"],
    // That a transfer waits is part of its acceptance.
    where: "(decision is not null or approval.kind not in ('transfer', 'withdrawal', 'commission'))",
  },
  {
    kind: "subscription",
    id: "subscription_id",
    facts: `customer_id, template_id, mode, repeat_every, ${day("start_date")}, due_days, end_mode, occurrences,
      ${day("end_date")}, carry_dues, invoice, state = 'Cancelled'`,
    secrets: [],
  },
  {
    kind: "webhook_endpoint",
    id: "endpoint_id",
    facts: "url, description, event_types",
    secrets: [],
  },
];
