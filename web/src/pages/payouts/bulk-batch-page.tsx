// One bulk payout: its progress, the statuses of its payouts, and the file with their outcomes.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { isBatchUnderWay, whileUnderWay } from "../../api/ask-again.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { EVERYTHING, useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, Money } from "../../components/values.tsx";
import { moment } from "../../format/time.ts";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { bulk } from "../../strings/bulk.ts";
import { BatchBadge, countDone, LineBadge } from "./bulk-page.tsx";

type Batch = Answer<"GET", "/payout-batches/:batch_id">;
type Line = Batch["lines"][number];

const COLUMNS: readonly Column<Line>[] = [
  { key: "line", title: bulk.line, align: "right", hideBelow: "sm" },
  { key: "reference_id", title: bulk.reference, as: "code" },
  { key: "name", title: bulk.payee, hideBelow: "md" },
  { key: "amount", title: bulk.amount, as: "money" },
  { key: "status", title: bulk.status, render: ({ status }) => <LineBadge status={status} /> },
  { key: "utr", title: bulk.utr, hideBelow: "lg" },
  { key: "reason", title: bulk.reason, hideBelow: "md" },
];

/** A bulk payout. */
export function Page() {
  const { batchId = "" }: Readonly<Record<string, string>> = useParams({ strict: false });
  const batch = useLoaded(`/payout-batches/${batchId}`, {
    refetchInterval: whileUnderWay(isBatchUnderWay),
  });
  const isWhole = batch.lines.length === batch.payouts;
  return (
    <Outline title={bulk.one(batch.name)} badge={<BatchBadge batch={batch} />} actions={<Actions batch={batch} />}>
      <Panel title={bulk.outcomes}>
        <Outcomes batch={batch} />
      </Panel>
      <TablePanel title={bulk.lines} columns={COLUMNS} rows={batch.lines} rowKey={({ line }) => String(line)}>
        {!isWhole && (
          <Text c="dimmed" p="md">
            {bulk.firstLines(batch.lines.length)}
          </Text>
        )}
      </TablePanel>
    </Outline>
  );
}

function Outcomes({ batch }: { readonly batch: Batch }) {
  const done = countDone(batch);
  const outcomes = Object.entries(batch.outcomes);
  return (
    <Stack>
      {batch.batch_status === "AWAITING_APPROVAL" && (
        <Notice>
          <Stack gap="xs" align="flex-start">
            {bulk.waits}
            <Action label={bulk.openApproval} to={`/approvals/${batch.batch_id}`} />
          </Stack>
        </Notice>
      )}
      <div role="status">
        <Text size="sm">{bulk.done(done, batch.payouts)}</Text>
        <Progress value={(100 * done) / batch.payouts} aria-label={bulk.done(done, batch.payouts)} />
      </div>
      <Facts
        facts={[
          { label: bulk.amount, value: <Money amount={batch.amount} /> },
          { label: bulk.added, value: moment(batch.added_at) },
          ...outcomes.map(([status, each]) => ({
            label: bulk.lineStates[status] ?? status,
            value: (
              <>
                {each?.count} · <Money amount={each?.amount ?? "0.00"} />
              </>
            ),
          })),
        ]}
      />
    </Stack>
  );
}

function Actions({ batch }: { readonly batch: Batch }) {
  const may = usePermissions();
  const [isAsking, setAsking] = useState(false);
  const { batch_id: id, outcomes } = batch;
  const waits = batch.batch_status === "RUNNING" && Boolean(outcomes["WAITING"] ?? outcomes["SCHEDULED"]);
  return (
    <Group gap="xs">
      <ExportButton path={`/payout-batches/${id}/result.csv`} fileName={`batch-${id}.csv`} label={bulk.result} />
      {waits && may("payouts.transfer") && <Action label={bulk.cancel} onClick={() => setAsking(true)} />}
      {isAsking && (
        <ConfirmDialog
          title={bulk.cancelTitle}
          text={bulk.cancelText}
          label={bulk.cancel}
          danger
          submit={() => api("POST", `/payout-batches/${id}/cancel`)}
          changes={EVERYTHING}
          done={bulk.cancelled}
          onClose={() => setAsking(false)}
        />
      )}
    </Group>
  );
}
