// Rows for the tables that the stage of corruptions leaves empty, so that a database has something in every one. No
// assertion.
import type { CorruptionStage } from "../corruption/stage.ts";
import { bookLateFee } from "../../src/payouts/index.ts";
import { insertAttachment } from "../../src/payouts/attachments/attachment-store.ts";
import { insertProviderAccount } from "../../src/payouts/providers/provider-account-store.ts";
import { payeesOf } from "../../src/payouts/providers/provider-payee-store.ts";
import { auditValues, recordEvents } from "../../src/ledger/index.ts";
import { findApprovals, proveRequest, type MerchantKey } from "../../src/merchants/index.ts";
import { insertImport, openStatementAccount } from "../../src/reconciliation/import-store.ts";
import type { StatementAccount, StatementImport } from "../../src/reconciliation/statement-import.ts";
import { insertLines, type StatementLine } from "../../src/reconciliation/statement-store.ts";
import { followJournal } from "../../src/reconciliation/follow-journal-store.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { secretsOf } from "../../src/platform/secrets/index.ts";
import { accept, claim, newTransfer } from "./ledger.ts";
import { recordEventsOf } from "./record-events.ts";

/** Of the merchant, $key is bucket and id. The others are numbered from 1, and no id that was given is as small. */
const ROWS = `
  insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, subject_id, response, created_at)
  values ($key, 'key-1', '\\x01', null, '{"status": 1, "text": "a\\\\nb \\u20b9"}', now());
  insert into customer_group (bucket, merchant_id, group_id, name, name_key)
  values ($key, 1, E'Asha\\t& S\\\\N – आशा \\\\.', E'1\\r\\nBengaluru\\n\\\\.\\n'), ($key, 2, '\\N', '\\N');
  insert into customer_group_member (bucket, merchant_id, customer_id, group_id, place) values ($key, $customer, 1, 0);
  insert into transfer_tag (bucket, merchant_id, transfer_id, tag_key, tag, place)
  select bucket, merchant_id, transfer_id, 'rent – किराया', 'Rent – किराया', 0 from transfer where merchant_id = $merchant limit 1;
  insert into customer_column (bucket, merchant_id, column_id, name, name_key, type, created_at)
  values ($key, 1, 'Birthday', 'birthday', 'date', '2026-04-01 00:00:00.123456+05:30');
  insert into item (bucket, merchant_id, item_id, item_code, code_key, name, description, sac_code, unit, unit_price_paise,
    price_includes_tax, gst_thousandths, cess_thousandths, tax_treatment, archived_at, created_at, updated_at)
  values ($key, 1, 'pen', 'PEN', 'Pen', '', '9608', 'NOS', 1000, false, 18000, 0, 'taxable', null, now(), now());
  insert into estimate (bucket, merchant_id, estimate_id, series_id, financial_year, estimate_number, customer_id, template_id,
    estimate_date, valid_until, due_days, sub_total_paise, tax_total_paise, amount_paise, invoice, content, state, reason, version,
    created_at, updated_at)
  select invoice.bucket, invoice.merchant_id, 1, (template.series ->> 'estimate')::bigint, 2026, 'EST-2627-00001', customer_id,
    template_id, '2026-07-01', '2026-07-31', 14, sub_total_paise, tax_total_paise, amount_paise, '{}', invoice.content, 'Open', '', 1,
    now(), now()
  from invoice join template using (bucket, merchant_id, template_id) where invoice_id = $open;
  insert into number_counter (bucket, merchant_id, series_id, financial_year, last_number)
  select bucket, merchant_id, series_id, 2026, 1 from estimate;
  insert into receipt (bucket, merchant_id, receipt_id, series_id, financial_year, receipt_number, customer_id, paid_date, amount_paise,
    mode, bank_name, bank_ref_no, cheque_no, cash_paid_to, tds_paise, tds_code, reference, used_paise, used_tds_paise, refunded_paise,
    created_at)
  select invoice.bucket, invoice.merchant_id, 1, (template.series ->> 'receipt')::bigint, 2026, 'RCT-2627-00001', customer_id,
    '2026-07-01', 100, 'Cash', '', '', '', '', 0, '', '', 0, 0, 40, now()
  from invoice join template using (bucket, merchant_id, template_id) where invoice_id = $open;
  insert into receipt_refund (bucket, merchant_id, refund_id, receipt_id, paid_date, amount_paise, mode, bank_name, bank_ref_no,
    cheque_no, cash_paid_to, reference, created_at)
  values ($key, 1, 1, '2026-07-01', 40, 'Cash', '', '', '', '', '', now());
  insert into advance_voucher (bucket, merchant_id, voucher_id, kind, receipt_id, series_id, financial_year, voucher_number,
    voucher_date, amount_paise, rate_thousandths, supply, place_of_supply, igst_paise, cgst_paise, sgst_paise, content, created_at)
  select bucket, merchant_id, 1, 'receipt_voucher', 1, (series ->> 'receipt_voucher')::bigint, 2026, 'RV-2627-00001', '2026-07-01',
    100, 18000, 'inter_state', '30', 15, 0, 0, '{"description": "Design"}', now()
  from template join receipt using (bucket, merchant_id) where is_default;
  insert into advance_tax (bucket, merchant_id, entry_id, receipt_id, entry_date, cause, amount_paise, igst_paise, cgst_paise,
    sgst_paise, created_at)
  values ($key, 1, 1, '2026-07-01', 'received', 100, 15, 0, 0, now()), ($key, 2, 1, '2026-07-01', 'used', -40, -6, 0, 0, now());
  insert into tds_claim (bucket, merchant_id, claim_id, certificate_number) values ($key, 1, 'ABCDEFG');
  insert into number_counter (bucket, merchant_id, series_id, financial_year, last_number)
  select bucket, merchant_id, series_id, 2026, 1 from receipt
  union all
  select bucket, merchant_id, series_id, 2026, 1 from advance_voucher;
  insert into book_entry (bucket, merchant_id, invoice_id, event, subject_id, no, part, customer_id, entry_date, cash_paise, advances_paise)
  select bucket, merchant_id, 0, 'receipt', 1, 1, 1, customer_id, paid_date, 100, -100 from receipt
  union all
  select bucket, merchant_id, 0, 'receipt_refund', 1, 1, 1, customer_id, paid_date, -40, 40 from receipt;
  insert into book_entry (bucket, merchant_id, invoice_id, event, subject_id, no, part, customer_id, entry_date, advance_tax_paise,
    output_igst_paise)
  select bucket, merchant_id, 0, 'advance_tax', entry_id, 1, 1, customer_id, entry_date, igst_paise, -igst_paise
  from advance_tax join receipt using (bucket, merchant_id, receipt_id);
  insert into book_day (bucket, merchant_id, day, receivable_paise, advances_paise, bank_paise, cash_paise, tds_receivable_paise,
    advance_tax_paise, refunds_payable_paise, revenue_paise, output_cgst_paise, output_sgst_paise, output_utgst_paise, output_igst_paise,
    output_cess_paise, output_other_paise, rounding_paise, opening_balances_paise, written_off_paise)
  values ($key, '2026-07-01', 0, -60, 0, 60, 0, 9, 0, 0, 0, 0, 0, -9, 0, 0, 0, 0, 0)
  on conflict (bucket, merchant_id, day) do update set
    advances_paise = book_day.advances_paise - 60, cash_paise = book_day.cash_paise + 60,
    advance_tax_paise = book_day.advance_tax_paise + 9, output_igst_paise = book_day.output_igst_paise - 9;
  insert into invoice_draft (bucket, merchant_id, draft_id, title, customer_code, invoice, version, created_by, updated_by,
    created_at, updated_at)
  values ($key, 1, 'June', 'C1', '{"customer_code": "C1"}', 1, 'bank', 'bank', now(), now());
  insert into invoice_revision (bucket, merchant_id, invoice_id, revision, state, replaced_at)
  values ($key, $open, 0, '{"bill_date": "2026-07-01"}', now());
  insert into gst_problem (bucket, merchant_id, document_date, document_id, revision, line, code)
  select bucket, merchant_id, bill_date, invoice_id, 0, 1, 'hsn_missing' from invoice where invoice_id = $open;
  insert into schedule (schedule_name, next_run_at, holder, lease_until)
  values ('housekeeping', now(), '900-abc', now() + interval '1 minute');
  insert into rate_count (rate_key, counts, ends_ms, last_end_ms)
  values ('api merchant 1', '{2,1}', '{1790000000000,1790000000250}', 1790000000250);
  insert into dispatcher (process_id, lease_expires_at) values (900, now() + interval '10 seconds');
  insert into dispatch_claim (process_id, claim_id, bucket, buckets, merchant_ids, slots, transfer_ids)
  values (900, 901, 1, '{1,2}', '{3,4}', '{1,2,2}', '{5,6,7}'), (900, 902, 1, '{}', '{}', '{}', '{}');
  insert into webhook_delivery (bucket, merchant_id, endpoint_id, event_no, status, tries, next_attempt_at)
  values ($key, $endpoint, 1, 'Waiting', 1, now());
  insert into webhook_attempt (
    bucket, merchant_id, endpoint_id, attempted_at, event_no, event_type, duration_ms, http_status, succeeded, error, answer)
  values ($key, $endpoint, now(), 1, 'merchant.created', 12, 500, false, 'answered 500', '');
  insert into notification (
    bucket, merchant_id, notification_id, kind, subject_id, customer_id, created_at, reminder_days, state, due_at, attempts)
  values ($key, 1, 'reminder', $open, $customer, now(), -3, 'Sending', now() + interval '1 minute', 1);
  insert into notification_setting (bucket, merchant_id, channels, reminder_days)
  values ($key, array['mail', 'sms'], array[-3, 7]::smallint[]);
  insert into book_setting (bucket, merchant_id, write_off_limit_paise, locked_until) values ($key, 5000, '2020-03-31');
  insert into mail_address (bucket, merchant_id, address, reason, dead_since)
  values ($key, 'gone@example.com', '550 no such mailbox', now());
  insert into message_day (bucket, merchant_id, day, purpose, recipient, messages)
  values ($key, '2026-05-01', 'customers', '', 3);
  insert into subscription (
    bucket, merchant_id, subscription_id, customer_id, mode, repeat_every, start_date, due_days, end_mode, carry_dues,
    invoice, state, next_occurrence, next_bill_date, created_at, updated_at)
  select bucket, merchant_id, 3, customer_id, 'Monthly', 1, bill_date, 14, 'Never', false, '{"cycle_name": "Monthly"}',
    'Active', 1, bill_date + interval '1 month', now(), now()
  from invoice where invoice_id = $open;
  insert into subscription_occurrence (
    bucket, merchant_id, subscription_id, occurrence_no, bill_date, due_date, state, invoice_id)
  select bucket, merchant_id, 3, 0, bill_date, due_date, 'Billed', invoice_id from invoice where invoice_id = $open;
  insert into provider_notice (bucket, merchant_id, account_id, event_id, product, subject_id, received_at)
  values ($key, 6, 'event-1', 'payouts', null, now());
  insert into provider_downtime (bucket, merchant_id, account_id, downtime_id, modes, bank, begun_at)
  values ($key, 6, 'poutdown_1', array['IMPS'], 'SBIN', now());
  insert into payout_batch (
    bucket, merchant_id, batch_id, kind, name, file_hash, line_count, total_paise, status, requested_by, added_at)
  values ($key, 8, 'bulk', 'May.csv', '\\x01', 1, 100, 'cancelled', 'user:7', now());
  insert into payout_batch_line (
    bucket, merchant_id, batch_id, line_no, transfer_id, reference_id, beneficiary_id, payee_name, amount_paise, narrative,
    scheduled_for, state, reason)
  values ($key, 8, 1, 9, 'line-1', 1, E'Asha\\t& S\\\\N', 100, '', '2026-12-01', 'cancelled', 'It was cancelled.');
  insert into payment_review (bucket, merchant_id, wait, due_at) values ($key, 'hour', now());
  insert into payout_day (bucket, merchant_id, day, counted_paise) values ($key, '2026-07-15', 0);
  insert into payout_day_sum values ($key, 'Asia/Kolkata', '2026-07-15', 1, 10000, 1, 10000, 0, 0, 0, 10000);
  insert into approval (
    bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, expires_at, change, decision,
    decided_by, decided_at, note)
  values ($key, 4, 'policy', $merchant, 'command:asha', now(), now(), '{"policy": {"approvePayees": false}}',
    'rejected', 'user:7', now(), 'Not yet');
  insert into login_session (
    bucket, merchant_id, session_id, login_id, secret_hash, state, address, user_agent, created_at, last_seen_at, expires_at)
  values ($key, 5, $ravi, '\\x01', 'signed_in', '192.0.2.1', 'Browser', now(), now(), now() + interval '7 days');
  insert into password_reset (bucket, merchant_id, login_id, token_hash, expires_at)
  values ($key, $ravi, '\\x02', now() + interval '1 hour');
  insert into recovery_code (bucket, merchant_id, login_id, code_hash) values ($key, $ravi, '\\x03');
  insert into email_change (bucket, merchant_id, login_id, token_hash, email, expires_at)
  values ($key, $ravi, '\\x04', 'ravi@example.org', now() + interval '1 hour');`;

/** Balances that are kept of the entries so far: after the last posting. */
const KEPT_BALANCE = `
  insert into book_balance
  select bucket, merchant_id, 2000, available_paise, held_paise from ledger_book where (bucket, merchant_id) = ($key)`;

const ACCOUNT: Omit<StatementAccount, keyof MerchantKey> = {
  accountId: 7n,
  name: "HDFC\t\\N",
  mapping: { date: "Txn Date", debit: "Out" },
  dateOrder: null,
  createdAt: Temporal.Instant.from("2026-07-16T00:00:00Z"),
};

const IMPORT: Omit<StatementImport, keyof MerchantKey> = {
  importId: 8n,
  accountId: 7n,
  fileName: "day.csv",
  format: "csv",
  layout: "5b2c",
  fromOn: Temporal.PlainDate.from("2026-07-15"),
  toOn: Temporal.PlainDate.from("2026-07-15"),
  openingPaise: 0n,
  closingPaise: -1770n,
  lineCount: 1,
  newCount: 1,
  importedAt: Temporal.Instant.from("2026-07-16T00:00:00Z"),
};

/** A statement line that was set aside. */
const LINE: Omit<StatementLine, keyof MerchantKey> = {
  lineId: 9n,
  accountId: 7n,
  importId: 8n,
  fileLine: 2,
  bookedOn: Temporal.PlainDate.from("2026-07-15"),
  otherDays: "2026-07-16 2026-07-17",
  side: "out",
  amountPaise: 1770n,
  reference: null,
  narration: null,
  balancePaise: -1770n,
  copyNo: 1,
  keys: "",
  paymentOf: null,
  isCharge: true,
  state: "noted",
  matchId: null,
  matchedBy: null,
  duplicateOf: null,
  aboutId: null,
  difference: null,
  note: "Bank's\ncharges",
};

async function attachBill({ db, merchant: { bucket, merchantId } }: CorruptionStage): Promise<void> {
  const key = { bucket, merchantId, transferId: 1n, attachmentId: 12n };
  const bill = { fileName: "Bill – किराया.pdf", fileType: "application/pdf", sizeBytes: 5, addedBy: "bank" } as const;
  await inTransaction(db.server, (connection) =>
    insertAttachment(connection, { ...key, ...bill, addedAt: Temporal.Now.instant() }, Buffer.from("%PDF-")),
  );
}

/** Fills what the stage has left empty, adds a transfer `sent` that is with the bank, and seals all of it. */
export async function fillEveryTable(stage: CorruptionStage): Promise<void> {
  const { db, merchant, ids } = stage;
  const sent = newTransfer(merchant, await db.ids.next(), 10_050n, "sent");
  ids.set("sent", String(sent.transferId)).set("key", `${merchant.bucket}, ${merchant.merchantId}`);
  await accept(db.server, [sent]);
  await claim(db.server, [sent]);
  await db.owner.query(stage.named(ROWS));
  const { bucket, merchantId } = merchant;
  const [approval] = await findApprovals(db.owner, merchant, [4n]);
  const approvalProof = proveRequest(await secretsOf(db.owner), approval!, []);
  await db.owner.query("update approval set proof = $2 where approval_id = $1", [4n, approvalProof]);
  const access = { baseUrl: "https://payouts.example", keyId: "key", secret: "a secret", webhookSecret: "another" };
  const times = { connectedAt: Temporal.Now.instant(), disconnectedAt: null, credentialsChangedAt: null };
  const state = { version: 1, olderWebhookSecret: "older", failingSince: null, failingReason: null };
  const account = {
    bucket,
    merchantId,
    accountId: 6n,
    provider: "razorpayx",
    ...access,
    sourceAccount: "78787",
    returnsFees: true,
    callsPerSecond: 8,
    fundSource: "CASHFREE_1",
    verifyKeyId: "verify",
    verifySecret: "a third",
    signingKey: "a public key",
    moreWebhookSecrets: "older\noldest",
    tag: "abc123",
    priorities: { IMPS: 1 },
    ...state,
    ...times,
  } as const;
  await inTransaction(db.server, (connection) => insertProviderAccount(connection, account));
  await inTransaction(db.server, async (connection) => {
    const { rows } = await connection.query<{ id: bigint }>(
      "select min(transfer_id) as id from transfer where merchant_id = $1 and state = 'SUCCESS'",
      [merchantId],
    );
    await bookLateFee(connection, merchant, { feeId: 11n, transferId: rows[0]!.id, amountPaise: 590n });
    await followJournal(connection, merchant, 10_000);
  });
  await db.owner.query(stage.named(KEPT_BALANCE));
  const payee = { name: "Asha Rao", accountNumber: null, ifsc: null, upi: "asha@okhdfc" };
  await payeesOf(db.server, 6n).keep({ bucket, merchantId, mode: "UPI", payee }, "fa_00000000000001");
  await attachBill(stage);
  await recordEventsOf(db.owner, merchant.merchantId, "item.created", [1]);
  await recordEventsOf(db.owner, merchant.merchantId, "invoice_draft.created", [1]);
  await recordEventsOf(db.owner, merchant.merchantId, "estimate.created", [1]);
  await recordEventsOf(db.owner, merchant.merchantId, "receipt.recorded", [1]);
  await recordEventsOf(db.owner, merchant.merchantId, "receipt_refund.recorded", [1]);
  await recordEventsOf(db.owner, merchant.merchantId, "advance_voucher.issued", [1]);
  await recordEventsOf(db.owner, merchant.merchantId, "tds_claim.certified", [1]);
  await recordEventsOf(db.owner, merchant.merchantId, "subscription.created", [3]);
  await recordEventsOf(db.owner, merchant.merchantId, "provider.connected", [6]);
  await inTransaction(db.server, async (connection) => {
    await openStatementAccount(connection, { ...ACCOUNT, bucket, merchantId });
    await insertImport(connection, { ...IMPORT, bucket, merchantId });
    await insertLines(connection, [{ ...LINE, bucket, merchantId }]);
    const { importId, newCount } = IMPORT;
    await recordEvents(connection, merchant, [
      { type: "statement.imported", subjectId: importId, after: auditValues({ newLines: newCount }) },
      { type: "statement.set_aside", subjectId: LINE.lineId, after: auditValues({ what: "line" }) },
    ]);
  });
  await recordEventsOf(db.owner, merchantId, "merchant.created", [merchantId]);
  await recordEventsOf(db.owner, merchant.merchantId, "approval.requested", [4]);
  await stage.seal();
}
