// Records as pages show them. Account numbers are masked for callers without the permission to see them.
import type { PostingOfSubject } from "../ledger/index.ts";
import { creditsGst, owedOf, type CreditNote } from "../invoices/index.ts";
import type { ApiCaller } from "../merchants/index.ts";
import {
  accountRecord,
  contactRecord,
  describeIfsc,
  findBeneficiaries,
  listedStatus,
  reasonOf,
  type Beneficiary,
  type Transfer,
} from "../payouts/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatInstant } from "../platform/time.ts";

/** Shows or masks account numbers and handles for a caller. Lists always mask, so that nobody reveals all by accident. */
export function showTo({ permissions }: ApiCaller): (text: string) => string {
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
    added_at: formatInstant(transfer.addedAt, timeZone),
    processed_at: formatInstant(transfer.processedAt, timeZone),
  };
}

/** An entry of the ledger about a payout. */
export function describePosting(posting: PostingOfSubject, timeZone: string) {
  return {
    entry_no: String(posting.entryNo),
    posted_at: formatInstant(posting.postedAt, timeZone),
    kind: posting.kind,
    debit_account: posting.debitAccount,
    credit_account: posting.creditAccount,
    amount: formatPaise(posting.amountPaise),
  };
}

/** A beneficiary, as lists and its own page show it. */
export function describeBeneficiary(each: Beneficiary, timeZone: string, show: (text: string) => string = mask) {
  return {
    beneficiary_id: String(each.beneficiaryId),
    name: each.name,
    ...contactRecord.describe(each),
    ...accountRecord.describe(each, show),
    bank: bankOf(each),
    approval: each.approval,
    verification: each.verification.state,
    verified_at: formatInstant(each.verification.at, timeZone),
    name_at_bank: each.verification.nameAtBank,
    bank_branch: each.verification.branch,
    created_at: formatInstant(each.createdAt, timeZone),
  };
}

/** The name of a beneficiary's bank; empty if unknown. */
export function bankOf({ ifsc }: Pick<Beneficiary, "ifsc">): string {
  return ifsc === null ? "" : (describeIfsc(ifsc).bank ?? "");
}

/** The refunds of credit notes, by note id: the owed amount, the payee and the transfer. */
export async function describeRefunds(db: Queryable, notes: readonly CreditNote[]) {
  const payees = await findBeneficiaries(
    db,
    notes.map(({ bucket, merchantId, refundBeneficiaryId }) => ({
      bucket,
      merchantId,
      beneficiaryId: refundBeneficiaryId ?? 0n,
    })),
  );
  return new Map(
    notes.map((note, index) => {
      const { attempts, underWayPaise, lastTransferId } = note.refund;
      const refund = {
        owed: formatPaise(owedOf(note)),
        under_way: formatPaise(underWayPaise),
        attempts,
        payee: payeeInWords(payees[index] ?? null),
        transfer_id: lastTransferId === null ? "" : String(lastTransferId),
      };
      return [String(note.creditNoteId), refund] as const;
    }),
  );
}

/** Of credit notes: with GST, or without. */
export const NOTE_KINDS = ["gst", "financial"] as const;

/** The kind of a credit note. */
export function kindOfNote(note: Parameters<typeof creditsGst>[0]): (typeof NOTE_KINDS)[number] {
  return creditsGst(note) ? "gst" : "financial";
}

/** The displayed status of a credit note. */
export function statusOfNote({ cancelledAt }: Pick<CreditNote, "cancelledAt">): "Issued" | "Cancelled" {
  return cancelledAt === null ? "Issued" : "Cancelled";
}

/** Masked: the end is enough to recognize the account. Empty until the payee of the refund is chosen. */
function payeeInWords(payee: Beneficiary | null): string {
  if (payee === null) return "";
  const where = payee.accountNumber === null ? payee.upi : payee.accountNumber;
  return `${payee.name}, ${mask(where ?? "")}`;
}
