// One webhook endpoint: its status, its actions, and its log.
import { Checkbox, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useChanged, useLoaded } from "../../api/queries.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Facts, StatusBadge } from "../../components/values.tsx";
import { eventInWords } from "../../format/event.ts";
import { moment } from "../../format/time.ts";
import { ConfirmDialog, FormDialog, SecretDialog } from "../../forms/dialogs.tsx";
import { webhooks } from "../../strings/webhooks.ts";
import { WebhookDeliveries, WebhookLog } from "./webhook-log.tsx";

type Endpoint = Answer<"GET", "/webhooks">["endpoints"][number];

const CHANGES = ["/webhooks"];

type Open = "disable" | "enable" | "rotate" | null;
type Shown = { readonly secret: string; readonly hint: string } | null;

/** One endpoint. */
export function Page() {
  const { endpointId = "" } = useParams({ strict: false }) as { endpointId?: string };
  const path = `/webhooks/${endpointId}` as const;
  const { endpoint, deliveries } = useLoaded(path);
  const back = <LinkTo label={webhooks.back} to="/settings/webhooks" />;
  return (
    <Outline
      title={endpoint.description || new URL(endpoint.url).host}
      badge={<StatusBadge status={endpoint.status} />}
      hint={back}
      actions={<Actions endpoint={endpoint} path={path} />}
    >
      <Panel>
        <Facts
          facts={[
            { label: webhooks.url, value: <Text style={{ overflowWrap: "anywhere" }}>{endpoint.url}</Text> },
            {
              label: webhooks.events,
              value:
                endpoint.events === "all"
                  ? webhooks.allEvents
                  : endpoint.events.split(",").map(eventInWords).join(", "),
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
      />
      <WebhookLog path={path} isEnabled={endpoint.status === "Enabled"} />
    </Outline>
  );
}

type ActionProps = {
  readonly endpoint: Endpoint;
  readonly path: `/webhooks/${string}`;
};

function Actions({ endpoint, path }: ActionProps) {
  const [open, setOpen] = useState<Open>(null);
  const [shown, setShown] = useState<Shown>(null);
  const changed = useChanged();
  const [isTesting, setTesting] = useState(false);
  const test = async (): Promise<void> => {
    setTesting(true);
    try {
      const { attempt } = await api("POST", `${path}/test`);
      const message = attempt.succeeded
        ? webhooks.testTaken(attempt.http_status ?? 0)
        : webhooks.testFailed(attempt.error);
      notifications.show({ color: attempt.succeeded ? "green" : "red", message });
    } catch (thrown) {
      notifications.show({ color: "red", message: (thrown as Error).message });
    } finally {
      setTesting(false);
      await changed(...CHANGES);
    }
  };
  return (
    <>
      <Action label={webhooks.test} primary onClick={() => void test()} loading={isTesting} />
      <Action label={webhooks.rotate} onClick={() => setOpen("rotate")} />
      <Action
        label={endpoint.status === "Enabled" ? webhooks.disable : webhooks.enable}
        onClick={() => setOpen(endpoint.status === "Enabled" ? "disable" : "enable")}
      />
      <Dialogs open={open} path={path} onClose={() => setOpen(null)} onSecret={setShown} />
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
  readonly path: `/webhooks/${string}`;
  readonly onClose: () => void;
  readonly onSecret: (shown: Shown) => void;
};

function Dialogs({ open, path, onClose, onSecret }: DialogProps) {
  const common = { changes: CHANGES, onClose };
  if (open === "disable") {
    return (
      <ConfirmDialog
        title={webhooks.disableTitle}
        text={webhooks.disableText}
        label={webhooks.disable}
        danger
        submit={() => api("POST", `${path}/disable`)}
        done={webhooks.disabled}
        {...common}
      />
    );
  }
  if (open === "enable") {
    return (
      <FormDialog
        title={webhooks.enableTitle}
        label={webhooks.enable}
        intro={<Text>{webhooks.enableText}</Text>}
        initialValues={{ skips: false }}
        submit={({ skips }) => api("POST", `${path}/enable`, { body: { skip_missed: skips ? "1" : "0" } })}
        done={webhooks.enabled}
        {...common}
      >
        {({ check }) => <Checkbox {...check("skips", webhooks.skipMissed)} />}
      </FormDialog>
    );
  }
  if (open === null) return null;
  return (
    <ConfirmDialog
      title={webhooks.rotateTitle}
      text={webhooks.rotateText}
      label={webhooks.rotate}
      submit={() => api("POST", `${path}/rotate-secret`)}
      onDone={({ secret, old_secret_ends_at }) => {
        onSecret({ secret, hint: webhooks.rotated(moment(old_secret_ends_at)) });
        onClose();
      }}
      {...common}
    />
  );
}
