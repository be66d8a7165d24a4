// The form of an invoice, for a new one and for one that is edited.
// What belongs here: its parts in order. Each part is in forms/invoice.
import { Checkbox, Group, NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { Panel } from "../../components/page.tsx";
import { DateField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { CustomerFields } from "../../forms/invoice/customer-fields.tsx";
import { withTemplate, type InvoiceValues, type TemplateChoice } from "../../forms/invoice/invoice-values.ts";
import { LiveTotals } from "../../forms/invoice/live-totals.tsx";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { TaxFields } from "../../forms/invoice/tax-fields.tsx";
import type { ApiForm } from "../../forms/use-api-form.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";

export type FormChoices = {
  /** The merchant's day. */
  readonly today: string;
  readonly templates: readonly TemplateChoice[];
  readonly franchises: readonly { readonly franchise_id: string; readonly name: string }[];
};

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
            {!edited && choices.templates.length > 1 && <TemplateField form={form} templates={choices.templates} />}
            <CustomerFields form={form} isFixed={edited?.isCarried ?? false} />
          </Stack>
        </Panel>
        <Panel title={words.dates}>
          <HeadFields form={form} choices={choices} />
        </Panel>
        <Panel title={words.rows}>
          <RowFields form={form} hasRates={!form.values.has_own_taxes} />
        </Panel>
        <Panel title={words.taxes}>
          <TaxFields form={form} isCarried={edited?.isCarried ?? false} />
        </Panel>
        <LiveTotals values={form.values} invoiceId={edited?.invoiceId ?? null} />
        <Group justify="space-between">
          <Checkbox label={words.notify} {...form.getInputProps("notify", { type: "checkbox" })} />
          <SubmitRow of={sent} label={words.save} onCancel={onCancel} />
        </Group>
      </Stack>
    </form>
  );
}

function TemplateField({ form, templates }: { readonly form: Form; readonly templates: readonly TemplateChoice[] }) {
  return (
    <NativeSelect
      label={words.template}
      maw={480}
      data={templates.map(({ template_id, name }) => ({ value: template_id, label: name }))}
      value={form.values.template_id}
      onChange={({ currentTarget: { value } }) => {
        const chosen = templates.find(({ template_id }) => template_id === value);
        if (chosen) form.setValues(withTemplate(form.values, chosen));
      }}
    />
  );
}

function HeadFields({ form, choices }: { readonly form: Form; readonly choices: FormChoices }) {
  const franchises = choices.franchises.map(({ franchise_id, name }) => ({ value: franchise_id, label: name }));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
      <DateField label={words.billDate} required {...form.getInputProps("bill_date")} />
      <DateField label={words.dueDate} required {...form.getInputProps("due_date")} />
      <TextInput
        label={words.cycle}
        placeholder={words.cycleHint}
        maxLength={100}
        {...form.getInputProps("bill_cycle_name")}
      />
      {franchises.length > 0 && (
        <NativeSelect
          label={words.franchise}
          data={[{ value: "", label: words.noFranchise }, ...franchises]}
          {...form.getInputProps("franchise_id")}
        />
      )}
      {form.values.custom_header_fields.map(({ id, name, type }, place) => {
        const props = { label: name || id, ...form.getInputProps(`custom_header_fields.${place}.value`) };
        if (type === "textarea") return <Textarea key={id} autosize minRows={1} {...props} />;
        return <TextInput key={id} type={type === "date" ? "date" : "text"} {...props} />;
      })}
    </SimpleGrid>
  );
}
