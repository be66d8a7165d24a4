// The form of an invoice: of a new one, whose number is given when it is saved, and of one on which nothing is paid yet.
import { Checkbox, SimpleGrid, Stack, Text } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { useMerchant } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as PageFrame, Panel } from "../../components/page.tsx";
import { SideBySide } from "../../components/side-by-side.tsx";
import { toPaise } from "../../format/money.ts";
import { DateField } from "../../forms/date-field.tsx";
import { invoiceDoubts } from "../../forms/doubts.ts";
import { Form, useApiForm, type ApiForm } from "../../forms/form.tsx";
import { CustomerFields } from "../../forms/invoice/customer-fields.tsx";
import { useFormChoices, useNamedCustomer, type FormChoices } from "../../forms/invoice/form-choices.ts";
import { HeadFields, TemplateField } from "../../forms/invoice/head-fields.tsx";
import { emptyInvoice, toRequest, validateInvoice, type InvoiceValues } from "../../forms/invoice/invoice-values.ts";
import { LiveTotals } from "../../forms/invoice/live-totals.tsx";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { TaxFields } from "../../forms/invoice/tax-fields.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { CHANGES } from "./dialogs.tsx";
import { useCopiedInvoice, useInvoice, type InvoiceRecord } from "./invoice-record.ts";
import { copyOf, valuesOf } from "./record-values.ts";

/** The form of a new invoice, or of the one that the address names. */
export function Page() {
  const { invoiceId }: { invoiceId?: string } = useParams({ strict: false });
  return invoiceId === undefined ? <NewInvoice /> : <EditInvoice />;
}

function NewInvoice() {
  const choices = useFormChoices("invoices");
  const customer = useNamedCustomer();
  const copied = useCopiedInvoice();
  const { today } = useMerchant();
  const navigate = useNavigate();
  const [key] = useRequestKey();
  const sent = useApiForm({
    initialValues: copied ? copyOf(copied, choices) : { ...emptyInvoice(choices), customer },
    validate: validateInvoice,
    doubts: (values) => invoiceDoubts(values, today),
    submit: (values) => {
      const body = { request_key: key, template_id: values.template_id, invoice: [toRequest(values, false)] };
      return api("POST", "/invoices", { body });
    },
    savedAlready: words.savedAlready,
    // Begun from a customer's page, or as a copy, it is another one.
    draft: copied ? `invoice-copy-${copied.invoice_id}` : `invoice-new-${customer?.customer_code ?? ""}`,
    changes: CHANGES,
    done: ({ invoices: [saved] }) => words.saved(saved!.invoice_number),
    onDone: ({ invoices: [saved] }) => navigate({ to: `/invoices/${saved!.invoice_id}` }),
  });
  return (
    <PageFrame title={words.newTitle} hint={copied ? words.copyHint(copied.invoice_number) : words.newHint}>
      <Editor sent={sent} choices={choices} edited={null} onCancel={() => void navigate({ to: "/invoices" })} />
    </PageFrame>
  );
}

function EditInvoice() {
  const record = useInvoice();
  const isOpen = record.status === "Unpaid" || record.status === "Overdue";
  const isTouched = record.credit_notes.length > 0 || toPaise(record.paid_amount) !== 0n;
  return (
    <PageFrame title={words.editTitle(record.invoice_number)} hint={words.editHint}>
      {isOpen && !isTouched ? (
        <EditForm record={record} />
      ) : (
        <Notice>
          <Stack gap="sm" align="flex-start">
            <Text>{words.notEditable}</Text>
            <Action label={words.backToInvoice} to={`/invoices/${record.invoice_id}`} />
          </Stack>
        </Notice>
      )}
    </PageFrame>
  );
}

function EditForm({ record: loaded }: { readonly record: InvoiceRecord }) {
  const choices = useFormChoices("invoices");
  const navigate = useNavigate();
  const [key, renewKey] = useRequestKey();
  // What the page shows may be asked for anew meanwhile; the form is about what it began with.
  const [record] = useState(loaded);
  const { today } = useMerchant();
  const [revision, setRevision] = useState(record.revision);
  const [saved, setSaved] = useState<InvoiceRecord | null>(null);
  const path = `/invoices/${record.invoice_id}` as const;
  const sent = useApiForm({
    initialValues: valuesOf(record),
    validate: validateInvoice,
    doubts: (values) => invoiceDoubts(values, today),
    submit: (values) =>
      api("PUT", path, { body: { request_key: key, revision, invoice: toRequest(values, false) } }).catch(
        async (error: unknown) => {
          if (error instanceof ApiError && error.code === "invoice_changed") setSaved(await api("GET", path));
          throw error;
        },
      ),
    draft: `invoice-${record.invoice_id}-${record.revision}`,
    changes: CHANGES,
    done: words.changed,
    onDone: () => navigate({ to: path }),
  });
  const edited = { invoiceId: record.invoice_id, isCarried: toPaise(record.carried) !== 0n };
  const goOnFrom = (next: InvoiceRecord): void => {
    renewKey();
    setRevision(next.revision);
    setSaved(null);
  };
  return (
    <>
      {saved && (
        <ChangedMeanwhile
          began={valuesOf(record)}
          theirs={valuesOf(saved)}
          mine={sent.form.values}
          onMine={() => goOnFrom(saved)}
          onTheirs={() => {
            sent.form.setValues(valuesOf(saved));
            goOnFrom(saved);
          }}
          onClose={() => setSaved(null)}
        />
      )}
      <Editor sent={sent} choices={choices} edited={edited} onCancel={() => void navigate({ to: path })} />
    </>
  );
}

type EditorProps = {
  readonly sent: ApiForm<InvoiceValues>;
  readonly choices: FormChoices;
  readonly onCancel: () => void;
  /** The invoice that is edited; `null` for a new one. */
  readonly edited: { readonly invoiceId: string; readonly isCarried: boolean } | null;
};

function Editor({ sent, choices, onCancel, edited }: EditorProps) {
  const { form, field, check } = sent;
  const notify = <Checkbox {...check("notify", words.notify)} />;
  return (
    <Form of={sent} label={words.save} onCancel={onCancel} gap="lg" aside={notify}>
      <SideBySide
        width="22rem"
        aside={<LiveTotals of="invoices" values={form.values} invoiceId={edited?.invoiceId ?? null} />}
      >
        <Panel title={words.billTo}>
          <Stack gap="sm">
            {!edited && <TemplateField form={form} templates={choices.templates} />}
            <CustomerFields of="invoices" form={form} isFixed={edited?.isCarried ?? false} />
          </Stack>
        </Panel>
        <Panel title={words.dates}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <DateField {...field("bill_date", words.billDate)} required />
            <DateField {...field("due_date", words.dueDate)} required />
            <HeadFields form={form} choices={choices} />
          </SimpleGrid>
        </Panel>
        <Panel title={words.rows}>
          <RowFields form={form} hasRates={!form.values.has_own_taxes} />
        </Panel>
        <Panel title={words.taxes}>
          <TaxFields form={form} isCarried={edited?.isCarried ?? false} />
        </Panel>
      </SideBySide>
    </Form>
  );
}
