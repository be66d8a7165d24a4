// The subjects of log entries, their sealed columns, and the entries that may change these. Columns that change without
// an entry (counters, last use, the paid amount of an invoice) are left out: they follow from other rows, and are
// checked there. src/audit/sealed-columns.test.ts lists all of them.

import { CUSTOMER_MEMBERS } from "../customers/customer-members.ts";
import { CONTACT_MEMBERS } from "../franchises/contact-members.ts";
import { PROFILE_MEMBERS } from "../merchants/profile-members.ts";
import { CONTACT_MEMBERS as BENEFICIARY_CONTACT } from "../payouts/beneficiaries/beneficiary-members.ts";
import { day, membersOf, named, only, sealedOf, time, type Fact, type ThingKind } from "./fact.ts";

const OF_MERCHANT = "own.bucket = merchant.bucket and own.merchant_id = merchant.merchant_id";

/** A column of a merchant's only row in another table; `fallback` without a row. */
const ofMerchant = (table: string, column: string, by: string, fallback: string | null = null): Fact => ({
  sql: `coalesce((select ${column.includes(".") ? column : `own.${column}`}::text from ${table} own where ${OF_MERCHANT}), ${fallback === null ? "null" : `'${fallback}'`})`,
  by: [by],
});

const DECISIONS = ["approval.approved", "approval.rejected", "approval.expired", "approval.withdrawn"];
const SECOND_FACTOR = ["login.second_factor_enabled", "login.second_factor_disabled", "login.second_factor_reset"];

const MERCHANT: ThingKind = {
  kind: "merchant",
  id: "merchant_id",
  made: ["merchant.created"],
  // Roles and keys have names but no ids, and a policy is one row: the subject of their entries is the merchant.
  facts: [
    ...membersOf(PROFILE_MEMBERS),
    ...named(
      "rate_limit_per_minute status counterpart_id fees_paid_by kyc_status kyc payout_rails when_down give_up_minutes",
    ),
    { sql: day("clock_date"), by: ["clock_date"] },
    only(`live, ${time("created_at")}`),
    only("encode(merchant.proof, 'hex')", "merchant.changed"),
    ofMerchant("payout_policy", "approve_over_paise", "approve_over"),
    ofMerchant("payout_policy", "approve_payees", "approve_payees", "false"),
    ofMerchant("payout_policy", "verified_payees_only", "verified_payees_only", "false"),
    ofMerchant("payout_policy", "cooling_off_minutes", "cooling_off_minutes"),
    ofMerchant("payout_policy", "transfer_limit_paise", "transfer_limit"),
    ofMerchant("payout_policy", "daily_limit_paise", "daily_limit"),
    ofMerchant("payout_policy", "approval_expires_hours", "approval_expires_hours", "72"),
    ofMerchant("payout_policy", "encode(own.proof, 'hex')", "policy.changed"),
    ofMerchant("notification_setting", "channels", "notification_setting.changed"),
    ofMerchant("notification_setting", "reminder_days", "notification_setting.changed"),
    ofMerchant("book_setting", "write_off_limit_paise", "book_setting.changed"),
    ofMerchant("book_setting", "to_char(own.locked_until, 'YYYY-MM-DD')", "book_setting.changed"),
  ],
  secrets: sealedOf(PROFILE_MEMBERS),
  items: [
    {
      table: "role",
      name: "role_name",
      sql: "permissions, encode(proof, 'hex')",
      by: "role.",
      member: "name",
    },
    {
      table: "access_key",
      name: "access_key_id",
      sql: `encode(secret_hash, 'hex'), encode(proof, 'hex'), name, scopes, addresses, made_by, ${time("expires_at")}, ${time("revoked_at")}`,
      by: "access_key.",
      member: "access_key_id",
    },
  ],
};

const LOGIN: ThingKind = {
  kind: "login",
  id: "login_id",
  // The login of a franchise has the franchise's id.
  made: ["login.created", "franchise.created", "franchise.changed:login_email"],
  ended: ["franchise.deleted"],
  facts: [
    ...named("name approval_mail"),
    only("login.kind"),
    only("role_name", "role", "role_name"),
    only(time("disabled_at"), "disabled"),
    only("password_hash, must_change_password", "login.password_changed", "login.password_reset"),
    only(time("totp_confirmed_at"), ...SECOND_FACTOR),
    only("encode(login.proof, 'hex')", "login.changed", ...SECOND_FACTOR),
    // Also its rows of `sign_in`, which are found by a hash of the address.
    only(
      `email, (select row(own.bucket, own.merchant_id, own.subject_kind, own.subject_id, ${time("own.alone_since")})::text
       from sign_in own
       where own.email_hash = sha256(convert_to(lower(btrim(email) collate "C"), 'UTF8'))
         and own.bucket = login.bucket and own.merchant_id = login.merchant_id)`,
      "email",
    ),
  ],
};

const PAYEES: readonly ThingKind[] = [
  {
    kind: "beneficiary",
    id: "beneficiary_id",
    made: ["beneficiary.created"],
    // The payee itself, which never changes, since transfers keep no copy. Also its creation time, from which the
    // cooling-off period is counted.
    facts: [only(`type, name, ifsc, encode(account_index, 'hex'), encode(upi_index, 'hex'), ${time("created_at")}`)],
  },
  {
    // Whether it may be paid, its contact details, and the bank's verification.
    kind: "beneficiary_standing",
    table: "beneficiary",
    id: "beneficiary_id",
    made: ["beneficiary.created"],
    facts: [
      ...membersOf(BENEFICIARY_CONTACT),
      only("approval", "beneficiary.approved", "beneficiary.rejected", "beneficiary.deactivated"),
      only(
        `verification, ${time("verified_at")}, name_at_bank, bank_branch, verification_utr, verification_reference`,
        "beneficiary.checked",
        "beneficiary.name_accepted",
      ),
    ],
  },
  {
    kind: "franchise",
    id: "franchise_id",
    made: ["franchise.created"],
    facts: [
      ...membersOf(CONTACT_MEMBERS),
      ...named("commission_type settlement_type online_settlement commission_hundredths"),
      ...named("beneficiary_id login_email role_name"),
      only("franchise_code", "code"),
      only("bank_holder_name, bank_name, account_type, ifsc", "account"),
      only("deleted_at is null", "franchise.deleted"),
      only("encode(franchise.proof, 'hex')", "franchise.changed", "franchise.deleted"),
      only(
        `exists (select from commission own where own.bucket = franchise.bucket and own.merchant_id = franchise.merchant_id
           and own.franchise_id = franchise.franchise_id and own.waits)`,
        "franchise.commission_waits",
        "franchise.commission_released",
      ),
    ],
    secrets: [...sealedOf(CONTACT_MEMBERS), { column: "account_number", by: ["account"] }],
  },
];

const BILLS: readonly ThingKind[] = [
  {
    kind: "customer",
    id: "customer_id",
    made: ["customer.created"],
    facts: [...membersOf(CUSTOMER_MEMBERS), ...named("custom_fields")],
    secrets: sealedOf(CUSTOMER_MEMBERS),
  },
  {
    kind: "item",
    id: "item_id",
    made: ["item.created"],
    facts: [
      ...named("item_code name description sac_code unit price_includes_tax"),
      ...named("gst_thousandths cess_thousandths tax_treatment"),
      only("unit_price_paise", "unit_price", "unit_price_paise"),
      only(time("archived_at"), "item.archived", "item.restored"),
    ],
  },
  {
    kind: "invoice",
    id: "invoice_id",
    made: ["invoice.created"],
    facts: [
      ...named("customer_id template_id franchise_id cycle_name content"),
      only("series_id, financial_year, invoice_number", "series_id", "financial_year", "invoice_number"),
      only(`${day("bill_date")}, ${day("due_date")}`, "bill_date", "due_date"),
      only(
        "sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise",
        "sub_total",
        "tax_total",
        "previous_dues",
        "amount",
      ),
      only("public_token"),
      only("revision", "revision", "invoice.updated"),
      only("status = 'Cancelled'", "invoice.cancelled"),
      only(
        `(select row(own.franchise_id, own.commission_type, own.commission_hundredths, encode(own.proof, 'hex'))::text from commission_rate own
         where own.bucket = invoice.bucket and own.merchant_id = invoice.merchant_id and own.invoice_id = invoice.invoice_id)`,
        "invoice.commission_terms_kept",
      ),
    ],
  },
  {
    kind: "invoice_draft",
    id: "draft_id",
    made: ["invoice_draft.created"],
    ended: ["invoice_draft.deleted"],
    facts: [
      only(
        "title, template_id, customer_code, invoice, amount_paise, version, updated_by, invoice_id",
        "invoice_draft.changed",
        "invoice_draft.issued",
      ),
      only("created_by"),
    ],
  },
  {
    kind: "estimate",
    id: "estimate_id",
    made: ["estimate.created"],
    facts: [
      only("series_id, financial_year, estimate_number"),
      only(
        `customer_id, template_id, ${day("estimate_date")}, ${day("valid_until")}, due_days, sub_total_paise, tax_total_paise,
         amount_paise, invoice, content`,
        "estimate.changed",
      ),
      only("state, reason, version, invoice_id", "estimate.changed", "estimate.accepted", "estimate.declined"),
    ],
  },
  {
    kind: "settlement",
    id: "settlement_id",
    made: ["settlement.recorded"],
    facts: [
      only(
        `invoice_id, ${day("paid_date")}, amount_paise, mode, bank_name, bank_ref_no, cheque_no, cash_paid_to, tds_paise, tds_code,
         receipt_id, write_off_reason`,
      ),
      only(`${time("reversed_at")}, reversal_reason`, "settlement.reversed"),
    ],
    // The others are parts of another settlement: the verification of invoices adds them up.
    where: "via_settlement_id is null",
  },
  {
    kind: "receipt",
    id: "receipt_id",
    made: ["receipt.recorded"],
    facts: [
      only(
        `series_id, financial_year, receipt_number, customer_id, ${day("paid_date")}, amount_paise, mode, bank_name, bank_ref_no,
         cheque_no, cash_paid_to, tds_paise, tds_code, reference, statement_line_id, import_key`,
      ),
      only(`${time("reversed_at")}, reversal_reason`, "receipt.reversed"),
    ],
  },
  {
    kind: "receipt_refund",
    id: "refund_id",
    made: ["receipt_refund.recorded"],
    facts: [
      only(
        `receipt_id, ${day("paid_date")}, amount_paise, mode, bank_name, bank_ref_no, cheque_no, cash_paid_to, reference`,
      ),
    ],
  },
  {
    kind: "advance_voucher",
    id: "voucher_id",
    made: ["advance_voucher.issued"],
    facts: [
      only(
        `advance_voucher.kind, receipt_id, series_id, financial_year, voucher_number, ${day("voucher_date")}, amount_paise, rate_thousandths, supply,
         place_of_supply, igst_paise, cgst_paise, sgst_paise, content`,
      ),
    ],
  },
  {
    kind: "tds_claim",
    id: "claim_id",
    made: ["tds_claim.certified", "tds_claim.put_back"],
    facts: [
      only("certificate_number", "tds_claim.certified"),
      only(`${time("put_back_at")}, put_back_reason`, "tds_claim.put_back"),
    ],
  },
  {
    kind: "commission_payment",
    id: "payment_id",
    made: ["commission.payment_recorded"],
    facts: [
      only(`franchise_id, amount_paise, ${day("paid_date")}, mode, bank_ref_no, note, ${time("recorded_at")}`),
      only(`${time("reversed_at")}, reversal_reason`, "commission.payment_reversed"),
    ],
  },
  {
    kind: "credit_note",
    id: "credit_note_id",
    made: ["credit_note.issued"],
    facts: [
      only(
        `invoice_id, series_id, financial_year, credit_note_number, ${day("note_date")}, amount_paise, taxable_paise,
         tax_paise, reason, content, by_rows, lines`,
      ),
      only(time("cancelled_at"), "credit_note.cancelled"),
      only("refund_beneficiary_id", "credit_note.refund_payee_changed"),
      only(
        `(select string_agg(row(own.attempt, own.transfer_id)::text, ' ' order by own.attempt) from credit_note_refund own
         where own.bucket = credit_note.bucket and own.merchant_id = credit_note.merchant_id
           and own.credit_note_id = credit_note.credit_note_id)`,
        "credit_note.refund_asked",
      ),
    ],
  },
  {
    kind: "subscription",
    id: "subscription_id",
    made: ["subscription.created"],
    facts: [
      only(
        `customer_id, template_id, franchise_id, mode, repeat_every, ${day("start_date")}, due_days, end_mode, occurrences,
         ${day("end_date")}, carry_dues, invoice`,
      ),
      only("state = 'Cancelled', state = 'Paused'", "state"),
    ],
  },
  {
    kind: "template",
    id: "template_id",
    made: ["template.created"],
    // These decide whom customers pay: the UPI handle, the company's account.
    facts: [
      ...named("name header_fields default_rows default_taxes company terms signatory accent_colour upi_handle"),
      ...named("prints_bank_account"),
      only("encode(template.proof, 'hex')", "template.changed"),
      only("encode(sha256(logo), 'hex'), logo_type", "logo_hash", "template.changed"),
      only(
        `series, (select string_agg(row(own.series_id, own.prefix, own.width, own.yearly)::text, ' ' order by own.series_id)
         from number_series own
         where own.bucket = template.bucket and own.merchant_id = template.merchant_id
           and jsonb_path_query_array(template.series, '$.*') ? own.series_id::text)`,
        "series",
      ),
    ],
  },
];

const REST: readonly ThingKind[] = [
  {
    kind: "approval",
    id: "approval_id",
    made: ["approval.requested"],
    first: DECISIONS,
    facts: [
      only(`approval.kind, subject_id, requested_by, ${time("requested_at")}, change`),
      only(`decision, decided_by, ${time("decided_at")}, note`, ...DECISIONS),
    ],
    secrets: [{ column: "account_number", by: [] }],
    // A waiting payout has no entry about its approval: its proof is checked (approval_proof).
    where: "(decision is not null or approval.kind not in ('transfer', 'withdrawal', 'commission'))",
  },
  {
    kind: "webhook_endpoint",
    id: "endpoint_id",
    made: ["webhook_endpoint.created"],
    facts: [
      ...named("url description event_types"),
      only("encode(proof, 'hex')", "webhook_endpoint.changed"),
      only("status", "status"),
    ],
  },
  {
    kind: "provider_account",
    id: "account_id",
    made: ["provider.connected"],
    facts: [
      ...named("key_id returns_fees calls_per_second fund_source verify_key_id"),
      only(`provider, base_url, tag, ${time("connected_at")}`),
      only("priorities", "modes"),
      only(time("credentials_changed_at"), "credentials"),
      only(time("disconnected_at"), "provider.disconnected"),
      only("encode(proof, 'hex')", "provider.changed", "provider.disconnected"),
    ],
    secrets: [
      { column: "secret", beside: ["provider", "base_url", "key_id", "tag"], by: ["credentials"] },
      { column: "webhook_secret", by: ["credentials"] },
      { column: "older_webhook_secret", by: ["credentials"] },
      { column: "source_account", by: [] },
      { column: "verify_secret", beside: ["provider", "base_url", "verify_key_id"], by: ["provider.changed"] },
      { column: "signing_key", by: ["provider.changed"] },
      { column: "more_webhook_secrets", by: ["provider.changed"] },
    ],
  },
  {
    // It belongs to no merchant, like operators and the installation's provider accounts.
    kind: "installation",
    table: "(select bucket, owner_id as merchant_id, owner_id as installation_id, payout_rails from installation)",
    id: "installation_id",
    made: ["installation.changed"],
    ended: ["installation.changed"],
    facts: named("payout_rails"),
    where: "payout_rails is not null",
  },
];

export const THING_KINDS: readonly ThingKind[] = [MERCHANT, LOGIN, ...PAYEES, ...BILLS, ...REST];

/** The kinds whose names begin the types of their entries, and whose ids are unique among all kinds. */
export const BILL_NAMES: ReadonlySet<string> = new Set(BILLS.map(({ kind }) => kind));
