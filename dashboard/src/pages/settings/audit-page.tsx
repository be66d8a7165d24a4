// The audit log: who changed what, from where, before and after. Filters are in the address.
// What belongs here: the list. One entry is audit-entry.tsx.
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Column } from "../../components/data-table.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { moment } from "../../format/time.ts";
import { useList, type List } from "../../lists/use-list.ts";
import { audit } from "../../strings/messages.ts";
import { actorInWords, AuditEntryDialog, type AuditEntry } from "./audit-entry.tsx";

const FILTERS = ["actor", "type", "subject"];

/** The audit log. */
export function Page() {
  const list = useList<AuditEntry>({ path: "/audit", rowsIn: "entries", filters: FILTERS });
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const { actor, type, subject } = list.filters;
  return (
    <>
      <DataPage
        title={audit.title}
        hint={audit.hint}
        list={list}
        columns={columnsOf(setShown, list)}
        rowKey={({ event_no }) => event_no}
        filterFields={<Filters key={`${actor} ${type} ${subject}`} list={list} />}
        empty={{ title: audit.empty }}
      />
      {shown && <AuditEntryDialog entry={shown} onClose={() => setShown(null)} />}
    </>
  );
}

/** Sent together, so that no request is made for half of a word. */
function Filters({ list }: { readonly list: List<AuditEntry> }) {
  const [given, setGiven] = useState({ ...list.filters });
  const field = (name: string, label: string) => (
    <TextInput
      label={label}
      value={given[name] ?? ""}
      onChange={({ currentTarget: { value } }) => setGiven((earlier) => ({ ...earlier, [name]: value }))}
    />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const trimmed = Object.entries(given).map(([name, value]) => [name, value.trim()]);
        list.setFilters(Object.fromEntries(trimmed));
      }}
    >
      <Group gap="sm" align="flex-end">
        {field("actor", audit.filterActor)}
        {field("type", audit.filterType)}
        {field("subject", audit.filterSubject)}
        <Button type="submit" variant="default">
          {audit.apply}
        </Button>
      </Group>
    </form>
  );
}

function columnsOf(onShow: (entry: AuditEntry) => void, list: List<AuditEntry>): Column<AuditEntry>[] {
  return [
    { key: "at", title: audit.at, render: ({ at }) => moment(at) },
    {
      key: "actor",
      title: audit.actor,
      hideBelow: "sm",
      render: ({ actor, address }) => (
        <div>
          <Text style={{ overflowWrap: "anywhere" }}>{actorInWords(actor)}</Text>
          {address !== "" && (
            <Text size="sm" c="dimmed">
              {audit.from(address)}
            </Text>
          )}
        </div>
      ),
    },
    { key: "type", title: audit.type, render: ({ type }) => type },
    {
      key: "subject",
      title: audit.subject,
      hideBelow: "md",
      render: ({ subject_id }) => (
        <Button size="compact-sm" variant="subtle" onClick={() => list.setFilters({ subject: subject_id })}>
          {subject_id}
        </Button>
      ),
    },
    {
      key: "change",
      title: audit.change,
      align: "right",
      render: (entry) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={audit.showOf(entry.event_no)}
          onClick={() => onShow(entry)}
        >
          {audit.show}
        </Button>
      ),
    },
  ];
}
