// SQL of the statement: a merchant's postings with what they are about, and the balances before a time.
// What belongs here: reading, page by page. What an entry is called is for statement.ts to say.
import type { Balances } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { readSecretRows, type Secrets } from "../platform/secrets/index.ts";
import type { RailMode } from "./rails/rail.ts";
import { unsealPayee } from "./transfer-store.ts";
import type { TransferKind } from "./transfer.ts";

/** From the first instant up to, and without, the second; `null` where there is no limit. */
export type Timespan = { readonly from: Temporal.Instant | null; readonly until: Temporal.Instant | null };

/** A posting, with its transfer or withdrawal, or with the reference of its funding. */
export type StatementPosting = {
  readonly postingNo: bigint;
  readonly postedAt: Temporal.Instant;
  readonly kind: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountPaise: bigint;
  readonly reference: string | null;
  readonly transfer: StatementTransfer | null;
};

export type StatementTransfer = {
  readonly transferId: bigint;
  readonly kind: TransferKind;
  readonly payeeName: string;
  readonly accountNumber: string | null;
  readonly upi: string | null;
  readonly railMode: RailMode;
  readonly utr: string | null;
};

type Row = {
  posting_no: bigint;
  posted_at: Temporal.Instant;
  kind: string;
  debit_kind: string;
  credit_kind: string;
  amount_paise: bigint;
  reference: string | null;
  transfer_id: bigint | null;
  transfer_kind: TransferKind;
  payee_name: string;
  account_number: string | null;
  upi: string | null;
  rail_mode: RailMode;
  utr: string | null;
};

/** The balances that the postings before `until` leave; all postings where it is `null`. */
export async function readBalancesBefore(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  until: Temporal.Instant | null,
): Promise<Balances> {
  const { rows } = await db.query<{ available: bigint; held: bigint }>(
    `select
       coalesce(sum(case 'available' when credit_kind then amount_paise when debit_kind then -amount_paise end), 0)::bigint
         as available,
       coalesce(sum(case 'held' when credit_kind then amount_paise when debit_kind then -amount_paise end), 0)::bigint
         as held
     from ledger_posting
     where bucket = $1 and merchant_id = $2 and ($3::bigint is null or posted_at < to_timestamp($3 / 1000.0))`,
    [bucket, merchantId, until?.epochMilliseconds ?? null],
  );
  return { availablePaise: rows[0]!.available, heldPaise: rows[0]!.held };
}

/** A page of the merchant's postings in the order of the book, those after a number. */
export async function listStatementPostings(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { from, until }: Timespan,
  page: { readonly afterNo: bigint; readonly limit: number },
): Promise<StatementPosting[]> {
  const { rows } = await db.query<Row>(
    `select
       posting.posting_no, posting.posted_at, posting.kind, posting.debit_kind, posting.credit_kind,
       posting.amount_paise, coalesce(transfer.reference_id, funding.reference) as reference, transfer.transfer_id,
       transfer.kind as transfer_kind, transfer.payee_name, transfer.account_number, transfer.upi, transfer.rail_mode,
       transfer.utr
     from ledger_posting posting
     left join transfer
       on posting.kind <> 'funds_in' and transfer.bucket = posting.bucket
       and transfer.merchant_id = posting.merchant_id and transfer.transfer_id = posting.subject_id
     left join funding
       on posting.kind = 'funds_in' and funding.bucket = posting.bucket
       and funding.merchant_id = posting.merchant_id and funding.funding_id = posting.subject_id
     where posting.bucket = $1 and posting.merchant_id = $2 and posting.posting_no > $3
       and ($4::bigint is null or posting.posted_at >= to_timestamp($4 / 1000.0))
       and ($5::bigint is null or posting.posted_at < to_timestamp($5 / 1000.0))
     order by posting.posting_no
     limit $6`,
    [bucket, merchantId, page.afterNo, from?.epochMilliseconds ?? null, until?.epochMilliseconds ?? null, page.limit],
  );
  return readSecretRows(db, rows, (row, secrets) => fromRow({ ...row, bucket, merchant_id: merchantId }, secrets));
}

function fromRow(row: Row & { bucket: number; merchant_id: bigint }, secrets: Secrets): StatementPosting {
  const { transfer_id: transferId } = row;
  return {
    postingNo: row.posting_no,
    postedAt: row.posted_at,
    kind: row.kind,
    debitAccount: row.debit_kind,
    creditAccount: row.credit_kind,
    amountPaise: row.amount_paise,
    reference: row.reference,
    transfer:
      transferId === null
        ? null
        : {
            transferId,
            kind: row.transfer_kind,
            payeeName: row.payee_name,
            ...unsealPayee(secrets, { ...row, transfer_id: transferId }),
            railMode: row.rail_mode,
            utr: row.utr,
          },
  };
}
