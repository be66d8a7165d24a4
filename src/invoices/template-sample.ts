// A request that works: what a merchant sends to make an invoice from a template, for people who begin.
// What belongs here: the wire form of merchant-api.md, sections 2.7 and 4.5, filled in.
import type { Template } from "./template.ts";

const DAYS_TO_PAY = 15;

/** Stands in a template's sample where it has no rows of its own: an invoice needs one. */
const SAMPLE_ROW = {
  item: "Consulting",
  sac_code: "998311",
  description: "Management consulting",
  gst: "18.00",
  total_amount: "1000.00",
};

/** The body of `invoice/save` for a template, complete but for the keys and the customer's code. */
export function sampleInvoiceRequest(
  template: Pick<Template, "templateId" | "headerFields" | "defaultRows" | "defaultTaxes">,
  billDate: Temporal.PlainDate,
) {
  return {
    access_key_id: "",
    secret_access_key: "",
    template_id: String(template.templateId),
    invoice: [
      {
        customer_code: "",
        bill_cycle_name: billDate.toLocaleString("en-IN", { month: "long", year: "numeric" }),
        bill_date: billDate.toString(),
        due_date: billDate.add({ days: DAYS_TO_PAY }).toString(),
        invoice_properties: { notify_patron: "0" },
        custom_header_fields: template.headerFields,
        particular_rows: template.defaultRows.length > 0 ? template.defaultRows : [SAMPLE_ROW],
        tax_rows: template.defaultTaxes,
        new_customer: {
          customer_code: "",
          customer_name: "",
          email: "",
          mobile: "",
          address: "",
          city: "",
          state: "",
          zipcode: "",
          custom_fields: [],
        },
      },
    ],
  };
}
