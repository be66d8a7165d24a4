// The access keys of a merchant: create, revoke, and requests that are ready to be sent.
import { Code } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { DownloadIcon } from "../../components/icons.tsx";
import { ModeBadge, StatusBadge } from "../../components/values.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { saveFile } from "../../components/export-button.tsx";
import { day } from "../../format/time.ts";
import { ConfirmDialog, SecretDialog } from "../../forms/dialogs.tsx";
import { keys } from "../../strings/access.ts";

type AccessKey = Answer<"GET", "/access-keys">["keys"][number];
const CHANGES = ["/access-keys"];

/** Access keys. */
export function Page() {
  // The key that is revoked; "new" while one is made.
  const [dialog, setDialog] = useState<string | null>(null);
  const [made, setMade] = useState<Answer<"POST", "/access-keys"> | null>(null);
  const { live } = useMerchant();
  const { data, ...found } = useGet("/access-keys");
  const close = (): void => setDialog(null);
  // Nobody gives what he has not, and a key may do all that the API has.
  const create = data?.may_create && <Action label={keys.create} primary onClick={() => setDialog("new")} />;
  return (
    <Outline title={keys.title} badge={<ModeBadge live={live} />} hint={keys.hint} actions={create}>
      <TablePanel
        caption={keys.title}
        of={found}
        rows={data?.keys}
        columns={columnsOf(setDialog)}
        rowKey="access_key_id"
        // Working ones first.
        sortKeys={{ status: ({ revoked_at }) => revoked_at ?? "" }}
        empty={{ title: keys.empty, hint: keys.emptyHint }}
      />
      <RequestSamples />
      {dialog === "new" && (
        <ConfirmDialog
          title={keys.createTitle}
          text={keys.createText}
          label={keys.create}
          submit={() => api("POST", "/access-keys")}
          changes={CHANGES}
          onDone={(key) => {
            setMade(key);
            close();
          }}
          onClose={close}
        />
      )}
      {dialog !== null && dialog !== "new" && (
        <ConfirmDialog
          title={keys.revokeTitle}
          text={keys.revokeText(dialog)}
          label={keys.revoke}
          danger
          submit={() => api("DELETE", `/access-keys/${encodeURIComponent(dialog)}`)}
          changes={CHANGES}
          done={keys.revokeDone}
          onClose={close}
        />
      )}
      {made && (
        <SecretDialog
          title={keys.created}
          hint={keys.keep}
          secrets={[
            { label: keys.id, value: made.access_key_id },
            { label: keys.secret, value: made.secret_access_key },
          ]}
          onClose={() => setMade(null)}
        />
      )}
    </Outline>
  );
}

function columnsOf(onRevoke: (id: string) => void): Column<AccessKey>[] {
  return [
    {
      key: "access_key_id",
      title: keys.id,
      sortable: true,
      render: ({ access_key_id }) => <Code style={{ overflowWrap: "anywhere" }}>{access_key_id}</Code>,
    },
    { key: "created_at", title: keys.since, sortable: true, hideBelow: "sm", as: "day" },
    {
      key: "status",
      title: keys.status,
      sortable: true,
      hideBelow: "sm",
      render: ({ revoked_at }) => {
        if (revoked_at === null) return <StatusBadge status={keys.working} tone="success" />;
        return <StatusBadge status={keys.revoked(day(revoked_at))} />;
      },
    },
    {
      key: "revoke",
      title: keys.revoke,
      align: "right",
      render: ({ access_key_id, revoked_at }) =>
        revoked_at === null ? (
          <Action
            label={keys.revoke}
            size="compact-sm"
            aria-label={keys.revokeOf(access_key_id)}
            onClick={() => onRevoke(access_key_id)}
          />
        ) : (
          day(revoked_at)
        ),
    },
  ];
}

type Sample = Answer<"GET", "/request-samples">["samples"][number];

const titleOf = ({ name, template_id }: Sample): string => (template_id === null ? keys.customers : keys.invoice(name));

function downloadSample(sample: Sample): void {
  const text = `${JSON.stringify(sample.body, null, 2)}\n`;
  const fileName = sample.template_id === null ? "customers.json" : `invoices-${sample.template_id}.json`;
  saveFile(new Blob([text], { type: "application/json" }), fileName);
}

const COLUMNS: readonly Column<Sample>[] = [
  { key: "name", title: keys.request, render: titleOf },
  {
    key: "path",
    title: keys.path,
    hideBelow: "sm",
    render: ({ path }) => <Code style={{ overflowWrap: "anywhere" }}>{path}</Code>,
  },
  {
    key: "download",
    title: keys.download,
    align: "right",
    render: (sample) => (
      <Action
        label="JSON"
        size="compact-sm"
        leftSection={<DownloadIcon size={14} />}
        aria-label={keys.downloadOf(titleOf(sample))}
        onClick={() => downloadSample(sample)}
      />
    ),
  },
];

/** The panel of ready requests. */
function RequestSamples() {
  const { data, ...found } = useGet("/request-samples");
  return (
    <TablePanel
      title={keys.samplesTitle}
      hint={keys.samplesHint}
      of={found}
      rows={data?.samples}
      columns={COLUMNS}
      rowKey={({ template_id }) => template_id ?? "customers"}
    />
  );
}
