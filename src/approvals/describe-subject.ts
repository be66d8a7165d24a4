// What an approval is about, for whoever has to decide it: the payout or the batch of them, the payee, or the franchise.
// What belongs here: the shape. Changes that the approval itself holds are described with it.
import { findFranchise } from "../franchises/index.ts";
import type { Approval } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatPaise } from "../platform/money.ts";
import { findBatch, findBeneficiaries, findTransfer, wireStatus, type Transfer } from "../payouts/index.ts";

/** The payout, batch, payee or franchise of an approval, its account as `show` writes it; nothing for other kinds. */
export async function describeSubject(
  db: Queryable,
  { bucket, merchantId, kind, subjectId }: Approval,
  show: (text: string) => string,
): Promise<Record<string, string>> {
  switch (kind) {
    case "transfer":
    case "withdrawal":
    case "commission":
    case "transfer_resolution": {
      const transfer = (await findTransfer(db, { bucket, merchantId, transferId: subjectId }))!;
      return {
        amount: formatPaise(transfer.amountPaise),
        reference_id: transfer.referenceId ?? "",
        narrative: transfer.narrative,
        ...describePayee(transfer.payee, show),
        transfer_status: wireStatus(transfer.state),
      };
    }
    case "beneficiary":
    case "franchise_account": {
      const [beneficiary] = await findBeneficiaries(db, [{ bucket, merchantId, beneficiaryId: subjectId }]);
      return describePayee(beneficiary!, show);
    }
    case "franchise_account_change": {
      const franchise = (await findFranchise(db, { bucket, merchantId, franchiseId: subjectId }))!;
      return { franchise_code: franchise.code, franchise_name: franchise.name };
    }
    case "payout_batch": {
      const batch = (await findBatch(db, { bucket, merchantId, batchId: subjectId }))!;
      return { batch_name: batch.name, payouts: String(batch.lineCount), amount: formatPaise(batch.totalPaise) };
    }
    case "bank_account":
    case "policy":
      return {};
  }
}

function describePayee({ name, accountNumber, ifsc, upi }: Transfer["payee"], show: (text: string) => string) {
  return { payee_name: name, account_number: show(accountNumber ?? ""), ifsc: ifsc ?? "", upi: show(upi ?? "") };
}
