// One's second factor: whether it is on, turning it on and off, new recovery codes.
import { Code, CopyButton, Group, Image, PasswordInput, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChanged } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { security, signIn } from "../../strings/sign-in.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { Dialog, FormDialog } from "../../forms/dialogs.tsx";
import type { ApiForm } from "../../forms/form.tsx";
import { parts } from "../../strings/shell.ts";
import { WEIGHT } from "../../app/tokens.ts";

type Open = "enrol" | "codes" | "off" | null;

/** The panel of the second factor. */
export function SecondFactor() {
  const { second_factor: isOn, recovery_codes_left: left } = useSession();
  const changed = useChanged();
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => {
    setOpen(null);
    void changed("/session");
  };
  const badge = (
    <StatusBadge status={isOn ? security.factorOn : security.factorOff} tone={isOn ? "success" : "warning"} />
  );
  return (
    <Panel title={security.factorTitle} actions={badge}>
      <Stack gap="md">
        <Text>{security.factorHint}</Text>
        {isOn && <Text c="dimmed">{security.recoveryLeft(left)}</Text>}
        <Group gap="xs">
          {!isOn && <Action label={security.setUp} primary onClick={() => setOpen("enrol")} />}
          {isOn && <Action label={security.newCodes} onClick={() => setOpen("codes")} />}
          {isOn && <Action label={security.turnOff} onClick={() => setOpen("off")} />}
        </Group>
      </Stack>
      {open === "enrol" && <EnrolDialog onClose={close} />}
      {open === "codes" && <NewCodesDialog onClose={close} />}
      {open === "off" && <TurnOffDialog onClose={close} />}
    </Panel>
  );
}

type CloseProps = { readonly onClose: () => void };

/** Turns the second factor on: password, the key for the app, its first code, the recovery codes. */
function EnrolDialog({ onClose }: CloseProps) {
  const [enrolment, setEnrolment] = useState<Answer<"POST", "/session/second-factor/enrol"> | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) return <RecoveryCodes title={security.factorTitle} codes={codes} onClose={onClose} />;
  if (!enrolment) {
    return (
      <FormDialog
        key="password"
        title={security.factorTitle}
        label={signIn.continue}
        initialValues={{ password: "" }}
        submit={(body) => api("POST", "/session/second-factor/enrol", { body })}
        onDone={setEnrolment}
        onClose={onClose}
      >
        {PasswordField}
      </FormDialog>
    );
  }
  return (
    <FormDialog
      key="code"
      title={security.factorTitle}
      label={security.confirm}
      intro={
        <>
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
        </>
      }
      initialValues={{ code: "" }}
      submit={({ code }) => api("POST", "/session/second-factor/confirm", { body: { code: code.trim() } })}
      onDone={({ recovery_codes }) => setCodes(recovery_codes)}
      onClose={onClose}
    >
      {({ field }) => <TextInput {...field("code", security.confirmCode)} {...CODE} autoFocus />}
    </FormDialog>
  );
}

/** Turns the second factor off. */
function TurnOffDialog({ onClose }: CloseProps) {
  return (
    <FormDialog
      title={security.turnOff}
      danger
      intro={<Text>{security.turnOffHint}</Text>}
      initialValues={PROOF}
      submit={(values) => api("POST", "/session/second-factor/disable", { body: bodyOf(values) })}
      done={security.turnedOff}
      onClose={onClose}
    >
      {ProofFields}
    </FormDialog>
  );
}

/** Replaces the recovery codes. */
function NewCodesDialog({ onClose }: CloseProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) return <RecoveryCodes title={security.newCodes} codes={codes} onClose={onClose} />;
  return (
    <FormDialog
      title={security.newCodes}
      initialValues={PROOF}
      submit={(values) => api("POST", "/session/second-factor/recovery-codes", { body: bodyOf(values) })}
      onDone={({ recovery_codes }) => setCodes(recovery_codes)}
      onClose={onClose}
    >
      {ProofFields}
    </FormDialog>
  );
}

const CODE = { inputMode: "numeric", autoComplete: "one-time-code", required: true } as const;
const PROOF = { password: "", code: "" };

const bodyOf = ({ password, code }: typeof PROOF) => ({ password, code: code.trim() });

function PasswordField({ field }: Pick<ApiForm<{ password: string }>, "field">) {
  return (
    <PasswordInput
      {...field("password", security.confirmPassword)}
      autoComplete="current-password"
      required
      data-autofocus
    />
  );
}

function ProofFields({ field }: Pick<ApiForm<typeof PROOF>, "field">) {
  return (
    <>
      <PasswordField field={field} />
      <TextInput {...field("code", signIn.code)} {...CODE} />
    </>
  );
}

type CodesProps = CloseProps & { readonly title: string; readonly codes: readonly string[] };

/** Recovery codes, the one time that they are shown, and a button that says that they are kept. */
function RecoveryCodes({ title, codes, onClose }: CodesProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack gap="md">
        <Text fw={WEIGHT.strong}>{security.codesTitle}</Text>
        <Text>{security.codesHint}</Text>
        <SimpleGrid component="ul" cols={2} spacing="xs" p={0} m={0}>
          {codes.map((code) => (
            <Text component="li" key={code} ff="monospace" style={{ listStyle: "none" }}>
              {code}
            </Text>
          ))}
        </SimpleGrid>
        <Group justify="flex-end" gap="xs">
          <CopyButton value={codes.join("\n")}>
            {({ copied, copy }) => <Action label={copied ? parts.copied : parts.copy} onClick={copy} />}
          </CopyButton>
          <Action label={security.codesKept} primary onClick={onClose} />
        </Group>
      </Stack>
    </Dialog>
  );
}
