// What the audit log is narrowed down by: days, who, what, and what it is about.
import { NativeSelect, TextInput } from "@mantine/core";
import { useGet } from "../../api/queries.ts";
import { actorName } from "../../format/actor.ts";
import { DateRange } from "../../lists/range-filters.tsx";
import type { List } from "../../lists/use-list.ts";
import { audit } from "../../strings/audit.ts";
import { typeInWords, type AuditEntry } from "./audit-entry.tsx";

type Choice = { readonly value: string; readonly label: string };

/** The names of the filters, in the address. */
export const AUDIT_FILTERS = ["from", "to", "actor", "type", "subject"];

/** The fields. Each filters at once. */
export function AuditFilters({ list }: { readonly list: List<AuditEntry> }) {
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
          typeInWords(type),
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

/** A link may have chosen what the list does not offer. */
function withChosen(choices: readonly Choice[], value: string, label: string): Choice[] {
  return choices.some((choice) => choice.value === value) ? [...choices] : [...choices, { value, label }];
}
