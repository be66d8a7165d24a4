// What an approval is about, for whoever has to decide it: the payout, the payee, or the franchise.
// What belongs here: the shape. Changes that the approval itself holds are described with it.
import { findFranchise } from "../../franchises/index.ts";
import type { Approval } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { formatPaise } from "../../platform/money.ts";
import { payeeOf } from "../beneficiary.ts";
import { findBeneficiaries } from "../beneficiary-store.ts";
import type { Payee } from "../rails/rail.ts";
import { findTransfer } from "../transfer-store.ts";
import { wireStatus } from "../transfer.ts";

/** The payout, payee or franchise of an approval, its account as `show` writes it; nothing for other kinds. */
export async function describeSubject(
  db: Queryable,
  { bucket, merchantId, kind, subjectId }: Approval,
  show: (text: string) => string,
): Promise<Record<string, string>> {
  switch (kind) {
    case "transfer":
    case "withdrawal":
    case "commission": {
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
      return describePayee(payeeOf(beneficiary!), show);
    }
    case "franchise_account_change": {
      const franchise = (await findFranchise(db, { bucket, merchantId, franchiseId: subjectId }))!;
      return { franchise_code: franchise.code, franchise_name: franchise.name };
    }
    case "bank_account":
    case "policy":
      return {};
  }
}

function describePayee({ name, accountNumber, ifsc, upi }: Payee, show: (text: string) => string) {
  return { payee_name: name, account_number: show(accountNumber ?? ""), ifsc: ifsc ?? "", upi: show(upi ?? "") };
}
