// A new beneficiary: a bank account, a UPI handle, or both.
import { SimpleGrid, TextInput, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { IFSC, IfscField } from "../../components/ifsc-field.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Form, useApiForm } from "../../forms/form.tsx";
import { beneficiaries } from "../../strings/payouts.ts";
import { ContactFields, NO_CONTACT } from "./beneficiary-dialogs.tsx";

const EMPTY = {
  name: "",
  account_number: "",
  ifsc: "",
  upi: "",
  ...NO_CONTACT,
};
type Values = typeof EMPTY;
const ACCOUNT = /^[A-Za-z0-9]{4,35}$/;
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
  const navigate = useNavigate();
  const sent = useApiForm({
    initialValues: EMPTY,
    validate: VALIDATE,
    submit: (body) => api("POST", "/beneficiaries", { body }),
    changes: ["/beneficiaries"],
    done: ({ waits }) => (waits ? beneficiaries.savedWaits : beneficiaries.saved),
    onDone: ({ beneficiary_id }) => navigate({ to: `/beneficiaries/${beneficiary_id}`, replace: true }),
  });
  const { field } = sent;
  const leave = () => void navigate({ to: "/beneficiaries" });
  return (
    <Outline title={beneficiaries.newTitle} hint={beneficiaries.newHint}>
      <Panel>
        <Form of={sent} label={beneficiaries.save} onCancel={leave} maw={720}>
          <TextInput {...field("name", beneficiaries.name)} required maxLength={100} />
          <Title order={2}>{beneficiaries.payable}</Title>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              {...field("account_number", beneficiaries.account, beneficiaries.accountHint)}
              autoComplete="off"
            />
            <IfscField {...field("ifsc", beneficiaries.ifsc, beneficiaries.ifscHint)} />
            <TextInput {...field("upi", beneficiaries.upi)} autoComplete="off" />
          </SimpleGrid>
          <Title order={2}>{beneficiaries.contact}</Title>
          <ContactFields field={field} />
        </Form>
      </Panel>
    </Outline>
  );
}
