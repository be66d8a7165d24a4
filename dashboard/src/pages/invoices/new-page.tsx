// A new invoice. Its number is given when it is saved.
// What belongs here: what the form begins with, and saving.
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ApiError } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Page as PageFrame } from "../../components/page.tsx";
import {
  makeRow,
  NO_CUSTOMER,
  toRequest,
  validateInvoice,
  withTemplate,
  type InvoiceValues,
} from "../../forms/invoice/invoice-values.ts";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { Editor, type FormChoices } from "./editor.tsx";
import { useFormChoices } from "./use-form-choices.ts";

const DAYS_TO_PAY = 15;

type Saved = { readonly invoices: readonly { readonly invoice_id: string; readonly invoice_number: string }[] };

/** The form of a new invoice. */
export function Page() {
  const choices = useFormChoices();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [key] = useRequestKey();
  const sent = useApiForm<InvoiceValues, Saved>({
    initialValues: emptyInvoice(choices),
    validate: validateInvoice,
    submit: (values) => {
      const body = { request_key: key, template_id: values.template_id, invoice: [toRequest(values, false)] };
      return namingFields(() => api<Saved>("POST", "/invoices", { body })).catch(explainKey);
    },
    onDone: async ({ invoices: [saved] }) => {
      await queries.invalidateQueries({ queryKey: ["/invoices"] });
      notifications.show({ color: "green", message: words.saved(saved!.invoice_number) });
      await navigate({ to: `/invoices/${saved!.invoice_id}` });
    },
  });
  return (
    <PageFrame title={words.newTitle} hint={words.newHint}>
      <Editor sent={sent} choices={choices} edited={null} onCancel={() => void navigate({ to: "/invoices" })} />
    </PageFrame>
  );
}

/** The same form was saved, the answer was lost, and something was typed since. */
function explainKey(error: unknown): never {
  if (error instanceof ApiError && error.code === "idempotency_conflict") {
    throw new ApiError(error.status, { error: words.savedAlready, code: error.code });
  }
  throw error;
}

function emptyInvoice({ today, templates }: FormChoices): InvoiceValues {
  const values: InvoiceValues = {
    template_id: "",
    customer: null,
    is_new_customer: false,
    new_customer: { ...NO_CUSTOMER },
    bill_date: today,
    due_date: daysAfter(today, DAYS_TO_PAY),
    bill_cycle_name: "",
    franchise_id: "",
    custom_header_fields: [],
    particular_rows: [makeRow()],
    has_own_taxes: false,
    tax_rows: [],
    previous_dues: "",
    notify: false,
  };
  return templates[0] ? withTemplate(values, templates[0]) : values;
}

/** A calendar day after another, as text: no time zone takes part. */
function daysAfter(date: string, days: number): string {
  const moment = new Date(`${date}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10);
}
