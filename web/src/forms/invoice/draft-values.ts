// The form's values from a draft of an invoice: its members as they were typed, the rest empty.
import type { Answer } from "../../api/contract.ts";
import { emptyInvoice, type InvoiceValues, makeRow, makeTax, NO_CUSTOMER, withTemplate } from "./invoice-values.ts";
import type { FormChoices } from "./form-choices.ts";
import { supplyOf } from "./supply-values.ts";

export type DraftRecord = Answer<"GET", "/invoice-drafts/:draft_id">["draft"];

type Texts = { readonly [name: string]: string | undefined };
/** The invoice object that this form has sent, of which any member may be missing. */
type Sent = Texts & {
  readonly new_customer?: Texts & { readonly custom_fields?: readonly Texts[] };
  readonly particular_rows?: readonly Texts[];
  readonly tax_rows?: readonly Texts[];
  readonly custom_header_fields?: readonly Texts[];
  readonly shipping?: Texts;
  readonly invoice_properties?: Texts;
};

/** What is kept of an unsaved invoice: a draft, or an estimate. */
type Kept = Pick<DraftRecord, "template_id" | "customer_code" | "customer_name"> & { readonly invoice: object };

/** The values of it. If its template is gone, the first template is used. */
export function valuesOfDraft(draft: Kept, choices: FormChoices): InvoiceValues {
  const sent = draft.invoice as unknown as Sent;
  const template = choices.templates.find(({ template_id: id }) => id === draft.template_id) ?? choices.templates[0];
  const begun = withTemplate({ ...emptyInvoice(choices), template_id: draft.template_id }, template!);
  const { custom_fields: custom = [], ...made } = sent.new_customer ?? {};
  const typed = new Map((sent.custom_header_fields ?? []).map(({ id, value }) => [id, value ?? ""]));
  const taxes = sent.tax_rows ?? [];
  const isNew = sent.new_customer !== undefined;
  return {
    ...begun,
    ...supplyOf(sent as Parameters<typeof supplyOf>[0]),
    customer: isNew || draft.customer_code === "" ? null : customerOf(draft),
    is_new_customer: isNew,
    new_customer: {
      ...NO_CUSTOMER,
      ...(made as Partial<typeof NO_CUSTOMER>),
      gstin: custom[0]?.["value"] ?? "",
      gstin_field_id: custom[0]?.["id"] ?? "",
    },
    bill_date: sent["bill_date"] ?? "",
    due_date: sent["due_date"] ?? "",
    bill_cycle_name: sent["bill_cycle_name"] ?? "",
    franchise_id: sent["franchise_id"] === "0" ? "" : (sent["franchise_id"] ?? ""),
    custom_header_fields: begun.custom_header_fields.map((field) => ({ ...field, value: typed.get(field.id) ?? "" })),
    particular_rows: sent.particular_rows?.length
      ? sent.particular_rows.map((row) => makeRow(row as object))
      : [makeRow()],
    has_own_taxes: taxes.length > 0,
    tax_rows: taxes.map((tax) => makeTax(tax as object)),
    previous_dues: sent["previous_dues"] === "0" ? "" : (sent["previous_dues"] ?? ""),
    round_off: sent["round_off"] === "1",
    notify: sent.invoice_properties?.["notify_patron"] === "1",
  };
}

function customerOf({ customer_code, customer_name }: Kept) {
  return { customer_code, customer_name, email: "", city: "", state: "" };
}
