// SQL of the statement: a merchant's postings with their subjects. statement.ts names the entries.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { readSecretRows, type Secrets } from "../../platform/secrets/index.ts";
import type { Payee, RailMode } from "../rails/rail.ts";
import { LOOK_PAYEE_UP, PAYEE_COLUMNS, readPayee, type PayeeRow } from "../transfer-store.ts";
import type { TransferKind, TransferState } from "../transfer.ts";

/** A range of numbers: `first` is included, `end` is not. */
export type PostingRange = { readonly first: bigint; readonly end: bigint };

/** A posting, with its transfer or withdrawal, or with the reference of its funding. */
export type StatementPosting = {
  readonly entryNo: bigint;
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
  readonly payee: Payee;
  readonly railMode: RailMode;
  readonly state: TransferState;
  readonly utr: string | null;
};

type Row = Omit<PayeeRow, "transfer_id"> & {
  entry_no: bigint;
  created_at: Temporal.Instant;
  kind: string;
  debit_kind: string;
  credit_kind: string;
  amount_paise: bigint;
  reference: string | null;
  transfer_id: bigint | null;
  transfer_kind: TransferKind;
  rail_mode: RailMode;
  state: TransferState;
  utr: string | null;
};

/** The first or last postings of a range in the order of the book, at most `limit`: all, or those of the available balance. */
export async function listStatementPostings(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { first, end }: PostingRange,
  page: { readonly limit: number; readonly newestFirst: boolean; readonly ofBalanceOnly: boolean },
): Promise<StatementPosting[]> {
  const { rows } = await db.query<Row>(
    `select
       posting.bucket, posting.merchant_id, posting.entry_no, posting.created_at, posting.kind, posting.debit_kind, posting.credit_kind,
       posting.amount_paise, coalesce(transfer.reference_id, funding.reference) as reference, transfer.transfer_id,
       transfer.kind as transfer_kind, transfer.rail_mode, transfer.state, transfer.utr, transfer.beneficiary_id, ${PAYEE_COLUMNS}
     from journal posting
     left join lateral (
       select late_fee.transfer_id from late_fee
       where late_fee.bucket = $1 and late_fee.merchant_id = $2 and late_fee.fee_id = posting.subject_id
         and posting.kind like 'late!_fee%' escape '!'
       limit 1
     ) as late on true
     left join lateral (
       select * from transfer
       where transfer.bucket = $1 and transfer.merchant_id = $2
         and transfer.transfer_id = coalesce(late.transfer_id, posting.subject_id)
         and posting.kind not in ('funds_in', 'owed_settled')
       limit 1
     ) as transfer on true
     ${LOOK_PAYEE_UP}
     left join lateral (
       select * from funding
       where funding.bucket = $1 and funding.merchant_id = $2 and funding.funding_id = posting.subject_id
         and posting.kind = 'funds_in'
       limit 1
     ) as funding on true
     where posting.bucket = $1 and posting.merchant_id = $2 and posting.entry_no >= $3 and posting.entry_no < $4
       and posting.kind is not null ${page.ofBalanceOnly ? "and 'available' in (posting.debit_kind, posting.credit_kind)" : ""}
     order by posting.entry_no ${page.newestFirst ? "desc" : ""}
     limit $5`,
    [bucket, merchantId, first, end, page.limit],
  );
  return readSecretRows(db, rows, fromRow);
}

function fromRow(row: Row, secrets: Secrets): StatementPosting {
  const { transfer_id: transferId } = row;
  return {
    entryNo: row.entry_no,
    postedAt: row.created_at,
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
            payee: readPayee({ ...row, transfer_id: transferId }, secrets),
            railMode: row.rail_mode,
            state: row.state,
            utr: row.utr,
          },
  };
}
