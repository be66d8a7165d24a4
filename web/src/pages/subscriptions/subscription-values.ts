// What the form of a subscription holds, and how it goes over the wire. Members are named as on the wire, so that
// errors find them.
import type { Answer } from "../../api/contract.ts";
import type { FormChoices } from "../../forms/invoice/form-choices.ts";
import { emptyInvoice, toRequest, type InvoiceValues } from "../../forms/invoice/invoice-values.ts";

/** The invoice that repeats, whose bill date is the start date, and when it does. */
export type SubscriptionValues = InvoiceValues & {
  mode: string;
  repeat_every: string;
  start_date: string;
  end_mode: string;
  /** Spelt as on the wire. */
  occurences: string;
  end_date: string;
  carry_forword_dues: boolean;
};

/** Spelt as on the wire. */
export const MODES = ["Daily", "Weekly", "Monthly", "Yearly"] as const;
export const END_MODES = ["Never", "Occurences", "End date"] as const;

/** What a new form begins with. */
export function emptySubscription(choices: FormChoices): SubscriptionValues {
  return {
    ...emptyInvoice(choices),
    mode: "Monthly",
    repeat_every: "1",
    start_date: choices.today,
    end_mode: "Never",
    occurences: "",
    end_date: "",
    carry_forword_dues: false,
  };
}

/** When invoices are made. What the chosen end does not use is left out. */
export function toSchedule(values: SubscriptionValues) {
  const { mode, repeat_every, start_date, due_date, end_mode, occurences, end_date } = values;
  return {
    mode,
    repeat_every,
    start_date,
    due_date,
    end_mode,
    occurences: end_mode === "Occurences" ? occurences : "",
    end_date: end_mode === "End date" ? end_date : "",
  };
}

/** The request that saves the subscription. */
export function toSubscription(values: SubscriptionValues) {
  // The dates of each invoice follow from the schedule.
  const { bill_date: _billDate, due_date: _dueDate, ...invoice } = toRequest(values, false);
  return {
    template_id: values.template_id,
    ...toSchedule(values),
    carry_forword_dues: values.carry_forword_dues ? "1" : "0",
    invoice,
  };
}

export type SubscriptionDetail = Answer<"GET", "/subscriptions/:subscription_id">;

/** What a change of a subscription may be seen in: itself, and the invoices that it makes. */
export const CHANGES = ["/subscriptions", "/invoices", "/customers"];
