// What pages show of records: who may see account numbers sees them, everybody else their ends.
// What belongs here: shapes that several routes share.
import type { Session } from "../merchants/index.ts";
import { listedStatus, reasonOf, type Beneficiary, type Transfer } from "../payouts/index.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";

/** How an account number or handle is shown to somebody. Lists mask always, so that nobody shows all by accident. */
export function showTo({ permissions }: Session): (text: string) => string {
  return permissions.has("personal_data.reveal") ? (text) => text : mask;
}

/** A payout, as lists and its own page show it. */
export function describeTransfer(transfer: Transfer, timeZone: string, show: (text: string) => string = mask) {
  const { payee } = transfer;
  return {
    transfer_id: String(transfer.transferId),
    kind: transfer.kind,
    reference_id: transfer.referenceId ?? "",
    beneficiary_id: transfer.beneficiaryId === null ? null : String(transfer.beneficiaryId),
    payee_name: payee.name,
    account_number: show(payee.accountNumber ?? ""),
    ifsc: payee.ifsc ?? "",
    upi: show(payee.upi ?? ""),
    mode: transfer.mode,
    amount: formatPaise(transfer.amountPaise),
    narrative: transfer.narrative,
    status: listedStatus(transfer.state),
    utr: transfer.utr ?? "",
    reason: reasonOf(transfer) ?? "",
    acknowledged: transfer.acknowledged,
    added_at: formatTimestamp(transfer.addedAt, timeZone),
    processed_at: transfer.processedAt && formatTimestamp(transfer.processedAt, timeZone),
  };
}

/** A beneficiary, as lists and its own page show it. */
export function describeBeneficiary(each: Beneficiary, timeZone: string, show: (text: string) => string = mask) {
  return {
    beneficiary_id: String(each.beneficiaryId),
    name: each.name,
    email_id: each.emailId,
    mobile: each.mobile,
    account_number: show(each.accountNumber ?? ""),
    ifsc: each.ifsc ?? "",
    upi: show(each.upi ?? ""),
    address: [each.address, each.city, each.state, each.zipcode].filter((part) => part !== "").join(", "),
    approval: each.approval,
    created_at: formatTimestamp(each.createdAt, timeZone),
  };
}
