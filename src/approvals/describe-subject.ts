// The subject of an approval, for its approvers: the payout, batch, payee or franchise. Changes that are part of the approval
// itself are described with it.
import { findFranchise, type Franchise } from "../franchises/index.ts";
import type { Approval } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import {
  findBatch,
  findBeneficiaries,
  findTransfer,
  wireStatus,
  type PayoutBatch,
  type Transfer,
} from "../payouts/index.ts";

type Payee = Transfer["payee"];

/** One of these, or none if the approval itself says everything. */
type Subject = {
  readonly transfer?: Transfer;
  readonly payee?: Payee;
  readonly franchise?: Franchise;
  readonly batch?: PayoutBatch;
};

/** The payout, batch, payee or franchise of an approval, its account as `show` writes it; nothing for other kinds. */
export async function describeSubject(
  db: Queryable,
  approval: Approval,
  show: (text: string) => string,
): Promise<Record<string, string>> {
  const { transfer, payee, franchise, batch } = await findSubject(db, approval);
  if (transfer) {
    return {
      amount: formatPaise(transfer.amountPaise),
      reference_id: transfer.referenceId ?? "",
      narrative: transfer.narrative,
      ...describePayee(transfer.payee, show),
      transfer_status: wireStatus(transfer.state),
    };
  }
  if (payee) return describePayee(payee, show);
  if (franchise) return { franchise_code: franchise.code, franchise_name: franchise.name };
  if (!batch) return {};
  return { batch_name: batch.name, payouts: String(batch.lineCount), amount: formatPaise(batch.totalPaise) };
}

/** The subject in a line: the payee or thing, masked, or ""; and the amount to be paid, or `null`. */
export type SubjectInBrief = { readonly what: string; readonly amountPaise: bigint | null };

/** Reads the subject of an approval for a mail or a list, with only the end of an account. */
export async function readSubjectInBrief(db: Queryable, approval: Approval): Promise<SubjectInBrief> {
  const { transfer, payee, franchise, batch } = await findSubject(db, approval);
  if (transfer) return { what: payeeInBrief(transfer.payee), amountPaise: transfer.amountPaise };
  if (batch) return { what: `${batch.name}, ${batch.lineCount} payouts`, amountPaise: batch.totalPaise };
  const account = mask(approval.bankAccount?.accountNumber ?? "");
  const named = payee ? payeeInBrief(payee) : (franchise?.name ?? "");
  return { what: [named, account].filter((part) => part !== "").join(", "), amountPaise: null };
}

async function findSubject(db: Queryable, { bucket, merchantId, kind, subjectId }: Approval): Promise<Subject> {
  switch (kind) {
    case "transfer":
    case "withdrawal":
    case "commission":
    case "transfer_resolution":
      return { transfer: (await findTransfer(db, { bucket, merchantId, transferId: subjectId }))! };
    case "beneficiary":
    case "franchise_account":
      return { payee: (await findBeneficiaries(db, [{ bucket, merchantId, beneficiaryId: subjectId }]))[0]! };
    case "franchise_account_change":
      return { franchise: (await findFranchise(db, { bucket, merchantId, franchiseId: subjectId }))! };
    case "payout_batch":
      return { batch: (await findBatch(db, { bucket, merchantId, batchId: subjectId }))! };
    case "bank_account":
    case "policy":
    case "funding":
      return {};
  }
}

function describePayee({ name, accountNumber, ifsc, upi }: Payee, show: (text: string) => string) {
  return { payee_name: name, account_number: show(accountNumber ?? ""), ifsc: ifsc ?? "", upi: show(upi ?? "") };
}

function payeeInBrief({ name, accountNumber, upi }: Payee): string {
  return `${name}, ${mask(accountNumber ?? upi ?? "")}`;
}
