// Routes of a merchant's audit log: who changed what, from where, before and after.
import { readAuditPage, streamAudit, type AuditEntry, type AuditSearch } from "../audit/index.ts";
import { listAccessKeys, listLogins, readActorNames, type Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { soundRange } from "../platform/http/field.ts";
import { date, digitsOrNumber, optional, optionalText, type Decoded } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { listFileRoute, listRoute, numberIn } from "./list-routes.ts";

const NAME_LENGTH = 120;
const permission = "audit.view";
const SEARCH_FIELDS = {
  actor: optionalText(NAME_LENGTH),
  subject: optional(digitsOrNumber(16)),
  type: optionalText(NAME_LENGTH),
  from: optional(date()),
  to: optional(date()),
};
type SearchQuery = { readonly [Name in keyof typeof SEARCH_FIELDS]: Decoded<(typeof SEARCH_FIELDS)[Name]> };

/** Adds the list of the log, newest first, as a page and as a file, and who there is to look for. */
export function registerAuditRoutes(scope: DashboardScope) {
  const { pool } = scope.parts;
  return [
    listRoute(scope, {
      url: "/audit",
      permission,
      filters: SEARCH_FIELDS,
      rowsIn: "entries",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const page = await readAuditPage(db, merchant, searchOf(query), { before: numberIn(after), limit });
        const actors = page.entries.map(({ actor }) => actor);
        const names = await readActorNames({ db, pool }, merchant, actors);
        return {
          rows: page.entries.map((entry) => ({
            ...describe(entry, merchant.timeZone),
            actor_name: names.get(entry.actor) ?? null,
            before: entry.before,
            after: entry.after,
          })),
          next: page.next === null ? null : String(page.next),
          more: { looked_back_to: formatTimestamp(page.lookedBackTo, merchant.timeZone) },
        };
      },
    }),
    listFileRoute<"/audit", NamedEntry, typeof SEARCH_FIELDS>(scope, {
      url: "/audit",
      permission,
      filters: SEARCH_FIELDS,
      read: ({ db, merchant, query }) => {
        const show = (entry: AuditEntry) => describe(entry, merchant.timeZone);
        return {
          rows: withNames({ db, pool }, merchant, streamAudit(db, merchant, searchOf(query))),
          columns: {
            number: (entry) => show(entry).event_no,
            at: (entry) => show(entry).at,
            actor: ({ actor }) => actor,
            actor_name: ({ actorName }) => actorName,
            address: ({ address }) => address ?? "",
            type: ({ type }) => type,
            subject_id: (entry) => show(entry).subject_id,
            before: ({ before: values }) => (values ? JSON.stringify(values) : ""),
            after: ({ after: values }) => (values ? JSON.stringify(values) : ""),
          },
        };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /audit/actors",
      permission,
      handler: async ({ db, merchant }) => ({
        users: (await listLogins(db, merchant, "user")).map(({ loginId, email }) => ({
          actor: `user:${loginId}`,
          name: email,
        })),
        access_keys: (await listAccessKeys(db, merchant)).map(({ accessKeyId }) => `key:${accessKeyId}`),
      }),
    }),
  ];
}

type NamedEntry = AuditEntry & { readonly actorName: string };

/** Looks each actor up once. */
async function* withNames(
  from: { readonly db: Pool; readonly pool: Pool },
  merchant: Merchant,
  entries: AsyncIterable<AuditEntry>,
): AsyncGenerator<NamedEntry> {
  const known = new Map<string, string>();
  for await (const entry of entries) {
    const { actor } = entry;
    if (!known.has(actor)) known.set(actor, (await readActorNames(from, merchant, [actor])).get(actor) ?? "");
    yield { ...entry, actorName: known.get(actor)! };
  }
}

function searchOf({ actor, subject, type, from, to }: SearchQuery): AuditSearch {
  return { actor, subjectId: subject === null ? null : BigInt(subject), type, ...soundRange({ from, to }) };
}

function describe({ entryNo, at, actor, address, type, subjectId }: AuditEntry, timeZone: string) {
  return {
    event_no: String(entryNo),
    at: formatTimestamp(at, timeZone),
    actor,
    address: address ?? "",
    type,
    subject_id: String(subjectId),
  };
}
