// An invoice on which nothing is paid is cancelled.
// What belongs here: that question.
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { inWords, rupees } from "../../format/money.ts";
import { cancelling as words } from "../../strings/invoices.ts";
import { parts } from "../../strings/shell.ts";
import { useAfterChange } from "./after-change.ts";
import type { InvoiceRecord } from "./invoice-record.ts";

type Props = { readonly record: InvoiceRecord; readonly onClose: () => void };

/** Asks, and cancels. A second press finds it cancelled, and changes nothing. */
export function CancelDialog({ record, onClose }: Props) {
  const done = useAfterChange();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const cancel = async (): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      await api("POST", `/invoices/${record.invoice_id}/cancel`);
      await done(words.done);
      onClose();
    } catch (thrown) {
      setError(thrown as Error);
      setSending(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={words.title} closeButtonProps={{ "aria-label": parts.close }}>
      <Stack gap="md">
        <div>
          <Text fz={24} fw={650}>
            {rupees(record.amount)}
          </Text>
          <Text>{inWords(record.amount)}</Text>
        </div>
        <Text c="dimmed">{words.hint}</Text>
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {words.keep}
          </Button>
          <Button color="red.9" loading={isSending} onClick={() => void cancel()}>
            {words.submit}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
