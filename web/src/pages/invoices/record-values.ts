// What the form holds of an invoice that there is: to change it, and to begin another one with.
import type { FormChoices } from "../../forms/invoice/form-choices.ts";
import {
  emptyInvoice,
  makeRow,
  makeTax,
  NO_CUSTOMER,
  withTemplate,
  type InvoiceValues,
} from "../../forms/invoice/invoice-values.ts";
import { daysAfter, daysBetween } from "../../format/time.ts";
import { toPaise } from "../../format/money.ts";
import type { InvoiceRecord } from "./invoice-record.ts";

/** The values of an invoice as it is. */
export function valuesOf(record: InvoiceRecord): InvoiceValues {
  return {
    template_id: record.template_id,
    customer: record.customer,
    is_new_customer: false,
    new_customer: { ...NO_CUSTOMER },
    bill_date: record.bill_date,
    due_date: record.due_date,
    bill_cycle_name: record.bill_cycle_name,
    franchise_id: record.franchise_id === "0" ? "" : record.franchise_id,
    custom_header_fields: record.custom_header_fields,
    particular_rows: record.particular_rows.length > 0 ? record.particular_rows.map(makeRow) : [makeRow()],
    has_own_taxes: record.own_taxes,
    tax_rows: record.own_taxes
      ? record.tax_rows.map(({ name, percentage, applicable_on }) => makeTax({ name, percentage, applicable_on }))
      : [],
    previous_dues: toPaise(record.previous_dues) === 0n ? "" : record.previous_dues,
    notify: false,
  };
}

/**
 * The values of a new invoice like another one: of today, with as many days to pay. What belongs to the other one alone is
 * left out: its number, its billing period, previous dues, and a template or franchise that is there no more.
 */
export function copyOf(record: InvoiceRecord, choices: FormChoices): InvoiceValues {
  const empty = emptyInvoice(choices);
  const daysToPay = daysBetween(record.bill_date, record.due_date);
  const values: InvoiceValues = {
    ...valuesOf(record),
    bill_date: empty.bill_date,
    due_date: daysToPay === null ? empty.due_date : daysAfter(empty.bill_date, daysToPay),
    bill_cycle_name: "",
    franchise_id: choices.franchises.some(({ franchise_id: id }) => id === record.franchise_id)
      ? record.franchise_id
      : "",
    custom_header_fields: record.fields_to_copy,
    previous_dues: "",
  };
  const template = choices.templates.find(({ template_id: id }) => id === record.template_id);
  return template ? values : withTemplate(values, choices.templates[0]!);
}
