// The access keys of a merchant: create, revoke, and sample requests.
import { Code, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { DownloadIcon } from "../../components/icons.tsx";
import { ModeBadge, StatusBadge } from "../../components/values.tsx";
import { FirstLoad, Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { saveFile } from "../../components/export-button.tsx";
import { day } from "../../format/time.ts";
import { ConfirmDialog, SecretDialog } from "../../forms/dialogs.tsx";
import { keys, roles } from "../../strings/access.ts";
import { titles } from "../../strings/titles.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";

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
  const create = data
    ? data.scopes.length > 0 && <Action label={keys.create} primary onClick={() => setDialog("new")} />
    : !found.error && <FirstLoad />;
  return (
    <Outline title={titles.keys} badge={<ModeBadge live={live} />} hint={keys.hint} actions={create}>
      <TablePanel
        caption={titles.keys}
        of={found}
        rows={data?.keys}
        columns={columnsOf(data?.all_scopes.length ?? 0, setDialog)}
        rowKey="access_key_id"
        // Working ones first.
        sortKeys={{ status: ({ revoked_at }) => revoked_at ?? "", scopes: ({ scopes }) => scopes.length }}
        empty={{ title: keys.empty, hint: keys.emptyHint }}
      />
      <RequestSamples />
      {dialog === "new" && data && (
        <NewKeyDialog
          scopes={data.scopes}
          defaultScopes={data.default_scopes}
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

function columnsOf(all: number, onRevoke: (id: string) => void): Column<AccessKey>[] {
  return [
    {
      key: "access_key_id",
      title: keys.id,
      sortable: true,
      render: ({ access_key_id, name }) => (
        <Stack gap={2}>
          {name !== "" && <Text size="sm">{name}</Text>}
          <Code style={{ overflowWrap: "anywhere", alignSelf: "flex-start" }}>{access_key_id}</Code>
        </Stack>
      ),
    },
    {
      key: "scopes",
      title: keys.scopes,
      sortable: true,
      hideBelow: "md",
      render: ({ scopes, allowed_addresses }) => (
        <Stack gap={2}>
          <Text size="sm">{roles.allowed(scopes.length, all)}</Text>
          {allowed_addresses.length > 0 && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {keys.onlyFrom(allowed_addresses.map(shortRange).join(", "))}
            </Text>
          )}
        </Stack>
      ),
    },
    { key: "created_at", title: keys.since, sortable: true, hideBelow: "lg", as: "day" },
    {
      key: "last_used_at",
      title: keys.lastUsed,
      sortable: true,
      hideBelow: "md",
      render: ({ last_used_at }) => (last_used_at === null ? keys.never : day(last_used_at)),
    },
    {
      key: "status",
      title: keys.status,
      sortable: true,
      hideBelow: "sm",
      render: ({ revoked_at, expires_on, is_expired }) => {
        if (revoked_at !== null) return <StatusBadge status={keys.revoked(day(revoked_at))} />;
        if (expires_on === null) return <StatusBadge status={keys.working} tone="success" />;
        if (is_expired) return <StatusBadge status={keys.expired(day(expires_on))} />;
        return <StatusBadge status={keys.until(day(expires_on))} tone="success" />;
      },
    },
    {
      key: "revoke",
      title: keys.revoke,
      align: "right",
      isButtons: true,
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

/** One address without the length that it is stored with. */
function shortRange(range: string): string {
  return range.replace(/^([0-9.]+)\/32$|^([0-9a-f:]+)\/128$/, "$1$2");
}

type Sample = Answer<"GET", "/session/request-samples">["samples"][number];

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
    isButtons: true,
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
  const { data, ...found } = useGet("/session/request-samples");
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
