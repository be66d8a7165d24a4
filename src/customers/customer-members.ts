// The members of a customer besides custom fields and groups. The dashboard imports this file, so it must run in a browser.
import type { Member, TextsOf } from "../platform/member.ts";

/**
 * The GST category of a customer. By default it is regular with a GSTIN, and unregistered without.
 * docs/rules/customers.md#gst-category
 */
export const GST_CATEGORIES = [
  "regular",
  "unregistered",
  "composition",
  "sez",
  "overseas",
  "deemed_export",
  "uin",
] as const;
export type GstCategory = (typeof GST_CATEGORIES)[number];

/** In the order of the API. docs/rules/customers.md#customer-code has the rule of the code. */
export const CUSTOMER_MEMBERS = [
  { name: "customer_code", kind: "code", maxLength: 45, isRequired: true },
  { name: "customer_name", kind: "text", maxLength: 200, isRequired: true },
  { name: "email", kind: "email" },
  { name: "mobile", kind: "mobile" },
  { name: "address", kind: "text", maxLength: 500 },
  { name: "city", kind: "text", maxLength: 100 },
  { name: "state", kind: "state" },
  { name: "zipcode", kind: "postal-code", maxLength: 20 },
  { name: "country", kind: "text", maxLength: 60 },
  { name: "gst_category", kind: "choice", choices: GST_CATEGORIES },
  { name: "pan", kind: "pan", isSealed: true },
] as const satisfies readonly Member[];

export type CustomerMember = (typeof CUSTOMER_MEMBERS)[number];
export type CustomerTexts = TextsOf<CustomerMember>;
