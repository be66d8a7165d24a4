// Changes to a franchise's contact.
// What belongs here: the form in its page. What is masked is sent only where something new was typed.
import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { ContactFields, type ContactValues } from "./contact-fields.tsx";
import { franchiseQuery } from "./franchise.ts";

/** Edit a franchise. */
export function Page() {
  const { franchiseId = "" }: { franchiseId?: string } = useParams({ strict: false });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { franchise } = useSuspenseQuery(franchiseQuery(franchiseId)).data;
  const leave = () => navigate({ to: `/franchises/${franchiseId}` });
  const sent = useApiForm<ContactValues, unknown>({
    initialValues: {
      franchise_name: franchise.franchise_name,
      contact_person_name: franchise.contact_person_name,
      email_id: franchise.email_id,
      mobile: franchise.mobile,
      pan_number: "",
      aadhar_number: "",
      gst_number: franchise.gst_number,
      address: franchise.address,
      city: franchise.city,
      state: franchise.state,
      zipcode: franchise.zipcode,
    },
    submit: ({ pan_number, aadhar_number, ...rest }) =>
      namingFields(() =>
        api("PUT", `/franchises/${franchiseId}`, {
          body: { ...rest, ...(pan_number ? { pan_number } : {}), ...(aadhar_number ? { aadhar_number } : {}) },
        }),
      ),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: ["/franchises"] });
      notifications.show({ color: "green", message: words.saved });
      await leave();
    },
  });
  return (
    <Outline title={words.editTitle(franchise.franchise_name)}>
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack gap="lg">
          <FormError error={sent.error} />
          <Panel title={words.contact}>
            <ContactFields form={sent.form} masked={franchise} />
          </Panel>
          <SubmitRow of={sent} label={words.save} onCancel={() => void leave()} />
        </Stack>
      </form>
    </Outline>
  );
}
