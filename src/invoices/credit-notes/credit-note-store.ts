// SQL of credit notes, and of the links to their refunds' transfers. The transfers belong to src/payouts.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table, type Row } from "../../platform/database/table.ts";
import { asDigits, asJson, asList, asRecord } from "../../platform/json-codec.ts";
import type { Json } from "../../platform/json.ts";
import { RowProof, secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import type { CreditLine, CreditNote, CreditNoteKey, Refund } from "./credit-note.ts";
import { contentFromJson, contentToJson } from "../content-codec.ts";
import type { InvoiceKey } from "../invoice.ts";

/** Without content and lines, and without the transfers of its refund. */
type StoredNote = Omit<CreditNote, "content" | "lines" | "refund" | "isChanged"> & {
  readonly proof: Uint8Array | null;
};

const NOTES = table<StoredNote, CreditNoteKey>("credit_note", ["bucket", "merchantId", "creditNoteId"], {
  bucket: "smallint",
  merchantId: "bigint",
  creditNoteId: "bigint",
  invoiceId: "bigint",
  seriesId: "bigint",
  financialYear: "smallint",
  creditNoteNumber: "text",
  noteDate: "date",
  amountPaise: "bigint",
  taxablePaise: "bigint",
  taxPaise: "bigint",
  reducesDuePaise: "bigint",
  refundPaise: "bigint",
  refundBeneficiaryId: "bigint",
  reason: "text",
  byRows: "boolean",
  createdAt: "timestamptz",
  cancelledAt: "timestamptz",
  proof: "bytea",
});

/** The columns that decide whether and how much is refunded, and to whom. */
const PROOF = new RowProof<Omit<StoredNote, "proof">>(
  "credit_note",
  ({ bucket, merchantId, creditNoteId }) => [bucket, merchantId, creditNoteId],
  ({ invoiceId, amountPaise, reducesDuePaise, refundPaise, refundBeneficiaryId, cancelledAt }) => [
    invoiceId,
    amountPaise,
    reducesDuePaise,
    refundPaise,
    refundBeneficiaryId,
    cancelledAt === null ? 0n : 1n,
  ],
);

const storedLines = asList(
  asRecord<CreditLine>(
    { line: asJson(), taxablePaise: asDigits(), taxesPaise: asList(asDigits()), quantityThousandths: asDigits() },
    ["quantityThousandths"],
  ),
);

type NoteRow = Row & {
  content: unknown;
  lines: Json;
  attempts: number;
  refunded_paise: bigint;
  under_way_paise: bigint;
  last_transfer_id: bigint | null;
};

type RefundRow = Row & {
  credit_note_id: bigint;
  credit_note_number: string;
  amount_paise: bigint;
  processed_at: Temporal.Instant;
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

async function fromRows(db: Queryable, rows: readonly NoteRow[]): Promise<CreditNote[]> {
  const secrets = await secretsOf(db);
  return rows.map((row) => fromRow(secrets, row));
}

function fromRow(secrets: Secrets, row: NoteRow): CreditNote {
  const { proof, ...note } = NOTES.read(row);
  return {
    ...note,
    ...(PROOF.fits(secrets, note, proof) ? {} : { isChanged: true }),
    content: contentFromJson(row.content, "credit_note"),
    lines: storedLines.read(row.lines),
    refund: {
      attempts: row.attempts,
      refundedPaise: row.refunded_paise,
      underWayPaise: row.under_way_paise,
      lastTransferId: row.last_transfer_id,
    },
  };
}

/** Inserts a new credit note. The caller has locked its invoice. */
export async function insertCreditNote(connection: Connection, note: CreditNote): Promise<void> {
  const proof = PROOF.of(await secretsOf(connection), note);
  const { columns, arrays, values } = NOTES.arrays([{ ...note, proof }], { from: 3 });
  await connection.query(
    `insert into credit_note (content, lines, ${columns}) select $1::jsonb, $2::jsonb, * from unnest(${arrays}) returning 1`,
    [contentToJson(note.content), JSON.stringify(storedLines.write(note.lines)), ...values],
  );
}

/** Finds a merchant's credit note. */
export async function findCreditNote(db: Queryable, key: CreditNoteKey): Promise<CreditNote | null> {
  const { rows } = await db.query<NoteRow>(`${SELECT_NOTES} and note.credit_note_id = $3`, [
    key.bucket,
    key.merchantId,
    key.creditNoteId,
  ]);
  return (await fromRows(db, rows))[0] ?? null;
}

/** The credit notes of an invoice that are not cancelled, in the order in which they were issued. */
export async function listCreditNotesOf(db: Queryable, invoice: InvoiceKey): Promise<CreditNote[]> {
  return (await listAllCreditNotesOf(db, invoice)).filter(({ cancelledAt }) => cancelledAt === null);
}

/** The same with cancelled ones. */
export async function listAllCreditNotesOf(
  db: Queryable,
  { bucket, merchantId, invoiceId }: InvoiceKey,
): Promise<CreditNote[]> {
  const { rows } = await db.query<NoteRow>({
    name: "list-credit-notes-of-invoice",
    text: `${SELECT_NOTES} and note.invoice_id = $3 order by note.created_at, note.credit_note_id`,
    values: [bucket, merchantId, invoiceId],
  });
  return fromRows(db, rows);
}

/** The amounts refunded to the customer by an invoice's credit notes, oldest first. A returned transfer is no refund. */
export async function listRefundsOf(db: Queryable, { bucket, merchantId, invoiceId }: InvoiceKey): Promise<Refund[]> {
  const { rows } = await db.query<RefundRow>({
    name: "list-refunds-of-invoice",
    text: `select note.credit_note_id, note.credit_note_number, transfer.amount_paise, transfer.processed_at
      from credit_note note
      join credit_note_refund attempt using (bucket, merchant_id, credit_note_id)
      join transfer using (bucket, merchant_id, transfer_id)
      where note.bucket = $1 and note.merchant_id = $2 and note.invoice_id = $3 and transfer.state = 'SUCCESS'
      order by transfer.processed_at, transfer.transfer_id`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows.map((row) => ({
    creditNoteId: row.credit_note_id,
    creditNoteNumber: row.credit_note_number,
    amountPaise: row.amount_paise,
    paidAt: row.processed_at,
  }));
}

/** The credit note of a refund's transfer, successful or not; `null` for any other transfer. */
export async function findNoteOfRefund(
  db: Queryable,
  { bucket, merchantId, transferId }: MerchantKey & { readonly transferId: bigint },
): Promise<CreditNote | null> {
  const { rows } = await db.query<NoteRow>({
    name: "find-note-of-refund",
    text: `${SELECT_NOTES} and note.credit_note_id in (
      select credit_note_id from credit_note_refund where bucket = $1 and merchant_id = $2 and transfer_id = $3)`,
    values: [bucket, merchantId, transferId],
  });
  return (await fromRows(db, rows))[0] ?? null;
}

/** A merchant's credit notes, newest first, at most `limit`. */
export async function listCreditNotes(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  limit: number,
): Promise<CreditNote[]> {
  const { rows } = await db.query<NoteRow>(`${SELECT_NOTES} order by note.credit_note_id desc limit $3`, [
    bucket,
    merchantId,
    limit,
  ]);
  return fromRows(db, rows);
}

/** Turns a part of the refund that a note owes into a reduction of the due amount. The caller has locked the invoice. */
export async function moveToDue(connection: Connection, key: CreditNoteKey, amountPaise: bigint): Promise<void> {
  await change(connection, key, ({ reducesDuePaise, refundPaise }) => ({
    reducesDuePaise: reducesDuePaise + amountPaise,
    refundPaise: refundPaise - amountPaise,
  }));
}

/** Saves the payee of a refund. The caller has locked the invoice. */
export async function updateRefundPayee(
  connection: Connection,
  key: CreditNoteKey,
  refundBeneficiaryId: bigint,
): Promise<void> {
  await change(connection, key, () => ({ refundBeneficiaryId }));
}

/** Cancels a note. The caller has locked the invoice. */
export async function markCancelled(
  connection: Connection,
  key: CreditNoteKey,
  cancelledAt: Temporal.Instant,
): Promise<void> {
  await change(connection, key, () => ({ cancelledAt }));
}

/** Changes columns that a note's proof covers. */
async function change(
  connection: Connection,
  { bucket, merchantId, creditNoteId }: CreditNoteKey,
  changesOf: (
    before: StoredNote,
  ) => Partial<Pick<StoredNote, "reducesDuePaise" | "refundPaise" | "refundBeneficiaryId" | "cancelledAt">>,
): Promise<void> {
  const key = { bucket, merchantId, creditNoteId };
  const before = (await NOTES.find(connection, key, true))!;
  const changes = changesOf(before);
  const proof = PROOF.renewed(await secretsOf(connection), before, before.proof, { ...before, ...changes });
  await NOTES.update(connection, { ...key, ...changes, proof });
}

/** Saves a refund's transfer as the attempt of this number, which is unique. */
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

/** The transfers of a note's refund, successful or not. */
export async function listRefundTransfers(
  db: Queryable,
  { bucket, merchantId, creditNoteId }: CreditNoteKey,
): Promise<bigint[]> {
  const { rows } = await db.query<{ transfer_id: bigint }>(
    "select transfer_id from credit_note_refund where bucket = $1 and merchant_id = $2 and credit_note_id = $3",
    [bucket, merchantId, creditNoteId],
  );
  return rows.map((row) => row.transfer_id);
}

/** The reference of a refund's transfer, by its attempt. As SQL, over `credit_note_refund refund`. */
export const REFUND_REFERENCE = "'refund-' || refund.credit_note_id || '-' || refund.attempt";

/** A transfer that the note's refunds name but that is not its refund; `null` if there is none. */
export async function findForeignRefund(
  db: Queryable,
  { bucket, merchantId, creditNoteId }: CreditNoteKey,
): Promise<bigint | null> {
  const { rows } = await db.query<{ transfer_id: bigint }>(
    `select refund.transfer_id from credit_note_refund refund
     join transfer using (bucket, merchant_id, transfer_id)
     where refund.bucket = $1 and refund.merchant_id = $2 and refund.credit_note_id = $3
       and transfer.reference_id <> ${REFUND_REFERENCE}
     limit 1`,
    [bucket, merchantId, creditNoteId],
  );
  return rows[0]?.transfer_id ?? null;
}

/** A merchant's credit notes by their ids. */
export async function findCreditNotes(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  creditNoteIds: readonly bigint[],
): Promise<CreditNote[]> {
  const { rows } = await db.query<NoteRow>({
    name: "find-credit-notes",
    text: `${SELECT_NOTES} and note.credit_note_id = any ($3)`,
    values: [bucket, merchantId, creditNoteIds],
  });
  return fromRows(db, rows);
}

/** A page of credit notes with whether each is as the server wrote it, of one merchant or of all, in key order. */
export async function listProofs(
  db: Queryable,
  scope: MerchantKey | null,
  after: CreditNoteKey | null,
  limit: number,
): Promise<(CreditNoteKey & { readonly isProved: boolean })[]> {
  const notes = await NOTES.select(
    db,
    `select * from credit_note
     where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
       and (bucket, merchant_id, credit_note_id) > ($3::smallint, $4::bigint, $5::bigint)
     order by bucket, merchant_id, credit_note_id limit $6`,
    [
      scope?.bucket ?? null,
      scope?.merchantId ?? null,
      after?.bucket ?? -1,
      after?.merchantId ?? 0n,
      after?.creditNoteId ?? 0n,
      limit,
    ],
  );
  const secrets = await secretsOf(db);
  return notes.map((note) => ({ ...note, isProved: PROOF.fits(secrets, note, note.proof) }));
}
