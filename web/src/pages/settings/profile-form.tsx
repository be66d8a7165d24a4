// Changing the company details, and the bank account that withdrawals go to.
import { SimpleGrid, TextInput } from "@mantine/core";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { IfscField } from "../../components/ifsc-field.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import { gstinDoubts } from "../../forms/doubts.ts";
import { GstinField, StateField } from "../../forms/gstin-and-state.tsx";
import { profile as words } from "../../strings/profile.ts";

export type Profile = Answer<"GET", "/profile">["profile"];

/** What can be changed, in the order in which it is shown. */
export const PROFILE_FIELDS = [
  "name",
  "email",
  "mobile",
  "address",
  "city",
  "state",
  "zipcode",
  "gstin",
  "pan",
  "time_zone",
] as const;
type ProfileField = (typeof PROFILE_FIELDS)[number];

/** The name in the frame, and the merchant's day, come from the profile too. */
const CHANGES = ["/profile", "/session"];

const KINDS: Partial<Record<ProfileField, { readonly type?: string; readonly inputMode?: "numeric" | "tel" }>> = {
  email: { type: "email" },
  mobile: { inputMode: "tel" },
  zipcode: { inputMode: "numeric" },
};

type Props = { readonly profile: Profile; readonly onClose: () => void };

/** The dialog of the company details: only what differs is sent. A PAN that is masked stays unless another one is typed. */
export function ProfileForm({ profile, onClose }: Props) {
  const seesPan = usePermissions()("personal_data.reveal");
  const entries = PROFILE_FIELDS.map((name) => [name, name === "pan" && !seesPan ? "" : profile[name]]);
  const before = Object.fromEntries(entries) as Record<ProfileField, string>;
  return (
    <FormDialog
      title={words.editTitle}
      label={words.save}
      size="lg"
      initialValues={before}
      doubts={({ gstin }) => gstinDoubts(gstin, before.gstin)}
      submit={(values) => {
        const changed = PROFILE_FIELDS.filter((name) => values[name] !== before[name]);
        const body: Partial<typeof before> = Object.fromEntries(changed.map((name) => [name, values[name]]));
        return api("PUT", "/profile", { body });
      }}
      changes={CHANGES}
      done={words.saved}
      onClose={onClose}
    >
      {({ form, field }) => (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {PROFILE_FIELDS.map((name, index) => {
            const props = field(name, words.fields[name]);
            if (name === "gstin") return <GstinField key={name} {...props} state={form.values.state} />;
            if (name === "state") return <StateField key={name} {...props} />;
            return (
              <TextInput
                key={name}
                {...props}
                description={name === "pan" && !seesPan ? words.panHidden : undefined}
                required={name === "name" || name === "email"}
                data-autofocus={index === 0 || undefined}
                {...KINDS[name]}
              />
            );
          })}
        </SimpleGrid>
      )}
    </FormDialog>
  );
}

type BankProps = {
  /** Gets the approval that the change waits for; `null` where it is in force. */
  readonly onDone: (approvalId: string | null) => void;
  readonly onClose: () => void;
};

/** The dialog of the bank account. The number is typed twice: a wrong digit sends money astray. */
export function BankAccountForm({ onDone, onClose }: BankProps) {
  const typed = { autoComplete: "off", required: true };
  return (
    <FormDialog
      title={words.bankEdit}
      hint={words.bankHint}
      initialValues={{ bank_account: "", repeated: "", ifsc: "", bank_holder: "" }}
      validate={{ repeated: (text, { bank_account }) => (text === bank_account ? null : words.differs) }}
      submit={({ repeated: _compared, ...body }) => api("PUT", "/bank-account", { body })}
      changes={CHANGES}
      done={({ approval_id }) => (approval_id === null ? words.bankSaved : null)}
      onDone={({ approval_id }) => onDone(approval_id)}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <TextInput {...field("bank_account", words.account)} {...typed} data-autofocus />
          <TextInput {...field("repeated", words.repeated)} {...typed} />
          <IfscField {...field("ifsc", words.ifsc)} required />
          <TextInput {...field("bank_holder", words.holder, words.holderHint)} autoComplete="off" />
        </>
      )}
    </FormDialog>
  );
}
