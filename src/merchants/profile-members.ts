// A merchant's profile. The dashboard imports this file, so it must run in a browser.
import type { Member } from "../platform/member.ts";

/** The company, as invoices show it: a template may replace each of these. */
export const COMPANY_MEMBERS = [
  { name: "name", kind: "text", maxLength: 100, isRequired: true, help: "name of the business" },
  { name: "email", kind: "email", isRequired: true, help: "e-mail address" },
  { name: "mobile", kind: "mobile", help: "mobile number of 10 digits" },
  { name: "address", kind: "text", maxLength: 500, help: "street address" },
  { name: "city", kind: "text", maxLength: 100, help: "city" },
  { name: "state", kind: "state", help: "state, which decides the kind of GST" },
  { name: "zipcode", kind: "pincode", help: "postal code of 6 digits" },
  { name: "gstin", kind: "gstin", help: "GSTIN" },
  { name: "pan", kind: "pan", isSealed: true, help: "PAN" },
] as const satisfies readonly Member[];

/** Where withdrawals go. */
const BANK_MEMBERS = [
  { name: "bank_account", kind: "account", isSealed: true, help: "bank account for withdrawals, with --ifsc" },
  { name: "ifsc", kind: "ifsc", help: "IFSC of the bank account" },
  { name: "bank_holder", kind: "text", maxLength: 100, help: "holder of the bank account; default: the name" },
] as const satisfies readonly Member[];

/**
 * The HSN digits that its turnover requires: 4 up to ₹5 crore in the preceding year, 6 above. Notification 78/2020 (Central Tax).
 */
const TURNOVER_CLASSES = ["up_to_5_crore", "above_5_crore"] as const;
export type TurnoverClass = (typeof TURNOVER_CLASSES)[number];

const TAX_MEMBERS = [
  { name: "lut_number", kind: "text", maxLength: 30, help: "number (ARN) of the letter of undertaking for exports" },
  { name: "lut_from", kind: "date", help: "first day on which the letter of undertaking is valid" },
  { name: "lut_to", kind: "date", help: "last day on which the letter of undertaking is valid" },
  {
    name: "turnover_class",
    kind: "choice",
    choices: TURNOVER_CLASSES,
    help: "turnover of the year before, for HSN digits",
  },
] as const satisfies readonly Member[];

/** The default for merchants without one: docs/rules/values-and-errors.md#dates-and-times. */
export const DEFAULT_TIME_ZONE = "Asia/Kolkata";

const TIME_ZONE = {
  name: "time_zone",
  kind: "time-zone",
  help: `time zone of timestamps; default: ${DEFAULT_TIME_ZONE}`,
} as const satisfies Member;

/** The members that the merchant itself can change. Its bank account has its own form. */
export const DETAIL_MEMBERS = [...COMPANY_MEMBERS, ...TAX_MEMBERS, TIME_ZONE] as const;
export const PROFILE_MEMBERS = [...COMPANY_MEMBERS, ...TAX_MEMBERS, ...BANK_MEMBERS, TIME_ZONE] as const;
