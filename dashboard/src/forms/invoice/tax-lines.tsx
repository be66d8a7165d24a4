// Tax lines that somebody enters, in place of a rate for each row.
// What belongs here: those fields.
import { ActionIcon, Button, Group, Stack, Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { CrossIcon } from "../../components/icons.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { makeTax, type InvoiceValues } from "./invoice-values.ts";

type Props = { readonly form: UseFormReturnType<Pick<InvoiceValues, "has_own_taxes" | "tax_rows">> };

/** The switch, and the lines where it is on. */
export function TaxLines({ form }: Props) {
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
            <TextInput flex="1 1 8rem" label={words.taxName} {...form.getInputProps(`tax_rows.${place}.name`)} />
            <TextInput
              w="6rem"
              inputMode="decimal"
              label={words.percentage}
              {...form.getInputProps(`tax_rows.${place}.percentage`)}
            />
            <TextInput
              w="11rem"
              inputMode="decimal"
              leftSection="₹"
              label={words.applicableOn}
              {...form.getInputProps(`tax_rows.${place}.applicable_on`)}
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
          <Button variant="default" onClick={() => form.insertListItem("tax_rows", makeTax())}>
            {words.addTax}
          </Button>
        </div>
      )}
    </Stack>
  );
}
