// The users of a merchant: who signs in, with which role, and what is done when a password or phone is lost.
import { Checkbox, Divider, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useGet } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Action, HistoryLink } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { moment } from "../../format/time.ts";
import { ConfirmDialog, FormDialog, SecretDialog } from "../../forms/dialogs.tsx";
import { roles as roleWords, users } from "../../strings/access.ts";
import { titles } from "../../strings/titles.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";

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
    <Outline title={titles.users} hint={users.hint(signInUrl)} actions={actions}>
      <TablePanel
        caption={titles.users}
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
      isButtons: true,
      render: (user) =>
        // Users can't change their own role or end their own access: the server refuses it.
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

type User = Answer<"GET", "/users">["users"][number];

/** Shown once. */
type FirstPassword = { readonly name: string; readonly email: string; readonly password: string };

type Props = {
  /** The roles that the signed-in user may give. */
  readonly roles: readonly string[];
  readonly onDone: (password: FirstPassword | null) => void;
  readonly onClose: () => void;
};

const CHANGES = ["/users", "/roles"];

/** Adds a user, whose first password the answer has. */
function AddUserDialog({ roles, onDone, onClose }: Props) {
  return (
    <FormDialog
      title={users.invite}
      initialValues={{ name: "", email: "", role: roles.includes("Viewer") ? "Viewer" : (roles[0] ?? "") }}
      submit={(body) => api("POST", "/users", { body })}
      changes={CHANGES}
      onDone={({ user: { name, email }, password }) => onDone({ name, email, password })}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <TextInput {...field("name", users.name)} required data-autofocus />
          <TextInput {...field("email", users.email)} type="email" required />
          <NativeSelect {...field("role", users.role)} data={roleChoices(roles)} />
        </>
      )}
    </FormDialog>
  );
}

/** Changes a user, or resets what was lost. */
function ChangeUserDialog({ user, roles, onDone, onClose }: Props & { readonly user: User }) {
  const { sign_in_url: signInUrl } = useMerchant();
  const [reset, setReset] = useState<"password" | "factor" | null>(null);
  const { name, email, role, disabled } = user;
  const path = `/users/${user.user_id}` as const;
  if (reset === "password") {
    return (
      <ConfirmDialog
        title={users.resetPassword}
        text={users.resetPasswordText(name)}
        submit={() => api("POST", `${path}/reset-password`)}
        changes={CHANGES}
        onDone={({ password }) => onDone({ name, email, password })}
        onClose={() => setReset(null)}
      />
    );
  }
  if (reset === "factor") {
    return (
      <ConfirmDialog
        title={users.resetFactor}
        text={users.resetFactorText(name)}
        danger
        submit={() => api("POST", `${path}/reset-second-factor`)}
        changes={CHANGES}
        done={users.resetFactorDone}
        onDone={() => onDone(null)}
        onClose={() => setReset(null)}
      />
    );
  }
  const further = (
    <>
      <Divider />
      <Group gap="xs">
        <Action label={users.resetPassword} onClick={() => setReset("password")} />
        {user.second_factor && <Action label={users.resetFactor} onClick={() => setReset("factor")} />}
        <HistoryLink subjectId={user.user_id} />
      </Group>
    </>
  );
  return (
    <FormDialog
      title={users.editTitle(name)}
      label={users.save}
      initialValues={{ name, email, role, disabled }}
      submit={({ role: chosen, disabled: isDisabled, ...values }) =>
        api("PUT", path, {
          body: { ...values, ...(chosen === role ? {} : { role: chosen }), disabled: isDisabled ? "1" : "0" },
        })
      }
      changes={CHANGES}
      done={users.saved}
      onDone={() => onDone(null)}
      onClose={onClose}
      footer={further}
    >
      {({ field, check }) => (
        <>
          <TextInput {...field("name", users.name)} required data-autofocus />
          <TextInput {...field("email", users.email, users.emailHint(signInUrl))} type="email" required />
          <NativeSelect {...field("role", users.role)} data={roleChoices(roles, role)} />
          <Checkbox {...check("disabled", users.disable)} />
        </>
      )}
    </FormDialog>
  );
}

/** Roles to choose from, and the one that somebody has already. */
function roleChoices(names: readonly string[], had: string | null = null) {
  const offered = had === null || names.includes(had) ? names : [had, ...names];
  return offered.map((value) => ({ value, label: roleWords.names[value] ?? value }));
}
