// The audit log: who changed what, from where, before and after. Filters are in the address.
import { Anchor, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { actorName } from "../../format/actor.ts";
import { eventInWords } from "../../format/event.ts";
import { moment } from "../../format/time.ts";
import { type List, useList } from "../../lists/use-list.ts";
import { audit } from "../../strings/audit.ts";
import { titles } from "../../strings/titles.ts";
import { useGet } from "../../api/queries.ts";
import { DateRange } from "../../lists/filters.tsx";
import { Facts } from "../../components/values.tsx";
import { Dialog } from "../../forms/dialogs.tsx";

type AuditList = List<AuditEntry, Answer<"GET", "/audit">>;

/** The audit log. */
export function Page() {
  const list = useList({ path: "/audit", rowsIn: "entries", filters: AUDIT_FILTERS });
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const lookedBackTo = list.answer?.looked_back_to ?? null;
  return (
    <>
      <DataPage
        title={titles.audit}
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
      isButtons: true,
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

/** Narrow screens have no columns for time and actor. */
function TypeCell({ type, at, actor, actor_name }: AuditEntry) {
  return (
    <div>
      {eventInWords(type)}
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

type Choice = { readonly value: string; readonly label: string };

/** The names of the filters, in the address. */
const AUDIT_FILTERS = ["from", "to", "actor", "type", "subject"];

/** The fields. Each filters at once. */
function AuditFilters({ list }: { readonly list: List<AuditEntry> }) {
  const { actor = "", type = "", subject = "" } = list.filters;
  const set = (name: string) => (event: { readonly currentTarget: { readonly value: string } }) =>
    list.setFilters({ [name]: event.currentTarget.value.trim() });
  return (
    <>
      <DateRange list={list} />
      <ActorSelect list={list} actor={actor} />
      <NativeSelect
        label={audit.type}
        value={type}
        onChange={set("type")}
        data={withChosen(
          [
            { value: "", label: audit.everything },
            ...Object.entries(audit.kinds).map(([kind, label]) => ({ value: `${kind}.*`, label })),
          ],
          type,
          eventInWords(type),
        )}
      />
      <TextInput
        label={audit.filterSubject}
        inputMode="numeric"
        value={subject}
        onChange={({ currentTarget }) => list.setFilters({ subject: currentTarget.value.replaceAll(/\D/g, "") })}
      />
    </>
  );
}

function ActorSelect({ list, actor }: { readonly list: List<AuditEntry>; readonly actor: string }) {
  const { data } = useGet("/audit/actors");
  const users = (data?.users ?? []).map(({ actor: value, name }) => ({ value, label: name }));
  const keys = (data?.access_keys ?? []).map((value) => ({ value, label: value.slice("key:".length) }));
  const others = Object.entries(audit.otherActors).map(([value, label]) => ({ value, label }));
  const isKnown = [...users, ...keys, ...others].some(({ value }) => value === actor);
  // Somebody whom a click in the table has chosen: the rows know the name.
  const named = list.rows.find((entry) => entry.actor === actor)?.actor_name ?? null;
  const chosen = actor === "" || isKnown ? [] : [{ value: actor, label: actorName(actor, named) }];
  return (
    <NativeSelect
      label={audit.actor}
      value={actor}
      onChange={({ currentTarget }) => list.setFilters({ actor: currentTarget.value })}
    >
      <option value="">{audit.everybody}</option>
      <Options choices={chosen} />
      <optgroup label={audit.people}>
        <Options choices={users} />
      </optgroup>
      <optgroup label={audit.accessKeys}>
        <Options choices={keys} />
      </optgroup>
      <optgroup label={audit.others}>
        <Options choices={others} />
      </optgroup>
    </NativeSelect>
  );
}

function Options({ choices }: { readonly choices: readonly Choice[] }) {
  return choices.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** A link may have set a value that the list does not offer. */
function withChosen(choices: readonly Choice[], value: string, label: string): Choice[] {
  return choices.some((choice) => choice.value === value) ? [...choices] : [...choices, { value, label }];
}

type AuditEntry = Answer<"GET", "/audit">["entries"][number];

type Difference = { readonly name: string; readonly before: string; readonly after: string };

const text = (value: unknown): string =>
  value === undefined || value === null ? audit.none : typeof value === "string" ? value : JSON.stringify(value);

function differencesOf({ before, after }: AuditEntry): Difference[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((name) => ({ name, before: text(before?.[name]), after: text(after?.[name]) }));
}

const COLUMNS: readonly Column<Difference>[] = [
  { key: "name", title: audit.field },
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
function AuditEntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const differences = differencesOf(entry);
  return (
    <Dialog title={audit.entry(entry.event_no)} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Facts
          facts={[
            { label: audit.at, value: moment(entry.at) },
            { label: audit.actor, value: actorName(entry.actor, entry.actor_name) },
            ...(entry.address === "" ? [] : [{ label: audit.address, value: entry.address }]),
            { label: audit.type, value: `${eventInWords(entry.type)} (${entry.type})` },
            { label: audit.subject, value: entry.subject_id },
          ]}
        />
        {differences.length > 0 && (
          <DataTable caption={audit.change} columns={COLUMNS} rows={differences} rowKey="name" />
        )}
      </Stack>
    </Dialog>
  );
}

const PATHS: Readonly<Record<string, (id: string) => string>> = {
  approval: (id) => `/approvals/${id}`,
  beneficiary: (id) => `/beneficiaries/${id}`,
  customer: (id) => `/customers/${id}`,
  franchise: (id) => `/franchises/${id}`,
  invoice: (id) => `/invoices/R${id.padStart(9, "0")}`,
  merchant: () => "/settings/company",
  subscription: (id) => `/subscriptions/${id}`,
  template: (id) => `/templates/${id}`,
  transfer: (id) => `/transfers/${id}`,
  webhook_endpoint: (id) => `/settings/webhooks/${id}`,
  withdrawal: (id) => `/withdrawals/${id}`,
};

/** The page of an entry's record; `null` if it has none. */
function pathOfSubject(type: string, subjectId: string): string | null {
  return PATHS[type.split(".")[0] ?? ""]?.(subjectId) ?? null;
}
