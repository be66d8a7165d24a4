// The list of keyboard shortcuts that "?" and the menu of the account open.
import { Kbd, Modal, Switch, Table } from "@mantine/core";
import { Fragment } from "react";
import { MOD, useSingleKeys } from "../components/keys.ts";
import { parts, shell } from "../strings/shell.ts";
import { WEIGHT } from "./tokens.ts";

type Props = {
  readonly opened: boolean;
  readonly places: readonly { readonly letter: string; readonly label: string }[];
  readonly onClose: () => void;
};

/** A dialog with every shortcut that works for this person. */
export function ShortcutList({ opened, places, onClose }: Props) {
  const [singleKeys, setSingleKeys] = useSingleKeys();
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[MOD, "K"], shell.shortcutSearch],
    [["/"], shell.shortcutFilter],
    [["j"], shell.shortcutNextRow],
    [["k"], shell.shortcutPreviousRow],
    [["x"], shell.shortcutTick],
    [["Enter"], shell.shortcutOpen],
    [["?"], shell.shortcuts],
    ...places.map(({ letter, label }) => [["g", letter], label] as const),
  ];
  return (
    <Modal opened={opened} onClose={onClose} title={shell.shortcuts} closeButtonProps={{ "aria-label": parts.close }}>
      <Switch
        label={shell.singleKeys}
        checked={singleKeys}
        onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        mb="md"
      />
      <Table>
        <Table.Tbody>
          {rows.map(([keys, label]) => (
            <Table.Tr key={keys.join(" ")}>
              <Table.Th scope="row" fw={WEIGHT.regular}>
                {label}
              </Table.Th>
              <Table.Td ta="end">
                {keys.map((key) => (
                  <Fragment key={key}>
                    {" "}
                    <Kbd>{key}</Kbd>
                  </Fragment>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
