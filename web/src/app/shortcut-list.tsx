// The list of keyboard shortcuts that "?" opens.
import { Kbd, Modal, Table } from "@mantine/core";
import { Fragment } from "react";
import { parts, shell } from "../strings/shell.ts";

type Props = {
  readonly places: readonly { readonly letter: string; readonly label: string }[];
  readonly onClose: () => void;
};

/** A dialog with every shortcut that works for this person. */
export function ShortcutList({ places, onClose }: Props) {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [["Ctrl", "K"], shell.shortcutSearch],
    [["/"], shell.shortcutFilter],
    [["?"], shell.shortcuts],
    ...places.map(({ letter, label }) => [["g", letter], label] as const),
  ];
  return (
    <Modal opened onClose={onClose} title={shell.shortcuts} closeButtonProps={{ "aria-label": parts.close }}>
      <Table>
        <Table.Tbody>
          {rows.map(([keys, label]) => (
            <Table.Tr key={keys.join(" ")}>
              <Table.Th scope="row" fw={400}>
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
