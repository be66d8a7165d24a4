// SQL of credit notes, and of the transfers that carry their refunds.
// What belongs here: the tables credit_note and credit_note_refund. Transfers themselves are the payouts' business.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { CreditNote, CreditNoteKey } from "./credit-note.ts";
import { contentFromJson, contentToJson } from "./invoice-json.ts";
import type { InvoiceKey } from "./invoice.ts";

type CreditNoteRow = {
  bucket: number;
  merchant_id: bigint;
  credit_note_id: bigint;
  invoice_id: bigint;
  series_id: bigint;
  financial_year: number;
  credit_note_number: string;
  note_date: Temporal.PlainDate;
  amount_paise: bigint;
  taxable_paise: bigint;
  tax_paise: bigint;
  reduces_due_paise: bigint;
  refund_paise: bigint;
  refund_beneficiary_id: bigint | null;
  reason: string;
  content: unknown;
  created_at: Temporal.Instant;
  attempts: number;
  refunded_paise: bigint;
  under_way_paise: bigint;
  last_transfer_id: bigint | null;
};

const SELECT_NOTES = `
  select note.*, refund.*
  from credit_note note
  cross join lateral (
    select
      count(*)::integer as attempts,
      coalesce(sum(transfer.amount_paise) filter (where state = 'SUCCESS'), 0)::bigint as refunded_paise,
      coalesce(
        sum(transfer.amount_paise) filter (where state in (
          'AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')), 0
      )::bigint as under_way_paise,
      (array_agg(attempt.transfer_id order by attempt.attempt desc))[1] as last_transfer_id
    from credit_note_refund attempt
    join transfer using (bucket, merchant_id, transfer_id)
    where attempt.bucket = note.bucket and attempt.merchant_id = note.merchant_id
      and attempt.credit_note_id = note.credit_note_id
  ) as refund
  where note.bucket = $1 and note.merchant_id = $2`;

function fromRow(row: CreditNoteRow): CreditNote {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    creditNoteId: row.credit_note_id,
    invoiceId: row.invoice_id,
    seriesId: row.series_id,
    financialYear: row.financial_year,
    creditNoteNumber: row.credit_note_number,
    noteDate: row.note_date,
    amountPaise: row.amount_paise,
    taxablePaise: row.taxable_paise,
    taxPaise: row.tax_paise,
    reducesDuePaise: row.reduces_due_paise,
    refundPaise: row.refund_paise,
    refundBeneficiaryId: row.refund_beneficiary_id,
    reason: row.reason,
    content: contentFromJson(row.content),
    createdAt: row.created_at,
    refund: {
      attempts: row.attempts,
      refundedPaise: row.refunded_paise,
      underWayPaise: row.under_way_paise,
      lastTransferId: row.last_transfer_id,
    },
  };
}

/** Inserts a new credit note. The caller holds its invoice. */
export async function insertCreditNote(connection: Connection, note: CreditNote): Promise<void> {
  await connection.query(
    `insert into credit_note (
       bucket, merchant_id, credit_note_id, invoice_id, series_id, financial_year, credit_note_number, note_date,
       amount_paise, taxable_paise, tax_paise, reduces_due_paise, refund_paise, refund_beneficiary_id, reason, content,
       created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    [
      note.bucket,
      note.merchantId,
      note.creditNoteId,
      note.invoiceId,
      note.seriesId,
      note.financialYear,
      note.creditNoteNumber,
      note.noteDate.toString(),
      note.amountPaise,
      note.taxablePaise,
      note.taxPaise,
      note.reducesDuePaise,
      note.refundPaise,
      note.refundBeneficiaryId,
      note.reason,
      contentToJson(note.content),
      note.createdAt.toString(),
    ],
  );
}

/** Finds a merchant's credit note. */
export async function findCreditNote(db: Queryable, key: CreditNoteKey): Promise<CreditNote | null> {
  const { rows } = await db.query<CreditNoteRow>(`${SELECT_NOTES} and note.credit_note_id = $3`, [
    key.bucket,
    key.merchantId,
    key.creditNoteId,
  ]);
  return rows[0] ? fromRow(rows[0]) : null;
}

/** The credit notes of an invoice, in the order in which they were issued. */
export async function listCreditNotesOf(
  db: Queryable,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<CreditNote[]> {
  const { rows } = await db.query<CreditNoteRow>({
    name: "list-credit-notes-of-invoice",
    text: `${SELECT_NOTES} and note.invoice_id = $3 order by note.created_at, note.credit_note_id`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows.map(fromRow);
}

/** A merchant's credit notes, newest first, at most `limit`. */
export async function listCreditNotes(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  limit: number,
): Promise<CreditNote[]> {
  const { rows } = await db.query<CreditNoteRow>(`${SELECT_NOTES} order by note.credit_note_id desc limit $3`, [
    bucket,
    merchantId,
    limit,
  ]);
  return rows.map(fromRow);
}

/** Turns a part of what a note owes back into a reduction of what is due. The caller holds the invoice. */
export async function moveToDue(connection: Connection, note: CreditNoteKey, amountPaise: bigint): Promise<void> {
  await connection.query(
    `update credit_note
     set reduces_due_paise = reduces_due_paise + $4, refund_paise = refund_paise - $4
     where bucket = $1 and merchant_id = $2 and credit_note_id = $3`,
    [note.bucket, note.merchantId, note.creditNoteId, amountPaise],
  );
}

/** Notes to whom a refund goes. The caller holds the invoice. */
export async function updateRefundPayee(
  connection: Connection,
  note: CreditNoteKey,
  beneficiaryId: bigint,
): Promise<void> {
  await connection.query(
    `update credit_note set refund_beneficiary_id = $4
     where bucket = $1 and merchant_id = $2 and credit_note_id = $3`,
    [note.bucket, note.merchantId, note.creditNoteId, beneficiaryId],
  );
}

/** Notes that a transfer carries a refund: the attempt of this number, of which there can be only one. */
export async function insertRefund(
  connection: Connection,
  note: CreditNoteKey,
  attempt: number,
  transferId: bigint,
): Promise<void> {
  await connection.query(
    `insert into credit_note_refund (bucket, merchant_id, credit_note_id, attempt, transfer_id)
     values ($1, $2, $3, $4, $5)`,
    [note.bucket, note.merchantId, note.creditNoteId, attempt, transferId],
  );
}

/** A merchant's credit notes by their ids. */
export async function findCreditNotes(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  creditNoteIds: readonly bigint[],
): Promise<CreditNote[]> {
  const { rows } = await db.query<CreditNoteRow>({
    name: "find-credit-notes",
    text: `${SELECT_NOTES} and note.credit_note_id = any ($3)`,
    values: [bucket, merchantId, creditNoteIds],
  });
  return rows.map(fromRow);
}
