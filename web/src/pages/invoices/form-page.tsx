// The form of an invoice: of a new one, whose number is given when it is saved, and of one on which nothing is paid yet; and what was
// changed by somebody else meanwhile.
import { Group, SimpleGrid, Stack, Table, Text } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { FORM_MEMBERS } from "../../../../src/invoices/lines/line.ts";
import { api, ApiError } from "../../api/client.ts";
import { useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as PageFrame, Panel, SideBySide } from "../../components/page.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { DateField } from "../../forms/date-field.tsx";
import { invoiceDoubts } from "../../forms/doubts.ts";
import { type ApiForm, asTyped, Form, useApiForm } from "../../forms/form.tsx";
import { CustomerFields } from "../../forms/invoice/customer-fields.tsx";
import { DueIn } from "../../forms/invoice/due-in.tsx";
import { type FormChoices, useFormChoices, useNamedCustomer } from "../../forms/invoice/form-choices.ts";
import { HeadFields, TemplateField } from "../../forms/invoice/head-fields.tsx";
import {
  emptyInvoice,
  type InvoiceValues,
  makeRow,
  makeTax,
  NO_CUSTOMER,
  toRequest,
  validateInvoice,
  withTemplate,
} from "../../forms/invoice/invoice-values.ts";
import { LINE_KINDS } from "../../forms/invoice/line-kinds.ts";
import { LiveTotals } from "../../forms/invoice/live-totals.tsx";
import { PagePreview } from "../../forms/invoice/page-preview.tsx";
import { previewBody, serverDoubts } from "../../forms/invoice/server-doubts.ts";
import { SupplyFields } from "../../forms/invoice/supply-fields.tsx";
import { supplyOf } from "../../forms/invoice/supply-values.ts";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { TaxFields } from "../../forms/invoice/tax-fields.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { invoiceSupply as supplyWords } from "../../strings/invoice-supply.ts";
import { CHANGES } from "./dialogs.tsx";
import { useSaveAsDraft } from "./save-as-draft.tsx";
import { type InvoiceRecord, useCopiedInvoice, useInvoice } from "./invoice-record.ts";
import { day, daysAfter, daysBetween } from "../../format/time.ts";
import { Dialog } from "../../forms/dialogs.tsx";
import { unsaved } from "../../strings/unsaved.ts";
import { WEIGHT } from "../../app/tokens.ts";

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
    serverDoubts: (values) => serverDoubts("invoices", values, null),
    submit: (values) => {
      const body = { template_id: values.template_id, invoice: [toRequest(values, false)] };
      return api("POST", "/invoices", { key, body });
    },
    savedAlready: words.savedAlready,
    // Begun from a customer's page, or as a copy, it is another one.
    draft: copied ? `invoice-copy-${copied.invoice_id}` : `invoice-new-${customer?.customer_code ?? ""}`,
    changes: CHANGES,
    done: ({ invoices: [saved] }) => words.saved(saved!.invoice_number),
    onDone: ({ invoices: [saved] }) => navigate({ to: `/invoices/${saved!.invoice_id}` }),
  });
  const { button, error } = useSaveAsDraft(sent);
  return (
    <PageFrame title={words.newTitle} hint={copied ? words.copyHint(copied.invoice_number) : words.newHint}>
      <Editor
        sent={{ ...sent, error: sent.error ?? error }}
        choices={choices}
        edited={null}
        aside={button}
        onCancel={() => void navigate({ to: "/invoices" })}
      />
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
  // The page's data may be refetched meanwhile; the form keeps the data that it started with.
  const [record] = useState(loaded);
  const { today } = useMerchant();
  const [revision, setRevision] = useState(record.revision);
  const [saved, setSaved] = useState<InvoiceRecord | null>(null);
  const path = `/invoices/${record.invoice_id}` as const;
  const sent = useApiForm({
    initialValues: valuesOf(record),
    validate: validateInvoice,
    doubts: (values) => invoiceDoubts(values, today),
    serverDoubts: (values) => serverDoubts("invoices", values, record.invoice_id),
    submit: (values) =>
      api("PUT", path, { key, body: { revision, invoice: toRequest(values, false) } }).catch(async (error: unknown) => {
        if (error instanceof ApiError && error.code === "invoice_changed") setSaved(await api("GET", path));
        throw error;
      }),
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
        <ConflictDialog
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

/** The name of the button that saves and sends. */
const SEND = "send";

function isBySend(event?: FormEvent<HTMLFormElement>): boolean {
  const { submitter } = (event?.nativeEvent ?? {}) as Partial<SubmitEvent>;
  return submitter?.getAttribute("name") === SEND;
}

type EditorProps = {
  readonly sent: ApiForm<InvoiceValues>;
  readonly choices: FormChoices;
  readonly onCancel: () => void;
  /** The invoice that is edited; `null` for a new one. */
  readonly edited: { readonly invoiceId: string; readonly isCarried: boolean } | null;
  readonly aside?: ReactNode;
};

/** The fields of an invoice. `aside`: what else can be done with it, beside the buttons. */
export function Editor({ sent, choices, onCancel, edited, aside }: EditorProps) {
  const { form, field } = sent;
  const invoiceId = edited?.invoiceId ?? null;
  const onSubmit = (event?: FormEvent<HTMLFormElement>): void => {
    // After doubts, saving does what the first pressed button said.
    if (sent.doubts.length === 0) form.setFieldValue("notify", isBySend(event));
    sent.onSubmit(event);
  };
  return (
    <Form
      of={{ ...sent, onSubmit }}
      label={words.save}
      second={{ label: words.saveAndSend, name: SEND }}
      onCancel={onCancel}
      gap="lg"
      aside={aside}
    >
      <SideBySide
        width="22rem"
        aside={
          <>
            <LiveTotals of="invoices" values={form.values} invoiceId={invoiceId} />
            <PagePreview
              of={sent}
              path="/session/invoices/preview/pages"
              body={previewBody(asTyped(form.values), invoiceId, false)}
            />
          </>
        }
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
            <Stack gap={4}>
              <DateField {...field("due_date", words.dueDate)} required />
              <DueIn form={form} />
            </Stack>
            <HeadFields form={form} choices={choices} />
          </SimpleGrid>
        </Panel>
        <Panel title={words.rows}>
          <RowFields form={form} hasRates={!form.values.has_own_taxes} />
        </Panel>
        <Panel title={words.taxes}>
          <TaxFields form={form} isCarried={edited?.isCarried ?? false} />
        </Panel>
        <SupplyFields form={form} />
      </SideBySide>
    </Form>
  );
}

type Props = {
  /** The values that the form started with, those saved now, and those in the form. */
  readonly began: InvoiceValues;
  readonly theirs: InvoiceValues;
  readonly mine: InvoiceValues;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
  readonly onClose: () => void;
};

/** Shows what differs. Nothing is sent here: the form is saved, or goes on, from what was chosen. */
function ConflictDialog({ began, theirs, mine, onMine, onTheirs, onClose }: Props) {
  const [atFirst, saved, typed] = [linesOf(began), linesOf(theirs), linesOf(mine)];
  const names = [...new Set([...atFirst.keys(), ...saved.keys()])];
  const changed = names.filter((name) => atFirst.get(name) !== saved.get(name));
  return (
    <Dialog title={unsaved.changedTitle} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Text>{changed.length > 0 ? unsaved.changedText : unsaved.noDifference}</Text>
        {changed.length > 0 && (
          <Table aria-label={unsaved.changedTitle}>
            <Table.Thead>
              <Table.Tr>
                {[unsaved.what, unsaved.theirs, unsaved.yours].map((title) => (
                  <Table.Th key={title} scope="col">
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changed.map((name) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={WEIGHT.regular}>
                    {name}
                  </Table.Th>
                  <Table.Td>{saved.get(name) || unsaved.nothing}</Table.Td>
                  <Table.Td>{typed.get(name) || unsaved.nothing}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Group justify="flex-end" gap="xs">
          <Action label={unsaved.takeTheirs} onClick={onTheirs} />
          <Action label={unsaved.saveMine} primary onClick={onMine} />
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The values of an invoice by their labels on the page. */
function linesOf(values: InvoiceValues): Map<string, string> {
  const { customer, is_new_customer: isNew, new_customer: made } = values;
  return new Map([
    [words.billTo, isNew ? made.customer_name : (customer?.customer_name ?? "")],
    [words.billDate, day(values.bill_date)],
    [words.dueDate, day(values.due_date)],
    [words.cycle, values.bill_cycle_name],
    [words.franchise, values.franchise_id],
    ...values.custom_header_fields.map(({ name, value }) => [name, value] as const),
    ...values.particular_rows.map((row, place) => {
      const parts = FORM_MEMBERS.map(({ name, kind }) => LINE_KINDS[kind].shown(row[name]));
      return [words.rowLegend(place + 1), parts.filter((part) => part !== "").join(" · ")] as const;
    }),
    ...values.tax_rows.map(
      (tax, place) =>
        [words.taxLegend(place + 1), `${tax.name} ${tax.percentage}%, ${rupees(tax.applicable_on)}`] as const,
    ),
    [
      supplyWords.type,
      values.supply_type === "" ? "" : supplyWords.types[values.supply_type as keyof typeof supplyWords.types],
    ],
    [supplyWords.place, values.place_of_supply],
    [supplyWords.delivery, values.delivery_address],
    [words.previousDues, values.previous_dues === "" ? "" : rupees(values.previous_dues)],
  ]);
}

/** The values of an invoice as it is. */
function valuesOf(record: InvoiceRecord): InvoiceValues {
  return {
    template_id: record.template_id,
    customer: record.customer,
    kept_customer_code: record.customer.customer_code,
    is_customer_renewed: false,
    ...supplyOf(record),
    kept_supply: supplyOf(record),
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
    round_off: record.round_off === "1",
    previous_dues: toPaise(record.previous_dues) === 0n ? "" : record.previous_dues,
    notify: false,
  };
}

/**
 * The values of a new invoice like another one: of today, with as many days to pay. What belongs to the other one alone is
 * left out: its number, its shipping bill, its billing period, previous dues, and a template or franchise that is there no more.
 */
function copyOf(record: InvoiceRecord, choices: FormChoices): InvoiceValues {
  const empty = emptyInvoice(choices);
  const daysToPay = daysBetween(record.bill_date, record.due_date);
  const values: InvoiceValues = {
    ...valuesOf(record),
    kept_customer_code: "",
    kept_supply: supplyOf({}),
    shipping: supplyOf({}).shipping,
    bill_date: empty.bill_date,
    due_date: daysToPay === null ? empty.due_date : daysAfter(empty.bill_date, daysToPay),
    bill_cycle_name: "",
    franchise_id: choices.franchises.some(({ franchise_id: id }) => id === record.franchise_id)
      ? record.franchise_id
      : "",
    custom_header_fields: record.fields_to_copy,
    previous_dues: "",
  };
  const template = choices.templates.find(({ template_id: id }) => id === record.template_id);
  return template ? values : withTemplate(values, choices.templates[0]!);
}
