// The form of an invoice, for a new one and for one that is edited.
// What belongs here: its parts in order. Each part is in forms/invoice.
import { Checkbox, Group, SimpleGrid, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { Panel } from "../../components/page.tsx";
import { DateField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { CustomerFields } from "../../forms/invoice/customer-fields.tsx";
import type { FormChoices } from "../../forms/invoice/form-choices.ts";
import { HeadFields, TemplateField } from "../../forms/invoice/head-fields.tsx";
import type { InvoiceValues } from "../../forms/invoice/invoice-values.ts";
import { LiveTotals } from "../../forms/invoice/live-totals.tsx";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { TaxFields } from "../../forms/invoice/tax-fields.tsx";
import type { ApiForm } from "../../forms/use-api-form.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";

type Form = UseFormReturnType<InvoiceValues>;
type Props = {
  readonly sent: ApiForm<InvoiceValues>;
  readonly choices: FormChoices;
  readonly onCancel: () => void;
  /** The invoice that is edited; `null` for a new one. */
  readonly edited: { readonly invoiceId: string; readonly isCarried: boolean } | null;
};

/** The form. */
export function Editor({ sent, choices, onCancel, edited }: Props) {
  const form = sent.form as Form;
  return (
    <form onSubmit={sent.onSubmit} noValidate>
      <Stack gap="lg">
        <FormError error={sent.error} />
        <Panel title={words.billTo}>
          <Stack gap="sm">
            {!edited && <TemplateField form={form} templates={choices.templates} />}
            <CustomerFields form={form} isFixed={edited?.isCarried ?? false} />
          </Stack>
        </Panel>
        <Panel title={words.dates}>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
            <DateField label={words.billDate} required {...form.getInputProps("bill_date")} />
            <DateField label={words.dueDate} required {...form.getInputProps("due_date")} />
            <HeadFields form={form} choices={choices} />
          </SimpleGrid>
        </Panel>
        <Panel title={words.rows}>
          <RowFields form={form} hasRates={!form.values.has_own_taxes} />
        </Panel>
        <Panel title={words.taxes}>
          <TaxFields form={form} isCarried={edited?.isCarried ?? false} />
        </Panel>
        <LiveTotals of="invoices" values={form.values} invoiceId={edited?.invoiceId ?? null} />
        <Group justify="space-between">
          <Checkbox label={words.notify} {...form.getInputProps("notify", { type: "checkbox" })} />
          <SubmitRow of={sent} label={words.save} onCancel={onCancel} />
        </Group>
      </Stack>
    </form>
  );
}
