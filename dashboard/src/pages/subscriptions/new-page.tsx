// A new subscription: whom, when, and the invoice that repeats; its dates and totals are seen before it is saved.
// What belongs here: the form's parts in order, and saving.
import { Checkbox, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { api, ApiError } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { CustomerFields } from "../../forms/invoice/customer-fields.tsx";
import { useFormChoices, useNamedCustomer, type FormChoices } from "../../forms/invoice/form-choices.ts";
import { HeadFields, TemplateField } from "../../forms/invoice/head-fields.tsx";
import { validateInvoice, type InvoiceValues } from "../../forms/invoice/invoice-values.ts";
import { LiveTotals } from "../../forms/invoice/live-totals.tsx";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { TaxFields } from "../../forms/invoice/tax-fields.tsx";
import { explainKey, namingFields } from "../../forms/nested-errors.ts";
import { useApiForm, type ApiForm } from "../../forms/use-api-form.ts";
import { invoiceForm } from "../../strings/invoice-form.ts";
import { newSubscription as words } from "../../strings/subscriptions.ts";
import { DatesPreview } from "./dates-preview.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import { useAfterChange } from "./subscription.ts";
import { emptySubscription, toSubscription, type SubscriptionValues } from "./subscription-values.ts";

type Saved = { readonly subscription_id: string; readonly invoices_created: number };

/** The form of a new subscription. */
export function Page() {
  const choices = useFormChoices("subscriptions");
  const customer = useNamedCustomer();
  const navigate = useNavigate();
  const changed = useAfterChange();
  const [key] = useRequestKey();
  const sent = useApiForm<SubscriptionValues, Saved>({
    initialValues: { ...emptySubscription(choices), customer },
    validate: validateInvoice,
    submit: (values) => {
      const body = { request_key: key, ...toSubscription(values) };
      return namingFields(() => api<Saved>("POST", "/subscriptions", { body }))
        .catch(explainTooMany)
        .catch(explainKey(words.savedAlready));
    },
    onDone: async ({ subscription_id, invoices_created }) => {
      await changed();
      notifications.show({ color: "green", message: words.saved(invoices_created) });
      await navigate({ to: `/subscriptions/${subscription_id}`, replace: true });
    },
  });
  return (
    <Outline title={words.title} hint={words.hint}>
      <SubscriptionForm sent={sent} choices={choices} onCancel={() => void navigate({ to: "/subscriptions" })} />
    </Outline>
  );
}

/** The API's own sentence speaks of the API. */
function explainTooMany(error: unknown): never {
  if (error instanceof ApiError && error.code === "too_many_occurrences") {
    const errors = [{ field: "start_date", message: words.tooMany }];
    throw new ApiError(error.status, { error: words.tooMany, code: error.code, errors });
  }
  throw error;
}

type Props = {
  readonly sent: ApiForm<SubscriptionValues>;
  readonly choices: FormChoices;
  readonly onCancel: () => void;
};

function SubscriptionForm({ sent, choices, onCancel }: Props) {
  const { form } = sent;
  // The parts of an invoice's form know nothing of the schedule, and leave it as it is.
  const invoice = form as unknown as UseFormReturnType<InvoiceValues>;
  const first = { ...form.values, bill_date: form.values.start_date };
  return (
    <form onSubmit={sent.onSubmit} noValidate>
      <Stack gap="lg">
        <FormError error={sent.error} />
        <Panel title={invoiceForm.billTo}>
          <Stack gap="sm">
            <TemplateField form={invoice} templates={choices.templates} />
            <CustomerFields form={invoice} />
          </Stack>
        </Panel>
        <Panel title={words.schedule}>
          <ScheduleFields form={form} />
        </Panel>
        <DatesPreview values={form.values} />
        <Panel title={words.head}>
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
              <HeadFields form={invoice} choices={choices} />
            </SimpleGrid>
            <Text size="sm" c="dimmed">
              {words.headHint}
            </Text>
          </Stack>
        </Panel>
        <Panel title={invoiceForm.rows}>
          <RowFields form={invoice} hasRates={!form.values.has_own_taxes} />
        </Panel>
        <Panel title={invoiceForm.taxes}>
          <TaxFields form={invoice} duesHint={words.duesHint} />
        </Panel>
        <LiveTotals of="subscriptions" values={first} invoiceId={null} />
        <Group justify="space-between">
          <Checkbox label={words.notify} {...form.getInputProps("notify", { type: "checkbox" })} />
          <SubmitRow of={sent} label={words.save} onCancel={onCancel} />
        </Group>
      </Stack>
    </form>
  );
}
