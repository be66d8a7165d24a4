// The audit log: who changed what, from where, before and after. Filters are in the address.
import { Anchor, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { actorName } from "../../format/actor.ts";
import { moment } from "../../format/time.ts";
import { useList, type List } from "../../lists/use-list.ts";
import { audit } from "../../strings/audit.ts";
import { AuditEntryDialog, pathOfSubject, typeInWords, type AuditEntry } from "./audit-entry.tsx";
import { AUDIT_FILTERS, AuditFilters } from "./audit-filters.tsx";

type AuditList = List<AuditEntry, Answer<"GET", "/audit">>;

/** The audit log. */
export function Page() {
  const list = useList({ path: "/audit", rowsIn: "entries", filters: AUDIT_FILTERS });
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const lookedBackTo = list.answer?.looked_back_to ?? null;
  return (
    <>
      <DataPage
        title={audit.title}
        hint={audit.hint}
        list={list}
        columns={columnsOf(setShown, list)}
        rowKey="event_no"
        filterFields={<AuditFilters list={list} />}
        hasFile
        summary={
          lookedBackTo !== null && (
            <Text px="md" pb="md" role="status">
              {audit.lookedBack(moment(lookedBackTo))}
            </Text>
          )
        }
        empty={{ title: audit.empty }}
      />
      {shown && <AuditEntryDialog entry={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function columnsOf(onShow: (entry: AuditEntry) => void, list: AuditList): Column<AuditEntry>[] {
  return [
    { key: "at", title: audit.at, hideBelow: "sm", as: "moment" },
    { key: "actor", title: audit.actor, hideBelow: "sm", render: (entry) => <ActorCell entry={entry} list={list} /> },
    { key: "type", title: audit.type, render: TypeCell },
    {
      key: "subject",
      title: audit.subject,
      hideBelow: "md",
      render: (entry) => <SubjectCell entry={entry} list={list} />,
    },
    {
      key: "change",
      title: audit.details,
      align: "right",
      render: (entry) => (
        <Action
          label={audit.show}
          size="compact-sm"
          aria-label={audit.showOf(entry.event_no)}
          onClick={() => onShow(entry)}
        />
      ),
    },
  ];
}

type CellProps = { readonly entry: AuditEntry; readonly list: AuditList };

function ActorCell({ entry: { actor, actor_name, address }, list }: CellProps) {
  const name = actorName(actor, actor_name);
  return (
    <div>
      <Anchor
        component="button"
        type="button"
        ta="left"
        style={{ overflowWrap: "anywhere" }}
        aria-label={audit.onlyActor(name)}
        onClick={() => list.setFilters({ actor })}
      >
        {name}
      </Anchor>
      {address !== "" && (
        <Text size="sm" c="dimmed">
          {audit.from(address)}
        </Text>
      )}
    </div>
  );
}

/** Narrow screens have no columns for when and who it was. */
function TypeCell({ type, at, actor, actor_name }: AuditEntry) {
  return (
    <div>
      {typeInWords(type)}
      <Text size="sm" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: "anywhere" }}>
        {moment(at)}
        <br />
        {actorName(actor, actor_name)}
      </Text>
    </div>
  );
}

function SubjectCell({ entry: { type, subject_id }, list }: CellProps) {
  const path = pathOfSubject(type, subject_id);
  return (
    <Group gap="xs" wrap="nowrap">
      {path === null ? subject_id : <LinkTo label={subject_id} to={path} />}
      <Action
        label={audit.linkTo}
        size="compact-sm"
        variant="subtle"
        aria-label={audit.onlySubject(subject_id)}
        onClick={() => list.setFilters({ subject: subject_id })}
      />
    </Group>
  );
}
