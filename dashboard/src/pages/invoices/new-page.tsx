// A new invoice. Its number is given when it is saved.
// What belongs here: what the form begins with, and saving.
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Page as PageFrame } from "../../components/page.tsx";
import { useFormChoices, useNamedCustomer } from "../../forms/invoice/form-choices.ts";
import { emptyInvoice, toRequest, validateInvoice, type InvoiceValues } from "../../forms/invoice/invoice-values.ts";
import { explainKey, namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { Editor } from "./editor.tsx";

type Saved = { readonly invoices: readonly { readonly invoice_id: string; readonly invoice_number: string }[] };

/** The form of a new invoice. */
export function Page() {
  const choices = useFormChoices("invoices");
  const customer = useNamedCustomer();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [key] = useRequestKey();
  const sent = useApiForm<InvoiceValues, Saved>({
    initialValues: { ...emptyInvoice(choices), customer },
    validate: validateInvoice,
    submit: (values) => {
      const body = { request_key: key, template_id: values.template_id, invoice: [toRequest(values, false)] };
      return namingFields(() => api<Saved>("POST", "/invoices", { body })).catch(explainKey(words.savedAlready));
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
