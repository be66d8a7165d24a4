// The customer of an invoice: an existing one, or a new one that is created with the invoice.
import { Checkbox, SimpleGrid, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { CustomerPicker } from "../../components/customer-picker.tsx";
import { customers, gstinAndState } from "../../strings/customers.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { fieldsOf } from "../form.tsx";
import { useFormChoices, type FormKind } from "./form-choices.ts";
import { keepsCustomer, type InvoiceValues } from "./invoice-values.ts";
import { GstinField } from "../gstin-and-state.tsx";
import { CUSTOMER_FORM_MEMBERS, codeOfName } from "../new-customer.ts";
import { RecordField } from "../record-field.tsx";
import { contradictionOf, SupplyNotice, useStateOfGstin, useSupply, type Supply } from "./supply-notice.tsx";

const LABELS = { ...customers.fields, customer_code: words.customerCode };

/** `isFixed`: the customer can't be another one. */
export function CustomerFields({
  of,
  form,
  isFixed = false,
}: {
  /** What the form makes. */
  readonly of: FormKind;
  readonly form: UseFormReturnType<InvoiceValues>;
  readonly isFixed?: boolean;
}) {
  const may = usePermissions();
  const { customer, is_new_customer: isNew } = form.values;
  const supply = useSupply(of, form.values);
  const { gstin_field_id } = useFormChoices(of);
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
          {!keepsCustomer(form.values) && <SupplyNotice supply={supply} />}
        </div>
        {customer !== null && customer.customer_code === form.values.kept_customer_code && (
          <Checkbox
            {...form.getInputProps("is_customer_renewed", { type: "checkbox" })}
            label={words.renewCustomer}
            description={words.renewCustomerHint}
          />
        )}
        {may("customers.manage") && !isFixed && (
          <Action
            label={words.newCustomer}
            variant="subtle"
            px={0}
            onClick={() =>
              form.setValues({ is_new_customer: true, new_customer: { ...form.values.new_customer, gstin_field_id } })
            }
          />
        )}
      </Stack>
    );
  }
  return <NewCustomerFields form={form} supply={supply} />;
}

/** Without the PAN: the form's draft would keep it. The customer's own form has it. */
const NEW_CUSTOMER_MEMBERS = CUSTOMER_FORM_MEMBERS.filter(({ name }) => name !== "pan");

type NewProps = {
  readonly form: UseFormReturnType<InvoiceValues>;
  readonly supply: Supply | undefined;
};

function NewCustomerFields({ form, supply }: NewProps) {
  const field = fieldsOf(form);
  const typed = form.values.new_customer;
  useStateOfGstin(typed, supply, (state) => form.setFieldValue("new_customer.state", state));
  return (
    <Stack gap="sm" align="flex-start">
      <SimpleGrid cols={{ base: 1, sm: 2 }} w="100%">
        {NEW_CUSTOMER_MEMBERS.map((member) => {
          const path = `new_customer.${member.name}` as const;
          const hint = member.kind === "state" ? contradictionOf(supply) : undefined;
          const error = form.errors[path] ?? form.errors[member.name];
          const props = { ...field(path, LABELS[member.name], hint), error };
          if (member.name !== "customer_name") return <RecordField key={path} member={member} field={props} />;
          // A code that was typed stays.
          const proposeCode = (): void => {
            if (typed.customer_code.trim() !== "") return;
            form.setFieldValue("new_customer.customer_code", codeOfName(typed.customer_name));
          };
          const isNext = typed.customer_name === "";
          return (
            <RecordField key={path} member={member} field={{ ...props, onBlur: proposeCode }} autoFocus={isNext} />
          );
        })}
        <GstinField
          {...field("new_customer.gstin", gstinAndState.gstin)}
          state={typed.state}
          error={form.errors["new_customer.custom_fields.0.value"]}
        />
      </SimpleGrid>
      <SupplyNotice supply={supply} isShownAtField />
      <Action
        label={words.knownCustomer}
        variant="subtle"
        px={0}
        onClick={() => form.setFieldValue("is_new_customer", false)}
      />
    </Stack>
  );
}
