// An invoice on which nothing is paid is changed.
// What belongs here: what the form begins with, and saving.
import { Alert, Button, Stack, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Page as PageFrame } from "../../components/page.tsx";
import { useFormChoices } from "../../forms/invoice/form-choices.ts";
import {
  makeRow,
  makeTax,
  NO_CUSTOMER,
  toRequest,
  validateInvoice,
  type InvoiceValues,
} from "../../forms/invoice/invoice-values.ts";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { toPaise } from "../../format/money.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { useAfterChange } from "./after-change.ts";
import { Editor } from "./editor.tsx";
import { useInvoice, type InvoiceRecord } from "./invoice-record.ts";

/** The form of an invoice that there is. */
export function Page() {
  const record = useInvoice();
  const isOpen = record.status === "Unpaid" || record.status === "Overdue";
  const isTouched = record.credit_notes.length > 0 || toPaise(record.paid_amount) !== 0n;
  return (
    <PageFrame title={words.editTitle(record.invoice_number)} hint={words.editHint}>
      {isOpen && !isTouched ? <EditForm record={record} /> : <NotEditable record={record} />}
    </PageFrame>
  );
}

type Props = { readonly record: InvoiceRecord };

function NotEditable({ record }: Props) {
  return (
    <Alert color="yellow" variant="outline">
      <Stack gap="sm" align="flex-start">
        <Text>{words.notEditable}</Text>
        <Button variant="default" component={Link} to={`/invoices/${record.invoice_id}`}>
          {words.backToInvoice}
        </Button>
      </Stack>
    </Alert>
  );
}

function EditForm({ record }: Props) {
  const choices = useFormChoices("invoices");
  const navigate = useNavigate();
  const [key] = useRequestKey();
  const done = useAfterChange();
  const path = `/invoices/${record.invoice_id}`;
  const sent = useApiForm<InvoiceValues, unknown>({
    initialValues: valuesOf(record),
    validate: validateInvoice,
    submit: (values) =>
      namingFields(() => api("PUT", path, { body: { request_key: key, invoice: toRequest(values, false) } })),
    onDone: async () => {
      await done(words.changed);
      await navigate({ to: path });
    },
  });
  const edited = { invoiceId: record.invoice_id, isCarried: toPaise(record.carried) !== 0n };
  return <Editor sent={sent} choices={choices} edited={edited} onCancel={() => void navigate({ to: path })} />;
}

function valuesOf(record: InvoiceRecord): InvoiceValues {
  return {
    template_id: record.template_id,
    customer: record.customer,
    is_new_customer: false,
    new_customer: { ...NO_CUSTOMER },
    bill_date: record.bill_date,
    due_date: record.due_date,
    bill_cycle_name: record.bill_cycle_name,
    franchise_id: record.franchise_id === "0" ? "" : record.franchise_id,
    custom_header_fields: record.custom_header_fields,
    particular_rows: record.particular_rows.length > 0 ? record.particular_rows.map(makeRow) : [makeRow()],
    has_own_taxes: record.own_taxes,
    tax_rows: record.own_taxes
      ? record.tax_rows.map(({ name, percentage, applicable_on }) => makeTax({ name, percentage, applicable_on }))
      : [],
    previous_dues: toPaise(record.previous_dues) === 0n ? "" : record.previous_dues,
    notify: false,
  };
}
