// What a role allows, as a list to tick: of one's own role to change, of a built-in one to read.
// What belongs here: that dialog.
import { Button, Checkbox, Fieldset, Group, Modal, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { permissionGroups, roles } from "../../strings/access.ts";
import { parts } from "../../strings/shell.ts";
import type { Role } from "./user.ts";

type Props = {
  readonly role: Role;
  readonly isNew: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** A role with its permissions. */
export function RoleDialog({ role, isNew, onDone, onClose }: Props) {
  const may = usePermissions();
  const isFixed = role.built_in || !role.grantable;
  const sent = useApiForm({
    initialValues: { name: role.name, permissions: [...role.permissions] },
    submit: ({ name, permissions }) =>
      isNew
        ? api("POST", "/roles", { body: { name, permissions } })
        : api("PUT", `/roles/${encodeURIComponent(role.name)}`, { body: { permissions } }),
    onDone,
  });
  const { form } = sent;
  return (
    <Modal
      opened
      onClose={onClose}
      title={isNew ? roles.addTitle : role.name}
      size="xl"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          {!role.built_in && !role.grantable && <Text>{roles.notGrantable}</Text>}
          {isNew && <TextInput label={roles.name} required data-autofocus {...form.getInputProps("name")} />}
          <Checkbox.Group label={roles.permissions} {...form.getInputProps("permissions")}>
            <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
              {permissionGroups.map(({ title, permissions }) => (
                <Fieldset key={title} legend={title}>
                  <Stack gap={8}>
                    {Object.entries(permissions).map(([name, label]) => (
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
          {isFixed ? (
            <Group justify="flex-end">
              <Button onClick={onClose}>{parts.close}</Button>
            </Group>
          ) : (
            <SubmitRow of={sent} label={roles.save} onCancel={onClose} />
          )}
        </Stack>
      </form>
    </Modal>
  );
}
