// The values of an estimate's form, and their request. Members have the names of the API, so that errors find them.
import type { Answer } from "../../api/contract.ts";
import { daysAfter, daysBetween } from "../../format/time.ts";
import { valuesOfDraft } from "../../forms/invoice/draft-values.ts";
import type { FormChoices } from "../../forms/invoice/form-choices.ts";
import { emptyInvoice, type InvoiceValues, toRequest } from "../../forms/invoice/invoice-values.ts";

/** The invoice that it may become, whose own dates are not used, and the dates of the estimate. */
export type EstimateValues = InvoiceValues & {
  estimate_date: string;
  valid_until: string;
  due_days: string;
};

export type EstimateRecord = Answer<"GET", "/estimates/:estimate_id">["estimate"];

/** The queries that a change of an estimate affects. */
export const CHANGES = ["/estimates", "/invoices"];

const DAYS_VALID = 30;
const DAYS_TO_PAY = 15;

/** What a new form begins with. */
export function emptyEstimate(choices: FormChoices): EstimateValues {
  const { today } = choices;
  const dates = { estimate_date: today, valid_until: daysAfter(today, DAYS_VALID), due_days: String(DAYS_TO_PAY) };
  return { ...emptyInvoice(choices), ...dates };
}

/** The values of an estimate as it is saved. */
export function valuesOfEstimate(estimate: EstimateRecord, choices: FormChoices): EstimateValues {
  const { estimate_date, valid_until, due_days } = estimate;
  return { ...valuesOfDraft(estimate, choices), estimate_date, valid_until, due_days: String(due_days) };
}

/** The same with the dates that the invoice would have if it were made on the estimate's date. */
export function withInvoiceDates<Values extends EstimateValues>(values: Values): Values {
  const { estimate_date: date, due_days: days } = values;
  const isDate = daysBetween(date, date) === 0;
  const wait = /^\d{1,4}$/.test(days.trim()) ? Number(days) : 0;
  return { ...values, bill_date: date, due_date: isDate ? daysAfter(date, wait) : "" };
}

/** The request that saves the estimate. */
export function toEstimate(values: EstimateValues) {
  const { bill_date: _billDate, due_date: _dueDate, ...invoice } = toRequest(values, false);
  const { template_id, estimate_date, valid_until, due_days } = values;
  return { template_id, estimate_date, valid_until, due_days: due_days.trim(), invoice };
}
