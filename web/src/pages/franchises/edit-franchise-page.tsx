// Changes a franchise's contact details. Masked values are sent only if something new was typed.
import { useNavigate, useParams } from "@tanstack/react-router";
import { CONTACT_MEMBERS } from "../../../../src/franchises/contact-members.ts";
import { memberTexts } from "../../../../src/platform/member.ts";
import { api } from "../../api/client.ts";
import { useLoaded } from "../../api/queries.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { gstinDoubts } from "../../forms/doubts.ts";
import { Form, useApiForm } from "../../forms/form.tsx";
import { franchises as words } from "../../strings/franchises.ts";
import { ContactFields, type ContactValues } from "./franchise-fields.tsx";

/** Edit a franchise. */
export function Page() {
  const { franchiseId = "" }: { franchiseId?: string } = useParams({ strict: false });
  const navigate = useNavigate();
  const { franchise } = useLoaded(`/franchises/${franchiseId}`);
  const leave = () => navigate({ to: `/franchises/${franchiseId}` });
  const sent = useApiForm<ContactValues, unknown>({
    initialValues: { ...memberTexts(CONTACT_MEMBERS, (name) => franchise[name]), pan_number: "", aadhar_number: "" },
    doubts: ({ gst_number: gstin }) => gstinDoubts(gstin, franchise.gst_number),
    submit: ({ pan_number, aadhar_number, ...rest }) =>
      api("PUT", `/franchises/${franchiseId}`, {
        body: { ...rest, ...(pan_number ? { pan_number } : {}), ...(aadhar_number ? { aadhar_number } : {}) },
      }),
    changes: ["/franchises"],
    done: words.saved,
    onDone: leave,
  });
  return (
    <Outline title={words.editTitle(franchise.franchise_name)}>
      <Form of={sent} label={words.save} onCancel={() => void leave()} gap="lg">
        <Panel title={words.contact}>
          <ContactFields form={sent.form} masked={franchise} />
        </Panel>
      </Form>
    </Outline>
  );
}
