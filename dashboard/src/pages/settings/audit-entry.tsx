// One entry of the audit log, with what was before and after, field by field.
// What belongs here: that dialog.
import { Modal, Stack, Text } from "@mantine/core";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Facts } from "../../components/facts.tsx";
import { actorName } from "../../format/actor.ts";
import { moment } from "../../format/time.ts";
import { audit } from "../../strings/audit.ts";
import { parts } from "../../strings/shell.ts";
import { typeInWords } from "./audit-words.ts";

type Members = Readonly<Record<string, unknown>> | null;

export type AuditEntry = {
  readonly event_no: string;
  readonly at: string;
  readonly actor: string;
  /** Of somebody who can still be found. */
  readonly actor_name: string | null;
  readonly address: string;
  readonly type: string;
  readonly subject_id: string;
  readonly before: Members;
  readonly after: Members;
};

type Difference = { readonly name: string; readonly before: string; readonly after: string };

const text = (value: unknown): string =>
  value === undefined || value === null ? audit.none : typeof value === "string" ? value : JSON.stringify(value);

function differencesOf({ before, after }: AuditEntry): Difference[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((name) => ({ name, before: text(before?.[name]), after: text(after?.[name]) }));
}

const COLUMNS: readonly Column<Difference>[] = [
  { key: "name", title: audit.field, render: ({ name }) => name },
  {
    key: "before",
    title: audit.before,
    render: ({ before }) => <Text style={{ overflowWrap: "anywhere" }}>{before}</Text>,
  },
  {
    key: "after",
    title: audit.after,
    render: ({ after }) => <Text style={{ overflowWrap: "anywhere" }}>{after}</Text>,
  },
];

/** The dialog of an entry. */
export function AuditEntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const differences = differencesOf(entry);
  return (
    <Modal
      opened
      onClose={onClose}
      title={audit.entry(entry.event_no)}
      size="lg"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <Stack gap="md">
        <Facts
          facts={[
            { label: audit.at, value: moment(entry.at) },
            { label: audit.actor, value: actorName(entry.actor, entry.actor_name) },
            ...(entry.address === "" ? [] : [{ label: audit.address, value: entry.address }]),
            { label: audit.type, value: `${typeInWords(entry.type)} (${entry.type})` },
            { label: audit.subject, value: entry.subject_id },
          ]}
        />
        {differences.length > 0 && (
          <DataTable caption={audit.change} columns={COLUMNS} rows={differences} rowKey={({ name }) => name} />
        )}
      </Stack>
    </Modal>
  );
}
