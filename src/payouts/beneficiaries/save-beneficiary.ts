// Use cases: save a beneficiary; save a franchise's account, or the account of a refund, as one.
// docs/rules/payouts.md#beneficiaries
import { auditValues, recordEvents } from "../../ledger/index.ts";
import {
  findPolicy,
  requestApproval,
  runIdempotently,
  type Context,
  type MerchantKey,
  type TransactionContext,
} from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import {
  contactRecord,
  UNVERIFIED,
  type Beneficiary,
  type BeneficiaryContact,
  type BeneficiaryDetails,
} from "./beneficiary.ts";
import { findSameAccount, insertBeneficiaries } from "./beneficiary-store.ts";
import type { Payee } from "../rails/rail.ts";

/**
 * Saves a beneficiary and returns its id, and whether it waits for a second person.
 * @throws NodalError `beneficiary_exists`, with the `beneficiary_id` of the one that has this account or handle
 */
export async function saveBeneficiary(
  { pool, ids, merchant, idempotency }: Context,
  details: BeneficiaryDetails,
): Promise<{ answer: { beneficiaryId: string; isPending?: true }; replayed: boolean }> {
  const beneficiary = newBeneficiary(merchant, { ...details, beneficiaryId: await ids.next(), type: "Vendor" });
  return runIdempotently(pool, beneficiary, idempotency, async (connection) => {
    const { beneficiaryId, isNew, isPending } = await keepBeneficiary(connection, beneficiary);
    if (isNew) return { beneficiaryId: String(beneficiaryId), ...(isPending ? { isPending } : {}) };
    throw new NodalError("beneficiary_exists", "You've already added this account or UPI ID. Use its beneficiary_id.", {
      details: { beneficiary_id: String(beneficiaryId) },
    });
  });
}

export type NewBeneficiary = BeneficiaryDetails & Pick<Beneficiary, "beneficiaryId">;

/** Saves the beneficiaries of a file, whose accounts and handles are all different. Existing ones are not saved again. */
export function saveBeneficiaries(
  { connection, merchant }: Pick<TransactionContext, "connection" | "merchant">,
  beneficiaries: readonly NewBeneficiary[],
): Promise<KeptBeneficiary[]> {
  const drafted = beneficiaries.map((details) => newBeneficiary(merchant, { ...details, type: "Vendor" }));
  return keepBeneficiaries(connection, merchant, drafted);
}

/** A payee that is given with a payout of a batch. */
export type BatchPayee = Payee & { readonly beneficiaryId: bigint };

/** Saves the payee of a batch's line as a beneficiary, or returns the existing one with this account or handle. */
export function saveBatchPayee(
  { connection, merchant }: Pick<TransactionContext, "connection" | "merchant">,
  payee: BatchPayee,
): Promise<KeptBeneficiary> {
  return keepBeneficiary(connection, newBeneficiary(merchant, { ...contactRecord.blank, ...payee, type: "Vendor" }));
}

/** A franchise's bank account, to be saved under the given id unless the merchant has a beneficiary with it already. */
export type SaveFranchiseAccount = {
  readonly beneficiaryId: bigint;
  readonly name: string;
  /** Only the members of a beneficiary are saved. */
  readonly contact: Partial<BeneficiaryContact>;
  readonly accountNumber: string;
  readonly ifsc: string;
  /** Whether it needs no further approval by a second person. */
  readonly isApproved: boolean;
};

/** Returns the id of the beneficiary that has the account: docs/rules/franchises.md#franchise-account. */
export async function saveFranchiseAccount(
  { connection, merchant }: Pick<TransactionContext, "connection" | "merchant">,
  { contact, isApproved, ...account }: SaveFranchiseAccount,
): Promise<bigint> {
  const beneficiary = newBeneficiary(merchant, {
    ...contactRecord.pick(contact),
    ...account,
    upi: null,
    type: "Franchise",
  });
  return (await keepBeneficiary(connection, beneficiary, isApproved)).beneficiaryId;
}

/** The account that a customer is refunded to, with the customer's contact details. */
export type RefundPayee = Payee & { readonly emailId: string; readonly mobile: string };

/** Returns the id of the merchant's beneficiary that has the account or handle: a new one, or one saved before. */
export async function saveRefundPayee(
  { connection, ids, merchant }: TransactionContext,
  payee: RefundPayee,
): Promise<bigint> {
  const details = { ...contactRecord.blank, ...payee, beneficiaryId: await ids.next(), type: "Customer" };
  return (await keepBeneficiary(connection, newBeneficiary(merchant, details))).beneficiaryId;
}

function newBeneficiary(
  { bucket, merchantId }: MerchantKey,
  details: BeneficiaryDetails & Pick<Beneficiary, "beneficiaryId" | "type">,
): Beneficiary {
  const createdAt = Temporal.Now.instant();
  return { ...details, bucket, merchantId, approval: "approved", createdAt, verification: UNVERIFIED };
}

/** The beneficiary that has an account or handle. */
export type KeptBeneficiary = {
  readonly beneficiaryId: bigint;
  readonly isNew: boolean;
  /** Whether it has to be approved before it can be paid. */
  readonly isPending: boolean;
};

/**
 * Returns the merchant's beneficiary that has the account or handle. A new one waits for approval if the merchant's policy requires it
 * and nobody has approved it yet; the merchant's book is locked from then on.
 */
export async function keepBeneficiary(
  connection: Connection,
  beneficiary: Beneficiary,
  isApproved = false,
): Promise<KeptBeneficiary> {
  return (await keepBeneficiaries(connection, beneficiary, [beneficiary], isApproved))[0]!;
}

/** The same for several beneficiaries, in order. Their accounts and handles are all different. */
async function keepBeneficiaries(
  connection: Connection,
  merchant: MerchantKey,
  beneficiaries: readonly Beneficiary[],
  isApproved = false,
): Promise<KeptBeneficiary[]> {
  const policy = await findPolicy(connection, merchant);
  const isPending = policy.approvePayees && !isApproved;
  const fresh: Beneficiary[] = [];
  const kept = new Map<bigint, KeptBeneficiary>();
  let left = beneficiaries.map((each): Beneficiary => ({ ...each, approval: isPending ? "pending" : "approved" }));
  while (left.length > 0) {
    const inserted = await insertBeneficiaries(connection, left);
    fresh.push(...left.filter(({ beneficiaryId }) => inserted.has(beneficiaryId)));
    const refused = left.filter(({ beneficiaryId }) => !inserted.has(beneficiaryId));
    left = [];
    for (const each of refused) {
      const earlier = await findSameAccount(connection, each);
      // None if it was deactivated meanwhile: the account is then free.
      if (!earlier) left.push(each);
      else {
        const isWaiting = earlier.approval === "pending";
        kept.set(each.beneficiaryId, { beneficiaryId: earlier.beneficiaryId, isNew: false, isPending: isWaiting });
      }
    }
  }
  await recordNew(connection, merchant, fresh);
  if (isPending) {
    for (const each of fresh) await requestApproval(connection, policy, approvalOf(each));
  }
  return beneficiaries.map(({ beneficiaryId }) => kept.get(beneficiaryId) ?? { beneficiaryId, isNew: true, isPending });
}

function recordNew(connection: Connection, merchant: MerchantKey, fresh: readonly Beneficiary[]): Promise<void> {
  const type = "beneficiary.created";
  const events = fresh.map((each) => ({ type, subjectId: each.beneficiaryId, after: auditValues(each) }));
  return recordEvents(connection, merchant, events);
}

function approvalOf({ bucket, merchantId, beneficiaryId, type }: Beneficiary) {
  const kind = type === "Franchise" ? ("franchise_account" as const) : ("beneficiary" as const);
  return { bucket, merchantId, approvalId: beneficiaryId, kind, subjectId: beneficiaryId };
}
