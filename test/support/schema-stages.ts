// A little data of every kind that each schema brought, as SQL: for tests of upgrades and of backups.
// What belongs here: one merchant's books that `verify` finds sound at every schema. No assertion.
import type { Pool } from "../../src/platform/database/pool.ts";

/** The key of the one merchant, and the balances that its books come to, in paise. */
export const STAGE_MERCHANT = { bucket: 5, merchantId: 1000n } as const;

const KEY = `${STAGE_MERCHANT.bucket}, ${STAGE_MERCHANT.merchantId}`;

/** One call of ledger_post for postings of this merchant: kind, event type, subject, paise, owner. */
function post(postings: readonly (readonly [string, string | null, number, number, number])[]): string {
  const column = (index: number, type: string): string =>
    `array[${postings.map((posting) => (posting[index] === null ? "null" : `'${posting[index]}'`)).join(", ")}]::${type}[]`;
  return `select ledger_post(
    now(), array[${STAGE_MERCHANT.bucket}]::smallint[], array[${STAGE_MERCHANT.merchantId}]::bigint[],
    array[${postings.map(() => "1").join(", ")}], ${column(0, "text")}, ${column(1, "text")}, ${column(2, "bigint")},
    ${column(3, "bigint")}, ${column(4, "bigint")});`;
}

const BOOK = `insert into ledger_book (bucket, merchant_id) values (${KEY});`;

const OWN_ACCOUNTS = `
  insert into ledger_account (bucket, merchant_id, kind)
  select ${KEY}, unnest(array['nodal_bank', 'available', 'held', 'payout_clearing', 'receivable']);`;

const EXPENSE_ACCOUNT = `
  insert into ledger_account (bucket, merchant_id, kind) values (${KEY}, 'commission_expense')
  on conflict do nothing;`;

const FUNDS = `
  insert into funding (bucket, merchant_id, funding_id, reference, amount_paise, created_at)
  values (${KEY}, 11, 'opening', 1000000, now());
  ${post([["funds_in", "funding.created", 11, 1_000_000, 0]])}`;

const MORE_FUNDS = `
  insert into funding (bucket, merchant_id, funding_id, reference, amount_paise, created_at)
  values (${KEY}, 12, 'after', 700, now());
  ${post([["funds_in", "balance.funded", 12, 700, 0]])}`;

// The name tries what a copy as text must escape: tabs, line ends, backslashes, and what stands for null.
const MERCHANTS = `
  insert into merchant (bucket, merchant_id, name, email, address, created_at)
  values (${KEY}, E'Asha\\t& S\\\\N – आशा \\\\.', 'asha@example.com', E'1, MG Road\\r\\nBengaluru\\n\\\\.\\n', '2026-04-01 00:00:00.123456+05:30');
  insert into access_key (bucket, merchant_id, access_key_id, secret_hash, created_at, revoked_at)
  values (${KEY}, 'nk_5_1000_a', '\\x00ff0a5c', now(), null), (${KEY}, 'nk_5_1000_b', '\\x', now(), now());
  insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, subject_id, response, created_at)
  values (${KEY}, 'key-1', '\\x01', null, '{"status": 1, "text": "a\\\\nb \\u20b9"}', now());`;

const TRANSFER_COLUMNS = `
  bucket, merchant_id, transfer_id, kind, reference_id, beneficiary_id, payee_name, account_number, ifsc, mode, rail,
  rail_mode, amount_paise, narrative, state, utr, reason, added_at, processed_at`;
const PAYEE = "'Asha Rao', '026291800001191', 'YESB0000262', 'banktransfer', 'simulator', 'IMPS'";

/** A transfer in each state that a crash, or a backup, can find: 22 was sent, 23 was not, as far as is known. */
const PAYOUTS = `
  insert into beneficiary (
    bucket, merchant_id, beneficiary_id, name, email_id, mobile, account_number, ifsc, address, city, state, zipcode,
    created_at)
  values (${KEY}, 31, 'Asha Rao', '', '', '026291800001191', 'YESB0000262', '', '', '', '', now());
  insert into transfer (${TRANSFER_COLUMNS}) values
    (${KEY}, 21, 'transfer', 'order-1', 31, ${PAYEE}, 10000, '', 'SUCCESS', '100000000021', null, now(), now()),
    (${KEY}, 22, 'transfer', 'order-2', 31, ${PAYEE}, 20000, '', 'SUBMITTING', null, null, now(), null),
    (${KEY}, 23, 'transfer', 'order-3', 31, ${PAYEE}, 30000, '', 'RESERVED', null, null, now(), null),
    (${KEY}, 24, 'withdrawal', null, null, ${PAYEE}, 40000, '', 'FAILED', null, 'Account closed', now(), now());
  insert into transfer_dispatch (bucket, merchant_id, transfer_id, claimed_by, due_at) values
    (${KEY}, 22, 900, null), (${KEY}, 23, null, now());
  insert into dispatcher (process_id, lease_expires_at) values (900, now() + interval '10 seconds');
  insert into simulator.payment (
    bucket, merchant_id, transfer_id, amount_paise, mode, account_number, ifsc, payee_name, status, utr, reason,
    acknowledged)
  values
    (${KEY}, 21, 10000, 'IMPS', '026291800001191', 'YESB0000262', 'Asha Rao', 'SUCCESS', '100000000021', null, true),
    (${KEY}, 22, 20000, 'IMPS', '026291800001191', 'YESB0000262', 'Asha Rao', 'SUCCESS', '100000000022', null, true),
    (${KEY}, 24, 40000, 'IMPS', '026291800001191', 'YESB0000262', 'Asha Rao', 'FAILED', null, 'Account closed', false);
  ${post([
    ["reserve", "transfer.accepted", 21, 10_000, 0],
    ["success", "transfer.success", 21, 10_000, 0],
    ["reserve", "transfer.accepted", 22, 20_000, 0],
    ["reserve", "transfer.accepted", 23, 30_000, 0],
    ["reserve", "withdrawal.accepted", 24, 40_000, 0],
    ["failed", "withdrawal.failed", 24, 40_000, 0],
  ])}`;

const FRANCHISES = `
  insert into role (bucket, merchant_id, role_name) select ${KEY}, unnest(array['Franchise', 'Manager', 'Viewer'])
  on conflict do nothing;
  insert into ledger_account (bucket, merchant_id, kind, owner_id) values
    (${KEY}, 'commission_payable', 41), (${KEY}, 'commission_settled', 41);
  insert into sign_in (email_hash, bucket, merchant_id, subject_kind, subject_id) values ('\\x0102', ${KEY}, 'franchise', 41);
  insert into franchise (
    bucket, merchant_id, franchise_id, franchise_code, franchise_name, contact_person_name, email_id, mobile, pan_number,
    aadhar_number, gst_number, address, city, state, zipcode, online_settlement, commission_type, commission_hundredths,
    settlement_type, bank_holder_name, account_number, bank_name, account_type, ifsc, login_email, password_hash,
    role_name, next_payout_at, created_at, updated_at)
  values (
    ${KEY}, 41, 'F1', 'North', 'Ravi', 'ravi@example.com', '9876543210', '', '', '', '', '', '', '', false, 'Fixed', 500,
    'Manual', '', '', '', '', '', 'ravi@example.com', 'hash', 'Franchise', now(), now(), now());`;

const CUSTOMERS = `
  insert into customer (
    bucket, merchant_id, customer_id, customer_code, customer_name, email, mobile, address, city, state, zipcode,
    custom_fields, created_at, updated_at)
  values (
    ${KEY}, 51, 'C1', 'Meera Iyer மீரா', 'meera@example.com', '', '', '', 'Kerala', '',
    '[{"id": "1", "name": "Birthday", "type": "date", "value": "2000-02-29"}]', now(), now());
  insert into customer_group (bucket, merchant_id, group_id, name, name_key) values (${KEY}, 52, 'Wholesale', 'wholesale');
  insert into customer_group_member (bucket, merchant_id, customer_id, group_id, place) values (${KEY}, 51, 52, 0);
  insert into customer_column (bucket, merchant_id, column_id, name, name_key, type, created_at)
  values (${KEY}, 1, 'Birthday', 'birthday', 'date', now());`;

const TEMPLATES = `
  insert into number_series (bucket, merchant_id, series_id, prefix, width) values
    (${KEY}, 61, 'NORTH-{FY}-', 5), (${KEY}, 62, 'NCN-{FY}-', 5);
  insert into template (
    bucket, merchant_id, template_id, name, series_id, credit_series_id, logo, logo_type, created_at)
  values (${KEY}, 60, 'North', 61, 62, '\\x89504e470d0a1a0a', 'image/png', now());`;

const INVOICES = `
  insert into number_counter (bucket, merchant_id, series_id, financial_year, last_number) values
    (${KEY}, 61, 2026, 2), (${KEY}, 62, 2026, 1);
  insert into invoice (
    bucket, merchant_id, invoice_id, customer_id, template_id, franchise_id, series_id, financial_year, invoice_number,
    cycle_name, bill_date, due_date, paid_date, status, sub_total_paise, tax_total_paise, previous_dues_paise,
    amount_paise, paid_paise, credited_paise, content, public_token, revision, created_at)
  values
    (${KEY}, 71, 51, 60, 41, 61, 2026, 'NORTH-2627-00001', 'June', '2026-06-01', '2026-06-15', '2026-06-10',
      'Paid offline', 10000, 1800, 0, 11800, 11800, 0,
      '{"rows": [{"amountPaise": "10000"}], "taxes": [{"amountPaise": "1800"}]}', 'token-71', 1, now()),
    (${KEY}, 72, 51, 60, 0, 61, 2026, 'NORTH-2627-00002', 'July', '2026-07-01', '2026-07-15', null, 'Unpaid', 5000, 0, 0,
      5000, 0, 1000, '{"rows": [{"amountPaise": "5000"}], "taxes": []}', 'token-72', 2, now());
  insert into invoice_revision (bucket, merchant_id, invoice_id, revision, state, replaced_at)
  values (${KEY}, 72, 1, '{"bill_date": "2026-07-01", "customer_id": 51}', now());
  select count_invoice_days(
    ${STAGE_MERCHANT.bucket}::smallint, ${STAGE_MERCHANT.merchantId}, array['bill_date', 'due_date', 'paid_date', 'bill_date', 'due_date'],
    array['2026-06-01', '2026-06-15', '2026-06-10', '2026-07-01', '2026-07-15']::date[],
    array['Paid offline', 'Paid offline', 'Paid offline', 'Unpaid', 'Unpaid'], array[41, 41, 41, 0, 0]::bigint[],
    array[1, 1, 1, 1, 1]::bigint[]);
  insert into settlement (
    bucket, merchant_id, settlement_id, invoice_id, paid_date, amount_paise, mode, bank_name, bank_ref_no, cheque_no,
    cash_paid_to, created_at)
  values (${KEY}, 73, 71, '2026-06-10', 11800, 'UPI', '', '', '', '', now());
  insert into commission (bucket, merchant_id, settlement_id, invoice_id, franchise_id, amount_paise, accrued_at)
  values (${KEY}, 73, 71, 41, 500, now());
  insert into credit_note (
    bucket, merchant_id, credit_note_id, invoice_id, series_id, financial_year, credit_note_number, note_date,
    amount_paise, taxable_paise, tax_paise, reduces_due_paise, refund_paise, reason, content, created_at)
  values (
    ${KEY}, 74, 72, 62, 2026, 'NCN-2627-00001', '2026-07-02', 1000, 1000, 0, 1000, 0, 'Returned',
    '{"rows": [{"amountPaise": "1000"}], "taxes": []}', now());
  insert into notification (bucket, merchant_id, notification_id, kind, subject_id, customer_id, created_at)
  values (${KEY}, 75, 'invoice', 72, 51, now());
  ${post([["commission_accrued", null, 73, 500, 41]])}`;

const SCHEDULES = `
  insert into schedule (schedule_name, next_run_at, holder, lease_until)
  values ('housekeeping', now(), '900-abc', now() + interval '1 minute');
  update merchant set clock_date = '2026-12-31' where bucket = ${STAGE_MERCHANT.bucket};`;

const WEBHOOKS = `
  insert into webhook_endpoint (
    bucket, merchant_id, endpoint_id, url, description, event_types, status, created_at, start_event_no,
    cursor_event_no, next_attempt_at, holder, lease_until, released_at)
  values (
    ${KEY}, 81, 'https://example.com/hook', '', array['invoice.paid', 'transfer.*'], 'Enabled', now(), 7, 7, now(), '900-abc',
    now() + interval '1 minute', now());
  insert into webhook_secret (bucket, merchant_id, endpoint_id, secret_id, secret, created_at)
  values (${KEY}, 81, 82, 'whsec_AAAA', now());
  insert into webhook_delivery (bucket, merchant_id, endpoint_id, event_no, status, tries, next_attempt_at)
  values (${KEY}, 81, 1, 'Waiting', 1, now());
  insert into webhook_attempt (
    bucket, merchant_id, endpoint_id, attempted_at, event_no, event_type, duration_ms, http_status, succeeded, error, answer)
  values (${KEY}, 81, now(), 1, 'funding.created', 12, 500, false, 'answered 500', '');`;

const NOTIFICATIONS = `
  insert into notification (
    bucket, merchant_id, notification_id, kind, subject_id, customer_id, created_at, reminder_days, state, due_at,
    attempts)
  values (${KEY}, 85, 'reminder', 72, 51, now(), -3, 'Sending', now() + interval '1 minute', 1);
  insert into notification_setting (bucket, merchant_id, channels, reminder_days)
  values (${KEY}, array['mail', 'sms'], array[-3, 7]::smallint[]);
  insert into mail_address (bucket, merchant_id, address, reason, dead_since)
  values (${KEY}, 'gone@example.com', '550 no such mailbox', now());`;

const SUBSCRIPTIONS = `
  insert into subscription (
    bucket, merchant_id, subscription_id, customer_id, template_id, mode, repeat_every, start_date, due_days, end_mode,
    carry_dues, invoice, state, next_occurrence, next_bill_date, created_at, updated_at)
  values (
    ${KEY}, 91, 51, 60, 'Monthly', 1, '2026-07-01', 14, 'Never', false, '{"cycle_name": "Monthly"}', 'Active', 1, '2026-08-01',
    now(), now());
  insert into subscription_occurrence (
    bucket, merchant_id, subscription_id, occurrence_no, bill_date, due_date, state, invoice_id)
  values (${KEY}, 91, 0, '2026-07-01', '2026-07-15', 'Billed', 72);`;

const APPROVALS = `
  insert into payout_policy (bucket, merchant_id, approve_over_paise, approve_payees) values (${KEY}, 500000, true);
  insert into payout_day (bucket, merchant_id, day, counted_paise) values (${KEY}, '2026-07-15', 0);
  insert into approval (
    bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, expires_at, change, decision,
    decided_by, decided_at, note)
  values (
    ${KEY}, 95, 'policy', ${STAGE_MERCHANT.merchantId}, 'command:asha', now(), now(), '{"policy": {"approvePayees": false}}',
    'rejected', 'user:7', now(), 'Not yet');`;

/** Of the franchise's login, which the migration itself made, and an operator. */
const LOGINS = `
  insert into login (
    bucket, merchant_id, login_id, kind, email, name, role_name, password_hash, must_change_password, created_at)
  values (0, 0, 101, 'operator', 'ops@example.com', 'Ops', 'Operator', 'hash', true, now());
  insert into login_session (
    bucket, merchant_id, session_id, login_id, secret_hash, state, address, user_agent, created_at, last_seen_at, expires_at)
  values (${KEY}, 102, 41, '\\x01', 'signed_in', '192.0.2.1', 'Browser', now(), now(), now() + interval '7 days');
  insert into password_reset (bucket, merchant_id, login_id, token_hash, expires_at)
  values (${KEY}, 41, '\\x02', now() + interval '1 hour');
  insert into recovery_code (bucket, merchant_id, login_id, code_hash)
  select bucket, merchant_id, login_id, '\\x03' from login where login_id = 41 and password_hash like 'hash%';`;

const PAYOUT_DAY_SUMS = `
  insert into payout_day_sum values (${KEY}, 'Asia/Kolkata', '2026-07-15', 1, 10000, 1, 10000, 0, 0);`;

const EMAIL_CHANGES = `
  insert into email_change (bucket, merchant_id, login_id, token_hash, email, expires_at)
  values (${KEY}, 41, '\\x04', 'ravi@example.org', now() + interval '1 hour');`;

/** A number that differs from an earlier one by its case alone, which no later schema takes. */
const NUMBER_TWIN = `
  insert into invoice (
    bucket, merchant_id, invoice_id, customer_id, template_id, series_id, financial_year, invoice_number, cycle_name,
    bill_date, due_date, status, sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise, content,
    public_token, created_at)
  values (${KEY}, 79, 51, 60, null, 2026, 'north-2627-00002', '', '2026-07-01', '2026-07-15', 'Unpaid', 5000, 0, 0, 5000,
    '{"rows": [{"amountPaise": "5000"}], "taxes": []}', 'token-79', now());
  select count_invoice_days(
    ${STAGE_MERCHANT.bucket}::smallint, ${STAGE_MERCHANT.merchantId}, array['bill_date', 'due_date'],
    array['2026-07-01', '2026-07-15']::date[], array['Unpaid', 'Unpaid'], array[0, 0]::bigint[],
    array[1, 1]::bigint[]);`;
const LAST_WITH_NUMBER_TWINS = 30;

/** The last schema in which a merchant's own accounts were rows of ledger_account. */
const LAST_WITH_OWN_ACCOUNTS = 13;

/**
 * By the migration that brought the tables, and the last one that has them if there is one. The others brought none, or
 * only columns with defaults.
 */
const STAGES: readonly (readonly [from: number, sql: string, until?: number])[] = [
  [1, BOOK],
  [1, OWN_ACCOUNTS, LAST_WITH_OWN_ACCOUNTS],
  [1, FUNDS],
  [2, MERCHANTS],
  [4, PAYOUTS],
  [5, EXPENSE_ACCOUNT, LAST_WITH_OWN_ACCOUNTS],
  [5, FRANCHISES],
  [6, CUSTOMERS],
  [7, TEMPLATES],
  [8, INVOICES],
  [8, NUMBER_TWIN, LAST_WITH_NUMBER_TWINS],
  [9, SCHEDULES],
  [10, WEBHOOKS],
  [11, NOTIFICATIONS],
  [12, SUBSCRIPTIONS],
];

const COMMISSION_PAYMENTS = `
  insert into commission_payment (
    bucket, merchant_id, payment_id, franchise_id, amount_paise, paid_date, mode, bank_ref_no, note, recorded_at)
  values (${KEY}, 45, 41, 100, '2026-05-01', 'Cheque', 'C 12', '', now());
  ${post([["commission_paid_outside", "commission.payment_recorded", 45, 100, 41]])}`;

const MESSAGE_DAYS = `
  insert into message_day (bucket, merchant_id, day, purpose, recipient, messages)
  values (${KEY}, '2026-05-01', 'customers', '', 3);`;

/** The same for schemas with encryption, in which these need none. */
const LATER_STAGES: typeof STAGES = [
  [18, APPROVALS],
  [19, LOGINS],
  [23, PAYOUT_DAY_SUMS],
  [28, EMAIL_CHANGES],
  [30, COMMISSION_PAYMENTS],
  [34, MESSAGE_DAYS],
];

/** Adds to a database that was filled at an earlier schema, and upgraded to this one, what came since. */
export async function fillLaterSchema(pool: Pool, version: number): Promise<void> {
  for (const [from, sql] of LATER_STAGES) if (from <= version) await pool.query(sql);
}

/** Fills a database that has the migrations up to this one. */
export async function fillSchema(pool: Pool, version: number): Promise<void> {
  for (const [from, sql, until = version] of STAGES) {
    if (from <= version && version <= until) await pool.query(sql);
  }
}

/** Money that comes in at any schema, as a server of its release would have written it. */
export async function fundAtAnySchema(pool: Pool): Promise<void> {
  await pool.query(MORE_FUNDS);
}
