// What only the server can tell of an invoice before it is saved: taxes that contradict the place of supply, a number that
// the e-invoicing portal refuses.
import { api, ApiError } from "../../api/client.ts";
import type { FormKind } from "./form-choices.ts";
import { toRequest, type InvoiceValues } from "./invoice-values.ts";

/** What the form tells by itself: forms/doubts.ts, the notice of GST and that of letters. */
const TOLD_BY_FORM: ReadonlySet<string> = new Set([
  "date_far_away",
  "gst_not_charged",
  "letters_not_printed",
  "unknown_gst_rate",
  "unusual_hsn",
]);

/** The body that asks for a preview; `invoiceId` is of the invoice that is edited. Of `isDraft`, rows without an amount are left out. */
export function previewBody(values: InvoiceValues, invoiceId: string | null, isDraft = true) {
  return {
    template_id: values.template_id,
    ...(invoiceId === null ? {} : { invoice_id: invoiceId }),
    invoice: toRequest(values, isDraft),
  };
}

/** The warnings that saving these values would give, as sentences; none of values that saving refuses. */
export async function serverDoubts(of: FormKind, values: InvoiceValues, invoiceId: string | null): Promise<string[]> {
  try {
    const { warnings } = await api("POST", `/${of}/preview`, { body: previewBody(values, invoiceId) });
    return warnings.filter(({ code }) => !TOLD_BY_FORM.has(code)).map(({ message }) => message);
  } catch (error) {
    // Saving says what is wrong, at its field.
    if (error instanceof ApiError) return [];
    throw error;
  }
}
