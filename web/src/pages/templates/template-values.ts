// What the form of a template holds, and how it goes over the wire. Members are named as on the wire, so that errors
// find them.
import { COMPANY_MEMBERS } from "../../../../src/merchants/profile-members.ts";
import { memberTexts, optionalMembers } from "../../../../src/platform/member.ts";
import {
  linesOf,
  makeRow,
  makeTax,
  nextKey,
  type RowValues,
  type TaxValues,
} from "../../forms/invoice/invoice-values.ts";
import type { Answer } from "../../api/contract.ts";

export const HEADER_FIELD_TYPES = ["text", "textarea", "number", "date"] as const;
export type HeaderField = Template["header_fields"][number];

export const COMPANY_FIELDS = optionalMembers(COMPANY_MEMBERS);
/** Empty where it is as in the profile. The PAN is masked, unless one may see such data. */
export type Company = Answer<"GET", "/session/templates/form">["profile"];

/** A template with all that its form has. */
export type Template = Answer<"GET", "/templates/:template_id">["template"];

/** What a change of a template may be seen in: these pages, and the form of an invoice. */
export const CHANGES = ["/templates", "/invoices/form"];

export type HeaderFieldValues = HeaderField & {
  /** Only for the list on the page. */
  readonly key: string;
};

/** The one that the template has, none, or a file that was chosen. */
type LogoValue = "kept" | "none" | { readonly name: string; readonly base64: string };

export type TemplateValues = {
  name: string;
  prefix: string;
  width: string;
  yearly: boolean;
  credit_prefix: string;
  debit_prefix: string;
  make_default: boolean;
  header_fields: readonly HeaderFieldValues[];
  particular_rows: readonly RowValues[];
  has_own_taxes: boolean;
  tax_rows: readonly TaxValues[];
  company: Company;
  terms: string;
  signatory: string;
  colour: string;
  upi: string;
  print_bank_account: boolean;
  logo: LogoValue;
};

const NO_COMPANY = memberTexts(COMPANY_FIELDS, () => "");

/** A field of the head, new where it has no id. */
export function makeHeaderField(values: Partial<HeaderField> = {}): HeaderFieldValues {
  return { id: "", name: "", type: "text", value: "", ...values, key: nextKey() };
}

/** What the form of a new template begins with. */
export function emptyTemplate(): TemplateValues {
  return {
    name: "",
    prefix: "",
    width: "5",
    yearly: true,
    credit_prefix: "",
    debit_prefix: "",
    make_default: false,
    header_fields: [],
    particular_rows: [],
    has_own_taxes: false,
    tax_rows: [],
    company: NO_COMPANY,
    terms: "",
    signatory: "",
    colour: "#1f5fae",
    upi: "",
    print_bank_account: false,
    logo: "none",
  };
}

/** What the form of a template begins with. Who may not see the PAN types another one, or leaves it as it is. */
export function valuesOf(template: Template, seesPan: boolean): TemplateValues {
  const { name, terms, signatory, colour, upi, company } = template;
  return {
    ...emptyTemplate(),
    name,
    header_fields: template.header_fields.map(makeHeaderField),
    particular_rows: template.particular_rows.map(makeRow),
    has_own_taxes: template.tax_rows.length > 0,
    tax_rows: template.tax_rows.map(makeTax),
    company: seesPan ? company : { ...company, pan: "" },
    terms,
    signatory,
    colour,
    upi,
    print_bank_account: template.print_bank_account,
    logo: template.has_logo ? "kept" : "none",
  };
}

/**
 * What a request says of the content. Of the company only what differs from `before` is said. `isDraft`: for looking at it
 * while somebody types, so that fields without a name and rows without an amount are left out.
 */
export function contentOf(values: TemplateValues, before: TemplateValues, isDraft: boolean) {
  const { header_fields: fields, terms, signatory, colour, upi, logo } = values;
  const company = COMPANY_FIELDS.filter(({ name }) => values.company[name] !== before.company[name]);
  return {
    header_fields: fields.filter(({ name }) => !isDraft || name.trim() !== "").map(({ key: _key, ...field }) => field),
    ...linesOf(values, isDraft),
    company: Object.fromEntries(company.map(({ name }) => [name, values.company[name]])),
    terms,
    signatory,
    colour,
    upi,
    // Who may not have the account printed may still look at a template that prints it.
    ...(values.print_bank_account === before.print_bank_account
      ? {}
      : { print_bank_account: values.print_bank_account ? 1 : 0 }),
    ...(logo === "kept" ? {} : { logo: logo === "none" ? "" : logo.base64 }),
  };
}

/** What is different from how it was: two people who change different parts don't undo each other's. */
export function changesOf(values: TemplateValues, before: TemplateValues) {
  const now = { name: values.name, ...contentOf(values, before, false) };
  const then: Readonly<Record<string, unknown>> = { name: before.name, ...contentOf(before, before, false) };
  const changed = Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(then[name]));
  return Object.fromEntries(changed) as Partial<typeof now>;
}
