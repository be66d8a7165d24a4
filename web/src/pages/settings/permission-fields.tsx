// The permissions of a role or an access key, as boxes to tick.
import { Checkbox, type CheckboxGroupProps, Fieldset, SimpleGrid, Stack } from "@mantine/core";
import { type Permission, usePermissions } from "../../api/session.ts";
import { permissionGroups, roles } from "../../strings/access.ts";

type FieldProps = Omit<CheckboxGroupProps, "children"> & {
  readonly isFixed?: boolean;
  /** Those that there are to choose from; all where nothing is said. */
  readonly only?: readonly string[];
};

/** A box for each permission, in groups. Nobody can grant a permission that they lack. */
export function PermissionFields({ isFixed = false, only, ...group }: FieldProps) {
  const may = usePermissions();
  return (
    <Checkbox.Group {...group}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        {groupsOf(only).map(({ title, permissions }) => (
          <Fieldset key={title} legend={title}>
            <Stack gap={8}>
              {permissions.map(([name, label]) => (
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

function groupsOf(only: readonly string[] | undefined) {
  return permissionGroups
    .map(({ title, permissions }) => {
      const all = Object.entries(permissions) as [Permission, string][];
      return { title, permissions: only ? all.filter(([name]) => only.includes(name)) : all };
    })
    .filter(({ permissions }) => permissions.length > 0);
}
