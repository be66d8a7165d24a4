// One's second factor: whether it is on, turning it on and off, new recovery codes.
import { Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useChanged } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { security } from "../../strings/sign-in.ts";
import { EnrolDialog, NewCodesDialog, TurnOffDialog } from "./factor-dialogs.tsx";

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
