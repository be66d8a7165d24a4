// What is said of the lines of a file that somebody chose.
import { Text } from "@mantine/core";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { bulk, bulkUpload as words } from "../../strings/bulk.ts";

type Note = { readonly line: number; readonly field: string; readonly message: string };

const COLUMNS: readonly Column<Note>[] = [
  { key: "line", title: bulk.line, align: "right" },
  { key: "field", title: words.column, hideBelow: "sm" },
  { key: "message", title: words.problem },
];

type Props = { readonly title: string; readonly notes: readonly Note[]; readonly more: number };

/** The notes under a title; nothing where there are none. */
export function FileNotes({ title, notes, more }: Props) {
  if (notes.length === 0) return null;
  const rowKey = ({ line, field, message }: Note): string => `${line} ${field} ${message}`;
  return (
    <TablePanel title={title} columns={COLUMNS} rows={notes} rowKey={rowKey}>
      <MoreLines count={more} />
    </TablePanel>
  );
}

/** How many more there are than are shown. */
export function MoreLines({ count }: { readonly count: number }) {
  if (count <= 0) return null;
  return (
    <Text c="dimmed" p="md">
      {words.more(count)}
    </Text>
  );
}
