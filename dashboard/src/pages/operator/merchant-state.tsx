// The state of a merchant: active or suspended, live or sandbox, its rate limit. Each change asks first.
// What belongs here: that panel and its dialogs.
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Facts } from "../../components/facts.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { day } from "../../format/time.ts";
import { operator } from "../../strings/home.ts";
import { merchants } from "../../strings/operator.ts";
import { parts } from "../../strings/shell.ts";
import type { MerchantAnswer, MerchantProps, OperatorMerchant } from "./merchant.ts";

type Change = {
  readonly label: string;
  readonly text: string;
  readonly done: string;
  /** What is asked for, behind the merchant's path. */
  readonly request: readonly ["PUT" | "POST", string, Readonly<Record<string, string>>];
  readonly danger: boolean;
};

/** What can be changed from here, by the state that it is in. */
function changesOf({ name, status, live }: OperatorMerchant): Change[] {
  const { suspend, activate, goLive } = merchants;
  return [
    status === "active"
      ? {
          label: suspend,
          text: merchants.suspendText(name),
          done: merchants.suspended,
          request: ["PUT", "/operator-view", { status: "suspended" }],
          danger: true,
        }
      : {
          label: activate,
          text: merchants.activateText(name),
          done: merchants.activated,
          request: ["PUT", "/operator-view", { status: "active" }],
          danger: false,
        },
    // There is no way back.
    ...(live
      ? []
      : [
          {
            label: goLive,
            text: merchants.goLiveText(name),
            done: merchants.isLive,
            request: ["POST", "/go-live", {}] as const,
            danger: true,
          },
        ]),
  ];
}

/** The panel of the state. */
export function MerchantState({ merchant, path, onChanged }: MerchantProps) {
  const may = usePermissions();
  const [asked, setAsked] = useState<Change | null>(null);
  const [isLimiting, setLimiting] = useState(false);
  const confirm = async ({ request: [method, route, body], done }: Change): Promise<void> => {
    onChanged(await api<MerchantAnswer>(method, `${path}${route}`, { body }));
    notifications.show({ color: "green", message: done });
    setAsked(null);
  };
  const buttons = may("merchants.manage") && (
    <Group gap="xs">
      {changesOf(merchant).map((change) => (
        <Button key={change.label} variant="default" onClick={() => setAsked(change)}>
          {change.label}
        </Button>
      ))}
      <Button variant="default" onClick={() => setLimiting(true)}>
        {merchants.limit}
      </Button>
    </Group>
  );
  return (
    <Panel title={merchants.stateTitle} actions={buttons}>
      <Facts
        facts={[
          { label: merchants.number, value: merchant.merchant_id },
          { label: merchants.email, value: merchant.email },
          {
            label: operator.mode,
            value: merchant.live ? (
              <StatusBadge status={operator.live} tone="success" />
            ) : (
              <StatusBadge status={operator.sandbox} tone="warning" />
            ),
          },
          { label: merchants.rateLimit, value: merchant.rate_limit_per_minute ?? merchants.rateDefault },
          { label: merchants.timeZone, value: merchant.time_zone },
          { label: merchants.since, value: day(merchant.created_at) },
        ]}
      />
      {asked && (
        <ConfirmDialog
          title={asked.label}
          text={asked.text}
          confirmLabel={asked.label}
          danger={asked.danger}
          onConfirm={() => confirm(asked)}
          onClose={() => setAsked(null)}
        />
      )}
      {isLimiting && (
        <LimitDialog merchant={merchant} path={path} onChanged={onChanged} onClose={() => setLimiting(false)} />
      )}
    </Panel>
  );
}

function LimitDialog({ merchant, path, onChanged, onClose }: MerchantProps & { readonly onClose: () => void }) {
  const sent = useApiForm({
    initialValues: { rate_limit_per_minute: String(merchant.rate_limit_per_minute ?? "") },
    submit: ({ rate_limit_per_minute: limit }) =>
      api<MerchantAnswer>("PUT", `${path}/operator-view`, { body: { rate_limit_per_minute: limit } }),
    onDone: (answer) => {
      onChanged(answer);
      notifications.show({ color: "green", message: merchants.limitSaved });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={merchants.limitTitle} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <TextInput
            label={merchants.rateLimit}
            description={merchants.limitHint}
            inputMode="numeric"
            data-autofocus
            {...sent.form.getInputProps("rate_limit_per_minute")}
          />
          <SubmitRow of={sent} label={merchants.limitSave} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
