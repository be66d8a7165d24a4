// The form of a customer, new or known: the usual fields, groups, and the merchant's own columns by their kinds.
// What belongs here: fields. Where it is sent is the pages' choice.
import { SimpleGrid, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Panel } from "../../components/page.tsx";
import { DateField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm, type ApiForm } from "../../forms/use-api-form.ts";
import { hasWrongCheckDigit } from "../../format/check-digits.ts";
import { customers as words } from "../../strings/customers.ts";
import { columnsQuery, groupsQuery, type ColumnType, type Customer } from "./customer.ts";

export type CustomerValues = {
  readonly customer_code: string;
  readonly customer_name: string;
  readonly email: string;
  readonly mobile: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
  readonly customer_group: string[];
  readonly custom_fields: { id: string; value: string }[];
};

type Saved = { readonly customer_id: string };
type Props = {
  /** `null` for a new one. */
  readonly customer: Customer | null;
  readonly save: (values: CustomerValues) => Promise<Saved>;
  readonly onSaved: (saved: Saved) => unknown;
  readonly onCancel: () => void;
};

const TEXTS = ["customer_code", "customer_name", "email", "mobile", "address", "city", "state", "zipcode"] as const;

/** What can be said of a customer. */
export function CustomerForm({ customer, save, onSaved, onCancel }: Props) {
  const { columns } = useSuspenseQuery(columnsQuery).data;
  const { groups } = useSuspenseQuery(groupsQuery).data;
  const texts = Object.fromEntries(TEXTS.map((name) => [name, customer?.[name] ?? ""]));
  const valueOf = (id: string): string => customer?.custom_fields.find((field) => field.id === id)?.value ?? "";
  const sent = useApiForm<CustomerValues, Saved>({
    initialValues: {
      ...(texts as Record<(typeof TEXTS)[number], string>),
      customer_group: [...(customer?.groups ?? [])],
      custom_fields: columns.map(({ column_id: id }) => ({ id, value: valueOf(id) })),
    },
    submit: (values) => namingFields(() => save(values)),
    onDone: onSaved,
  });
  const field = (name: (typeof TEXTS)[number]) => sent.form.getInputProps(name);
  return (
    <form onSubmit={sent.onSubmit} noValidate>
      <Stack gap="lg">
        <FormError error={sent.error} />
        <Panel title={words.contact}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={words.code} required maxLength={45} {...field("customer_code")} />
            <TextInput label={words.name} required {...field("customer_name")} />
            <TextInput label={words.email} type="email" autoComplete="off" {...field("email")} />
            <TextInput label={words.mobile} type="tel" autoComplete="off" {...field("mobile")} />
            <TextInput label={words.address} autoComplete="off" {...field("address")} />
            <TextInput label={words.city} autoComplete="off" {...field("city")} />
            <TextInput label={words.state} autoComplete="off" {...field("state")} />
            <TextInput label={words.zipcode} inputMode="numeric" autoComplete="off" {...field("zipcode")} />
          </SimpleGrid>
          <TagsInput
            mt="md"
            label={words.ofGroups}
            description={words.groupsHint}
            data={groups.map(({ name }) => name)}
            maxTags={50}
            {...sent.form.getInputProps("customer_group")}
          />
        </Panel>
        {columns.length > 0 && (
          <Panel title={words.custom}>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {columns.map(({ column_id, name, type }, index) => (
                <CustomField key={column_id} label={name} type={type} of={sent} index={index} />
              ))}
            </SimpleGrid>
          </Panel>
        )}
        <SubmitRow of={sent} label={words.save} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

type FieldProps = {
  readonly label: string;
  readonly type: ColumnType;
  readonly of: ApiForm<CustomerValues>;
  readonly index: number;
};

function CustomField({ label, type, of, index }: FieldProps) {
  const props = { label, ...of.form.getInputProps(`custom_fields.${index}.value`) };
  if (type === "textarea") return <Textarea autosize minRows={2} {...props} />;
  if (type === "date") return <DateField {...props} />;
  if (type === "number") return <TextInput inputMode="decimal" {...props} />;
  if (type === "email") return <TextInput type="email" autoComplete="off" {...props} />;
  if (type === "mobile") return <TextInput type="tel" autoComplete="off" {...props} />;
  const value = of.form.getValues().custom_fields[index]!.value;
  const warning = type === "gst" && hasWrongCheckDigit(value) ? words.gstinWarning : null;
  return <TextInput description={warning} inputWrapperOrder={["label", "input", "description", "error"]} {...props} />;
}
