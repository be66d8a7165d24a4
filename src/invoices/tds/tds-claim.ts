// Tax deducted by customers: a claim on the tax department, until its certificate arrives or the customer owes it again.
// docs/accounts.md#tds-claims
import type { MerchantKey } from "../../merchants/index.ts";
import { NodalError } from "../../platform/errors.ts";
import { readOnlyField, fail } from "../../platform/http/field.ts";

export const TDS_CLAIM_STATUSES = ["missing", "received", "put_back"] as const;
export type TdsClaimStatus = (typeof TDS_CLAIM_STATUSES)[number];

/** The status of a claim. */
export type TdsClaimState = MerchantKey & {
  /** The payment or the receipt that the tax was deducted from. */
  readonly claimId: bigint;
  /** Empty if there is none yet. */
  readonly certificateNumber: string;
  readonly putBackAt: Temporal.Instant | null;
  readonly putBackReason: string | null;
};

export type TdsClaim = TdsClaimState & {
  /** 0 where it was deducted from a receipt. */
  readonly invoiceId: bigint;
  /** The number of the invoice or of the receipt. */
  readonly documentNumber: string;
  readonly customerId: bigint;
  readonly customerCode: string;
  readonly customerName: string;
  readonly paidDate: Temporal.PlainDate;
  /** Money, without the tax. */
  readonly moneyPaise: bigint;
  readonly tdsPaise: bigint;
  readonly tdsCode: string;
};

export function statusOfClaim({ certificateNumber, putBackAt }: TdsClaimState): TdsClaimStatus {
  if (putBackAt !== null) return "put_back";
  return certificateNumber === "" ? "missing" : "received";
}

/** The days of a quarter. */
export type Quarter = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };

const QUARTER = /^(20[0-9]{2})-([0-9]{2})-Q([1-4])$/;
const MONTHS = 3;
const FIRST_MONTH = 4;

/** The quarter of Form 16A and 26AS that contains a day: `2026-27-Q1` is April to June 2026. */
export function quarterOf(day: Temporal.PlainDate): string {
  const months = (day.month + 12 - FIRST_MONTH) % 12;
  const year = day.month < FIRST_MONTH ? day.year - 1 : day.year;
  const no = Math.floor(months / MONTHS) + 1;
  return `${year}-${String((year + 1) % 100).padStart(2, "0")}-Q${no}`;
}

/** The days of the quarter with this name; `null` where there is none. */
export function daysOfQuarter(name: string): Quarter | null {
  const match = QUARTER.exec(name);
  if (!match) return null;
  const [, year = "", , no = ""] = match;
  const first = new Temporal.PlainDate(Number(year), FIRST_MONTH, 1).add({ months: MONTHS * (Number(no) - 1) });
  return quarterOf(first) === name ? { from: first, to: first.add({ months: MONTHS }).subtract({ days: 1 }) } : null;
}

/** The name of a quarter, in a request. */
export function quarterField() {
  const hint = "a quarter of a financial year, such as 2026-27-Q1 for April to June 2026";
  const schema = { type: "string", pattern: QUARTER.source } as const;
  return readOnlyField<string>(schema, hint, (value, path, errors) => {
    if (typeof value === "string" && daysOfQuarter(value) !== null) return value;
    fail(errors, path, "invalid", `must be ${hint}.`);
    return "";
  });
}

export function tdsClaimNotFound(): NodalError {
  return new NodalError("tds_claim_not_found", "TDS claim not found. Look for it in the list of its quarter.");
}

/** @throws NodalError `tds_claim_put_back` */
export function refuseIfPutBack({ putBackAt }: Pick<TdsClaimState, "putBackAt">): void {
  if (putBackAt === null) return;
  throw new NodalError("tds_claim_put_back", "This TDS was put back: the customer owes it again. Record what is paid.");
}
