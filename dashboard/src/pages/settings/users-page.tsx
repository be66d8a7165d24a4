// The users of a merchant: who signs in, with which role, and what is done when a password or phone is lost.
// What belongs here: the list. The dialogs are user-dialogs.tsx.
import { Anchor, Button, Group, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useMerchant } from "../../api/session.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { moment } from "../../format/time.ts";
import { useSorted, type SortKeys } from "../../lists/use-sorted.ts";
import { users } from "../../strings/access.ts";
import { ROLES_KEY, USERS_KEY, type FirstPassword, type RolesAnswer, type User } from "./user.ts";
import { AddUserDialog, ChangeUserDialog } from "./user-dialogs.tsx";

type Open = "add" | User | null;

const SORT_KEYS: SortKeys<User> = {
  name: ({ name }) => name,
  role: ({ role }) => role,
  status: ({ disabled, must_change_password: isNew }) => (disabled ? 2 : isNew ? 1 : 0),
  factor: ({ second_factor: isOn }) => (isOn ? 1 : 0),
  last_sign_in_at: ({ last_sign_in_at: at }) => at ?? "",
};

/** Users. */
export function Page() {
  const queries = useQueryClient();
  const { sign_in_url: signInUrl } = useMerchant();
  const [open, setOpen] = useState<Open>(null);
  const [made, setMade] = useState<FirstPassword | null>(null);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: USERS_KEY,
    queryFn: ({ signal }) => api<{ users: User[] }>("GET", "/users", { signal }),
  });
  const roles = useQuery({
    queryKey: ROLES_KEY,
    queryFn: ({ signal }) => api<RolesAnswer>("GET", "/roles", { signal }),
  });
  const done = (password: FirstPassword | null): void => {
    setOpen(null);
    setMade(password);
    void queries.invalidateQueries({ queryKey: USERS_KEY });
    void queries.invalidateQueries({ queryKey: ROLES_KEY });
  };
  const sorted = useSorted(data?.users ?? [], SORT_KEYS);
  const grantable = roles.data?.roles.filter(({ grantable: may }) => may).map(({ name }) => name) ?? [];
  const actions = (
    <>
      <ExportButton path="/users/export" fileName="users.csv" />
      <Button component={Link} to="/settings/roles" variant="default">
        {users.roles}
      </Button>
      <Button onClick={() => setOpen("add")} disabled={!roles.data}>
        {users.invite}
      </Button>
    </>
  );
  return (
    <Outline title={users.title} hint={users.hint(signInUrl)} actions={actions}>
      <Panel flush>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
        <DataTable
          caption={users.title}
          columns={columnsOf(setOpen)}
          {...sorted}
          rowKey={({ user_id }) => user_id}
          isLoading={isPending}
        />
      </Panel>
      {open === "add" && <AddUserDialog roles={grantable} onDone={done} onClose={() => setOpen(null)} />}
      {open !== null && open !== "add" && (
        <ChangeUserDialog user={open} roles={grantable} onDone={done} onClose={() => setOpen(null)} />
      )}
      {made && (
        <SecretDialog
          title={users.passwordTitle}
          hint={users.passwordHint(made.name)}
          secrets={[
            { label: users.signInEmail, value: made.email },
            { label: users.password, value: made.password },
            { label: users.signInUrl, value: signInUrl },
          ]}
          onClose={() => setMade(null)}
        />
      )}
    </Outline>
  );
}

function columnsOf(onChange: (user: User) => void): Column<User>[] {
  return [
    {
      key: "name",
      title: users.name,
      sortable: true,
      render: (user) => <NameCell {...user} />,
    },
    {
      key: "role",
      title: users.role,
      sortable: true,
      hideBelow: "sm",
      render: ({ role }) => (
        <Anchor component={Link} to="/settings/roles" search={{ role } as never}>
          {role}
        </Anchor>
      ),
    },
    {
      key: "status",
      title: users.status,
      sortable: true,
      hideBelow: "sm",
      render: ({ disabled, must_change_password: isNew }) =>
        !disabled && isNew ? (
          <StatusBadge status={users.newPassword} tone="warning" />
        ) : (
          <StatusBadge status={disabled ? "disabled" : "active"} />
        ),
    },
    {
      key: "factor",
      title: users.factor,
      sortable: true,
      hideBelow: "md",
      render: ({ second_factor: isOn }) => (
        <StatusBadge status={isOn ? users.factorOn : users.factorOff} tone={isOn ? "success" : "neutral"} />
      ),
    },
    {
      key: "last_sign_in_at",
      title: users.lastSignIn,
      sortable: true,
      hideBelow: "md",
      render: ({ last_sign_in_at: at }) => (at === null ? users.never : moment(at)),
    },
    {
      key: "actions",
      title: users.actions,
      align: "right",
      render: (user) =>
        // Nobody changes his own role or ends his own access: the server refuses it.
        !user.own && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={users.editOf(user.name)}
            onClick={() => onChange(user)}
          >
            {users.edit}
          </Button>
        ),
    },
  ];
}

function NameCell({ name, email, role, own }: User) {
  return (
    <div>
      <Group gap="xs">
        {name}
        {own && <StatusBadge status={users.you} tone="info" />}
      </Group>
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {email}
      </Text>
      <Text size="sm" hiddenFrom="sm">
        {role}
      </Text>
    </div>
  );
}
