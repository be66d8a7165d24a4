// The subscription of the API: documentation, validation and decoding.
import {
  checkInvoice,
  invoiceUpdateFields,
  toInvoiceInput,
  type InvoiceSettings,
  type SentInvoice,
} from "../invoices/index.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { date, digitsOrNumber, flag, oneOf, optional, wholeNumber, type Decoded } from "../platform/http/fields.ts";
import { toKeptInvoice } from "./bill-due.ts";
import { checkPlaceholders } from "./placeholders.ts";
import type { SaveSubscription } from "./save-subscription.ts";
import { END_MODES, MODES, type EndMode, type Plan } from "./subscription.ts";

const MAX_REPEAT_EVERY = 1000;
const MAX_OCCURRENCES = 100_000;

/** When invoices are created. */
export const scheduleFields = {
  mode: oneOf(MODES),
  repeat_every: wholeNumber(1, MAX_REPEAT_EVERY),
  start_date: date(),
  due_date: date(),
  end_mode: oneOf([...END_MODES, "Occurrences"]),
  // Clients that send numbers can only send 0 for none.
  occurences: optional(wholeNumber(0, MAX_OCCURRENCES)),
  end_date: optional(date()),
};

export const subscriptionFields = {
  template_id: optional(digitsOrNumber(16)),
  ...scheduleFields,
  carry_forword_dues: optional(flag()),
  invoice: invoiceUpdateFields,
};

type WireSchedule = { -readonly [Name in keyof typeof scheduleFields]: Decoded<(typeof scheduleFields)[Name]> };
type WireSubscription = {
  -readonly [Name in keyof typeof subscriptionFields]: Decoded<(typeof subscriptionFields)[Name]>;
};
/** A decoded request: invalid members are missing, or have an entry in `errors`. */
export type SentSubscription = { readonly [Name in keyof WireSubscription]?: unknown };

/** Adds errors between the members of a request. */
export function checkSubscription(sent: SentSubscription, settings: InvoiceSettings, errors: FieldError[]): void {
  const isValid = !errors.some(({ field }) => field === "invoice");
  checkSchedule(sent, errors);
  if (isValid) checkRepeatedInvoice(sent.invoice ?? {}, settings, errors);
}

/** Adds errors between the dates and the end of a request. */
function checkSchedule(sent: SentSubscription, errors: FieldError[]): void {
  const failed = new Set(errors.map(({ field }) => field));
  const areValid = (...names: (keyof WireSchedule)[]): boolean => names.every((name) => !failed.has(name));
  const { start_date: start, due_date: due, end_date: end, occurences, ...rest } = sent as Partial<WireSchedule>;
  if (areValid("start_date", "due_date") && isBefore(due, start)) {
    fail(errors, "due_date", "invalid", "must not be before start_date.");
  }
  if (areValid("start_date", "end_date") && isBefore(end, start)) {
    fail(errors, "end_date", "invalid", "must not be before start_date.");
  }
  const endMode = areValid("end_mode") ? toEndMode(rest.end_mode) : undefined;
  if (endMode === "Occurences" && areValid("occurences") && !occurences) {
    const code = occurences === 0 ? "invalid" : "required";
    fail(errors, "occurences", code, `is required with this end_mode: send 1 to ${MAX_OCCURRENCES}.`);
  }
  if (endMode === "End date" && areValid("end_date") && !end) {
    fail(errors, "end_date", "required", "is required with this end_mode: send the last day, YYYY-MM-DD.");
  }
}

/** The checks of a new invoice, except for its dates, which are the subscription's. Every invoice needs its own rows. */
function checkRepeatedInvoice(sent: SentInvoice, settings: InvoiceSettings, errors: FieldError[]): void {
  const rows = "invoice.particular_rows";
  if (!sent.particular_rows?.length && !errors.some(({ field }) => field === rows)) {
    const message = "must have at least one row: previous dues alone can't repeat.";
    fail(errors, rows, "required", message);
  }
  const count = errors.length;
  checkInvoice({ ...sent, bill_date: null, due_date: null }, "invoice", settings, errors, true);
  if (errors.length === count && errors.every(({ field }) => !field.startsWith("invoice"))) {
    checkPlaceholders(toKeptInvoice(sent as WireSubscription["invoice"], settings.items), "invoice", errors);
  }
}

/** Whether both are given and the first is earlier. */
function isBefore(date: Temporal.PlainDate | null | undefined, start: Temporal.PlainDate | undefined): boolean {
  return date && start ? Temporal.PlainDate.compare(date, start) < 0 : false;
}

/** Both spellings mean the same. */
function toEndMode(wire: EndMode | "Occurrences" | undefined): EndMode | undefined {
  return wire === "Occurrences" ? "Occurences" : wire;
}

/** Turns a decoded request into the use case's input. Errors that depend on the merchant's columns go to `errors`. */
export function toSubscriptionRequest(
  wire: WireSubscription,
  settings: InvoiceSettings,
  errors: FieldError[],
): SaveSubscription {
  return {
    plan: toPlan(wire),
    templateId: wire.template_id === null ? null : BigInt(wire.template_id),
    carryDues: wire.carry_forword_dues ?? false,
    input: toInvoiceInput(wire.invoice, "invoice", settings, errors),
    invoice: toKeptInvoice(wire.invoice, settings.items),
  };
}

/**
 * The plan of a request that contains only a plan.
 * @throws NodalError `validation_failed` with all errors between its members
 */
export function readPlan(wire: WireSchedule): Plan {
  const errors: FieldError[] = [];
  checkSchedule(wire, errors);
  if (errors.length > 0) throw validationError(errors);
  return toPlan(wire);
}

function toPlan(wire: WireSchedule): Plan {
  const endMode = toEndMode(wire.end_mode)!;
  return {
    mode: wire.mode,
    repeatEvery: wire.repeat_every,
    startDate: wire.start_date,
    dueDays: wire.start_date.until(wire.due_date, { largestUnit: "days" }).days,
    endMode,
    occurrences: endMode === "Occurences" ? wire.occurences : null,
    endDate: endMode === "End date" ? wire.end_date : null,
  };
}
