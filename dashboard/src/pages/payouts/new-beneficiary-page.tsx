// A new beneficiary: a bank account, a UPI handle, or both.
// What belongs here: the form. The server checks everything again.
import { SimpleGrid, Stack, TextInput, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { beneficiaries } from "../../strings/payouts.ts";

const EMPTY = {
  name: "",
  account_number: "",
  ifsc: "",
  upi: "",
  mobile: "",
  email_id: "",
  address: "",
  city: "",
  state: "",
  pincode: "",
};
type Values = typeof EMPTY;
type Answer = { readonly beneficiary_id: string; readonly waits: boolean };

const ACCOUNT = /^[A-Za-z0-9]{4,35}$/;
const IFSC = /^[A-Za-z]{4}0[A-Za-z0-9]{6}$/;
const HANDLE = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/;

const isEmpty = (text: string): boolean => text.trim() === "";

const VALIDATE = {
  account_number: (text: string, { upi, ifsc }: Values) => {
    if (!isEmpty(text)) return ACCOUNT.test(text.trim()) ? null : beneficiaries.accountInvalid;
    return isEmpty(upi) || !isEmpty(ifsc) ? beneficiaries.payableMissing : null;
  },
  ifsc: (text: string, { account_number }: Values) =>
    (isEmpty(text) && isEmpty(account_number)) || IFSC.test(text.trim()) ? null : beneficiaries.ifscInvalid,
  upi: (text: string) => (isEmpty(text) || HANDLE.test(text.trim()) ? null : beneficiaries.upiInvalid),
};

/** New beneficiary. */
export function Page() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const sent = useApiForm({
    initialValues: EMPTY,
    validate: VALIDATE,
    submit: (values) => api<Answer>("POST", "/beneficiaries", { body: values }),
    onDone: async ({ beneficiary_id, waits }) => {
      void queries.invalidateQueries({ queryKey: ["/beneficiaries"] });
      notifications.show({ color: "green", message: waits ? beneficiaries.savedWaits : beneficiaries.saved });
      await navigate({ to: `/beneficiaries/${beneficiary_id}`, replace: true });
    },
  });
  const field = (name: keyof Values) => sent.form.getInputProps(name);
  return (
    <Outline title={beneficiaries.newTitle} hint={beneficiaries.newHint}>
      <Panel>
        <form onSubmit={sent.onSubmit} noValidate>
          <Stack gap="md" maw={720}>
            <FormError error={sent.error} />
            <TextInput label={beneficiaries.name} required maxLength={100} {...field("name")} />
            <Title order={2}>{beneficiaries.payable}</Title>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label={beneficiaries.account}
                description={beneficiaries.accountHint}
                autoComplete="off"
                {...field("account_number")}
              />
              <TextInput
                label={beneficiaries.ifsc}
                description={beneficiaries.ifscHint}
                autoComplete="off"
                {...field("ifsc")}
              />
              <TextInput label={beneficiaries.upi} autoComplete="off" {...field("upi")} />
            </SimpleGrid>
            <Title order={2}>{beneficiaries.contact}</Title>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput label={beneficiaries.mobile} inputMode="tel" {...field("mobile")} />
              <TextInput label={beneficiaries.email} inputMode="email" {...field("email_id")} />
              <TextInput label={beneficiaries.address} {...field("address")} />
              <TextInput label={beneficiaries.city} {...field("city")} />
              <TextInput label={beneficiaries.state} {...field("state")} />
              <TextInput label={beneficiaries.pincode} inputMode="numeric" {...field("pincode")} />
            </SimpleGrid>
            <SubmitRow of={sent} label={beneficiaries.save} onCancel={() => void navigate({ to: "/beneficiaries" })} />
          </Stack>
        </form>
      </Panel>
    </Outline>
  );
}
