// The log of attempts at an endpoint, and what was answered.
// What belongs here: that panel. Which event it is narrowed to is in the address.
import { Button, Code, Group, Modal, NativeSelect, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { ListPages } from "../../components/data-page.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { moment } from "../../format/time.ts";
import { useList, type List } from "../../lists/use-list.ts";
import { parts } from "../../strings/shell.ts";
import { webhooks } from "../../strings/webhooks.ts";
import type { Attempt } from "./webhook.ts";
import { RedeliverButton } from "./webhook-deliveries.tsx";

type Props = {
  readonly path: string;
  readonly isEnabled: boolean;
  readonly onChanged: () => Promise<void>;
};

/** The panel of the log. */
export function WebhookLog(props: Props) {
  const list = useList<Attempt>({ path: `${props.path}/attempts`, rowsIn: "attempts", filters: ["event", "status"] });
  const [shown, setShown] = useState<Attempt | null>(null);
  const changed = async (): Promise<void> => {
    list.reload();
    await props.onChanged();
  };
  const isEmpty = !list.isLoading && !list.error && list.rows.length === 0;
  return (
    <Panel
      title={webhooks.log}
      flush
      actions={
        <Button variant="default" onClick={list.reload}>
          {webhooks.refresh}
        </Button>
      }
    >
      <LogFilters list={list} />
      {list.error && <ErrorNotice error={list.error} onRetry={list.reload} m="md" />}
      {isEmpty ? (
        <EmptyState
          title={list.isFiltered ? parts.nothingMatches : webhooks.logEmpty}
          hint={list.isFiltered ? parts.nothingMatchesHint : webhooks.logEmptyHint}
        />
      ) : (
        <DataTable
          caption={webhooks.log}
          columns={columnsOf(props, setShown, changed)}
          rows={list.rows}
          rowKey={({ attempted_at, seq, duration_ms }) => `${attempted_at} ${seq} ${duration_ms}`}
          isLoading={list.isLoading}
          isOutdated={list.isOutdated}
        />
      )}
      <ListPages list={list} />
      {shown && (
        <Modal
          opened
          onClose={() => setShown(null)}
          title={webhooks.answerOf(shown.seq)}
          size="lg"
          closeButtonProps={{ "aria-label": parts.close }}
        >
          {shown.error !== "" && <Text mb="sm">{shown.error}</Text>}
          <Code block tabIndex={0}>
            {shown.answer || webhooks.noAnswer}
          </Code>
        </Modal>
      )}
    </Panel>
  );
}

function LogFilters({ list }: { readonly list: List<Attempt> }) {
  return (
    <Group px="md" pb="md" gap="sm" align="flex-end">
      <Text c="dimmed" flex="1 1 14rem">
        {webhooks.logHint}
      </Text>
      <NativeSelect
        label={webhooks.result}
        value={list.filters["status"] ?? ""}
        data={[
          { value: "", label: webhooks.allResults },
          { value: "taken", label: webhooks.taken },
          { value: "not_taken", label: webhooks.notTaken },
        ]}
        onChange={({ currentTarget }) => list.setFilters({ status: currentTarget.value })}
      />
      <TextInput
        label={webhooks.filterEvent}
        inputMode="numeric"
        value={list.filters["event"] ?? ""}
        onChange={({ currentTarget }) => list.setFilters({ event: currentTarget.value.replaceAll(/\D/g, "") })}
      />
    </Group>
  );
}

function columnsOf(
  { path, isEnabled }: Props,
  onShow: (attempt: Attempt) => void,
  onChanged: () => Promise<void>,
): Column<Attempt>[] {
  return [
    { key: "at", title: webhooks.at, hideBelow: "sm", render: ({ attempted_at }) => moment(attempted_at) },
    { key: "seq", title: webhooks.event, render: ({ seq, type }) => `${seq} · ${type}` },
    {
      key: "result",
      title: webhooks.result,
      render: ({ succeeded, http_status, duration_ms }) => (
        <Group gap="xs">
          <StatusBadge
            status={succeeded ? webhooks.taken : webhooks.notTaken}
            tone={succeeded ? "success" : "danger"}
          />
          <Text size="sm" visibleFrom="sm">
            {[http_status, webhooks.took(duration_ms)].filter((part) => part !== null).join(" · ")}
          </Text>
        </Group>
      ),
    },
    {
      key: "answer",
      title: webhooks.answer,
      render: (attempt) => (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={webhooks.answerOf(attempt.seq)}
          onClick={() => onShow(attempt)}
        >
          {webhooks.answer}
        </Button>
      ),
    },
    {
      key: "again",
      title: webhooks.redeliver,
      align: "right",
      hideBelow: "sm",
      render: ({ seq }) =>
        seq !== webhooks.testEvent && (
          <RedeliverButton seq={seq} path={path} isEnabled={isEnabled} onChanged={onChanged} />
        ),
    },
  ];
}
