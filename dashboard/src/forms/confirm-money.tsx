// The question before money moves: how much, in digits and in words, and to whom.
// What belongs here: the dialog. What it confirms is sent by who opens it.
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { ErrorNotice } from "../components/error-notice.tsx";
import { Facts, type Fact } from "../components/facts.tsx";
import { Money } from "../components/money.tsx";
import { inWords } from "../format/money.ts";
import { parts } from "../strings/shell.ts";

type Props = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** A wire amount: `"590.00"`. */
  readonly amount: string;
  /** To whom, from what, under which reference. */
  readonly facts?: readonly Fact[];
  readonly note?: ReactNode;
  /** What the button says: the deed, not "OK". */
  readonly confirmLabel: string;
  /** Sends the request. While it is under way nothing can be pressed; a failure is shown and keeps the dialog open. */
  readonly onConfirm: () => Promise<unknown>;
};

/** Asks before money moves. */
export function ConfirmMoney(props: Props) {
  const { opened, onClose, title, amount, facts = [], note, confirmLabel } = props;
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const close = (): void => {
    if (isSending) return;
    setError(null);
    onClose();
  };
  const confirm = async (): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      await props.onConfirm();
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
    }
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ "aria-label": parts.close }}>
      <Stack gap="md">
        <div>
          <Text fz={30} fw={650} lh={1.2}>
            <Money amount={amount} />
          </Text>
          <Text>{inWords(amount)}</Text>
        </div>
        {facts.length > 0 && <Facts facts={facts} />}
        {note !== undefined && <Text c="dimmed">{note}</Text>}
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={isSending} data-autofocus>
            {parts.cancel}
          </Button>
          <Button onClick={() => void confirm()} loading={isSending}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
