// SQL that reads the facts for a batch of payouts. The books are held, so the facts stay true until batch-draft.ts has
// decided.
import { isProvedPayerRow, PAYER_COLUMNS, type PayerRow } from "../../ledger/index.ts";
import {
  isInForce,
  isProvedPolicy,
  type FeePayer,
  type MerchantKey,
  type PayoutPolicy,
} from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { pinTo } from "../../platform/database/citus/index.ts";
import { secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import { isProved, PROVED_COLUMNS, type ProvedRow } from "../beneficiaries/beneficiary-proof.ts";
import { isBookedAs, joinBooked, type BookedRow } from "../booked-store.ts";
import {
  isGenuine,
  isProvedInstruction,
  joinSteps,
  PROOF_COLUMNS,
  proveInstruction,
  type ProofRow,
} from "../instruction-proof.ts";
import { instructionOf } from "../transfer-row.ts";
import { bookedFeeOf, joinBookedFee, type BookedFee, type BookedFeeRow } from "../fees/fee-store.ts";
import type { RequestedTransfer, Report } from "../transfer-store.ts";
import type { TransferKind, TransferState } from "../transfer.ts";

/** The facts about a merchant that payouts depend on. */
export type PayerFacts = {
  /** `changed` if the merchant or its policy was changed with SQL: its payouts are then blocked. */
  readonly status: string;
  readonly live: boolean;
  /** `null` if the merchant was changed with SQL. */
  readonly feesPaidBy: FeePayer | null;
  readonly timeZone: string;
  readonly clockDate: Temporal.PlainDate | null;
  /** `null` if no rule is on. */
  readonly policy: PayoutPolicy | null;
};

type PolicyRow = {
  readonly approve_over_paise: bigint | null;
  readonly approve_payees: boolean;
  readonly verified_payees_only: boolean;
  readonly cooling_off_minutes: number | null;
  readonly transfer_limit_paise: bigint | null;
  readonly daily_limit_paise: bigint | null;
  readonly approval_expires_hours: number;
  readonly policy_proof: Buffer | null;
};

/** The merchants of a batch, in order. */
export async function readPayers(db: Queryable, merchants: readonly MerchantKey[]): Promise<PayerFacts[]> {
  const pin = pinTo(db, merchants);
  const { rows } = await db.query<PayerRow & { fees_paid_by: FeePayer } & PolicyRow>({
    name: pin.name("read-payers"),
    text: `select
        ${PAYER_COLUMNS}, approve_over_paise, approve_payees, verified_payees_only, cooling_off_minutes,
        transfer_limit_paise, daily_limit_paise, approval_expires_hours, policy.proof as policy_proof
      from unnest($1::smallint[], $2::bigint[]) with ordinality as wanted (bucket, merchant_id, place)
      join merchant using (bucket, merchant_id)
      left join payout_policy policy
        on policy.bucket = merchant.bucket and policy.merchant_id = merchant.merchant_id${pin.of("policy")}
      where true${pin.of("merchant")}
      order by wanted.place`,
    values: keyColumns(merchants),
  });
  const secrets = await secretsOf(db);
  return rows.map((row) => {
    const policy = {
      approveOverPaise: row.approve_over_paise,
      approvePayees: row.approve_payees,
      verifiedPayeesOnly: row.verified_payees_only,
      coolingOffMinutes: row.cooling_off_minutes,
      transferLimitPaise: row.transfer_limit_paise,
      dailyLimitPaise: row.daily_limit_paise,
      approvalExpiresHours: row.approval_expires_hours,
    };
    const key = { bucket: row.bucket, merchantId: row.merchant_id };
    const isMerchantProved = isProvedPayerRow(secrets, row);
    const isPolicyProved = isProvedPolicy(secrets, { ...key, ...policy }, row.policy_proof);
    return {
      status: isMerchantProved && isPolicyProved ? row.status : "changed",
      live: row.live,
      feesPaidBy: isMerchantProved ? row.fees_paid_by : null,
      timeZone: row.time_zone,
      clockDate: row.clock_date,
      policy: isInForce(policy) ? policy : null,
    };
  });
}

/** Those of these beneficiaries whose bank accounts may be paid under `verifiedPayeesOnly`: docs/approvals.md#the-policy */
export async function readVerifiedPayees(
  db: Queryable,
  payees: readonly (MerchantKey & { readonly beneficiaryId: bigint })[],
): Promise<Set<bigint>> {
  const pin = pinTo(db, payees);
  const secrets = await secretsOf(db);
  const { rows } = await db.query<ProvedRow>({
    name: pin.name("read-verified-payees"),
    text: `select ${PROVED_COLUMNS}
      from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (bucket, merchant_id, beneficiary_id)
      join beneficiary using (bucket, merchant_id, beneficiary_id)
      where verification in ('verified', 'accepted')${pin.of("beneficiary")}`,
    values: [...keyColumns(payees), payees.map(({ beneficiaryId }) => beneficiaryId)],
  });
  return new Set(rows.filter((row) => isProved(secrets, row)).map(({ beneficiary_id: id }) => id));
}

/** The totals that count towards daily limits, in paise, in the given order. */
export async function readCountedDays(
  db: Queryable,
  days: readonly { readonly bucket: number; readonly merchantId: bigint; readonly day: Temporal.PlainDate }[],
): Promise<bigint[]> {
  const pin = pinTo(db, days);
  const { rows } = await db.query<{ counted: bigint }>({
    name: pin.name("read-counted-days"),
    text: `select coalesce(payout_day.counted_paise, 0) as counted
      from unnest($1::smallint[], $2::bigint[], $3::date[]) with ordinality as wanted (bucket, merchant_id, day, place)
      left join payout_day
        on payout_day.bucket = wanted.bucket and payout_day.merchant_id = wanted.merchant_id
        and payout_day.day = wanted.day${pin.of("payout_day")}
      order by wanted.place`,
    values: [
      days.map(({ bucket }) => bucket),
      days.map(({ merchantId }) => merchantId),
      days.map(({ day }) => day.toString()),
    ],
  });
  return rows.map(({ counted }) => counted);
}

/**
 * SQL: whether a line for a later day keeps its reference without a transfer, because it waits or was cancelled. The index
 * `payout_batch_line_kept` has the same condition. Never join by the merchant's index, which reads all of the merchant's lines.
 * docs/rules/payouts.md#later-days
 */
export const KEEPS_REFERENCE = "line.scheduled_for is not null and line.state in ('waiting', 'cancelled')";

/** What already exists for a request. */
export type Earlier = {
  /** The place of the request in the batch, from 0. */
  readonly place: number;
  /** The earlier request with the same Idempotency-Key; `isSame` says whether it was the same request, and so a transfer. */
  readonly replayed: { readonly transferId: bigint | null; readonly isSame: boolean } | null;
  /** The transfer with the same reference, or with the same id if there is no reference. */
  readonly existingId: bigint | null;
  /** Whether its reference belongs to a payout that was cancelled or is scheduled for a later day. */
  readonly isKept: boolean;
  /** Whether the request itself waits, or waited, for approval: it was committed before the connection broke. */
  readonly isAwaited: boolean;
};

/** Finds what already exists for the requests of a batch, usually nothing. `slots` are the merchants' places, from 1. */
export async function findEarlier(
  db: Queryable,
  merchants: readonly MerchantKey[],
  slots: readonly number[],
  transfers: readonly RequestedTransfer[],
): Promise<Earlier[]> {
  const pin = pinTo(db, merchants);
  const { rows } = await db.query<{
    place: bigint;
    replayed_id: bigint | null;
    is_same: boolean | null;
    existing_id: bigint | null;
    is_kept: boolean;
    is_awaited: boolean;
  }>({
    name: pin.name("find-earlier-payouts"),
    // The planner must not see the merchant's id in the look-up by reference: it might choose the primary key's index and
    // read all of the merchant's transfers.
    text: `select
        item.place, known.subject_id as replayed_id, known.request_hash = item.request_hash as is_same,
        coalesce(same_reference.transfer_id, same_id.transfer_id) as existing_id, kept.transfer_id is not null as is_kept,
        exists (
          select from approval
          where approval.bucket = ($1::smallint[])[item.slot] and approval.merchant_id = ($2::bigint[])[item.slot]
            and approval.approval_id = item.transfer_id${pin.of("approval")}) as is_awaited
      from unnest($3::integer[], $4::bigint[], $5::text[], $6::text[], $7::bytea[]) with ordinality
        as item (slot, transfer_id, reference_id, idempotency_key, request_hash, place)
      left join transfer same_reference
        on same_reference.bucket = ($1::smallint[])[item.slot]
        and same_reference.merchant_id + 0 = ($2::bigint[])[item.slot]
        and same_reference.reference_id = item.reference_id${pin.of("same_reference")}
      left join transfer same_id
        on same_id.bucket = ($1::smallint[])[item.slot] and same_id.merchant_id = ($2::bigint[])[item.slot]
        and same_id.transfer_id = case when item.reference_id is null then item.transfer_id end${pin.of("same_id")}
      left join lateral (
        select line.transfer_id from payout_batch_line line
        where line.bucket = ($1::smallint[])[item.slot] and line.merchant_id + 0 = ($2::bigint[])[item.slot]
          and line.reference_id = item.reference_id and ${KEEPS_REFERENCE}${pin.of("line")}
        limit 1) kept on true
      left join idempotency_key known
        on known.bucket = ($1::smallint[])[item.slot] and known.merchant_id = ($2::bigint[])[item.slot]
        and known.idempotency_key = item.idempotency_key${pin.of("known")}
      where same_reference.transfer_id is not null or same_id.transfer_id is not null or kept.transfer_id is not null
        or known.idempotency_key is not null`,
    values: [
      ...keyColumns(merchants),
      slots,
      transfers.map(({ transferId }) => transferId),
      transfers.map(({ referenceId }) => referenceId),
      transfers.map(({ idempotency }) => idempotency?.key ?? null),
      transfers.map(({ idempotency }) => idempotency?.requestHash ?? null),
    ],
  });
  return rows.map((row) => ({
    place: Number(row.place) - 1,
    replayed: row.is_same === null ? null : { transferId: row.replayed_id, isSame: row.is_same },
    existingId: row.existing_id,
    isKept: row.is_kept,
    isAwaited: row.is_awaited,
  }));
}

/** The parts of a transfer that a report on it needs. */
export type ReportedTransfer = {
  readonly transferId: bigint;
  readonly kind: TransferKind;
  readonly franchiseId: bigint | null;
  /** The reserved amount, so that a changed row moves no other amount. */
  readonly amountPaise: bigint;
  readonly state: TransferState;
  /** Whether its postings match its state, kind and franchise; if not, its row was changed with SQL. */
  readonly isSound: boolean;
  readonly utr: string | null;
  readonly reason: string | null;
  /** The day whose limit it counts towards. */
  readonly countedOn: Temporal.PlainDate | null;
  /** The claim that it is under; a claimed transfer is not in the queue. */
  readonly claimId: bigint | null;
  /** Whether it was resolved by hand. */
  readonly isResolved: boolean;
  /** The provider's fee as booked; `null` for none. */
  readonly fee: BookedFee | null;
  /** Its proof once it may have been sent; `null` if it may have been sent already, or was changed with SQL. */
  readonly sentProof: Buffer | null;
};

/** The transfers of reports, by id. Those that the merchant does not have are left out. */
export async function findReported(
  db: Queryable,
  merchants: readonly MerchantKey[],
  slots: readonly number[],
  reports: readonly Report[],
): Promise<Map<bigint, ReportedTransfer>> {
  const pin = pinTo(db, merchants);
  const { rows } = await db.query<
    BookedFeeRow &
      BookedRow &
      ProofRow & {
        state: TransferState;
        utr: string | null;
        reason: string | null;
        counted_on: Temporal.PlainDate | null;
        claim_id: bigint | null;
        is_resolved: boolean;
      }
  >({
    name: pin.name("find-reported-transfers"),
    text: `select ${PROOF_COLUMNS}, state, utr, reason, counted_on, claim_id,
        resolved_as is not null as is_resolved, booked_fee.*, booked.*
      from unnest($3::integer[], $4::bigint[]) as report (slot, id)
      join transfer
        on transfer.bucket = ($1::smallint[])[report.slot] and transfer.merchant_id = ($2::bigint[])[report.slot]
        and transfer.transfer_id = report.id${pin.of("transfer")}
      ${joinBookedFee(pin)}
      ${joinBooked(pin)}
      ${joinSteps(pin)}`,
    values: [...keyColumns(merchants), slots, reports.map(({ transferId }) => transferId)],
  });
  const secrets = rows.length > 0 ? await secretsOf(db) : null;
  return new Map(
    rows.map((row) => [
      row.transfer_id,
      {
        transferId: row.transfer_id,
        kind: row.kind,
        franchiseId: row.franchise_id,
        amountPaise: row.reserved_paise ?? row.amount_paise,
        state: row.state,
        isSound: isBookedAs(row.state, row.kind, row) && paysItsFranchise(secrets!, row),
        utr: row.utr,
        reason: row.reason,
        countedOn: row.counted_on,
        claimId: row.claim_id,
        isResolved: row.is_resolved,
        fee: bookedFeeOf(row),
        sentProof: row.state === "RESERVED" ? proveSent(secrets!, row) : null,
      },
    ]),
  );
}

function proveSent(secrets: Secrets, row: ProofRow): Buffer | null {
  if (!isProvedInstruction(secrets, row, "unsent")) return null;
  return proveInstruction(secrets, instructionOf(row), "sent", row.steps + 1);
}

/** Whether a payout of commission names the franchise that it was accepted for. */
function paysItsFranchise(secrets: Secrets, row: ProofRow & BookedRow): boolean {
  if (row.kind !== "commission") return true;
  return isGenuine(secrets, { ...row, amount_paise: row.reserved_paise ?? row.amount_paise });
}

function keyColumns(merchants: readonly MerchantKey[]): [number[], bigint[]] {
  return [merchants.map(({ bucket }) => bucket), merchants.map(({ merchantId }) => merchantId)];
}
