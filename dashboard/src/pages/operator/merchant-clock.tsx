// The clock of a merchant in the sandbox: which day it has, moving it ahead, and back to the real date.
// What belongs here: that panel and its dialogs.
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Facts } from "../../components/facts.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { DateField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { day } from "../../format/time.ts";
import { merchants } from "../../strings/operator.ts";
import { parts } from "../../strings/shell.ts";
import type { MerchantAnswer, MerchantProps } from "./merchant.ts";

type Moved = MerchantAnswer & {
  readonly invoices_created: number;
  readonly subscriptions_parked: number;
  readonly reminders_queued: number;
};

/** The panel of the clock. */
export function MerchantClock({ merchant, path, onChanged }: MerchantProps) {
  const may = usePermissions();
  const [open, setOpen] = useState<"advance" | "reset" | null>(null);
  const isMoved = merchant.clock_date !== null;
  if (merchant.live) {
    return (
      <Panel title={merchants.clockTitle}>
        <Text c="dimmed">{merchants.clockLive}</Text>
      </Panel>
    );
  }
  const close = (): void => setOpen(null);
  const reset = async (): Promise<void> => {
    onChanged(await api<MerchantAnswer>("POST", `${path}/clock/reset`));
    notifications.show({ color: "green", message: merchants.wasReset });
    close();
  };
  const buttons = may("merchants.clock") && (
    <Group gap="xs">
      <Button variant="default" onClick={() => setOpen("advance")}>
        {merchants.advance}
      </Button>
      {isMoved && (
        <Button variant="default" onClick={() => setOpen("reset")}>
          {merchants.reset}
        </Button>
      )}
    </Group>
  );
  const badge = isMoved ? (
    <StatusBadge status={merchants.clockMoved} tone="warning" />
  ) : (
    <StatusBadge status={merchants.clockReal} />
  );
  return (
    <Panel title={merchants.clockTitle} actions={buttons}>
      <Facts
        facts={[
          {
            label: merchants.today,
            value: (
              <Group gap="xs">
                {day(merchant.today)} {badge}
              </Group>
            ),
          },
          { label: merchants.realDate, value: day(merchant.real_date) },
        ]}
      />
      {open === "advance" && <AdvanceDialog merchant={merchant} path={path} onChanged={onChanged} onClose={close} />}
      {open === "reset" && (
        <ConfirmDialog
          title={merchants.reset}
          text={merchants.resetText}
          confirmLabel={merchants.reset}
          onConfirm={reset}
          onClose={close}
        />
      )}
    </Panel>
  );
}

function AdvanceDialog({ merchant, path, onChanged, onClose }: MerchantProps & { readonly onClose: () => void }) {
  const sent = useApiForm({
    initialValues: { to: merchant.today },
    submit: (body) => api<Moved>("POST", `${path}/clock/advance`, { body }),
    onDone: (moved) => {
      onChanged(moved);
      const message = merchants.advanced(moved.invoices_created, moved.reminders_queued, moved.subscriptions_parked);
      notifications.show({ color: "green", message });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={merchants.advanceTitle} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <Text>{merchants.advanceText}</Text>
          <FormError error={sent.error} />
          <DateField label={merchants.advanceTo} required data-autofocus {...sent.form.getInputProps("to")} />
          <SubmitRow of={sent} label={merchants.advance} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
