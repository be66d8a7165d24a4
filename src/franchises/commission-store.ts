// All SQL of commission: the settlement or credit note that earned it, its rate, and the part that was reversed; and payments by
// other means than a transfer: cash, a cheque, the merchant's own bank. The ledger's accounts have the amounts that are owed.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table, type Row } from "../platform/database/table.ts";
import { changedWithSql, RowProof, secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { readHeldCommission, writeHeldCommission } from "./commission-hold-store.ts";
import type { CommissionRate, FranchiseKey } from "./franchise.ts";

export type Commission = FranchiseKey & {
  /** The settlement or credit note that earned it. */
  readonly settlementId: bigint;
  readonly invoiceId: bigint;
  readonly amountPaise: bigint;
  /** Whether it is on hold until a user who may move money settles it. */
  readonly waits: boolean;
};

/** A row of commission, without the time. */
type ProvedCommission = Commission & { readonly reversedPaise: bigint };
type StoredCommission = ProvedCommission & { readonly accruedAt: Temporal.Instant; readonly proof: Uint8Array | null };
type CommissionKey = MerchantKey & Pick<Commission, "settlementId">;

const COMMISSION = table<StoredCommission, CommissionKey>("commission", ["bucket", "merchantId", "settlementId"], {
  bucket: "smallint",
  merchantId: "bigint",
  settlementId: "bigint",
  invoiceId: "bigint",
  franchiseId: "bigint",
  amountPaise: "bigint",
  reversedPaise: "bigint",
  accruedAt: "timestamptz",
  waits: "boolean",
  proof: "bytea",
});

const COMMISSION_PROOF = new RowProof<ProvedCommission>(
  "commission",
  ({ bucket, merchantId, settlementId }) => [bucket, merchantId, settlementId],
  ({ invoiceId, franchiseId, amountPaise, reversedPaise, waits }) => [
    invoiceId,
    franchiseId,
    amountPaise,
    reversedPaise,
    waits,
  ],
);

/**
 * Refuses commission that SQL has changed.
 * @throws NodalError `access_denied`
 */
function requireProved(secrets: Secrets, commission: StoredCommission): void {
  if (COMMISSION_PROOF.fits(secrets, commission, commission.proof)) return;
  throw changedWithSql(`The commission of settlement ${commission.settlementId}`);
}

type KeptRate = CommissionRate & FranchiseKey & { readonly invoiceId: bigint };
type StoredRate = KeptRate & { readonly proof: Uint8Array | null };

/** The franchise's rate that each invoice keeps. */
const RATES = table<StoredRate, MerchantKey & Pick<KeptRate, "invoiceId">>(
  "commission_rate",
  ["bucket", "merchantId", "invoiceId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    invoiceId: "bigint",
    franchiseId: "bigint",
    commissionType: "text",
    commissionHundredths: "bigint",
    proof: "bytea",
  },
);

const RATE_PROOF = new RowProof<KeptRate>(
  "commission_rate",
  ({ bucket, merchantId, invoiceId }) => [bucket, merchantId, invoiceId],
  ({ franchiseId, commissionType, commissionHundredths }) => [franchiseId, commissionType, commissionHundredths],
);

/** Records what a settlement, or a credit note, earned. The caller has locked the merchant's book. */
export async function insertCommission(
  connection: Connection,
  accruedAt: Temporal.Instant,
  commission: Commission,
): Promise<void> {
  const proof = COMMISSION_PROOF.of(await secretsOf(connection), { ...commission, reversedPaise: 0n });
  await COMMISSION.insert(connection, { ...commission, accruedAt, proof });
  if (!commission.waits) return;
  const heldPaise = await readHeldCommission(connection, commission);
  await writeHeldCommission(connection, commission, heldPaise + commission.amountPaise);
}

/** The franchises among the given ones with commission that waits for somebody who may move money. */
export async function findWaiting(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  franchiseIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  const { rows } = await db.query<{ franchise_id: bigint }>({
    name: "find-waiting-commission",
    text: `select distinct franchise_id from commission
      where bucket = $1 and merchant_id = $2 and franchise_id = any ($3) and waits and reversed_paise < amount_paise`,
    values: [bucket, merchantId, franchiseIds],
  });
  return new Set(rows.map((row) => row.franchise_id));
}

/**
 * Releases all of a franchise's waiting commission, and returns whether there was any. The caller has locked the merchant's
 * book.
 * @throws NodalError `access_denied` where SQL has changed any of it
 */
export async function clearWaiting(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
): Promise<boolean> {
  const key = { bucket, merchantId, franchiseId };
  const waiting = await COMMISSION.select(connection, {
    name: "list-waiting-commission",
    text: `select * from commission
      where bucket = $1 and merchant_id = $2 and franchise_id = $3 and waits`,
    values: [bucket, merchantId, franchiseId],
  });
  const heldPaise = await readHeldCommission(connection, key);
  if (waiting.length === 0 && heldPaise === 0n) return false;
  const secrets = await secretsOf(connection);
  const released = waiting.map((commission) => {
    requireProved(secrets, commission);
    const changed = { ...commission, waits: false };
    return { ...changed, proof: COMMISSION_PROOF.of(secrets, changed) };
  });
  if (released.length > 0) await COMMISSION.updateAll(connection, released);
  await writeHeldCommission(connection, key, 0n);
  return true;
}

/** The rest of the commission that a settlement earned; 0 if all of it was reversed. */
export type RemainingCommission = { readonly settlementId: bigint; readonly remainingPaise: bigint };

/** All commission that was ever earned on an invoice, latest first. */
export async function listCommission(
  db: Queryable,
  merchant: MerchantKey,
  invoiceId: bigint,
): Promise<RemainingCommission[]> {
  return (await listStored(db, merchant, invoiceId)).map(toRemaining);
}

/**
 * The same for a caller that changes it and has locked the merchant's book.
 * @throws NodalError `access_denied` where SQL has changed any of it
 */
export async function listProvedCommission(
  connection: Connection,
  merchant: MerchantKey,
  invoiceId: bigint,
): Promise<RemainingCommission[]> {
  const stored = await listStored(connection, merchant, invoiceId);
  const secrets = await secretsOf(connection);
  for (const commission of stored) requireProved(secrets, commission);
  return stored.map(toRemaining);
}

async function listStored(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoiceId: bigint,
): Promise<StoredCommission[]> {
  const text = `select * from commission
    where bucket = $1 and merchant_id = $2 and invoice_id = $3
    order by settlement_id desc`;
  return COMMISSION.select(db, text, [bucket, merchantId, invoiceId]);
}

function toRemaining({ settlementId, amountPaise, reversedPaise }: StoredCommission): RemainingCommission {
  return { settlementId, remainingPaise: amountPaise - reversedPaise };
}

/**
 * The rate that an invoice keeps of its franchise; `null` where it has none, or that of an earlier franchise.
 * @throws NodalError `access_denied` where SQL has changed it
 */
export async function findRate(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  invoiceId: bigint,
): Promise<CommissionRate | null> {
  const rate = await RATES.find(db, { bucket, merchantId, invoiceId });
  if (rate && !RATE_PROOF.fits(await secretsOf(db), rate, rate.proof)) {
    throw changedWithSql(`The commission rate of invoice ${invoiceId}`);
  }
  return rate?.franchiseId === franchiseId ? toRate(rate) : null;
}

function toRate({ commissionType, commissionHundredths }: CommissionRate): CommissionRate {
  return { commissionType, commissionHundredths };
}

/** Stores the franchise's rate that an invoice keeps from now on. The caller has locked the merchant's book. */
export async function keepRate(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  invoiceId: bigint,
  { commissionType, commissionHundredths }: CommissionRate,
): Promise<void> {
  const rate = { bucket, merchantId, franchiseId, invoiceId, commissionType, commissionHundredths };
  const instead = `on conflict (bucket, merchant_id, invoice_id) do update set ${RATES.assignmentsFrom("excluded")}`;
  await RATES.insert(connection, { ...rate, proof: RATE_PROOF.of(await secretsOf(connection), rate) }, instead);
}

/** Commission as a franchise sees it: its source, its rate, and the reversed part. */
export type EarnedCommission = Omit<StoredCommission, "proof"> & {
  /** `null` where the invoice is another franchise's by now. */
  readonly rate: CommissionRate | null;
};

/** A franchise's commission, latest first, before the given settlement. */
export async function pageCommission(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  after: bigint | null,
  limit: number,
): Promise<EarnedCommission[]> {
  const { rows } = await db.query<Row>({
    name: "page-commission",
    text: `select commission.*, commission_type, commission_hundredths
      from commission
      left join lateral (
        select commission_type, commission_hundredths from commission_rate rate
        where rate.bucket = $1 and rate.merchant_id = $2 and rate.invoice_id = commission.invoice_id
          and rate.franchise_id = commission.franchise_id
        limit 1
      ) as rate on true
      where bucket = $1 and merchant_id = $2 and franchise_id = $3 and settlement_id < coalesce($4, 9223372036854775807)
      order by settlement_id desc
      limit $5`,
    values: [bucket, merchantId, franchiseId, after, limit],
  });
  return rows.map((row) => {
    const commission = COMMISSION.read(row);
    const rate = toRate(RATES.read(row));
    const waits = commission.waits && commission.reversedPaise < commission.amountPaise;
    return { ...commission, waits, rate: rate.commissionType === null ? null : rate };
  });
}

/**
 * Adds to the reversed part of a settlement's commission. The caller has locked the merchant's book.
 * @throws NodalError `access_denied` where SQL has changed it
 */
export async function addReversed(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  settlementId: bigint,
  amountPaise: bigint,
): Promise<void> {
  const commission = (await COMMISSION.find(connection, { bucket, merchantId, settlementId }))!;
  const secrets = await secretsOf(connection);
  requireProved(secrets, commission);
  const reversedPaise = commission.reversedPaise + amountPaise;
  const proof = COMMISSION_PROOF.of(secrets, { ...commission, reversedPaise });
  await COMMISSION.update(connection, { bucket, merchantId, settlementId, reversedPaise, proof });
  if (!commission.waits) return;
  const heldPaise = await readHeldCommission(connection, commission);
  await writeHeldCommission(connection, commission, heldPaise - amountPaise);
}

/** A page of commission in key order, of one merchant or of all, and whether each has the server's proof. */
export async function listProofs(
  db: Queryable,
  scope: MerchantKey | null,
  after: CommissionKey | null,
  limit: number,
): Promise<(CommissionKey & { readonly isProved: boolean })[]> {
  const rows = await COMMISSION.select(
    db,
    `select * from commission
     where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
       and (bucket, merchant_id, settlement_id) > ($3::smallint, $4::bigint, $5::bigint)
     order by bucket, merchant_id, settlement_id limit $6`,
    [
      scope?.bucket ?? null,
      scope?.merchantId ?? null,
      after?.bucket ?? -1,
      after?.merchantId ?? 0n,
      after?.settlementId ?? 0n,
      limit,
    ],
  );
  const secrets = await secretsOf(db);
  return rows.map((row) => ({ ...row, isProved: COMMISSION_PROOF.fits(secrets, row, row.proof) }));
}

/** How commission was paid. Texts that were not given are empty. */
export type CommissionPaymentDetails = {
  readonly amountPaise: bigint;
  readonly paidDate: Temporal.PlainDate;
  readonly mode: string;
  readonly bankRefNo: string;
  readonly note: string;
};

export type CommissionPayment = FranchiseKey &
  CommissionPaymentDetails & {
    readonly paymentId: bigint;
    readonly reversedAt: Temporal.Instant | null;
    /** Why it was reversed; `null` if it was not. */
    readonly reversalReason: string | null;
  };

type PaymentKey = MerchantKey & { readonly paymentId: bigint };

type StoredPayment = CommissionPayment & { readonly recordedAt: Temporal.Instant };

const PAYMENTS = table<StoredPayment, PaymentKey>("commission_payment", ["bucket", "merchantId", "paymentId"], {
  bucket: "smallint",
  merchantId: "bigint",
  paymentId: "bigint",
  franchiseId: "bigint",
  amountPaise: "bigint",
  paidDate: "date",
  mode: "text",
  bankRefNo: "text",
  note: "text",
  recordedAt: "timestamptz",
  reversedAt: "timestamptz",
  reversalReason: "text",
});

/** Records a payment. The caller has locked the merchant's book. */
export async function insertCommissionPayment(
  connection: Connection,
  now: Temporal.Instant,
  payment: CommissionPayment,
): Promise<void> {
  await PAYMENTS.insert(connection, { ...payment, recordedAt: now });
}

/** Finds a merchant's payment of commission. */
export function findCommissionPayment(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  paymentId: bigint,
): Promise<CommissionPayment | null> {
  return PAYMENTS.find(db, { bucket, merchantId, paymentId });
}

/** The last payments of commission to a franchise by other means, the reversed ones too, latest first. */
export async function listCommissionPayments(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  limit: number,
): Promise<CommissionPayment[]> {
  return PAYMENTS.select(db, {
    name: "list-commission-payments",
    text: `select * from commission_payment
      where bucket = $1 and merchant_id = $2 and franchise_id = $3
      order by payment_id desc
      limit $4`,
    values: [bucket, merchantId, franchiseId, limit],
  });
}

/** Marks a payment as reversed. The caller has locked the merchant's book. */
export async function markCommissionPaymentReversed(
  connection: Connection,
  { bucket, merchantId, paymentId }: CommissionPayment,
  now: Temporal.Instant,
  reason: string,
): Promise<void> {
  await PAYMENTS.update(connection, { bucket, merchantId, paymentId, reversedAt: now, reversalReason: reason });
}
