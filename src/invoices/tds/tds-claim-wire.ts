// TDS claims in the API and the command line.
import type { Merchant } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { formatPaise } from "../../platform/money.ts";
import { formatInstant } from "../../platform/time.ts";
import { formatInvoiceId } from "../invoice.ts";
import { findClaim } from "./tds-claim-store.ts";
import { quarterOf, statusOfClaim, tdsClaimNotFound, type TdsClaim } from "./tds-claim.ts";

/** One claim. @throws NodalError `tds_claim_not_found` */
export async function describeClaim(db: Queryable, merchant: Merchant, claimId: bigint) {
  const claim = await findClaim(db, merchant, claimId);
  if (!claim) throw tdsClaimNotFound();
  return toTdsClaim(claim, merchant);
}

/** Empty where it was deducted from a receipt. */
const invoiceName = ({ invoiceId }: TdsClaim): string => (invoiceId === 0n ? "" : formatInvoiceId(invoiceId));

/** A claim. Amounts are in rupees. */
export function toTdsClaim(claim: TdsClaim, merchant: Merchant) {
  return {
    claim_id: String(claim.claimId),
    quarter: quarterOf(claim.paidDate),
    status: statusOfClaim(claim),
    customer_id: String(claim.customerId),
    customer_code: claim.customerCode,
    customer_name: claim.customerName,
    date: claim.paidDate.toString(),
    invoice_id: invoiceName(claim),
    receipt_id: claim.invoiceId === 0n ? String(claim.claimId) : "",
    document_number: claim.documentNumber,
    amount: formatPaise(claim.moneyPaise),
    tds_amount: formatPaise(claim.tdsPaise),
    tds_code: claim.tdsCode,
    certificate_number: claim.certificateNumber,
    put_back_at: claim.putBackAt === null ? "" : formatInstant(claim.putBackAt, merchant.timeZone),
    put_back_reason: claim.putBackReason ?? "",
  };
}
