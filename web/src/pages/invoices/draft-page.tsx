// A draft of an invoice in the form: it is saved again, deleted, or becomes the invoice.
import { Group, Stack, Text } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useLoaded, useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { moment } from "../../format/time.ts";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { invoiceDoubts } from "../../forms/doubts.ts";
import { asTyped, useApiForm } from "../../forms/form.tsx";
import { type DraftRecord, valuesOfDraft } from "../../forms/invoice/draft-values.ts";
import { useFormChoices } from "../../forms/invoice/form-choices.ts";
import { type InvoiceValues, toRequest, validateInvoice } from "../../forms/invoice/invoice-values.ts";
import { serverDoubts } from "../../forms/invoice/server-doubts.ts";
import { invoiceDrafts as words } from "../../strings/invoice-drafts.ts";
import { invoiceForm } from "../../strings/invoice-form.ts";
import { CHANGES } from "./dialogs.tsx";
import { Editor } from "./form-page.tsx";

const DRAFTS = ["/invoice-drafts"];

/** The draft that the address names. */
export function Page() {
  const { draftId = "" }: { draftId?: string } = useParams({ strict: false });
  const { draft } = useLoaded(`/invoice-drafts/${draftId}`);
  const name = draft.updated_by_name ?? words.someone;
  if (draft.invoice_id !== "") {
    return (
      <PageFrame title={words.pageTitle}>
        <Notice>
          <Stack gap="sm" align="flex-start">
            <Text>{words.issued}</Text>
            <Action label={words.toInvoice} to={`/invoices/${draft.invoice_id}`} />
          </Stack>
        </Notice>
      </PageFrame>
    );
  }
  return (
    <PageFrame title={words.pageTitle} hint={words.pageHint(name, moment(draft.updated_at))}>
      <DraftForm draft={draft} />
    </PageFrame>
  );
}

function DraftForm({ draft: loaded }: { readonly draft: DraftRecord }) {
  const choices = useFormChoices("invoices");
  const navigate = useNavigate();
  const { today } = useMerchant();
  const [key] = useRequestKey();
  // The page's data may be refetched meanwhile; the form keeps the data that it started with.
  const [draft] = useState(loaded);
  const [version, setVersion] = useState(draft.version);
  const path = `/invoice-drafts/${draft.draft_id}` as const;
  const save = async (values: InvoiceValues): Promise<number> => {
    const { template_id } = values;
    const body = { title: draft.title, template_id, invoice: toRequest(values, false), version };
    const { draft: saved } = await api("PUT", path, { body });
    setVersion(saved.version);
    return saved.version;
  };
  const sent = useApiForm({
    initialValues: valuesOfDraft(draft, choices),
    validate: validateInvoice,
    doubts: (values) => invoiceDoubts(values, today),
    serverDoubts: (values) => serverDoubts("invoices", values, null),
    submit: async (values) => api("POST", `${path}/issue`, { key, body: { version: await save(values) } }),
    changes: [...CHANGES, ...DRAFTS],
    done: ({ invoice }) => invoiceForm.saved(invoice.invoice_number),
    onDone: ({ invoice }) => navigate({ to: `/invoices/${invoice.invoice_id}` }),
  });
  const kept = useApiForm<Record<string, never>, number>({
    initialValues: {},
    submit: () => save(asTyped(sent.form.values)),
    changes: DRAFTS,
    done: words.saved,
    onDone: () => sent.form.resetDirty(),
  });
  const aside = (
    <Group gap="xs">
      <Remove draft={draft} onDone={() => void navigate({ to: "/invoices/drafts" })} />
      <Action label={words.save} loading={kept.isSending} onClick={() => kept.onSubmit()} />
    </Group>
  );
  const shown = { ...sent, error: sent.error ?? kept.error };
  const onCancel = () => void navigate({ to: "/invoices/drafts" });
  return <Editor sent={shown} choices={choices} edited={null} aside={aside} onCancel={onCancel} />;
}

function Remove({ draft, onDone }: { readonly draft: DraftRecord; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Action label={words.remove} variant="subtle" color="red" onClick={() => setOpen(true)} />
      {isOpen && (
        <ConfirmDialog
          title={words.removeTitle}
          label={words.remove}
          text={words.removeText}
          submit={() => api("DELETE", `/invoice-drafts/${draft.draft_id}`)}
          done={words.removed}
          onDone={onDone}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
