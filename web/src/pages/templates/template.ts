// Templates as the server describes them.
import type { Answer } from "../../api/contract.ts";

export const HEADER_FIELD_TYPES = ["text", "textarea", "number", "date"] as const;
export type HeaderField = Template["header_fields"][number];

export const COMPANY_FIELDS = [
  "name",
  "email",
  "mobile",
  "address",
  "city",
  "state",
  "zipcode",
  "gstin",
  "pan",
] as const;
/** Empty where it is as in the profile. The PAN is masked, unless one may see such data. */
export type Company = Answer<"GET", "/templates/form">["profile"];

/** A template with all that its form has. */
export type Template = Answer<"GET", "/templates/:template_id">["template"];

/** What a change of a template may be seen in: these pages, and the form of an invoice. */
export const CHANGES = ["/templates", "/invoices/form"];
