// No change by SQL goes unnoticed: each column of the schema is sealed with the subjects of entries, checked by another
// part of `nodal verify`, or harmless. A new column fails here until it is classified.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import type { ThingKind } from "./fact.ts";
import { BILL_NAMES, THING_KINDS } from "./thing-facts.ts";

/** In every table: the owner is sealed with the row, and the times with its entries. */
const ANYWHERE = ["bucket", "merchant_id", "created_at", "updated_at"];

/** Columns that another part of `nodal verify` checks: by table, the name of that part. */
const CHECKED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  installation: { encrypted_values: "secret" },
  data_key: { master_key: "data_key_id master_key_id purpose wrapped" },
  journal: {
    "audit_chain, posting_rule, account_balance":
      "entry_no change_no type subject_id actor address before after kind debit_kind debit_owner_id credit_kind credit_owner_id amount_paise",
    event_proof: "proof",
  },
  ledger_book: {
    "account_balance, entry_numbers":
      "last_entry_no nodal_bank_paise available_paise held_paise payout_clearing_paise owed_by_merchant_paise fee_expense_paise",
  },
  ledger_account: { account_balance: "kind owner_id balance" },
  book_balance: { kept_balance: "entry_no available_paise held_paise" },
  funding: { funding_proof: "funding_id reference amount_paise proof" },
  deposit: { "funding_proof, of the funding; funding_deposit": "scope deposit_key funding_id" },
  beneficiary: { "encrypted_values, by their sealed index": "account_number upi", beneficiary_proof: "proof" },
  transfer: {
    "audit_chain, with its acceptance":
      "transfer_id kind reference_id beneficiary_id franchise_id account_holder ifsc mode rail rail_mode amount_paise narrative added_at first_rail",
    encrypted_values: "account_number",
    "transfer_postings, transfer_time": "state processed_at",
    counted_day: "counted_on",
    transfer_utr: "utr utr_proof",
    transfer_proof: "instruction_proof",
    transfer_resolved: "resolved_as",
  },
  payout_day: { counted_day: "day counted_paise" },
  "simulator.payment": {
    "booked_amount, booked_payee, success_not_paid": "transfer_id amount_paise mode payee_name status utr",
  },
  commission: {
    "commission_posting, commission_reversed": "settlement_id invoice_id franchise_id amount_paise reversed_paise",
    commission_proof: "proof",
  },
  commission_hold: { commission_hold: "franchise_id waiting_paise proof" },
  number_counter: { series_numbers: "series_id financial_year last_number" },
  invoice: {
    "invoice_paid, invoice_credited, invoice_status":
      "paid_date carried_paise paid_paise credited_paise carried_to carried_due_paise",
    invoice_sent: "sent_at sent_date",
  },
  invoice_day: { invoice_days: "filter_by day status franchise_id invoices billed_paise paid_paise due_paise" },
  invoice_month: { invoice_days: "filter_by month status franchise_id invoices billed_paise paid_paise due_paise" },
  settlement: { "invoice_paid, which adds the parts up": "via_settlement_id" },
  receipt: { book_receipts: "used_paise used_tds_paise refunded_paise" },
  advance_tax: {
    "advance_tax, book_advance_tax":
      "entry_id receipt_id entry_date cause amount_paise igst_paise cgst_paise sgst_paise",
  },
  credit_note: { credit_note_amounts: "reduces_due_paise refund_paise", credit_note_proof: "proof" },
  gst_document: {
    gst_document:
      "document_id revision is_current kind is_supply series_id financial_year document_number document_date party_name party_gstin place_of_supply supply supply_type reverse_charge ecommerce_gstin shipping_bill_number shipping_bill_date port_code value_paise original_document_id cancelled_at",
    "gst_lines, gst_line_rows": "lines",
  },
  book_entry: {
    "book_invoices, book_payments, book_receipts, book_advance_tax, book_customers, book_taxes, book_days":
      "invoice_id event subject_id no part customer_id entry_date receivable_paise advances_paise bank_paise cash_paise tds_receivable_paise advance_tax_paise refunds_payable_paise revenue_paise output_cgst_paise output_sgst_paise output_utgst_paise output_igst_paise output_cess_paise output_other_paise rounding_paise opening_balances_paise written_off_paise",
  },
  book_day: {
    book_days:
      "day receivable_paise advances_paise bank_paise cash_paise tds_receivable_paise advance_tax_paise refunds_payable_paise revenue_paise output_cgst_paise output_sgst_paise output_utgst_paise output_igst_paise output_cess_paise output_other_paise rounding_paise opening_balances_paise written_off_paise",
  },
  subscription: { "subscription_occurrences, subscription_next_date": "next_occurrence next_bill_date paused_date" },
  subscription_occurrence: {
    "subscription_occurrences, subscription_invoices":
      "subscription_id occurrence_no bill_date due_date state invoice_id moved_to",
  },
  notification: { "notification_subject, sent_words": "notification_id kind subject_id customer_id login_id channel" },
  webhook_endpoint: { "webhook_cursor, webhook_settled": "start_event_no cursor_event_no" },
  provider_payee: { "encrypted_values, which are bound to the payee": "account_id payee_index provider_id" },
  webhook_secret: { encrypted_values: "endpoint_id secret_id secret" },
  transfer_attachment: {
    "encrypted_values: the file's key, and with it the content, are bound to the row":
      "transfer_id attachment_id file_key content",
  },
  approval: { approval_proof: "proof" },
  payout_batch: {
    batch_proof: "batch_id kind line_count total_paise status is_approved requested_by requested_from added_at proof",
    "batch_looked_after, batch_due": "due_at",
  },
  payout_batch_line: {
    "batch_line_proof, before it is paid; transfer_of_line after":
      "batch_id line_no transfer_id reference_id beneficiary_id payee_name account_number ifsc upi mode amount_paise narrative scheduled_for state proof",
  },
  statement_line: {
    statement_line_proof:
      "line_id account_id import_id file_line booked_on side amount_paise reference compared_reference other_days narration narration_index payer_index balance_paise copy_no keys payment_of is_charge duplicate_of proof",
    "match_sum, matched_posting": "match_id",
    "statement_line_proof, whether somebody has set it aside": "state note",
  },
  statement_account: { statement_account_proof: "account_id name mapping date_order proof" },
  statement_import: {
    "statement_import_proof, imported_lines":
      "import_id account_id file_name format layout from_on to_on opening_paise closing_paise line_count new_count proof",
  },
  clearing_item: {
    clearing_item_proof: "utr_key reference_key posted_on note proof",
    "clearing_items, match_sum": "subject_id kind amount_paise match_id",
    "matched_posting, undone_match": "posting_id",
  },
  late_fee: { late_fee: "fee_id transfer_id amount_paise is_expensed undone_at" },
  reconciliation: { clearing_items: "last_entry_no" },
  journal_seal: { audit_chain: "seal_no link_no first_entry_no last_entry_no things marks digest seal" },
  sealed_book: { audit_chain: "seal_no last_entry_no things seal" },
  sealed_thing: { "the mark itself": "kind thing_id entry_no facts mac" },
  seal_link: { seal_chain: "link_no head" },
  seal_head: { seal_chain: "is_only link_no head" },
};

/**
 * Columns whose change can't move money, give rights, leak secrets or hide events: the reason, then the columns.
 */
const HARMLESS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  installation: { "one row": "singleton owner_id" },
  schedule: {
    "when jobs run, which notice themselves what is due":
      "schedule_name next_run_at holder lease_until last_started_at last_finished_at last_error runs failures last_result",
  },
  rate_count: { "counts of a minute": "rate_key counts ends_ms last_end_ms" },
  idempotency_key: {
    "an earlier answer; references keep money from leaving twice": "idempotency_key request_hash subject_id response",
  },
  login: {
    "bound to its row; only a confirmed one counts": "totp_secret",
    "a code is good for a minute": "totp_last_step",
    "shown to people": "last_sign_in_at",
  },
  access_key: { "shown to people": "last_used_at" },
  recovery_code: { "hashes that are bound to the login": "login_id code_hash" },
  password_reset: { "hashes that are bound to the login and the end": "login_id token_hash expires_at" },
  email_change: {
    "hashes that are bound to the login, the address and the end": "login_id token_hash email expires_at",
  },
  login_session: {
    "a hash that is bound to the login, the state and the end": "session_id login_id secret_hash state expires_at",
    "shown to people; an idle session ends no later than others": "address user_agent last_seen_at",
  },
  ledger_book: {
    "which books are looked at first": "changed_at",
    "a count that makes servers read again what an entry says": "terms_version",
  },
  transfer: {
    "the provider's word, shown to people": "reason acknowledged",
    "who works on it, and since when it waits": "claim_id waits_since",
  },
  transfer_attachment: { "shown to people; the log has it too": "file_name file_type size_bytes added_by added_at" },
  transfer_tag: { "how payouts are sorted; the log says who changed them": "transfer_id tag_key tag place" },
  transfer_dispatch: {
    "when it is looked at, which dispatch_missing and dispatch_due watch": "transfer_id due_at attempts",
  },
  dispatcher: { "the leases of processes": "process_id lease_expires_at" },
  dispatch_claim: { "what processes have in hand": "process_id claim_id buckets merchant_ids slots transfer_ids" },
  payout_day_sum: {
    "charts, made of postings":
      "time_zone day accepted_count accepted_paise paid_count paid_paise returned_count returned_paise in_paise out_paise",
  },
  approval: { "until when it may be decided, by a second person all the same; mail": "expires_at told_at" },
  "simulator.payment": {
    "the simulated bank's own":
      "account_number ifsc upi reason acknowledged booked_at next_step_at next_status next_reason delivered",
  },
  customer_group: { "how customers are sorted": "group_id name name_key" },
  customer_group_member: { "how customers are sorted": "customer_id group_id place" },
  customer_column: { "what custom fields may hold": "column_id name name_key type" },
  franchise: { "when commission that is owed is paid by itself": "next_payout_at" },
  commission: { "shown to people": "accrued_at" },
  template: { "which of the merchant's own is taken without a word": "is_default" },
  item: { "made of the code": "code_key" },
  receipt: { "made of the reference": "bank_ref_key" },
  settlement: { "made of the reference": "bank_ref_key" },
  invoice: { "made of the number": "number_key", "made of the content": "is_opening_balance original_invoice_id" },
  credit_note: { "made of the content": "is_financial" },
  invoice_revision: { "what an invoice was, which the log says too": "invoice_id revision state replaced_at" },
  subscription: {
    "why it waits, and when it is tried again": "parked_code parked_reason parked_since parked_attempts retry_at",
  },
  notification: {
    "how a message stands, and what it said":
      "reminder_days from_date to_date send_to state due_at attempts reason sent_at recipient message_id subject html body",
  },
  notification_setting: { "which day's reminders were queued": "reminded_on" },
  mail_address: { "addresses that refuse mail; the log says so too": "address reason dead_since" },
  message_day: { "counts of mail": "day purpose recipient messages" },
  webhook_endpoint: {
    "how sending goes":
      "disabled_reason head_tries head_first_at failing_since next_attempt_at delivery_due_at holder lease_until released_at",
  },
  webhook_secret: { "how long an earlier one signs too": "ends_at" },
  merchant_notice: { "what the installation's webhooks are to be told": "noted_at type actor address" },
  webhook_delivery: {
    "what is sent again; receivers see gaps in the sequence":
      "endpoint_id event_no status tries first_attempt_at next_attempt_at failed_at",
  },
  webhook_attempt: {
    "a log of calls": "endpoint_id attempted_at event_no event_type duration_ms http_status succeeded error answer",
  },
  journal_seal: { "shown to people": "sealed_at" },
  seal_link: { "shown to people": "made_at" },
  provider_account: { "how the account works; counts changes": "failing_since failing_reason version" },
  provider_payee: { "when a payee was made at the provider": "made_at" },
  provider_downtime: { "what the provider says of its banks": "account_id downtime_id modes bank begun_at ended_at" },
  provider_notice: {
    "after it the provider is asked, and it is not believed":
      "account_id event_id product subject_id claims received_at tries due_at",
  },
  payment_review: { "how far payments were asked about again": "wait entry_no due_at" },
  statement_import: { "shown to people; the log has it too": "imported_at" },
  statement_line: { "how it differs, which matching works out again": "matched_by about_id difference" },
  late_fee: { "shown to people": "booked_at" },
  gst_problem: { "what an accountant looks at again": "document_date document_id revision line code" },
  payout_batch: { "shown to people; whose turn it is": "name file_hash finished_at turn" },
  payout_batch_line: { "why it was refused": "code reason" },
};

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

/** All facts that the marks cover, as SQL. */
function sealedText({ id, facts, secrets = [], items = [], where = "", table = "" }: ThingKind): string {
  const ofItems = items.map(({ table: name, name: key, sql }) => `from ${name} own ${key} ${sql}`);
  return [id, table, where, ...facts.map(({ sql }) => sql), ...secrets.map(({ column }) => column), ...ofItems].join(
    " ",
  );
}

const has = (text: string, word: string): boolean => new RegExp(String.raw`\b${word}\b`).test(text);
const listed = (declared: Readonly<Record<string, string>> | undefined): string[] =>
  Object.values(declared ?? {}).flatMap((columns) => columns.split(" "));

test("every column of every table is sealed, checked otherwise, or known to be harmless", async () => {
  const { rows } = await db.owner.query<{ table: string; columns: string[] }>(
    `select case nspname when 'public' then relname::text else nspname || '.' || relname end as table,
       array_agg(attname::text order by attnum) as columns
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace join pg_attribute on attrelid = pg_class.oid
     where relkind = 'r' and nspname in ('public', 'simulator') and attnum > 0 and not attisdropped
       and relname <> 'schema_migration'
     group by 1`,
  );
  const problems: string[] = [];
  for (const { table, columns } of rows) {
    const kinds = THING_KINDS.filter(
      (kind) => (kind.table ?? kind.kind) === table || has(sealedText(kind), `from ${table}`),
    );
    const sealed = kinds.map(sealedText).join(" ");
    const declared = [...listed(CHECKED[table]), ...listed(HARMLESS[table])];
    const unknown = columns.filter(
      (column) => !ANYWHERE.includes(column) && !declared.includes(column) && !has(sealed, column),
    );
    const gone = declared.filter((column) => !columns.includes(column));
    const twice = declared.filter((column, place) => declared.indexOf(column) !== place);
    if (unknown.length > 0) problems.push(`${table}: say of ${unknown.join(", ")}`);
    if (gone.length > 0) problems.push(`${table} has no ${gone.join(", ")}`);
    if (twice.length > 0) problems.push(`${table}: ${twice.join(", ")} is there twice`);
  }
  const tables = rows.map(({ table }) => table);
  const missing = [...new Set([...Object.keys(CHECKED), ...Object.keys(HARMLESS)])].filter(
    (table) => !tables.includes(table),
  );
  expect({ problems, missing }).toEqual({ problems: [], missing: [] });
});

test("entries that are called after a bill change no other kind, since they are looked for in its table alone", () => {
  for (const { kind, made, first = [], ended = [], facts, secrets = [], items = [] } of THING_KINDS) {
    const words = [
      ...made,
      ...first,
      ...ended,
      ...[...facts, ...secrets].flatMap(({ by }) => by),
      ...items.map(({ by }) => by),
    ];
    const bills = words.filter((word) => word.includes(".")).map((word) => word.split(".")[0]!);
    const others = bills.filter((name) => BILL_NAMES.has(name) && name !== kind);
    expect(others, kind).toEqual([]);
  }
});
