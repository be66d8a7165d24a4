// One webhook endpoint: how it stands, what can be done with it, and what was sent.
// What belongs here: the arrangement and the actions. The log is webhook-log.tsx.
import { Anchor, Button, Checkbox, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { moment } from "../../format/time.ts";
import { webhooks } from "../../strings/webhooks.ts";
import { WEBHOOKS_KEY, type Attempt, type Endpoint } from "./webhook.ts";
import { WebhookDeliveries, type Delivery } from "./webhook-deliveries.tsx";
import { WebhookLog } from "./webhook-log.tsx";

type Answer = { readonly endpoint: Endpoint; readonly deliveries: readonly Delivery[] };
type Open = "disable" | "enable" | "rotate" | null;
type Shown = { readonly secret: string; readonly hint: string } | null;

/** One endpoint. */
export function Page() {
  const { endpointId = "" } = useParams({ strict: false }) as { endpointId?: string };
  const queries = useQueryClient();
  const path = `/webhooks/${endpointId}`;
  const { data, error, refetch } = useQuery({
    queryKey: [...WEBHOOKS_KEY, endpointId],
    queryFn: ({ signal }) => api<Answer>("GET", path, { signal }),
  });
  const changed = () => queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
  const back = (
    <Anchor component={Link} to="/settings/webhooks">
      {webhooks.back}
    </Anchor>
  );
  if (!data) {
    return (
      <Outline title={webhooks.title} hint={back}>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      </Outline>
    );
  }
  const { endpoint, deliveries } = data;
  return (
    <Outline
      title={endpoint.description || new URL(endpoint.url).host}
      badge={<StatusBadge status={endpoint.status} />}
      hint={back}
      actions={<Actions endpoint={endpoint} path={path} onChanged={changed} />}
    >
      <Panel>
        <Facts
          facts={[
            { label: webhooks.url, value: <Text style={{ overflowWrap: "anywhere" }}>{endpoint.url}</Text> },
            {
              label: webhooks.events,
              value: endpoint.events === "all" ? webhooks.allEvents : endpoint.events.replaceAll(",", ", "),
            },
            { label: webhooks.behind, value: endpoint.behind },
            { label: webhooks.settledUpTo, value: endpoint.settled_up_to },
            { label: webhooks.failingSince, value: endpoint.failing_since && moment(endpoint.failing_since) },
            { label: webhooks.nextAttempt, value: endpoint.next_attempt_at && moment(endpoint.next_attempt_at) },
            ...(endpoint.disabled_reason ? [{ label: webhooks.disabledReason, value: endpoint.disabled_reason }] : []),
            { label: webhooks.created, value: moment(endpoint.created_at) },
          ]}
        />
      </Panel>
      <WebhookDeliveries
        deliveries={deliveries}
        total={endpoint.waiting + endpoint.failed}
        path={path}
        isEnabled={endpoint.status === "Enabled"}
        onChanged={changed}
      />
      <WebhookLog path={path} isEnabled={endpoint.status === "Enabled"} onChanged={changed} />
    </Outline>
  );
}

type ActionProps = {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly onChanged: () => Promise<void>;
};

function Actions({ endpoint, path, onChanged }: ActionProps) {
  const [open, setOpen] = useState<Open>(null);
  const [shown, setShown] = useState<Shown>(null);
  const [isTesting, setTesting] = useState(false);
  const test = async (): Promise<void> => {
    setTesting(true);
    try {
      const { attempt } = await api<{ attempt: Attempt }>("POST", `${path}/test`);
      const message = attempt.succeeded
        ? webhooks.testTaken(attempt.http_status ?? 0)
        : webhooks.testFailed(attempt.error);
      notifications.show({ color: attempt.succeeded ? "green" : "red", message });
    } catch (thrown) {
      notifications.show({ color: "red", message: (thrown as Error).message });
    } finally {
      setTesting(false);
      await onChanged();
    }
  };
  const close = (): void => setOpen(null);
  return (
    <>
      <Button onClick={() => void test()} loading={isTesting}>
        {webhooks.test}
      </Button>
      <Button variant="default" onClick={() => setOpen("rotate")}>
        {webhooks.rotate}
      </Button>
      <Button variant="default" onClick={() => setOpen(endpoint.status === "Enabled" ? "disable" : "enable")}>
        {endpoint.status === "Enabled" ? webhooks.disable : webhooks.enable}
      </Button>
      <Dialogs open={open} path={path} onClose={close} onChanged={onChanged} onSecret={setShown} />
      {shown && (
        <SecretDialog
          title={webhooks.secretTitle}
          hint={shown.hint}
          secrets={[{ label: webhooks.secret, value: shown.secret }]}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}

type DialogProps = {
  readonly open: Open;
  readonly path: string;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<void>;
  readonly onSecret: (shown: Shown) => void;
};

function Dialogs({ open, path, onClose, onChanged, onSecret }: DialogProps) {
  const [skips, setSkips] = useState(false);
  const done = async (message: string | null): Promise<void> => {
    onClose();
    if (message !== null) notifications.show({ color: "green", message });
    await onChanged();
  };
  if (open === "disable") {
    const disable = async (): Promise<void> => {
      await api("POST", `${path}/disable`);
      await done(webhooks.disabled);
    };
    const words = { title: webhooks.disableTitle, text: webhooks.disableText, confirmLabel: webhooks.disable };
    return <ConfirmDialog {...words} danger onConfirm={disable} onClose={onClose} />;
  }
  if (open === "enable") {
    const body = { skip_missed: skips ? "1" : "0" };
    const enable = async (): Promise<void> => {
      await api("POST", `${path}/enable`, { body });
      await done(webhooks.enabled);
    };
    const text = (
      <Stack gap="sm">
        <Text>{webhooks.enableText}</Text>
        <Checkbox
          label={webhooks.skipMissed}
          checked={skips}
          onChange={({ currentTarget }) => setSkips(currentTarget.checked)}
        />
      </Stack>
    );
    const words = { title: webhooks.enableTitle, text, confirmLabel: webhooks.enable };
    return <ConfirmDialog {...words} onConfirm={enable} onClose={onClose} />;
  }
  if (open === null) return null;
  const rotate = async (): Promise<void> => {
    const answer = await api<{ secret: string; old_secret_ends_at: string }>("POST", `${path}/rotate-secret`);
    onSecret({ secret: answer.secret, hint: webhooks.rotated(moment(answer.old_secret_ends_at)) });
    await done(null);
  };
  const words = { title: webhooks.rotateTitle, text: webhooks.rotateText, confirmLabel: webhooks.rotate };
  return <ConfirmDialog {...words} onConfirm={rotate} onClose={onClose} />;
}
