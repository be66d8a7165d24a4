// The question before something that can't be undone, or that others will notice. For money there is forms/confirm-money.tsx.
// What belongs here: the dialog. What it confirms is sent by who opens it.
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { parts } from "../strings/shell.ts";
import { ErrorNotice } from "./error-notice.tsx";

type Props = {
  readonly title: string;
  /** What will happen. */
  readonly text: ReactNode;
  /** What the button says: the deed, not "OK". */
  readonly confirmLabel: string;
  readonly danger?: boolean;
  /** Sends the request. A failure is shown and keeps the dialog open. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
};

/** Asks first. */
export function ConfirmDialog({ title, text, confirmLabel, danger = false, onConfirm, onClose }: Props) {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const confirm = async (): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      await onConfirm();
    } catch (thrown) {
      setError(thrown as Error);
      setSending(false);
    }
  };
  const close = (): void => {
    if (!isSending) onClose();
  };
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ "aria-label": parts.close }}>
      <Stack gap="md">
        <Text component="div">{text}</Text>
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={isSending} data-autofocus>
            {parts.cancel}
          </Button>
          <Button onClick={() => void confirm()} loading={isSending} {...(danger ? { color: "red.9" } : {})}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
