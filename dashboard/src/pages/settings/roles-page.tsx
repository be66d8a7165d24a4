// The roles of a merchant: the built-in ones and its own, and what each allows.
// What belongs here: the list. A role's permissions are role-dialog.tsx; which role is open is in the address.
import { Anchor, Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { useSorted, type SortKeys } from "../../lists/use-sorted.ts";
import { roles } from "../../strings/access.ts";
import { RoleDialog } from "./role-dialog.tsx";
import { ROLES_KEY, type Role, type RolesAnswer } from "./user.ts";

const SORT_KEYS: SortKeys<Role> = {
  name: ({ name }) => name,
  kind: ({ built_in: isBuiltIn }) => (isBuiltIn ? 0 : 1),
  permissions: ({ permissions }) => permissions.length,
  users: ({ users }) => users,
};
const NEW_ROLE: Role = { name: "", built_in: false, permissions: [], users: 0, grantable: true };

/** Roles. */
export function Page() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ROLES_KEY,
    queryFn: ({ signal }) => api<RolesAnswer>("GET", "/roles", { signal }),
  });
  const { role: named = "", sort } = useSearch({ strict: false }) as { role?: string; sort?: string };
  const open = (name: string): void =>
    void navigate({ to: ".", search: { ...(sort ? { sort } : {}), ...(name ? { role: name } : {}) } });
  const changed = async (message: string): Promise<void> => {
    notifications.show({ color: "green", message });
    await queries.invalidateQueries({ queryKey: ROLES_KEY });
  };
  const sorted = useSorted(data?.roles ?? [], SORT_KEYS);
  const shown = isAdding ? NEW_ROLE : data?.roles.find(({ name }) => name === named);
  const close = (): void => {
    setAdding(false);
    open("");
  };
  const add = (
    <Button onClick={() => setAdding(true)} disabled={!data}>
      {roles.add}
    </Button>
  );
  return (
    <Outline title={roles.title} hint={<Hint />} actions={add}>
      <Panel flush>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
        <DataTable
          caption={roles.title}
          columns={columnsOf(data?.permissions.length ?? 0, open, setRemoving)}
          {...sorted}
          rowKey={({ name }) => name}
          isLoading={isPending}
        />
      </Panel>
      {shown && (
        <RoleDialog
          key={shown.name}
          role={shown}
          isNew={isAdding}
          onDone={() => {
            close();
            void changed(roles.saved);
          }}
          onClose={close}
        />
      )}
      {removing !== null && (
        <RemoveDialog
          name={removing}
          onDone={() => {
            setRemoving(null);
            void changed(roles.removed);
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </Outline>
  );
}

function Hint() {
  return (
    <>
      {roles.hint}{" "}
      <Anchor component={Link} to="/settings/users" underline="always">
        {roles.back}
      </Anchor>
    </>
  );
}

type RemoveProps = { readonly name: string; readonly onDone: () => void; readonly onClose: () => void };

function RemoveDialog({ name, onDone, onClose }: RemoveProps) {
  const remove = async (): Promise<void> => {
    await api("DELETE", `/roles/${encodeURIComponent(name)}`);
    onDone();
  };
  const words = { title: roles.remove, text: roles.removeText(name), confirmLabel: roles.remove };
  return <ConfirmDialog {...words} danger onConfirm={remove} onClose={onClose} />;
}

function columnsOf(all: number, onOpen: (name: string) => void, onRemove: (name: string) => void): Column<Role>[] {
  return [
    { key: "name", title: roles.name, sortable: true, render: ({ name }) => name },
    {
      key: "kind",
      title: roles.kind,
      sortable: true,
      hideBelow: "sm",
      render: ({ built_in: isBuiltIn }) => (
        <StatusBadge status={isBuiltIn ? roles.builtIn : roles.own} tone={isBuiltIn ? "neutral" : "info"} />
      ),
    },
    {
      key: "permissions",
      title: roles.permissions,
      sortable: true,
      hideBelow: "sm",
      render: ({ permissions }) => roles.allowed(permissions.length, all),
    },
    { key: "users", title: roles.users, align: "right", sortable: true, render: ({ users }) => users },
    {
      key: "actions",
      title: roles.actions,
      align: "right",
      render: ({ name, built_in: isBuiltIn, grantable, users }) => {
        const mayChange = !isBuiltIn && grantable;
        return (
          <Group gap="xs" justify="flex-end">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={mayChange ? roles.editOf(name) : roles.viewOf(name)}
              onClick={() => onOpen(name)}
            >
              {mayChange ? roles.edit : roles.view}
            </Button>
            {mayChange && users === 0 && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={roles.removeOf(name)}
                onClick={() => onRemove(name)}
              >
                {roles.remove}
              </Button>
            )}
          </Group>
        );
      },
    },
  ];
}
