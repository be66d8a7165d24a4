// Whom an invoice bills: a customer that there is, or a new one that is made with the invoice.
// What belongs here: those fields.
import { Button, SimpleGrid, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { usePermissions } from "../../api/session.ts";
import { CustomerPicker } from "../../components/customer-picker.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import type { InvoiceValues } from "./invoice-values.ts";

const CONTACT = ["email", "mobile", "address", "city", "state", "zipcode"] as const;

/** `isFixed`: the customer can't be another one. */
export function CustomerFields({
  form,
  isFixed = false,
}: {
  readonly form: UseFormReturnType<InvoiceValues>;
  readonly isFixed?: boolean;
}) {
  const may = usePermissions();
  const { customer, is_new_customer: isNew } = form.values;
  if (!isNew) {
    const error = form.errors["customer_code"] ?? form.errors["customer"];
    return (
      <Stack gap="sm" align="flex-start">
        <div style={{ width: "100%", maxWidth: 480 }}>
          <CustomerPicker
            required
            disabled={isFixed}
            value={customer}
            onChange={(chosen) => form.setFieldValue("customer", chosen)}
            error={typeof error === "string" ? error : undefined}
          />
        </div>
        {may("customers.manage") && !isFixed && (
          <Button variant="subtle" px={0} onClick={() => form.setFieldValue("is_new_customer", true)}>
            {words.newCustomer}
          </Button>
        )}
      </Stack>
    );
  }
  return (
    <Stack gap="sm" align="flex-start">
      <SimpleGrid cols={{ base: 1, sm: 2 }} w="100%">
        <TextInput
          label={words.customerCode}
          required
          maxLength={45}
          {...form.getInputProps("new_customer.customer_code")}
          error={form.errors["new_customer.customer_code"] ?? form.errors["customer_code"]}
        />
        <TextInput
          label={words.customerName}
          required
          maxLength={200}
          {...form.getInputProps("new_customer.customer_name")}
        />
        {CONTACT.map((name) => (
          <TextInput key={name} label={words[name]} {...form.getInputProps(`new_customer.${name}`)} />
        ))}
        <TextInput
          label={words.gstin}
          description={words.gstinHint}
          maxLength={15}
          {...form.getInputProps("new_customer.gstin")}
          error={form.errors["new_customer.custom_fields.0.value"]}
        />
      </SimpleGrid>
      <Button variant="subtle" px={0} onClick={() => form.setFieldValue("is_new_customer", false)}>
        {words.knownCustomer}
      </Button>
    </Stack>
  );
}
