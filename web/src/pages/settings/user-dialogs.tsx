// A new user, and changes of one: role, access, password, second factor.
import { Checkbox, Divider, Group, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useMerchant } from "../../api/session.ts";
import { Action, HistoryLink } from "../../components/actions.tsx";
import { ConfirmDialog, FormDialog } from "../../forms/dialogs.tsx";
import { roles as roleWords, users } from "../../strings/access.ts";

export type User = Answer<"GET", "/users">["users"][number];

/** Shown once. */
export type FirstPassword = { readonly name: string; readonly email: string; readonly password: string };

type Props = {
  /** Those that the user who is signed in may give. */
  readonly roles: readonly string[];
  readonly onDone: (password: FirstPassword | null) => void;
  readonly onClose: () => void;
};

const CHANGES = ["/users", "/roles"];

/** Adds a user, whose first password the answer has. */
export function AddUserDialog({ roles, onDone, onClose }: Props) {
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
export function ChangeUserDialog({ user, roles, onDone, onClose }: Props & { readonly user: User }) {
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
