// Use case: an operator changes a merchant's KYC state. docs/rules/access.md#know-your-customer
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { ifSent, list, oneOf, requiredText } from "../platform/http/fields.ts";
import { changeMerchant } from "./change-merchant.ts";
import { KYC_STATUSES, type KycStatus, type Merchant } from "./merchant.ts";
import type { OperatorContext } from "./use-case.ts";

/** Limits with which they fit into one entry of the audit log. */
const MAX_REASONS = 10;
const REASON_LENGTH = 200;
const MAX_DOCUMENTS = 20;
const DOCUMENT_LENGTH = 300;

/** The fields of a change. Without reasons there are none; without documents they stay. */
export const kycFields = {
  status: oneOf(KYC_STATUSES),
  reasons: ifSent(list(requiredText(REASON_LENGTH), MAX_REASONS, 0)),
  documents: ifSent(list(requiredText(DOCUMENT_LENGTH), MAX_DOCUMENTS, 0)),
};

export type KycChange = {
  readonly status: KycStatus;
  readonly reasons?: readonly string[] | undefined;
  readonly documents?: readonly string[] | undefined;
};

/**
 * Changes a merchant's KYC state. It has no other effect: a live merchant that is rejected stays live until somebody suspends it.
 * @throws NodalError `validation_failed` for a rejection without reasons, or reasons without a rejection; `merchant_not_found`
 */
export async function changeKyc(context: OperatorContext, change: KycChange): Promise<Merchant> {
  const { status, reasons = [], documents } = change;
  const errors: FieldError[] = [];
  if (status === "rejected" && reasons.length === 0) {
    fail(errors, "reasons", "required", "is required for a rejection: say what is wrong or missing.");
  }
  if (status !== "rejected" && reasons.length > 0) {
    fail(errors, "reasons", "not_allowed", "can be given only with the status rejected.");
  }
  if (errors.length > 0) throw validationError(errors);
  const { merchant } = await changeMerchant(context, ({ kyc }) => ({
    kycStatus: status,
    kyc: { reasons, documents: documents ?? kyc.documents },
  }));
  return merchant;
}

/** A merchant's KYC, as operators and its own people see it. */
export function describeKyc({ kycStatus, kyc }: Pick<Merchant, "kycStatus" | "kyc">) {
  return { status: kycStatus, reasons: kyc.reasons, documents: kyc.documents };
}

/**
 * Refuses to make a merchant live before its KYC is approved, if the installation requires that (`KYC_REQUIRED`).
 * `merchant` is `null` for a merchant that doesn't exist yet.
 * @throws NodalError `kyc_not_approved`
 */
export function requireKyc(isRequired: boolean, merchant: Pick<Merchant, "kycStatus"> | null): void {
  if (!isRequired || merchant?.kycStatus === "approved") return;
  throw new NodalError(
    "kyc_not_approved",
    merchant === null
      ? "KYC has to be approved before a merchant goes live: create the merchant as a sandbox, have its KYC approved, then take it live."
      : `KYC has to be approved before the merchant goes live, and it is ${WORDS[merchant.kycStatus]}. An operator approves it.`,
  );
}

const WORDS: Readonly<Record<KycStatus, string>> = {
  not_started: "not started",
  pending: "pending",
  approved: "approved",
  rejected: "rejected",
};
