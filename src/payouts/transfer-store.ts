// SQL of transfers and withdrawals as they stand. What belongs here: looking them up, and how payees are encrypted. What
// writes them is batch/.
import type { IdempotencyKey, MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { Origin } from "../platform/origin.ts";
import { readSecretRows, type RowPath, type Secrets, type SecretTable } from "../platform/secrets/index.ts";
import type { Payee, RailMode } from "./rails/rail.ts";
import type {
  ReportedStatus,
  Transfer,
  TransferIdentity,
  TransferKind,
  TransferMode,
  TransferState,
} from "./transfer.ts";

export const TRANSFER_SECRETS: SecretTable = {
  table: "transfer",
  key: { bucket: "smallint", merchant_id: "bigint", transfer_id: "bigint" },
  path: ["bucket", "merchant_id", "transfer_id"],
  columns: ["account_number", "upi"],
  indexes: [],
};

/** The payee's account number and UPI handle as a transfer's row has them. */
type StoredPayee = { readonly account_number: string | null; readonly upi: string | null };

/** Encrypts a transfer's account number and UPI handle. */
export function sealPayee(
  secrets: Secrets,
  { bucket, merchantId, transferId }: TransferIdentity,
  payee: Pick<Payee, "accountNumber" | "upi">,
): StoredPayee {
  const path: RowPath = [bucket, merchantId, transferId];
  return {
    account_number: secrets.seal("transfer.account_number", path, payee.accountNumber),
    upi: secrets.seal("transfer.upi", path, payee.upi),
  };
}

/** Opens what `sealPayee` made, as it stands in a row. */
export function unsealPayee(
  secrets: Secrets,
  row: StoredPayee & { readonly bucket: number; readonly merchant_id: bigint; readonly transfer_id: bigint },
): Pick<Payee, "accountNumber" | "upi"> {
  const path: RowPath = [row.bucket, row.merchant_id, row.transfer_id];
  return {
    accountNumber: secrets.unseal("transfer.account_number", path, row.account_number),
    upi: secrets.unseal("transfer.upi", path, row.upi),
  };
}

/** A transfer that asks to be accepted. */
export type NewTransfer = TransferIdentity & {
  readonly kind: TransferKind;
  readonly referenceId: string | null;
  readonly beneficiaryId: bigint | null;
  /** Whose commission it pays out, if it does. */
  readonly franchiseId: bigint | null;
  /** Since when the beneficiary has been there; `null` for the merchant's own account. */
  readonly payeeSince: Temporal.Instant | null;
  readonly payee: Payee;
  readonly mode: TransferMode;
  readonly rail: string;
  readonly railMode: RailMode;
  readonly amountPaise: bigint;
  readonly narrative: string;
  readonly idempotency: IdempotencyKey | null;
  /** Who asks for it and from where; `null` for whoever acts in the transaction. */
  readonly origin: Origin | null;
};

export type AcceptOutcome = {
  readonly outcome:
    | "created"
    | "awaiting_approval"
    | "existing"
    | "replayed"
    | "idempotency_conflict"
    /** The merchant's money may not leave by now, or not over this rail. */
    | "suspended"
    | "wrong_rail"
    | "insufficient_balance"
    | "transfer_limit"
    | "daily_limit"
    | "cooling_off";
  /** The transfer that stands for the request; `null` where it was refused. */
  readonly transferId: bigint | null;
  /** What the merchant's policy said, where it has one. */
  readonly terms?: PayoutTerms;
};

export type PayoutTerms = {
  /** The limit that the payout went over. */
  readonly limitPaise: bigint | null;
  /** What is left of the day's limit. */
  readonly leftPaise: bigint | null;
  /** From when on the beneficiary can be paid, where the merchant is; `null` without a beneficiary or cooling-off. */
  readonly payableAt: Temporal.ZonedDateTime | null;
};

/** A bank's word on a transfer, or `UNKNOWN` where the call broke off; `dueAt` is when to ask again if it stays open. */
export type Report = TransferIdentity & {
  readonly status: ReportedStatus;
  readonly utr: string | null;
  readonly reason: string | null;
  readonly acknowledged: boolean;
  readonly dueAt: Temporal.Instant | null;
};

/** How a transfer stands after a report. */
export type Standing = {
  readonly transferId: bigint;
  readonly state: TransferState;
  readonly utr: string | null;
  readonly reason: string | null;
};

type TransferRow = {
  bucket: number;
  merchant_id: bigint;
  transfer_id: bigint;
  kind: TransferKind;
  reference_id: string | null;
  beneficiary_id: bigint | null;
  payee_name: string;
  account_number: string | null;
  ifsc: string | null;
  upi: string | null;
  mode: TransferMode;
  amount_paise: bigint;
  narrative: string;
  state: TransferState;
  utr: string | null;
  reason: string | null;
  acknowledged: boolean;
  added_at: Temporal.Instant;
  processed_at: Temporal.Instant | null;
};

function fromRow(row: TransferRow, secrets: Secrets): Transfer {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    transferId: row.transfer_id,
    kind: row.kind,
    referenceId: row.reference_id,
    beneficiaryId: row.beneficiary_id,
    payee: { name: row.payee_name, ifsc: row.ifsc, ...unsealPayee(secrets, row) },
    mode: row.mode,
    amountPaise: row.amount_paise,
    narrative: row.narrative,
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
    text: "select * from transfer where bucket = $1 and merchant_id = $2 and transfer_id = $3",
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
    text: `select wanted.place, transfer.*
      from unnest($1::smallint[], $2::bigint[], $3::bigint[]) with ordinality
        as wanted (bucket, merchant_id, transfer_id, place)
      join transfer using (bucket, merchant_id, transfer_id)`,
    values: [
      wanted.map((transfer) => transfer.bucket),
      wanted.map((transfer) => transfer.merchantId),
      wanted.map((transfer) => transfer.transferId),
    ],
  });
  return inPlaces(db, wanted.length, rows);
}

/** The same by the merchants' references. */
export async function findTransfersByReferences(
  db: Queryable,
  wanted: readonly TransferReference[],
): Promise<(Transfer | null)[]> {
  const { rows } = await db.query<TransferRow & { place: bigint }>({
    name: "find-transfers-by-references",
    // The merchant's id is hidden from the planner, as in findEarlier.
    text: `select wanted.place, transfer.*
      from unnest($1::smallint[], $2::bigint[], $3::text[]) with ordinality
        as wanted (bucket, merchant_id, reference_id, place)
      join transfer on transfer.bucket = wanted.bucket and transfer.merchant_id + 0 = wanted.merchant_id
        and transfer.reference_id = wanted.reference_id`,
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

/** A merchant's transfers and withdrawals by their ids; one that does not exist is left out. */
export async function findTransfers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<Transfer[]> {
  const { rows } = await db.query<TransferRow>({
    name: "find-transfers",
    text: "select * from transfer where bucket = $1 and merchant_id = $2 and transfer_id = any ($3)",
    values: [bucket, merchantId, transferIds],
  });
  return readSecretRows(db, rows, fromRow);
}
