// Changing the company details. Only what differs is sent.
// What belongs here: that dialog.
import { Modal, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { hasWrongCheckDigit } from "../../format/check-digits.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { profile as words } from "../../strings/profile.ts";
import { parts } from "../../strings/shell.ts";
import { PROFILE_FIELDS, type Profile, type ProfileAnswer, type ProfileField } from "./profile.ts";

type Props = { readonly profile: Profile; readonly onDone: () => void; readonly onClose: () => void };

const KINDS: Partial<Record<ProfileField, { readonly type?: string; readonly inputMode?: "numeric" | "tel" }>> = {
  email: { type: "email" },
  mobile: { inputMode: "tel" },
  zipcode: { inputMode: "numeric" },
};

/** The dialog. A PAN that is shown masked is kept unless another one is typed. */
export function ProfileForm({ profile, onDone, onClose }: Props) {
  const may = usePermissions();
  const seesPan = may("personal_data.reveal");
  const entries = PROFILE_FIELDS.map((name) => [name, name === "pan" && !seesPan ? "" : profile[name]]);
  const before = Object.fromEntries(entries) as Record<ProfileField, string>;
  const sent = useApiForm({
    initialValues: before,
    submit: (values) => {
      const body = Object.fromEntries(
        Object.entries(values).filter(([name, value]) => value !== before[name as never]),
      );
      return api<ProfileAnswer>("PUT", "/profile", { body });
    },
    onDone: () => {
      notifications.show({ color: "green", message: words.saved });
      onDone();
    },
  });
  const isDoubtful = hasWrongCheckDigit(sent.form.values.gstin);
  return (
    <Modal opened onClose={onClose} title={words.editTitle} size="lg" closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {PROFILE_FIELDS.map((name, index) => (
              <TextInput
                key={name}
                label={words.fields[name]}
                required={name === "name" || name === "email"}
                {...(name === "state" ? { description: words.stateHint } : {})}
                {...(name === "gstin" && isDoubtful ? { description: words.gstinWarning } : {})}
                {...(name === "pan" && !seesPan ? { description: words.panHidden } : {})}
                {...(index === 0 ? { "data-autofocus": true } : {})}
                {...KINDS[name]}
                {...sent.form.getInputProps(name)}
              />
            ))}
          </SimpleGrid>
          <SubmitRow of={sent} label={words.save} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
