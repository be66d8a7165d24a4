// The dialogs of a beneficiary: verify its account, change its contact details, or deactivate it.
import { SimpleGrid, Text, Textarea } from "@mantine/core";
import { CONTACT_MEMBERS } from "../../../../src/payouts/beneficiaries/beneficiary-members.ts";
import { memberTexts } from "../../../../src/platform/member.ts";
import { api } from "../../api/client.ts";
import { ConfirmDialog, FormDialog } from "../../forms/dialogs.tsx";
import type { ApiForm } from "../../forms/form.tsx";
import { RecordField } from "../../forms/record-field.tsx";
import { beneficiaries as words } from "../../strings/payouts.ts";
import type { Beneficiary } from "./beneficiary.ts";

type DialogProps = { readonly beneficiary: Beneficiary; readonly onClose: () => void };

const CHANGES = ["/beneficiaries"];

const DIALOGS = { edit: EditDialog, verify: VerifyDialog, accept: AcceptDialog, deactivate: DeactivateDialog };

export type DialogName = keyof typeof DIALOGS;

/** The dialog of the chosen action. */
export function BeneficiaryDialog({ dialog, ...about }: DialogProps & { readonly dialog: DialogName }) {
  const Chosen = DIALOGS[dialog];
  return <Chosen {...about} />;
}

export const NO_CONTACT = memberTexts(CONTACT_MEMBERS, () => "");

/** The contact details. */
export function ContactFields({ field }: Pick<ApiForm<typeof NO_CONTACT>, "field">) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {CONTACT_MEMBERS.map((member) => (
        <RecordField key={member.name} member={member} field={field(member.name, words.contactFields[member.name])} />
      ))}
    </SimpleGrid>
  );
}

/** Changes the contact details. */
function EditDialog({ beneficiary, onClose }: DialogProps) {
  return (
    <FormDialog
      title={words.edit}
      label={words.saveContact}
      size="lg"
      hint={words.editHint}
      initialValues={memberTexts(CONTACT_MEMBERS, (name) => beneficiary[name])}
      submit={(body) => api("PUT", `/beneficiaries/${beneficiary.beneficiary_id}`, { body })}
      changes={CHANGES}
      done={words.edited}
      onClose={onClose}
    >
      {({ field }) => <ContactFields field={field} />}
    </FormDialog>
  );
}

/** Asks before a rupee is paid in. */
function VerifyDialog({ beneficiary, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={words.verifyTitle}
      text={words.verifyText}
      label={words.verifyAsk}
      submit={() => api("POST", `/beneficiaries/${beneficiary.beneficiary_id}/verify`)}
      changes={CHANGES}
      done={({ verification }) => words.verifiedWith[verification] ?? null}
      onClose={onClose}
    />
  );
}

/** Lets it be used although the bank has another name. */
function AcceptDialog({ beneficiary, onClose }: DialogProps) {
  return (
    <FormDialog
      title={words.acceptTitle}
      label={words.acceptName}
      danger
      intro={<Text>{words.nameDiffers(beneficiary.name, beneficiary.name_at_bank)}</Text>}
      initialValues={{ reason: "" }}
      submit={(body) => api("POST", `/beneficiaries/${beneficiary.beneficiary_id}/accept-name`, { body })}
      changes={CHANGES}
      done={words.accepted}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea
          {...field("reason", words.acceptReason)}
          required
          data-autofocus
          autosize
          minRows={2}
          maxLength={100}
        />
      )}
    </FormDialog>
  );
}

/** Asks before it is deactivated. */
function DeactivateDialog({ beneficiary, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={words.deactivateTitle(beneficiary.name)}
      text={words.deactivateText}
      label={words.deactivate}
      danger
      submit={() => api("POST", `/beneficiaries/${beneficiary.beneficiary_id}/deactivate`)}
      changes={CHANGES}
      done={words.deactivated}
      onClose={onClose}
    />
  );
}
