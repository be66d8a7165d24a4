// The access keys of a merchant: create, revoke, and requests that are ready to be sent.
// What belongs here: the list and its dialogs. The ready requests are request-samples.tsx.
import { Button, Code } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { day } from "../../format/time.ts";
import { useSorted, type SortKeys } from "../../lists/use-sorted.ts";
import { keys } from "../../strings/access.ts";
import { RequestSamples } from "./request-samples.tsx";

type AccessKey = {
  readonly access_key_id: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
};
type NewKey = { readonly access_key_id: string; readonly secret_access_key: string };
type Open = { readonly what: "create" } | { readonly what: "revoke"; readonly id: string } | null;

const KEYS = ["/access-keys"];
const SORT_KEYS: SortKeys<AccessKey> = {
  access_key_id: ({ access_key_id }) => access_key_id,
  created_at: ({ created_at }) => created_at,
  // Working ones first.
  status: ({ revoked_at }) => revoked_at ?? "",
};

/** Access keys. */
export function Page() {
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open>(null);
  const [made, setMade] = useState<NewKey | null>(null);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => api<{ keys: AccessKey[]; may_create: boolean }>("GET", "/access-keys", { signal }),
  });
  const close = (): void => setOpen(null);
  const create = async (): Promise<void> => {
    setMade(await api<NewKey>("POST", "/access-keys"));
    close();
    await queries.invalidateQueries({ queryKey: KEYS });
  };
  const revoke = async (id: string): Promise<void> => {
    await api("DELETE", `/access-keys/${encodeURIComponent(id)}`);
    notifications.show({ color: "green", message: keys.revokeDone });
    close();
    await queries.invalidateQueries({ queryKey: KEYS });
  };
  const sorted = useSorted(data?.keys ?? [], SORT_KEYS);
  // Nobody gives what he has not, and a key may do all that the API has.
  const createButton = data?.may_create && <Button onClick={() => setOpen({ what: "create" })}>{keys.create}</Button>;
  return (
    <Outline title={keys.title} hint={keys.hint} actions={createButton}>
      <Panel flush>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
        {!error && !isPending && sorted.rows.length === 0 ? (
          <EmptyState title={keys.empty} hint={keys.emptyHint} />
        ) : (
          <DataTable
            caption={keys.title}
            columns={columnsOf((id) => setOpen({ what: "revoke", id }))}
            {...sorted}
            rowKey={({ access_key_id }) => access_key_id}
            isLoading={isPending}
          />
        )}
      </Panel>
      <RequestSamples />
      {open?.what === "create" && <CreateDialog onConfirm={create} onClose={close} />}
      {open?.what === "revoke" && <RevokeDialog id={open.id} onConfirm={() => revoke(open.id)} onClose={close} />}
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

type DialogProps = { readonly onConfirm: () => Promise<void>; readonly onClose: () => void };

function CreateDialog(props: DialogProps) {
  return <ConfirmDialog title={keys.createTitle} text={keys.createText} confirmLabel={keys.create} {...props} />;
}

function RevokeDialog({ id, ...rest }: DialogProps & { readonly id: string }) {
  const words = { title: keys.revokeTitle, text: keys.revokeText(id), confirmLabel: keys.revoke };
  return <ConfirmDialog {...words} danger {...rest} />;
}

function columnsOf(onRevoke: (id: string) => void): Column<AccessKey>[] {
  return [
    {
      key: "access_key_id",
      title: keys.id,
      sortable: true,
      render: ({ access_key_id }) => <Code style={{ overflowWrap: "anywhere" }}>{access_key_id}</Code>,
    },
    {
      key: "created_at",
      title: keys.since,
      sortable: true,
      hideBelow: "sm",
      render: ({ created_at }) => day(created_at),
    },
    {
      key: "status",
      title: keys.status,
      sortable: true,
      hideBelow: "sm",
      render: ({ revoked_at }) =>
        revoked_at === null ? (
          <StatusBadge status={keys.working} tone="success" />
        ) : (
          <StatusBadge status={keys.revoked(day(revoked_at))} />
        ),
    },
    {
      key: "revoke",
      title: keys.revoke,
      align: "right",
      render: ({ access_key_id, revoked_at }) =>
        revoked_at === null ? (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={keys.revokeOf(access_key_id)}
            onClick={() => onRevoke(access_key_id)}
          >
            {keys.revoke}
          </Button>
        ) : (
          day(revoked_at)
        ),
    },
  ];
}
