// The form of a customer, new or known: the usual fields, groups, and the merchant's own columns by their kinds.
import { SimpleGrid, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { CUSTOMER_MEMBERS, type CustomerTexts } from "../../../../src/customers/customer-members.ts";
import { memberTexts } from "../../../../src/platform/member.ts";
import { api, ApiError } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useLoaded, useRequestKey } from "../../api/queries.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { hasWrongCheckDigit } from "../../format/check-digits.ts";
import { DateField } from "../../forms/date-field.tsx";
import { gstinDoubts } from "../../forms/doubts.ts";
import { Form, useApiForm, type ApiForm } from "../../forms/form.tsx";
import { GstinField } from "../../forms/gstin-and-state.tsx";
import { askedBy, contradictionOf, useStateOfGstin, useSupplyOf } from "../../forms/invoice/supply-notice.tsx";
import { CUSTOMER_FORM_MEMBERS, codeOfName } from "../../forms/new-customer.ts";
import { RecordField } from "../../forms/record-field.tsx";
import { customers as words, gstinAndState } from "../../strings/customers.ts";

type Customer = Answer<"GET", "/customers/:customer_id">["customer"];
type ColumnType = Answer<"GET", "/session/customers/form">["columns"][number]["type"];

type CustomerValues = CustomerTexts & {
  gstin: string;
  customer_group: string[];
  custom_fields: { id: string; value: string }[];
};

type Props = {
  /** `null` for a new one. */
  readonly customer: Customer | null;
  /** The custom field of the GSTIN, if the customer has one. */
  readonly gstinFieldId: string | null;
  readonly save: (values: CustomerValues) => Promise<{ readonly customer_id: string }>;
};

/** Add or edit a customer, as the address says. */
export function Page() {
  const { customerId }: { customerId?: string } = useParams({ strict: false });
  return customerId === undefined ? <NewCustomer /> : <EditCustomer customerId={customerId} />;
}

function EditCustomer({ customerId }: { readonly customerId: string }) {
  const { customer, gstin_field_id } = useLoaded(`/customers/${customerId}`);
  // Left empty, the PAN stays.
  const save: Props["save"] = ({ pan, ...rest }) =>
    api("PUT", `/customers/${customerId}`, { body: { ...rest, ...(pan === "" ? {} : { pan }) } });
  return <CustomerForm customer={customer} gstinFieldId={gstin_field_id} save={save} />;
}

function NewCustomer() {
  const [requestKey, renewKey] = useRequestKey();
  const save = async (values: CustomerValues) => {
    try {
      return await api("POST", "/customers", { key: requestKey, body: values });
    } catch (error) {
      // A refused request has saved nothing, so the next try may have other values.
      if (error instanceof ApiError && error.status !== 0) renewKey();
      throw error;
    }
  };
  return <CustomerForm customer={null} gstinFieldId={null} save={save} />;
}

function CustomerForm({ customer, gstinFieldId, save }: Props) {
  const navigate = useNavigate();
  const { columns: all, gstin_field_id } = useLoaded("/session/customers/form");
  const ofGstin = gstinFieldId ?? gstin_field_id;
  const columns = all.filter(({ column_id }) => column_id !== ofGstin);
  // Values without a column stay unchanged.
  const others = (customer?.custom_fields ?? []).filter(
    ({ id }) => id !== ofGstin && columns.every(({ column_id }) => column_id !== id),
  );
  const { groups } = useLoaded("/customer-groups");
  const valueOf = (id: string): string => customer?.custom_fields.find((field) => field.id === id)?.value ?? "";
  const sent = useApiForm({
    initialValues: {
      ...memberTexts(CUSTOMER_MEMBERS, (name) => customer?.[name] ?? ""),
      pan: "",
      gstin: customer?.gstin ?? "",
      customer_group: [...(customer?.groups ?? [])],
      custom_fields: [...columns.map(({ column_id: id }) => ({ id, value: valueOf(id) })), ...others],
    },
    submit: save,
    doubts: ({ gstin }) => gstinDoubts(gstin, customer?.gstin ?? ""),
    draft: `customer-${customer?.customer_id ?? "new"}`,
    secrets: ["pan"],
    changes: ["/customers", "/customer-groups"],
    done: words.saved,
    onDone: ({ customer_id }) => navigate({ to: `/customers/${customer_id}` }),
  });
  const { field, form } = sent;
  const supply = useSupplyOf("customers", askedBy(form.values));
  // An unchanged form sends nothing.
  useStateOfGstin(form.values, supply, (state) => form.isDirty("gstin") && form.setFieldValue("state", state));
  const hints: Partial<CustomerTexts> = { pan: keptPan(customer), state: contradictionOf(supply) ?? "" };
  const proposeCode = (): void => {
    if (form.values.customer_code.trim() === "")
      form.setFieldValue("customer_code", codeOfName(form.values.customer_name));
  };
  const leave = () => void navigate({ to: customer ? `/customers/${customer.customer_id}` : "/customers" });
  return (
    <Outline title={customer ? words.editTitle(customer.customer_name) : words.add}>
      <Form of={sent} label={words.save} onCancel={leave} gap="lg">
        <Panel title={words.contact}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {CUSTOMER_FORM_MEMBERS.map((member) => {
              const props = field(member.name, words.fields[member.name], hints[member.name] || undefined);
              const proposing = member.name === "customer_name" && customer === null ? { onBlur: proposeCode } : {};
              return <RecordField key={member.name} member={member} field={{ ...props, ...proposing }} />;
            })}
            <GstinField {...field("gstin", gstinAndState.gstin)} state={form.values.state} />
          </SimpleGrid>
          <TagsInput
            {...field("customer_group", words.ofGroups, words.groupsHint)}
            mt="md"
            data={groups.map(({ name }) => name)}
            maxTags={50}
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
      </Form>
    </Outline>
  );
}

/** The hint for a saved PAN, which an empty field leaves unchanged. */
function keptPan(customer: Props["customer"]): string {
  return customer?.pan ? words.unchanged(customer.pan) : "";
}

type FieldProps = {
  readonly label: string;
  readonly type: ColumnType;
  readonly of: ApiForm<CustomerValues>;
  readonly index: number;
};

function CustomField({ label, type, of, index }: FieldProps) {
  const value = of.form.getValues().custom_fields[index]!.value;
  const warning = type === "gst" && hasWrongCheckDigit(value) ? gstinAndState.gstinWarning : null;
  const props = of.field(`custom_fields.${index}.value`, label, warning);
  if (type === "textarea") return <Textarea autosize minRows={2} {...props} />;
  if (type === "date") return <DateField {...props} />;
  if (type === "number") return <TextInput inputMode="decimal" {...props} />;
  if (type === "email") return <TextInput type="email" autoComplete="off" {...props} />;
  if (type === "mobile") return <TextInput type="tel" autoComplete="off" {...props} />;
  return <TextInput inputWrapperOrder={["label", "input", "description", "error"]} {...props} />;
}
