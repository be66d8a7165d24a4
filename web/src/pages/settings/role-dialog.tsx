// What a role allows, as a list to tick: of one's own role to change, of a built-in one to read.
import { Checkbox, Fieldset, Group, SimpleGrid, Stack, Text, TextInput, type CheckboxGroupProps } from "@mantine/core";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { usePermissions, type Permission } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Dialog, FormDialog } from "../../forms/dialogs.tsx";
import { permissionGroups, roles } from "../../strings/access.ts";
import { parts } from "../../strings/shell.ts";

export type Role = Answer<"GET", "/roles">["roles"][number];

type Props = { readonly role: Role; readonly isNew: boolean; readonly onClose: () => void };

/** A role with its permissions. */
export function RoleDialog({ role, isNew, onClose }: Props) {
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

type FieldProps = Omit<CheckboxGroupProps, "children"> & { readonly isFixed?: boolean };

/** Nobody gives what he has not. */
function PermissionFields({ isFixed = false, ...group }: FieldProps) {
  const may = usePermissions();
  return (
    <Checkbox.Group {...group}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        {permissionGroups.map(({ title, permissions }) => (
          <Fieldset key={title} legend={title}>
            <Stack gap={8}>
              {(Object.entries(permissions) as [Permission, string][]).map(([name, label]) => (
                <Checkbox
                  key={name}
                  value={name}
                  label={label}
                  disabled={isFixed || !may(name)}
                  {...(isFixed || may(name) ? {} : { description: roles.cannotGive })}
                />
              ))}
            </Stack>
          </Fieldset>
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
