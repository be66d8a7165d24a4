// The usual times to pay, below the due date of an invoice: one press sets it.
import { Button, Group } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { daysAfter, daysBetween } from "../../format/time.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import type { InvoiceValues } from "./invoice-values.ts";

const DAYS = [0, 15, 30, 45];

/** Sets the due date by the invoice date. Nothing can be pressed while that is no date. */
export function DueIn({ form }: { readonly form: UseFormReturnType<InvoiceValues> }) {
  const { bill_date: from, due_date: due } = form.values;
  const isDate = daysBetween(from, from) === 0;
  const chosen = daysBetween(from, due);
  return (
    <Group gap={4} role="group" aria-label={words.dueIn}>
      {DAYS.map((days) => (
        <Button
          key={days}
          size="compact-xs"
          variant={days === chosen ? "light" : "subtle"}
          aria-pressed={days === chosen}
          disabled={!isDate}
          onClick={() => form.setFieldValue("due_date", daysAfter(from, days))}
        >
          {words.dueAfter(days)}
        </Button>
      ))}
    </Group>
  );
}
