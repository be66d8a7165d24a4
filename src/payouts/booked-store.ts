// SQL of how the ledger has booked transfers. Payments, refunds and postings follow the ledger rather than the transfer's row, which
// somebody may have changed with SQL.
import type { MerchantKey } from "../merchants/index.ts";
import type { BucketPin } from "../platform/database/citus/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { Secrets } from "../platform/secrets/index.ts";
import { isProvedInstruction, type ProofForm, type ProofRow } from "./instruction-proof.ts";
import type { CommissionOwner } from "./transfer-store.ts";
import type { TransferKind, TransferState } from "./transfer.ts";

/** Where a transfer's postings have left its money. */
type BookedAs = "held" | "given back" | "paid" | "returned";

/** The columns that `joinBooked` adds. All are null for a transfer without postings. */
export type BookedRow = {
  /** The amount reserved when it was accepted, in paise. */
  readonly reserved_paise: bigint | null;
  readonly reserved_kind: TransferKind | null;
  readonly booked_as: BookedAs | null;
};

/** Joins the columns of a `BookedRow` to rows of `transfer`: one index look-up for each row. */
export function joinBooked(pin: Pick<BucketPin, "of"> = { of: () => "" }): string {
  // One row even where there is no entry. Citus takes no outer join from a role with row-level security.
  return `cross join lateral (
    select
      max(posting.amount_paise) filter (where posting.kind = 'reserve') as reserved_paise,
      max(split_part(posting.type, '.', 1)) filter (where posting.kind = 'reserve') as reserved_kind,
      case
        when bool_or(posting.kind = 'reversed') then 'returned'
        when bool_or(posting.kind in ('success', 'late_success', 'late_success_unfunded')) then 'paid'
        when bool_or(posting.kind = 'failed') then 'given back'
        when bool_or(posting.kind = 'reserve') then 'held'
      end as booked_as
    from journal posting
    where posting.subject_id = transfer.transfer_id and posting.bucket = transfer.bucket
      and posting.merchant_id = transfer.merchant_id
      and posting.kind in ('reserve', 'success', 'failed', 'late_success', 'late_success_unfunded', 'reversed')${pin.of("posting")}
  ) as booked`;
}

/** How the money of a transfer in this state is booked: docs/rules/payouts.md#postings. */
const BOOKED_AS: Readonly<Record<TransferState, readonly BookedAs[]>> = {
  AWAITING_APPROVAL: ["held"],
  RESERVED: ["held"],
  SUBMITTING: ["held"],
  UNKNOWN: ["held"],
  PENDING: ["held"],
  SUCCESS: ["paid"],
  FAILED: ["given back"],
  REJECTED: ["given back"],
  REVERSED: ["given back", "returned"],
};

/** Whether a transfer's state and kind match its postings. */
export function isBookedAs(state: TransferState, kind: TransferKind, row: BookedRow): boolean {
  return row.reserved_kind === kind && row.booked_as !== null && BOOKED_AS[state].includes(row.booked_as);
}

/** The amount still reserved for a transfer, in paise; `null` once it has ended. */
export function heldPaise(row: BookedRow): bigint | null {
  return row.booked_as === "held" ? row.reserved_paise : null;
}

/**
 * Whether an open transfer's row is the last one that the server wrote, with a proof of this form, and its amount is still reserved.
 * An earlier row that somebody restored with SQL, including its proof, is not paid.
 */
export function isPayable(secrets: Secrets, row: ProofRow & BookedRow, form: ProofForm): boolean {
  return isProvedInstruction(secrets, row, form) && heldPaise(row) === row.amount_paise;
}

/** The amount reserved for a merchant's transfer, in paise; `null` for none. The caller holds the book. */
export async function readHeld(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferId: bigint,
): Promise<bigint | null> {
  const { rows } = await db.query<BookedRow>({
    name: "read-held",
    text: `select booked.* from transfer ${joinBooked()}
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = $3`,
    values: [bucket, merchantId, transferId],
  });
  return rows[0] ? heldPaise(rows[0]) : null;
}

/** Finds those of a merchant's transfers whose state, kind or amount contradicts their postings: they were changed with SQL. */
export async function findMisbooked(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<bigint[]> {
  type Row = BookedRow & { transfer_id: bigint; state: TransferState; kind: TransferKind; amount_paise: bigint };
  const { rows } = await db.query<Row>({
    name: "find-misbooked",
    text: `select transfer.transfer_id, transfer.state, transfer.kind, transfer.amount_paise, booked.*
      from transfer ${joinBooked()}
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = any ($3)`,
    values: [bucket, merchantId, transferIds],
  });
  return rows
    .filter((row) => !isBookedAs(row.state, row.kind, row) || row.reserved_paise !== row.amount_paise)
    .map((row) => row.transfer_id);
}

/** The amount reserved for payouts to a franchise that are at the bank or waiting for approval, in paise. */
export async function readUnderWay(
  db: Queryable,
  { bucket, merchantId, franchiseId }: CommissionOwner,
): Promise<bigint> {
  const { rows } = await db.query<{ under_way: bigint }>(
    `select coalesce(sum(booked.reserved_paise), 0)::bigint as under_way
     from transfer ${joinBooked()}
     where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.franchise_id = $3
       and transfer.kind = 'commission' and booked.booked_as = 'held'`,
    [bucket, merchantId, franchiseId],
  );
  return rows[0]!.under_way;
}
