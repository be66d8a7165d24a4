// The taxes of an invoice in its form, and previous dues.
import { ActionIcon, Checkbox, Group, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { Action } from "../../components/actions.tsx";
import { CrossIcon } from "../../components/icons.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { checksOf, fieldsOf, MoneyField } from "../form.tsx";
import { makeTax, type InvoiceValues } from "./invoice-values.ts";

type Props = {
  readonly form: UseFormReturnType<InvoiceValues>;
  /** The previous dues came from earlier invoices, and stay. */
  readonly isCarried?: boolean;
  readonly duesHint?: string;
  /** Whether there can be previous dues. */
  readonly hasDues?: boolean;
};

/** Taxes and previous dues. */
export function TaxFields({ form, isCarried = false, duesHint = words.previousDuesHint, hasDues = true }: Props) {
  const field = fieldsOf(form);
  return (
    <Stack gap="sm">
      <TaxLines form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {hasDues && (
          <MoneyField
            {...field("previous_dues", words.previousDues, isCarried ? words.carriedHint : duesHint)}
            readOnly={isCarried}
          />
        )}
        <Checkbox {...checksOf(form)("round_off", words.roundTotal)} mt={hasDues ? { sm: "xl" } : undefined} />
      </SimpleGrid>
    </Stack>
  );
}

type TaxLinesProps = { readonly form: UseFormReturnType<Pick<InvoiceValues, "has_own_taxes" | "tax_rows">> };

/** The switch, and the lines where it is on. */
export function TaxLines({ form }: TaxLinesProps) {
  const field = fieldsOf(form);
  const { has_own_taxes: hasOwn, tax_rows: taxes } = form.values;
  return (
    <Stack gap="sm">
      <Switch
        label={words.ownTaxes}
        checked={hasOwn}
        onChange={({ currentTarget: { checked } }) => {
          form.setFieldValue("has_own_taxes", checked);
          if (checked && taxes.length === 0) form.setFieldValue("tax_rows", [makeTax()]);
        }}
      />
      {hasOwn &&
        taxes.map((tax, place) => (
          <Group key={tax.key} role="group" aria-label={words.taxLegend(place + 1)} gap="sm" align="flex-end">
            <TextInput {...field(`tax_rows.${place}.name`, words.taxName)} flex="1 1 8rem" />
            <TextInput {...field(`tax_rows.${place}.percentage`, words.percentage)} w="6rem" inputMode="decimal" />
            <TextInput
              {...field(`tax_rows.${place}.applicable_on`, words.applicableOn)}
              w="11rem"
              inputMode="decimal"
              leftSection="₹"
            />
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={`${words.removeShort}: ${words.taxLegend(place + 1)}`}
              disabled={taxes.length === 1}
              onClick={() => form.removeListItem("tax_rows", place)}
            >
              <CrossIcon />
            </ActionIcon>
          </Group>
        ))}
      {hasOwn && (
        <div>
          <Action label={words.addTax} onClick={() => form.insertListItem("tax_rows", makeTax())} />
        </div>
      )}
    </Stack>
  );
}
