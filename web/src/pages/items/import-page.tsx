// Items from a file.
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { CsvImport } from "../../forms/csv-import.tsx";
import { MoreLines } from "../../forms/file-upload.tsx";
import { csvFile } from "../../strings/bulk.ts";
import { itemImport as words, items } from "../../strings/items.ts";
import type { Tone } from "../../strings/statuses.ts";

type Line = Answer<"POST", "/item-files/preview">["good"][number];

const TONES: Readonly<Record<Line["outcome"], Tone>> = { new: "success", changed: "info", unchanged: "neutral" };
/** So many rows are shown; all are imported. */
const SHOWN = 100;

const COLUMNS: readonly Column<Line>[] = [
  { key: "line", title: csvFile.line },
  { key: "code", title: items.fields.item_code, render: ({ item }) => item.item_code },
  { key: "name", title: items.fields.name, hideBelow: "sm", render: ({ item }) => item.name },
  {
    key: "outcome",
    title: words.outcome,
    render: ({ outcome }) => <StatusBadge status={outcome} tone={TONES[outcome]} word={words.outcomes[outcome]} />,
  },
];

/** Import items. */
export function Page() {
  return (
    <CsvImport
      path="/item-files/preview"
      sample="/item-files/sample"
      to="/items"
      previewOf={(answer) => answer}
      save={async (lines, key) => {
        await api("POST", "/items/batch", { key, body: { item: lines.map(({ item }) => item) } });
        return null;
      }}
      member="item"
      changes={["/items"]}
      words={words}
      show={(lines) => (
        <TablePanel title={words.rows} columns={COLUMNS} rows={lines.slice(0, SHOWN)} rowKey={({ line }) => `${line}`}>
          <MoreLines count={lines.length - SHOWN} words={words.firstRows} />
        </TablePanel>
      )}
    />
  );
}
