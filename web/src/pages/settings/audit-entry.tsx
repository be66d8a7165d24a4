// One entry of the audit log, with what was before and after, field by field.
import { Stack, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { Facts } from "../../components/values.tsx";
import { actorName } from "../../format/actor.ts";
import { moment } from "../../format/time.ts";
import { Dialog } from "../../forms/dialogs.tsx";
import { audit } from "../../strings/audit.ts";

export type AuditEntry = Answer<"GET", "/audit">["entries"][number];

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
export function AuditEntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const differences = differencesOf(entry);
  return (
    <Dialog title={audit.entry(entry.event_no)} size="lg" onClose={onClose}>
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
          <DataTable caption={audit.change} columns={COLUMNS} rows={differences} rowKey="name" />
        )}
      </Stack>
    </Dialog>
  );
}

/** `franchise.changed` is `Franchise: changed`. */
export function typeInWords(type: string): string {
  const [kind = "", deed = ""] = type.split(".");
  return `${audit.kinds[kind] ?? kind}: ${audit.deeds[deed] ?? deed.replaceAll("_", " ")}`;
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

/** Where the record is that an entry is about; `null` where it has no page. */
export function pathOfSubject(type: string, subjectId: string): string | null {
  return PATHS[type.split(".")[0] ?? ""]?.(subjectId) ?? null;
}
