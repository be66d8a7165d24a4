// Estimates: type, status, and rules that need no database. docs/rules/estimates.md
import { formatInvoiceId, type InvoiceContent } from "../invoices/index.ts";
import { auditChange, auditValues, type NewEvent } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import type { JsonObject } from "../platform/json.ts";

export type EstimateKey = MerchantKey & { readonly estimateId: bigint };

export const ESTIMATE_STATES = ["Open", "Accepted", "Declined"] as const;
export type EstimateState = (typeof ESTIMATE_STATES)[number];
/** The displayed status: `Expired` is not stored. */
export const SHOWN_ESTIMATE_STATES = [...ESTIMATE_STATES, "Expired"] as const;
export type ShownEstimateState = (typeof SHOWN_ESTIMATE_STATES)[number];

export type Estimate = EstimateKey & {
  readonly seriesId: bigint;
  readonly financialYear: number;
  readonly estimateNumber: string;
  readonly customerId: bigint;
  readonly templateId: bigint;
  readonly estimateDate: Temporal.PlainDate;
  /** The last day on which it becomes an invoice. */
  readonly validUntil: Temporal.PlainDate;
  /** Days from the invoice's date to its due date. */
  readonly dueDays: number;
  readonly subTotalPaise: bigint;
  readonly taxTotalPaise: bigint;
  readonly amountPaise: bigint;
  /** The invoice object of a request, without dates and customer. */
  readonly invoice: JsonObject;
  readonly content: InvoiceContent;
  readonly state: EstimateState;
  /** Why it was declined. */
  readonly reason: string;
  readonly version: number;
  readonly invoiceId: bigint | null;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
};

/** The displayed status of an estimate on a day of the merchant. docs/rules/estimates.md#status */
export function shownEstimateState(
  { state, validUntil }: Pick<Estimate, "state" | "validUntil">,
  today: Temporal.PlainDate,
): ShownEstimateState {
  return state === "Open" && Temporal.PlainDate.compare(validUntil, today) < 0 ? "Expired" : state;
}

/**
 * Refuses to change a closed estimate or, with `needsValid`, an expired one.
 * @throws NodalError `estimate_state`
 */
export function requireOpenEstimate(estimate: Estimate, today: Temporal.PlainDate, needsValid: boolean): void {
  const { estimateNumber: number, invoiceId } = estimate;
  const state = shownEstimateState(estimate, today);
  if (state === "Open" || (state === "Expired" && !needsValid)) return;
  const details = invoiceId === null ? {} : { invoice_id: formatInvoiceId(invoiceId) };
  throw new NodalError("estimate_state", `The estimate ${number} ${PROBLEMS[state](estimate)}`, { details });
}

const PROBLEMS: Readonly<Record<Exclude<ShownEstimateState, "Open">, (estimate: Estimate) => string>> = {
  Accepted: ({ invoiceId }) => `is invoice ${formatInvoiceId(invoiceId ?? 0n)} already: open that invoice.`,
  Declined: () => "was declined: make a new estimate.",
  Expired: ({ validUntil }) => `was valid until ${validUntil.toString()}: change valid_until first.`,
};

export function estimateNotFound(): NodalError {
  return new NodalError("estimate_not_found", "Estimate not found. Look for it in the list of estimates.");
}

export function estimateCreated(estimate: Estimate): NewEvent {
  return { type: "estimate.created", subjectId: estimate.estimateId, after: auditValues(factsOf(estimate)) };
}

export function estimateChanged(type: string, before: Estimate, after: Estimate): NewEvent {
  return { type, subjectId: after.estimateId, ...auditChange(factsOf(before), factsOf(after)) };
}

/** An estimate in the audit log. */
function factsOf(estimate: Estimate) {
  const { estimateNumber, customerId, templateId, estimateDate, validUntil, dueDays, amountPaise } = estimate;
  const { state, reason, version, invoiceId, invoice } = estimate;
  const invoiceName = invoiceId === null ? null : formatInvoiceId(invoiceId);
  return {
    estimateNumber,
    customerId,
    templateId,
    estimateDate,
    validUntil,
    dueDays,
    amountPaise,
    state,
    reason,
    version,
    invoiceId: invoiceName,
    invoice,
  };
}
