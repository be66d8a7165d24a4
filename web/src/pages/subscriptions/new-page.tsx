// A new subscription: customer, schedule and repeated invoice; with a preview of its dates and totals.
import { Alert, Checkbox, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ApiError } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useRequestKey } from "../../api/queries.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { AlertIcon } from "../../components/icons.tsx";
import { Page as Outline, Panel, SideBySide } from "../../components/page.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { daysAfter, daysBetween } from "../../format/time.ts";
import { DateField } from "../../forms/date-field.tsx";
import { invoiceDoubts } from "../../forms/doubts.ts";
import { asTyped, checksOf, fieldsOf, Form, useApiForm, type ApiForm } from "../../forms/form.tsx";
import { CustomerFields } from "../../forms/invoice/customer-fields.tsx";
import { useFormChoices, useNamedCustomer, type FormChoices } from "../../forms/invoice/form-choices.ts";
import { HeadFields, TemplateField } from "../../forms/invoice/head-fields.tsx";
import { SupplyFields } from "../../forms/invoice/supply-fields.tsx";
import { validateInvoice, type InvoiceValues } from "../../forms/invoice/invoice-values.ts";
import { LiveTotals } from "../../forms/invoice/live-totals.tsx";
import { PagePreview } from "../../forms/invoice/page-preview.tsx";
import { previewBody, serverDoubts } from "../../forms/invoice/server-doubts.ts";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { TaxFields } from "../../forms/invoice/tax-fields.tsx";
import { invoiceForm } from "../../strings/invoice-form.ts";
import { newSubscription as words } from "../../strings/subscriptions.ts";
import {
  CHANGES,
  emptySubscription,
  END_MODES,
  MODES,
  toSchedule,
  toSubscription,
  type SubscriptionValues,
} from "./subscription-values.ts";

/** The form of a new subscription. */
export function Page() {
  const choices = useFormChoices("subscriptions");
  const customer = useNamedCustomer();
  const navigate = useNavigate();
  const [key] = useRequestKey();
  const sent = useApiForm({
    initialValues: { ...emptySubscription(choices), customer },
    validate: validateInvoice,
    doubts: (values) => invoiceDoubts({ ...values, bill_date: values.start_date }, choices.today),
    serverDoubts: (values) => serverDoubts("subscriptions", { ...values, bill_date: values.start_date }, null),
    submit: (values) => api("POST", "/subscriptions", { key, body: toSubscription(values) }).catch(explainTooMany),
    savedAlready: words.savedAlready,
    draft: `subscription-new-${customer?.customer_code ?? ""}`,
    changes: CHANGES,
    done: ({ invoices_created }) => words.saved(invoices_created),
    onDone: ({ subscription_id }) => navigate({ to: `/subscriptions/${subscription_id}`, replace: true }),
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
    const fields = [{ path: "start_date", message: words.tooMany }];
    throw new ApiError(error.status, { message: words.tooMany, code: error.code, fields });
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
  const notify = <Checkbox {...sent.check("notify", words.notify)} />;
  return (
    <Form of={sent} label={words.save} onCancel={onCancel} gap="lg" aside={notify}>
      <SideBySide
        width="22rem"
        aside={
          <>
            <LiveTotals of="subscriptions" values={first} invoiceId={null} />
            <PagePreview
              of={sent}
              path="/session/subscriptions/preview/pages"
              body={previewBody(asTyped(first), null, false)}
            />
          </>
        }
      >
        <Panel title={invoiceForm.billTo}>
          <Stack gap="sm">
            <TemplateField form={invoice} templates={choices.templates} />
            <CustomerFields of="subscriptions" form={invoice} />
          </Stack>
        </Panel>
        <Panel title={words.schedule}>
          <ScheduleFields form={form} />
        </Panel>
        <DatesPreview values={form.values} />
        <Panel title={words.head}>
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
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
        <SupplyFields form={invoice} />
      </SideBySide>
    </Form>
  );
}

type ScheduleFieldsProps = { readonly form: UseFormReturnType<SubscriptionValues> };

/** The schedule. */
function ScheduleFields({ form }: ScheduleFieldsProps) {
  const field = fieldsOf(form);
  const check = checksOf(form);
  const { mode, repeat_every: every, start_date: start, due_date: due, end_mode: end } = form.values;
  /** The due date keeps its distance, as it will from each invoice to the next. */
  const begin = (date: string): void => {
    const days = daysBetween(start, due);
    form.setFieldValue("start_date", date);
    if (days !== null && daysBetween(start, date) !== null) form.setFieldValue("due_date", daysAfter(date, days));
  };
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <TextInput {...field("repeat_every", words.repeatEvery)} inputMode="numeric" autoComplete="off" required />
        <NativeSelect
          {...field("mode", words.unit)}
          data={MODES.map((value) => ({ value, label: words.units(value, every) }))}
        />
        <DateField
          {...field(
            "start_date",
            words.firstBill,
            mode === "Monthly" && Number(start.slice(8)) > 28 ? words.monthsEnd : undefined,
          )}
          inputWrapperOrder={["label", "input", "description", "error"]}
          required
          onChange={begin}
        />
        <DateField {...field("due_date", words.firstDue)} required />
        <NativeSelect
          {...field("end_mode", words.ends)}
          data={END_MODES.map((value) => ({ value, label: words.endModes[value] }))}
        />
        {end === "Occurences" && (
          <TextInput {...field("occurences", words.occurrences)} inputMode="numeric" autoComplete="off" required />
        )}
        {end === "End date" && (
          <DateField
            {...field("end_date", words.endDate, words.endDateHint)}
            inputWrapperOrder={["label", "input", "description", "error"]}
            required
          />
        )}
      </SimpleGrid>
      <Checkbox {...check("carry_forword_dues", words.carry, words.carryHint)} />
    </Stack>
  );
}

type Dates = Answer<"POST", "/subscriptions/dates">["dates"][number];
const TYPING_MS = 350;

const COLUMNS: readonly Column<Dates & { readonly number: number }>[] = [
  { key: "number", title: words.number },
  { key: "bill_date", title: words.billDate, as: "day" },
  { key: "due_date", title: words.dueDate, as: "day" },
  {
    key: "when",
    title: words.made,
    hideBelow: "sm",
    render: ({ is_due }) =>
      is_due ? <StatusBadge status={words.madeAtOnce} tone="info" /> : <span>{words.madeThen}</span>,
  },
];

/** The panel of coming dates. */
function DatesPreview({ values }: { readonly values: SubscriptionValues }) {
  const [asked] = useDebouncedValue(JSON.stringify(toSchedule(values)), TYPING_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ["/subscriptions/dates", asked],
    queryFn: ({ signal }) => api("POST", "/subscriptions/dates", { body: JSON.parse(asked) as object, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (error || !data) {
    return (
      <Panel title={words.dates}>
        <Text c="dimmed">{error ? words.datesIncomplete : words.counting}</Text>
      </Panel>
    );
  }
  const rows = data.dates.map((date, index) => ({ ...date, number: index + 1 }));
  return (
    <Panel title={words.dates} flush>
      <Notice {...data} />
      <DataTable caption={words.dates} columns={COLUMNS} rows={rows} rowKey="number" isOutdated={isFetching} />
      <Text size="sm" c="dimmed" p="md">
        {data.goes_on ? words.goesOn : words.allOfThem(rows.length)}
      </Text>
    </Panel>
  );
}

/** The immediate effects of saving, which may surprise. */
function Notice({ due, is_too_many: isTooMany }: Answer<"POST", "/subscriptions/dates">) {
  if (due === 0) return null;
  return (
    <Alert
      color={isTooMany ? "red" : "yellow"}
      variant="outline"
      icon={<AlertIcon />}
      mx="md"
      mb="md"
      role="status"
      data-testid="due-at-once"
    >
      {isTooMany ? words.tooMany : words.dueAtOnce(due)}
    </Alert>
  );
}
