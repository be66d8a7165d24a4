// Rows of a table that open: what belongs to a row is shown below it.
// What belongs here: the button and the row below. Which rows open, and what they show, is said by the page.
import { ActionIcon, Table } from "@mantine/core";
import type { ReactNode } from "react";
import { SortDownIcon, SortUpIcon } from "./icons.tsx";

export type RowDetails<Row> = {
  /** `null` where nothing belongs to a row: it has no button. */
  readonly of: (row: Row) => ReactNode;
  /** What the button is called for those who don't see where it stands. */
  readonly labelOf: (row: Row) => string;
};

type ButtonProps = { readonly label: string; readonly isOpen: boolean; readonly onToggle: () => void };

/** Opens and closes a row. */
export function DetailsButton({ label, isOpen, onToggle }: ButtonProps) {
  const Icon = isOpen ? SortUpIcon : SortDownIcon;
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} aria-expanded={isOpen} onClick={onToggle}>
      <Icon size={16} />
    </ActionIcon>
  );
}

/** What belongs to the row above, as wide as the table. */
export function DetailsRow({ columns, children }: { readonly columns: number; readonly children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Td colSpan={columns}>{children}</Table.Td>
    </Table.Tr>
  );
}
