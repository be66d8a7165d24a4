// The button of the form of a new invoice that saves it as a draft.
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { useChanged, useRequestKey } from "../../api/queries.ts";
import { Action } from "../../components/actions.tsx";
import { type ApiForm, asTyped, useApiForm } from "../../forms/form.tsx";
import type { DraftRecord } from "../../forms/invoice/draft-values.ts";
import { type InvoiceValues, toRequest } from "../../forms/invoice/invoice-values.ts";
import { invoiceDrafts as words } from "../../strings/invoice-drafts.ts";

type Sent = Pick<ApiForm<InvoiceValues>, "form" | "draft">;

/** Saves what the form of a new invoice holds as a draft, and goes on there: the button, and why it was refused. */
export function useSaveAsDraft(sent: Sent) {
  const navigate = useNavigate();
  const changed = useChanged();
  const [key] = useRequestKey();
  const kept = useApiForm<Record<string, never>, { readonly draft: DraftRecord }>({
    initialValues: {},
    submit: () => {
      const values = asTyped(sent.form.values);
      const body = { template_id: values.template_id, invoice: toRequest(values, false) };
      return api("POST", "/invoice-drafts", { key, body });
    },
    onDone: async ({ draft }) => {
      sent.form.resetDirty();
      sent.draft?.forget();
      await changed("/invoice-drafts");
      notifications.show({ color: "green", message: words.saved });
      await navigate({ to: `/invoices/drafts/${draft.draft_id}` });
    },
  });
  const button = <Action label={words.saveAs} loading={kept.isSending} onClick={() => kept.onSubmit()} />;
  return { button, error: kept.error };
}
