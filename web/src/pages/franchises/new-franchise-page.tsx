// A new franchise: contact, commission, bank account and sign-in.
import { Checkbox, NativeSelect, PasswordInput, SimpleGrid, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { CONTACT_MEMBERS } from "../../../../src/franchises/contact-members.ts";
import { memberTexts } from "../../../../src/platform/member.ts";
import { api } from "../../api/client.ts";
import { useLoaded } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { gstinDoubts } from "../../forms/doubts.ts";
import { checksOf, fieldsOf, Form, useApiForm } from "../../forms/form.tsx";
import { franchises as words } from "../../strings/franchises.ts";
import { AccountFields, ContactFields, TermsFields } from "./franchise-fields.tsx";

const EMPTY = {
  franchise_code: "",
  ...memberTexts(CONTACT_MEMBERS, () => ""),
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

/** Add a franchise. */
export function Page() {
  const navigate = useNavigate();
  const sent = useApiForm({
    initialValues: EMPTY,
    doubts: ({ gst_number: gstin }) => gstinDoubts(gstin, ""),
    submit: (values) => {
      // Its handler reads the body by itself, as the merchants' API does: no names are declared.
      const body: object = {
        ...values,
        enable_online_settlement: values.enable_online_settlement ? 1 : 0,
        enable_franchise_login: values.enable_franchise_login ? 1 : 0,
      };
      return api("POST", "/franchises", { body });
    },
    changes: ["/franchises"],
    done: words.saved,
    onDone: ({ franchise_id }) => navigate({ to: `/franchises/${franchise_id}` }),
  });
  const { form, field, check } = sent;
  return (
    <Outline title={words.add}>
      <Form of={sent} label={words.save} onCancel={() => void navigate({ to: "/franchises" })} gap="lg">
        <Panel title={words.contact}>
          <Stack>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput {...field("franchise_code", words.code)} required />
            </SimpleGrid>
            <ContactFields form={form} />
          </Stack>
        </Panel>
        <Panel title={words.terms}>
          <TermsFields form={form} />
        </Panel>
        <Panel title={words.account}>
          <Stack>
            <Checkbox {...check("enable_online_settlement", words.online)} />
            <AccountFields form={form} />
          </Stack>
        </Panel>
        <LoginPanel form={form} />
      </Form>
    </Outline>
  );
}

function LoginPanel({ form }: { readonly form: UseFormReturnType<typeof EMPTY> }) {
  const check = checksOf(form);
  const field = fieldsOf(form);
  const { roles } = useLoaded("/session/franchises/form");
  const { sign_in_url: signInUrl } = useMerchant();
  return (
    <Panel title={words.login}>
      <Stack>
        <Checkbox {...check("enable_franchise_login", words.withLogin)} />
        {form.getValues().enable_franchise_login && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              {...field("login_email", words.loginEmail, words.loginHint(signInUrl))}
              type="email"
              required
              autoComplete="off"
            />
            <PasswordInput
              {...field("password", words.password, words.passwordHint)}
              required
              autoComplete="new-password"
            />
            <NativeSelect {...field("role_name", words.role)} data={roles} />
          </SimpleGrid>
        )}
      </Stack>
    </Panel>
  );
}
