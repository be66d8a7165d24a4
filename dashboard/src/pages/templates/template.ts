// Templates as the server describes them.
// What belongs here: types of answers, and the questions that pages ask.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { RowValues, TaxValues } from "../../forms/invoice/invoice-values.ts";

/** What a list shows of a template. */
export type ListedTemplate = {
  readonly template_id: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly next_number: string;
  readonly next_credit_number: string;
  readonly rows: number;
  readonly has_logo: boolean;
};

export const HEADER_FIELD_TYPES = ["text", "textarea", "number", "date"] as const;
export type HeaderField = {
  readonly id: string;
  readonly name: string;
  readonly type: (typeof HEADER_FIELD_TYPES)[number];
  readonly value: string;
};

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
export type Company = Readonly<Record<(typeof COMPANY_FIELDS)[number], string>>;

/** A template with all that its form has. */
export type Template = ListedTemplate & {
  readonly header_fields: readonly HeaderField[];
  readonly particular_rows: readonly Omit<RowValues, "key">[];
  readonly tax_rows: readonly Omit<TaxValues, "key">[];
  readonly company: Company;
  readonly terms: string;
  readonly signatory: string;
  readonly colour: string;
  readonly upi: string;
};

/** What forms show beside a template: the company as in the profile, and what credit notes are numbered by default. */
type FormFacts = { readonly profile: Company; readonly next_credit_number: string | null };

/** One template, and a sample of what it makes. */
export const templateQuery = (templateId: string) =>
  queryOptions({
    queryKey: ["/templates", "one", templateId],
    queryFn: ({ signal }) => api<{ template: Template; html: string }>("GET", `/templates/${templateId}`, { signal }),
  });

/** The facts for a form. */
export const formQuery = queryOptions({
  queryKey: ["/templates", "form"],
  queryFn: ({ signal }) => api<FormFacts>("GET", "/templates/form", { signal }),
});
