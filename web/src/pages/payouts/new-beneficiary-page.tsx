// A new beneficiary: a bank account, a UPI handle, or both.
import { SimpleGrid, TextInput, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Form, useApiForm } from "../../forms/form.tsx";
import { beneficiaries } from "../../strings/payouts.ts";
import { ACCOUNT_RULES, BankFields, NO_ACCOUNT, UpiField } from "./account-fields.tsx";
import { ContactFields, NO_CONTACT } from "./beneficiary-dialogs.tsx";

const EMPTY = { name: "", ...NO_ACCOUNT, ...NO_CONTACT };

/** New beneficiary. */
export function Page() {
  const navigate = useNavigate();
  const sent = useApiForm({
    initialValues: EMPTY,
    validate: ACCOUNT_RULES,
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
            <BankFields field={field} />
            <UpiField field={field} />
          </SimpleGrid>
          <Title order={2}>{beneficiaries.contact}</Title>
          <ContactFields field={field} />
        </Form>
      </Panel>
    </Outline>
  );
}
