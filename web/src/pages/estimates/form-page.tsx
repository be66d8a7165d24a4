// The form of an estimate: of a new one, and of one that became no invoice yet.
import { SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useLoaded, useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel, SideBySide } from "../../components/page.tsx";
import { DateField } from "../../forms/date-field.tsx";
import { invoiceDoubts } from "../../forms/doubts.ts";
import { type ApiForm, asTyped, Form, useApiForm } from "../../forms/form.tsx";
import { CustomerFields } from "../../forms/invoice/customer-fields.tsx";
import { type FormChoices, useFormChoices, useNamedCustomer } from "../../forms/invoice/form-choices.ts";
import { HeadFields, TemplateField } from "../../forms/invoice/head-fields.tsx";
import { type InvoiceValues, validateInvoice } from "../../forms/invoice/invoice-values.ts";
import { LiveTotals } from "../../forms/invoice/live-totals.tsx";
import { PagePreview } from "../../forms/invoice/page-preview.tsx";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { serverDoubts } from "../../forms/invoice/server-doubts.ts";
import { SupplyFields } from "../../forms/invoice/supply-fields.tsx";
import { TaxFields } from "../../forms/invoice/tax-fields.tsx";
import { estimateForm as words } from "../../strings/estimates.ts";
import { invoiceForm } from "../../strings/invoice-form.ts";
import {
  CHANGES,
  emptyEstimate,
  type EstimateRecord,
  type EstimateValues,
  toEstimate,
  valuesOfEstimate,
  withInvoiceDates,
} from "./estimate-values.ts";

/** The form of a new estimate, or of the one that the address names. */
export function Page() {
  const { estimateId }: { estimateId?: string } = useParams({ strict: false });
  return estimateId === undefined ? <NewEstimate /> : <EditEstimate estimateId={estimateId} />;
}

function NewEstimate() {
  const choices = useFormChoices("invoices");
  const customer = useNamedCustomer();
  const navigate = useNavigate();
  const [key] = useRequestKey();
  const sent = useApiForm({
    initialValues: { ...emptyEstimate(choices), customer },
    ...useChecks(),
    submit: (values) => api("POST", "/estimates", { key, body: toEstimate(values) }),
    savedAlready: words.savedAlready,
    draft: `estimate-new-${customer?.customer_code ?? ""}`,
    changes: CHANGES,
    done: ({ estimate }) => words.saved(estimate.estimate_number),
    onDone: ({ estimate }) => navigate({ to: `/estimates/${estimate.estimate_id}` }),
  });
  return (
    <Outline title={words.newTitle} hint={words.newHint}>
      <EstimateForm sent={sent} choices={choices} estimateId="" onCancel={() => void navigate({ to: "/estimates" })} />
    </Outline>
  );
}

function EditEstimate({ estimateId }: { readonly estimateId: string }) {
  const { estimate } = useLoaded(`/estimates/${estimateId}`);
  const isOpen = estimate.status === "Open" || estimate.status === "Expired";
  return (
    <Outline title={words.editTitle(estimate.estimate_number)} hint={words.editHint}>
      {isOpen ? (
        <EditForm estimate={estimate} />
      ) : (
        <Notice>
          <Stack gap="sm" align="flex-start">
            <Text>{words.notEditable}</Text>
            <Action label={words.backToEstimate} to={`/estimates/${estimateId}`} />
          </Stack>
        </Notice>
      )}
    </Outline>
  );
}

function EditForm({ estimate: loaded }: { readonly estimate: EstimateRecord }) {
  const choices = useFormChoices("invoices");
  const navigate = useNavigate();
  const [key] = useRequestKey();
  // The page's data may be refetched meanwhile; the form keeps the data that it started with.
  const [estimate] = useState(loaded);
  const path = `/estimates/${estimate.estimate_id}` as const;
  const sent = useApiForm({
    initialValues: valuesOfEstimate(estimate, choices),
    ...useChecks(),
    submit: (values) => api("PUT", path, { key, body: { ...toEstimate(values), version: estimate.version } }),
    draft: `estimate-${estimate.estimate_id}-${estimate.version}`,
    changes: CHANGES,
    done: words.changed,
    onDone: () => navigate({ to: path }),
  });
  return (
    <EstimateForm
      sent={sent}
      choices={choices}
      estimateId={estimate.estimate_id}
      onCancel={() => void navigate({ to: path })}
    />
  );
}

/** Errors and doubts about an estimate before it is sent. */
function useChecks() {
  const { today } = useMerchant();
  return {
    validate: validateInvoice,
    // The invoice gets its dates when it is made.
    doubts: (values: EstimateValues) => invoiceDoubts({ ...values, bill_date: today, due_date: today }, today),
    serverDoubts: (values: EstimateValues) => serverDoubts("invoices", withInvoiceDates(values), null),
  };
}

type Props = {
  readonly sent: ApiForm<EstimateValues>;
  readonly choices: FormChoices;
  /** Of the estimate that is changed; empty for a new one. */
  readonly estimateId: string;
  readonly onCancel: () => void;
};

function EstimateForm({ sent, choices, estimateId, onCancel }: Props) {
  const { form, field } = sent;
  // The parts of an invoice's form know nothing of the estimate's dates, and leave them as they are.
  const invoice = form as unknown as UseFormReturnType<InvoiceValues>;
  const totals = (
    <>
      <LiveTotals of="invoices" values={withInvoiceDates(form.values)} invoiceId={null} />
      <PagePreview
        of={sent}
        path="/session/estimates/preview/pages"
        body={{ ...toEstimate(asTyped(form.values)), estimate_id: estimateId }}
      />
    </>
  );
  return (
    <Form of={sent} label={words.save} onCancel={onCancel} gap="lg">
      <SideBySide width="22rem" aside={totals}>
        <Panel title={words.customer}>
          <Stack gap="sm">
            <TemplateField form={invoice} templates={choices.templates} />
            <CustomerFields of="invoices" form={invoice} />
          </Stack>
        </Panel>
        <Panel title={invoiceForm.dates}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <DateField {...field("estimate_date", words.date)} required />
            <DateField {...field("valid_until", words.validUntil)} required />
            <TextInput
              {...field("due_days", words.dueDays, words.dueDaysHint)}
              inputWrapperOrder={["label", "input", "description", "error"]}
              inputMode="numeric"
              autoComplete="off"
            />
            <HeadFields form={invoice} choices={choices} />
          </SimpleGrid>
        </Panel>
        <Panel title={invoiceForm.rows}>
          <RowFields form={invoice} hasRates={!form.values.has_own_taxes} />
        </Panel>
        <Panel title={invoiceForm.taxes}>
          <TaxFields form={invoice} hasDues={false} />
        </Panel>
        <SupplyFields form={invoice} />
      </SideBySide>
    </Form>
  );
}
