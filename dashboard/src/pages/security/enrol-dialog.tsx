// Turning the second factor on: password, the key for the app, its first code, the recovery codes.
// What belongs here: those steps, one after the other.
import { Code, Image, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { parts } from "../../strings/shell.ts";
import { security, signIn } from "../../strings/sign-in.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

type Enrolment = { readonly secret: string; readonly otpauth_uri: string; readonly qr_svg: string };
type CloseProps = { readonly onClose: () => void };

/** The dialog that sets the second factor up. */
export function EnrolDialog({ onClose }: CloseProps) {
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Modal opened onClose={onClose} title={security.factorTitle} closeButtonProps={{ "aria-label": parts.close }}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : enrolment ? (
        <ConfirmStep enrolment={enrolment} onDone={setCodes} onClose={onClose} />
      ) : (
        <PasswordStep onDone={setEnrolment} onClose={onClose} />
      )}
    </Modal>
  );
}

function PasswordStep({ onDone, onClose }: CloseProps & { readonly onDone: (enrolment: Enrolment) => void }) {
  const sent = useApiForm({
    initialValues: { password: "" },
    submit: (values) => api<Enrolment>("POST", "/second-factor/enrol", { body: values }),
    onDone,
  });
  return (
    <form onSubmit={sent.onSubmit}>
      <Stack gap="md">
        <FormError error={sent.error} />
        <PasswordInput
          label={security.confirmPassword}
          autoComplete="current-password"
          required
          data-autofocus
          {...sent.form.getInputProps("password")}
        />
        <SubmitRow of={sent} label={signIn.continue} onCancel={onClose} />
      </Stack>
    </form>
  );
}

type ConfirmProps = CloseProps & {
  readonly enrolment: Enrolment;
  readonly onDone: (codes: readonly string[]) => void;
};

function ConfirmStep({ enrolment, onDone, onClose }: ConfirmProps) {
  const sent = useApiForm({
    initialValues: { code: "" },
    submit: ({ code }) =>
      api<{ recovery_codes: string[] }>("POST", "/second-factor/confirm", { body: { code: code.trim() } }),
    onDone: ({ recovery_codes }) => onDone(recovery_codes),
  });
  return (
    <form onSubmit={sent.onSubmit}>
      <Stack gap="md">
        <Text>{security.scan}</Text>
        <Image
          src={`data:image/svg+xml,${encodeURIComponent(enrolment.qr_svg)}`}
          alt={security.qr}
          w={208}
          mx="auto"
          bg="white"
          p="xs"
        />
        <Text size="sm">
          {security.key}: <Code>{enrolment.secret.replace(/(.{4})(?=.)/g, "$1 ")}</Code>
        </Text>
        <FormError error={sent.error} />
        <TextInput
          label={security.confirmCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          required
          {...sent.form.getInputProps("code")}
        />
        <SubmitRow of={sent} label={security.confirm} onCancel={onClose} />
      </Stack>
    </form>
  );
}
