// The roles of a merchant: the built-in ones and its own, and what each allows.
// Which role is open is in the address.
import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useGet } from "../../api/queries.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { ConfirmDialog, Dialog, FormDialog } from "../../forms/dialogs.tsx";
import { roles } from "../../strings/access.ts";
import type { Answer } from "../../api/contract.ts";
import { parts } from "../../strings/shell.ts";
import { titles } from "../../strings/titles.ts";
import { PermissionFields } from "./permission-fields.tsx";

const SORT_KEYS = {
  kind: ({ built_in: isBuiltIn }: Role) => (isBuiltIn ? 0 : 1),
  permissions: ({ permissions }: Role) => permissions.length,
};
const NEW_ROLE: Role = { name: "", built_in: false, permissions: [], users: 0, grantable: true };

/** Roles. */
export function Page() {
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const { data, ...found } = useGet("/roles");
  const { role: named = "", sort } = useSearch({ strict: false }) as { role?: string; sort?: string };
  const open = (name: string): void =>
    void navigate({ to: ".", search: { ...(sort ? { sort } : {}), ...(name ? { role: name } : {}) } });
  const shown = isAdding ? NEW_ROLE : data?.roles.find(({ name }) => name === named);
  const close = (): void => {
    setAdding(false);
    open("");
  };
  const add = <Action label={roles.add} primary onClick={() => setAdding(true)} disabled={!data} />;
  return (
    <Outline title={titles.roles} hint={<Hint />} actions={add}>
      <TablePanel
        caption={titles.roles}
        of={found}
        rows={data?.roles}
        columns={columnsOf(data?.permissions.length ?? 0, open, setRemoving)}
        rowKey="name"
        sortKeys={SORT_KEYS}
      />
      {shown && <RoleDialog key={shown.name} role={shown} isNew={isAdding} onClose={close} />}
      {removing !== null && (
        <ConfirmDialog
          title={roles.remove}
          text={roles.removeText(removing)}
          danger
          submit={() => api("DELETE", `/roles/${encodeURIComponent(removing)}`)}
          changes={["/roles"]}
          done={roles.removed}
          onClose={() => setRemoving(null)}
        />
      )}
    </Outline>
  );
}

function Hint() {
  return (
    <>
      {roles.hint} <LinkTo label={roles.back} to="/settings/users" underline="always" />
    </>
  );
}

function columnsOf(all: number, onOpen: (name: string) => void, onRemove: (name: string) => void): Column<Role>[] {
  return [
    { key: "name", title: roles.name, sortable: true, render: ({ name }) => roles.names[name] ?? name },
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
    { key: "users", title: roles.users, align: "right", sortable: true, hideBelow: "sm" },
    {
      key: "actions",
      title: roles.actions,
      align: "right",
      isButtons: true,
      render: ({ name, built_in: isBuiltIn, grantable, users }) => {
        const mayChange = !isBuiltIn && grantable;
        return (
          <Group gap="xs" justify="flex-end">
            <Action
              label={mayChange ? roles.edit : roles.view}
              size="compact-sm"
              aria-label={mayChange ? roles.editOf(name) : roles.viewOf(name)}
              onClick={() => onOpen(name)}
            />
            {mayChange && users === 0 && (
              <Action
                label={roles.remove}
                size="compact-sm"
                aria-label={roles.removeOf(name)}
                onClick={() => onRemove(name)}
              />
            )}
          </Group>
        );
      },
    },
  ];
}

type Role = Answer<"GET", "/roles">["roles"][number];

type Props = { readonly role: Role; readonly isNew: boolean; readonly onClose: () => void };

/** A role with its permissions. */
function RoleDialog({ role, isNew, onClose }: Props) {
  if (role.built_in || !role.grantable) {
    return (
      <Dialog title={role.name} size="xl" onClose={onClose}>
        <Stack gap="md">
          {!role.built_in && <Text>{roles.notGrantable}</Text>}
          <PermissionFields label={roles.permissions} value={[...role.permissions]} isFixed />
          <Group justify="flex-end">
            <Action label={parts.close} primary onClick={onClose} />
          </Group>
        </Stack>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={isNew ? roles.addTitle : role.name}
      label={roles.save}
      size="xl"
      initialValues={{ name: role.name, permissions: [...role.permissions] }}
      submit={({ name, permissions }) =>
        isNew
          ? api("POST", "/roles", { body: { name, permissions } })
          : api("PUT", `/roles/${encodeURIComponent(role.name)}`, { body: { permissions } })
      }
      changes={["/roles"]}
      done={roles.saved}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          {isNew && <TextInput {...field("name", roles.name)} required data-autofocus />}
          <PermissionFields {...field("permissions", roles.permissions)} />
        </>
      )}
    </FormDialog>
  );
}
