// Franchises, which get a share of the payments on some of a merchant's invoices.
import type { MerchantKey } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import { RecordList } from "../platform/http/record.ts";
import type { RecordOf } from "../platform/member.ts";
import { changedWithSql } from "../platform/secrets/index.ts";
import { CONTACT_MEMBERS } from "./contact-members.ts";

export const contactRecord = new RecordList(CONTACT_MEMBERS);

/** A franchise's contact. Texts that were not given are empty. */
export type FranchiseContact = RecordOf<(typeof CONTACT_MEMBERS)[number]>;

export type CommissionType = "Percentage" | "Fixed";
export type SettlementType = "Auto" | "Manual";
export type AccountType = "" | "Saving" | "Current";

export type CommissionRate = {
  readonly commissionType: CommissionType;
  /** Hundredths of a per cent, or paise, by the type. */
  readonly commissionHundredths: bigint;
};

export type FranchiseTerms = CommissionRate & {
  readonly onlineSettlement: boolean;
  readonly settlementType: SettlementType;
};

/** The account for its commission. Missing texts are empty; it has both number and IFSC, or neither. */
export type FranchiseAccount = {
  readonly holderName: string;
  readonly accountNumber: string;
  readonly bankName: string;
  readonly accountType: AccountType;
  readonly ifsc: string;
};

export type FranchiseKey = MerchantKey & { readonly franchiseId: bigint };

export type Franchise = FranchiseKey &
  FranchiseContact &
  FranchiseTerms & {
    readonly code: string;
    readonly account: FranchiseAccount;
    /** The beneficiary that has the account; `null` without one. */
    readonly beneficiaryId: bigint | null;
    readonly loginEmail: string | null;
    readonly roleName: string | null;
    /** When the next automatic payout of commission is due, if there are any. */
    readonly nextPayoutAt: Temporal.Instant;
    readonly createdAt: Temporal.Instant;
    readonly deletedAt: Temporal.Instant | null;
    /** Set if the row was changed with SQL: it then earns nothing and is not paid. */
    readonly isChanged?: true;
  };

/**
 * Refuses a franchise that was changed with SQL.
 * @throws NodalError `access_denied`
 */
export function refuseChanged({ franchiseId, isChanged }: Pick<Franchise, "franchiseId" | "isChanged">): void {
  if (isChanged) throw changedWithSql(`The franchise ${franchiseId}`);
}

/**
 * Whether commission is paid out automatically each day: docs/rules/franchises.md#automatic-payout.
 */
export function isPaidByItself({ settlementType, onlineSettlement }: FranchiseTerms): boolean {
  return settlementType === "Auto" && onlineSettlement;
}

/** The beginning of the next day in the merchant's time zone: commission is paid out once a day, for the days before. */
export function nextPayoutAfter(now: Temporal.Instant, timeZone: string): Temporal.Instant {
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  return today.add({ days: 1 }).toZonedDateTime(timeZone).toInstant();
}

/** The refusal for a franchise that the merchant does not have, or not any more. */
export function franchiseNotFound(): NodalError {
  return new NodalError(
    "franchise_not_found",
    "This franchise does not exist: use a franchise_id from POST /api/v1/franchise/save.",
  );
}
