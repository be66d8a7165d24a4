// What is done to a second factor that is on: turning it off, and new recovery codes. Both ask for password and code.
// What belongs here: the two dialogs and the form that they share.
import { Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { parts } from "../../strings/shell.ts";
import { security, signIn } from "../../strings/sign-in.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

type CloseProps = { readonly onClose: () => void };

/** Turns the second factor off. */
export function TurnOffDialog({ onClose }: CloseProps) {
  const done = (): void => {
    notifications.show({ color: "green", message: security.turnedOff });
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={security.turnOff} closeButtonProps={{ "aria-label": parts.close }}>
      <Text mb="md">{security.turnOffHint}</Text>
      <ProofForm path="/second-factor/disable" label={security.turnOff} danger onDone={done} onClose={onClose} />
    </Modal>
  );
}

/** Replaces the recovery codes. */
export function NewCodesDialog({ onClose }: CloseProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Modal opened onClose={onClose} title={security.newCodes} closeButtonProps={{ "aria-label": parts.close }}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : (
        <ProofForm<{ recovery_codes: string[] }>
          path="/second-factor/recovery-codes"
          label={security.newCodes}
          onDone={({ recovery_codes }) => setCodes(recovery_codes)}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}

type ProofProps<Answer> = CloseProps & {
  readonly path: string;
  readonly label: string;
  readonly danger?: boolean;
  readonly onDone: (answer: Answer) => void;
};

function ProofForm<Answer>({ path, label, danger = false, onDone, onClose }: ProofProps<Answer>) {
  const sent = useApiForm({
    initialValues: { password: "", code: "" },
    submit: (values) => api<Answer>("POST", path, { body: { ...values, code: values.code.trim() } }),
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
        <TextInput
          label={signIn.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...sent.form.getInputProps("code")}
        />
        <SubmitRow of={sent} label={label} onCancel={onClose} danger={danger} />
      </Stack>
    </form>
  );
}
