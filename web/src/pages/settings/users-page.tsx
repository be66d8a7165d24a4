// The users of a merchant: who signs in, with which role, and what is done when a password or phone is lost.
import { Group, Text } from "@mantine/core";
import { useState } from "react";
import { useGet } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { moment } from "../../format/time.ts";
import { SecretDialog } from "../../forms/dialogs.tsx";
import { roles as roleWords, users } from "../../strings/access.ts";
import { AddUserDialog, ChangeUserDialog, type FirstPassword, type User } from "./user-dialogs.tsx";

type Open = "add" | User | null;

const SORT_KEYS = {
  status: ({ disabled, must_change_password: isNew }: User) => (disabled ? 2 : isNew ? 1 : 0),
  factor: ({ second_factor: isOn }: User) => (isOn ? 1 : 0),
  last_sign_in_at: ({ last_sign_in_at: at }: User) => at ?? "",
};

/** Users. */
export function Page() {
  const { sign_in_url: signInUrl } = useMerchant();
  const [open, setOpen] = useState<Open>(null);
  const [made, setMade] = useState<FirstPassword | null>(null);
  const { data, ...found } = useGet("/users");
  const roles = useGet("/roles");
  const done = (password: FirstPassword | null): void => {
    setOpen(null);
    setMade(password);
  };
  const grantable = roles.data?.roles.filter(({ grantable: may }) => may).map(({ name }) => name) ?? [];
  const actions = (
    <>
      <ExportButton path="/users.csv" fileName="users.csv" />
      <Action label={users.roles} to="/settings/roles" />
      <Action label={users.invite} primary onClick={() => setOpen("add")} disabled={!roles.data} />
    </>
  );
  return (
    <Outline title={users.title} hint={users.hint(signInUrl)} actions={actions}>
      <TablePanel
        caption={users.title}
        of={found}
        rows={data?.users}
        columns={columnsOf(setOpen)}
        rowKey="user_id"
        sortKeys={SORT_KEYS}
      />
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
    { key: "name", title: users.name, sortable: true, render: NameCell },
    {
      key: "role",
      title: users.role,
      sortable: true,
      hideBelow: "sm",
      render: ({ role }) => roleWords.names[role] ?? role,
      to: ({ role }) => `/settings/roles?role=${encodeURIComponent(role)}`,
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
          <Action
            label={users.edit}
            size="compact-sm"
            aria-label={users.editOf(user.name)}
            onClick={() => onChange(user)}
          />
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
        {roleWords.names[role] ?? role}
      </Text>
    </div>
  );
}
