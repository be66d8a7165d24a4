// The taxes of an invoice in its form, and previous dues.
// What belongs here: those fields.
import { SimpleGrid, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { MoneyField } from "../fields.tsx";
import type { InvoiceValues } from "./invoice-values.ts";
import { TaxLines } from "./tax-lines.tsx";

type Props = {
  readonly form: UseFormReturnType<InvoiceValues>;
  /** The previous dues came from earlier invoices, and stay. */
  readonly isCarried?: boolean;
  readonly duesHint?: string;
};

/** Taxes and previous dues. */
export function TaxFields({ form, isCarried = false, duesHint = words.previousDuesHint }: Props) {
  return (
    <Stack gap="sm">
      <TaxLines form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MoneyField
          label={words.previousDues}
          description={isCarried ? words.carriedHint : duesHint}
          readOnly={isCarried}
          {...form.getInputProps("previous_dues")}
        />
      </SimpleGrid>
    </Stack>
  );
}
