// One's second factor: whether it is on, turning it on and off, new recovery codes.
// What belongs here: the panel and which dialog is open. The dialogs are enrol-dialog.tsx and factor-dialogs.tsx.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { sessionQuery, useSession } from "../../api/session.ts";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { security } from "../../strings/sign-in.ts";
import { EnrolDialog } from "./enrol-dialog.tsx";
import { NewCodesDialog, TurnOffDialog } from "./factor-dialogs.tsx";

type Open = "enrol" | "codes" | "off" | null;

/** The panel of the second factor. */
export function SecondFactor() {
  const { second_factor: isOn, recovery_codes_left: left } = useSession();
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => {
    setOpen(null);
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const badge = isOn ? (
    <StatusBadge status={security.factorOn} tone="success" />
  ) : (
    <StatusBadge status={security.factorOff} tone="warning" />
  );
  return (
    <Panel title={security.factorTitle} actions={badge}>
      <Stack gap="md">
        <Text>{security.factorHint}</Text>
        {isOn && <Text c="dimmed">{security.recoveryLeft(left)}</Text>}
        <Group gap="xs">
          {!isOn && <Button onClick={() => setOpen("enrol")}>{security.setUp}</Button>}
          {isOn && (
            <Button variant="default" onClick={() => setOpen("codes")}>
              {security.newCodes}
            </Button>
          )}
          {isOn && (
            <Button variant="default" onClick={() => setOpen("off")}>
              {security.turnOff}
            </Button>
          )}
        </Group>
      </Stack>
      {open === "enrol" && <EnrolDialog onClose={close} />}
      {open === "codes" && <NewCodesDialog onClose={close} />}
      {open === "off" && <TurnOffDialog onClose={close} />}
    </Panel>
  );
}
