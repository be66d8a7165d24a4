// SQL that reads transfers and withdrawals with their payees, and payouts of commission. batch/ writes them.
import type { IdempotencyKey, MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { NodalError } from "../platform/errors.ts";
import type { Origin } from "../platform/origin.ts";
import { readSecretRows, type RowPath, type Secrets, type SecretTable } from "../platform/secrets/index.ts";
import type { Payee, ProviderFee } from "./rails/rail.ts";
import { instructionOf, type Instruction, type InstructionRow } from "./transfer-row.ts";
import type { ReportedStatus, Transfer, TransferIdentity, TransferMode, TransferState } from "./transfer.ts";

export const TRANSFER_SECRETS: SecretTable = {
  table: "transfer",
  key: { bucket: "smallint", merchant_id: "bigint", transfer_id: "bigint" },
  path: ["bucket", "merchant_id", "transfer_id"],
  columns: ["account_number"],
  beside: { account_number: ["account_holder", "ifsc"] },
  indexes: [],
  where: "kind = 'withdrawal'",
};

/** Encrypts the account number of a withdrawal. It can only be decrypted with the same holder and IFSC. */
export function sealOwnAccount(
  secrets: Secrets,
  { bucket, merchantId, transferId, payee }: TransferIdentity & { readonly payee: Payee },
): string | null {
  const path: RowPath = [bucket, merchantId, transferId];
  return secrets.seal("transfer.account_number", path, payee.accountNumber, [payee.name, payee.ifsc ?? ""]);
}

/** Joins the payee of each row of `transfer`, for `PAYEE_COLUMNS`. */
export const JOIN_PAYEE = `left join beneficiary payee
    on payee.bucket = transfer.bucket and payee.merchant_id = transfer.merchant_id
    and payee.beneficiary_id = transfer.beneficiary_id`;

/**
 * The same for a list of one merchant: one look-up for each row. The planner assumes one row for a merchant that is not in its
 * statistics, and would read all of the merchant's payees for each row of a plain join.
 */
export const LOOK_PAYEE_UP = `left join lateral (
    select * from beneficiary
    where beneficiary.bucket = $1 and beneficiary.merchant_id = $2
      and beneficiary.beneficiary_id = transfer.beneficiary_id
    limit 1
  ) as payee on true`;

/** The columns of a beneficiary, or of a withdrawal's own account. A transfer without either has a name of null. */
export const PAYEE_COLUMNS = `
  coalesce(payee.name, transfer.account_holder) as payee_name,
  coalesce(payee.account_number, transfer.account_number) as payee_account_number,
  coalesce(payee.ifsc, transfer.ifsc) as payee_ifsc, payee.upi as payee_upi`;

/** A row with `PAYEE_COLUMNS` and the columns that they are encrypted with. */
export type PayeeRow = {
  readonly bucket: number;
  readonly merchant_id: bigint;
  readonly transfer_id: bigint;
  readonly beneficiary_id: bigint | null;
  readonly payee_name: string | null;
  readonly payee_account_number: string | null;
  readonly payee_ifsc: string | null;
  readonly payee_upi: string | null;
};

/**
 * The payee of a transfer. It has only an empty name if the beneficiary is gone, and no account or handle if that can't be decrypted.
 * Neither is an error, since the rows of other merchants are read with it; `nodal verify` reports both.
 */
export function readPayee(row: PayeeRow, secrets: Secrets): Payee {
  const { bucket, merchant_id: merchantId, beneficiary_id: beneficiaryId } = row;
  const [table, id] = beneficiaryId === null ? ["transfer", row.transfer_id] : ["beneficiary", beneficiaryId];
  const path: RowPath = [bucket, merchantId, id];
  const { payee_account_number: sealedNumber, payee_ifsc: ifsc, payee_upi: sealedHandle } = row;
  const name = row.payee_name ?? "";
  return {
    name,
    accountNumber: secrets.tryUnseal(`${table}.account_number`, path, sealedNumber, [name, ifsc ?? ""]) ?? null,
    ifsc,
    upi: secrets.tryUnseal(`${table}.upi`, path, sealedHandle, [name]) ?? null,
  };
}

/** A transfer to be accepted. */
export type NewTransfer = Instruction & {
  /** When the beneficiary was saved; `null` for the merchant's own account. */
  readonly payeeSince: Temporal.Instant | null;
  readonly payee: Payee;
  readonly idempotency: IdempotencyKey | null;
  /** Who requested it and from where; `null` for the transaction's actor. */
  readonly origin: Origin | null;
  /** Whether a second person has approved it already, with its batch. */
  readonly isApproved?: boolean;
};

/**
 * A request for a transfer that can't be made. It goes through the writer like any other, and is refused only if no earlier transfer
 * has its reference or Idempotency-Key: docs/rules/payouts.md#reference
 */
export type RefusedTransfer = Pick<
  NewTransfer,
  | "bucket"
  | "merchantId"
  | "transferId"
  | "kind"
  | "referenceId"
  | "beneficiaryId"
  | "amountPaise"
  | "idempotency"
  | "origin"
> & {
  /** The requested mode; `null` for the payee's default. */
  readonly mode: TransferMode | null;
  readonly refusal: NodalError;
};

export type RequestedTransfer = NewTransfer | RefusedTransfer;

export function isRefused(transfer: RequestedTransfer): transfer is RefusedTransfer {
  return "refusal" in transfer;
}

export type AcceptOutcome = {
  readonly outcome:
    | "created"
    | "awaiting_approval"
    | "existing"
    | "replayed"
    | "idempotency_conflict"
    /** Its reference belongs to a payout that was cancelled or is scheduled for a later day. */
    | "reference_conflict"
    /** It can't be made as requested: see `refusal`. */
    | "refused"
    /** The merchant's payouts have been blocked since, all or over this rail. */
    | "suspended"
    /** The merchant, or its policy, was changed with SQL. */
    | "changed"
    | "wrong_rail"
    | "insufficient_balance"
    | "transfer_limit"
    | "daily_limit"
    | "not_verified"
    | "cooling_off";
  /** The request's transfer; `null` if it was refused. */
  readonly transferId: bigint | null;
  /** The terms of the merchant's policy, if it has one. */
  readonly terms?: PayoutTerms;
  /** Only for the outcome `refused`. */
  readonly refusal?: NodalError;
};

export type PayoutTerms = {
  /** The limit that the payout exceeds. */
  readonly limitPaise: bigint | null;
  /** The rest of the day's limit. */
  readonly leftPaise: bigint | null;
  /** When the cooling-off period ends, in the merchant's time zone; `null` without a beneficiary or a cooling-off period. */
  readonly payableAt: Temporal.ZonedDateTime | null;
};

/**
 * A bank's report on a transfer, or `UNKNOWN` if the call broke off. If the transfer stays open, `dueAt` is when to ask again (`null`:
 * at once), and `attempts` counts the calls so far.
 */
export type Report = TransferIdentity & {
  readonly status: ReportedStatus;
  readonly utr: string | null;
  readonly reason: string | null;
  readonly acknowledged: boolean;
  readonly fee?: ProviderFee;
  readonly returnsFee?: boolean;
  readonly dueAt: Temporal.Instant | null;
  readonly attempts: number;
};

/** The status of a transfer after a report. */
export type TransferStatus = {
  readonly transferId: bigint;
  readonly state: TransferState;
  readonly utr: string | null;
  readonly reason: string | null;
};

type TransferRow = PayeeRow &
  InstructionRow & {
    state: TransferState;
    utr: string | null;
    reason: string | null;
    acknowledged: boolean;
    added_at: Temporal.Instant;
    processed_at: Temporal.Instant | null;
  };

function fromRow(row: TransferRow, secrets: Secrets): Transfer {
  return {
    ...instructionOf(row),
    payee: readPayee(row, secrets),
    state: row.state,
    utr: row.utr,
    reason: row.reason,
    acknowledged: row.acknowledged,
    addedAt: row.added_at,
    processedAt: row.processed_at,
  };
}

/** Finds a merchant's transfer or withdrawal by its id. */
export async function findTransfer(
  db: Queryable,
  { bucket, merchantId, transferId }: TransferIdentity,
): Promise<Transfer | null> {
  const { rows } = await db.query<TransferRow>({
    name: "find-transfer",
    text: `select transfer.*, ${PAYEE_COLUMNS} from transfer ${JOIN_PAYEE}
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer_id = $3`,
    values: [bucket, merchantId, transferId],
  });
  return (await readSecretRows(db, rows, fromRow))[0] ?? null;
}

export type TransferReference = MerchantKey & { readonly referenceId: string };

/** Looks transfers of many merchants up by id, in one statement; `null` where the merchant has none with the id. */
export async function findTransfersByIds(
  db: Queryable,
  wanted: readonly TransferIdentity[],
): Promise<(Transfer | null)[]> {
  const { rows } = await db.query<TransferRow & { place: bigint }>({
    name: "find-transfers-by-ids",
    text: `select wanted.place, transfer.*, ${PAYEE_COLUMNS}
      from unnest($1::smallint[], $2::bigint[], $3::bigint[]) with ordinality
        as wanted (bucket, merchant_id, transfer_id, place)
      join transfer using (bucket, merchant_id, transfer_id)
      ${JOIN_PAYEE}`,
    values: [
      wanted.map((transfer) => transfer.bucket),
      wanted.map((transfer) => transfer.merchantId),
      wanted.map((transfer) => transfer.transferId),
    ],
  });
  return inPlaces(db, wanted.length, rows);
}

/** Looks them up by the merchants' references. */
export async function findTransfersByReferences(
  db: Queryable,
  wanted: readonly TransferReference[],
): Promise<(Transfer | null)[]> {
  const { rows } = await db.query<TransferRow & { place: bigint }>({
    name: "find-transfers-by-references",
    // The planner must not see the merchant's id: see findEarlier.
    text: `select wanted.place, transfer.*, ${PAYEE_COLUMNS}
      from unnest($1::smallint[], $2::bigint[], $3::text[]) with ordinality
        as wanted (bucket, merchant_id, reference_id, place)
      join transfer on transfer.bucket = wanted.bucket and transfer.merchant_id + 0 = wanted.merchant_id
        and transfer.reference_id = wanted.reference_id
      ${JOIN_PAYEE}`,
    values: [
      wanted.map((transfer) => transfer.bucket),
      wanted.map((transfer) => transfer.merchantId),
      wanted.map((transfer) => transfer.referenceId),
    ],
  });
  return inPlaces(db, wanted.length, rows);
}

async function inPlaces(
  db: Queryable,
  count: number,
  rows: readonly (TransferRow & { readonly place: bigint })[],
): Promise<(Transfer | null)[]> {
  const found = Array.from({ length: count }, (): Transfer | null => null);
  const transfers = await readSecretRows(db, rows, fromRow);
  for (const [index, row] of rows.entries()) found[Number(row.place) - 1] = transfers[index]!;
  return found;
}

/** A merchant's transfers and withdrawals by their ids; ids that don't exist are left out. */
export async function findTransfers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<Transfer[]> {
  const { rows } = await db.query<TransferRow>({
    name: "find-transfers",
    text: `select transfer.*, ${PAYEE_COLUMNS} from transfer ${LOOK_PAYEE_UP}
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer_id = any ($3)`,
    values: [bucket, merchantId, transferIds],
  });
  return readSecretRows(db, rows, fromRow);
}

/** The franchise that commission is paid to. */
export type CommissionOwner = MerchantKey & { readonly franchiseId: bigint };

/** A payout of commission as its franchise sees it. */
export type CommissionTransfer = {
  readonly transferId: bigint;
  readonly amountPaise: bigint;
  readonly state: TransferState;
  readonly utr: string | null;
  readonly addedAt: Temporal.Instant;
};

/** The last payouts of commission to a franchise, latest first. */
export async function listCommissionTransfers(
  db: Queryable,
  { bucket, merchantId, franchiseId }: CommissionOwner,
  limit: number,
): Promise<CommissionTransfer[]> {
  const { rows } = await db.query<{
    transfer_id: bigint;
    amount_paise: bigint;
    state: TransferState;
    utr: string | null;
    added_at: Temporal.Instant;
  }>({
    name: "list-commission-transfers",
    text: `select transfer_id, amount_paise, state, utr, added_at
      from transfer
      where bucket = $1 and merchant_id = $2 and franchise_id = $3 and kind = 'commission'
      order by transfer_id desc
      limit $4`,
    values: [bucket, merchantId, franchiseId, limit],
  });
  return rows.map((row) => ({
    transferId: row.transfer_id,
    amountPaise: row.amount_paise,
    state: row.state,
    utr: row.utr,
    addedAt: row.added_at,
  }));
}
