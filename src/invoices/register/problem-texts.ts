import type { ProblemCode } from "./gst-document.ts";

/** The subject of a problem, and its remedy. */
type ProblemText = { readonly field: string; readonly message: string };

const ofRow = (line: number, member: string): string => `particular_rows[${line - 1}].${member}`;

/** The field and the sentence of each problem, for a row from 1. docs/rules/tax-register.md#problems */
export const PROBLEM_TEXTS: { readonly [Code in ProblemCode]: (line: number) => ProblemText } = {
  hsn_missing: (line) => ({
    field: ofRow(line, "sac_code"),
    message: `Row ${line} has no HSN or SAC code: add one to the invoice.`,
  }),
  hsn_form: (line) => ({
    field: ofRow(line, "sac_code"),
    message: `The HSN or SAC code of row ${line} must have 4, 6 or 8 digits: correct it on the invoice.`,
  }),
  hsn_short: (line) => ({
    field: ofRow(line, "sac_code"),
    message: `The HSN or SAC code of row ${line} needs at least 6 digits above a turnover of 5 crore: complete it on the invoice.`,
  }),
  tax_rows: () => ({
    field: "tax_rows",
    message:
      "The taxes that were sent don't fit the rows: correct their names, rates or applicable_on, or leave tax_rows out.",
  }),
  gst_rate: (line) => ({
    field: ofRow(line, "gst"),
    message: `GST has no such rate as that of row ${line}: correct it on the invoice.`,
  }),
  place_of_supply: () => ({
    field: "place_of_supply",
    message:
      "The place of supply is not known: give the customer a GSTIN or a state of India, and save the invoice again.",
  }),
  reverse_charge: () => ({
    field: "reverse_charge",
    message:
      "The customer pays the tax under reverse charge, and has no GSTIN: add it to the customer, or take reverse charge off.",
  }),
  number_form: () => ({
    field: "invoice_number",
    message: "The number begins with 0, - or /, which the e-invoice portal refuses: begin it with a letter or 1 to 9.",
  }),
};
