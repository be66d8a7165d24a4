// A new franchise: contact, commission, bank account and sign-in.
// What belongs here: the form in its page.
import { Checkbox, NativeSelect, PasswordInput, SimpleGrid, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { useMerchant } from "../../api/session.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { AccountFields, TermsFields } from "./agreement-fields.tsx";
import { ContactFields } from "./contact-fields.tsx";
import { franchiseFormQuery } from "./franchise.ts";

const EMPTY = {
  franchise_code: "",
  franchise_name: "",
  contact_person_name: "",
  email_id: "",
  mobile: "",
  pan_number: "",
  aadhar_number: "",
  gst_number: "",
  address: "",
  city: "",
  state: "",
  zipcode: "",
  commission_type: "Percentage",
  commission: "",
  settlement_type: "Manual",
  enable_online_settlement: false,
  bank_holder_name: "",
  account_number: "",
  bank_name: "",
  account_type: "Current",
  ifsc: "",
  enable_franchise_login: false,
  login_email: "",
  password: "",
  role_name: "Franchise",
};
type Values = typeof EMPTY;
type FormProps = { readonly form: UseFormReturnType<Values> };

/** Add a franchise. */
export function Page() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const sent = useApiForm<Values, { franchise_id: string }>({
    initialValues: EMPTY,
    submit: (values) =>
      namingFields(() =>
        api("POST", "/franchises", {
          body: {
            ...values,
            enable_online_settlement: values.enable_online_settlement ? 1 : 0,
            enable_franchise_login: values.enable_franchise_login ? 1 : 0,
          },
        }),
      ),
    onDone: async ({ franchise_id }) => {
      await queries.invalidateQueries({ queryKey: ["/franchises"] });
      notifications.show({ color: "green", message: words.saved });
      await navigate({ to: `/franchises/${franchise_id}` });
    },
  });
  const { form } = sent;
  return (
    <Outline title={words.add}>
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack gap="lg">
          <FormError error={sent.error} />
          <Panel title={words.contact}>
            <Stack>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <TextInput label={words.code} required {...form.getInputProps("franchise_code")} />
              </SimpleGrid>
              <ContactFields form={form} />
            </Stack>
          </Panel>
          <Panel title={words.terms}>
            <TermsFields form={form} />
          </Panel>
          <AccountPanel form={form} />
          <LoginPanel form={form} />
          <SubmitRow of={sent} label={words.save} onCancel={() => void navigate({ to: "/franchises" })} />
        </Stack>
      </form>
    </Outline>
  );
}

function AccountPanel({ form }: FormProps) {
  return (
    <Panel title={words.account}>
      <Stack>
        <Checkbox label={words.online} {...form.getInputProps("enable_online_settlement", { type: "checkbox" })} />
        <AccountFields form={form} />
      </Stack>
    </Panel>
  );
}

function LoginPanel({ form }: FormProps) {
  const { roles } = useSuspenseQuery(franchiseFormQuery).data;
  const { sign_in_url: signInUrl } = useMerchant();
  return (
    <Panel title={words.login}>
      <Stack>
        <Checkbox label={words.withLogin} {...form.getInputProps("enable_franchise_login", { type: "checkbox" })} />
        {form.getValues().enable_franchise_login && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={words.loginEmail}
              description={words.loginHint(signInUrl)}
              type="email"
              required
              autoComplete="off"
              {...form.getInputProps("login_email")}
            />
            <PasswordInput
              label={words.password}
              description={words.passwordHint}
              required
              autoComplete="new-password"
              {...form.getInputProps("password")}
            />
            <NativeSelect label={words.role} data={roles} {...form.getInputProps("role_name")} />
          </SimpleGrid>
        )}
      </Stack>
    </Panel>
  );
}
