// Routes of a merchant's audit log: who changed what, from where, before and after.
// What belongs here: wire shapes, no logic.
import { listAuditEntries } from "../audit/index.ts";
import { digitsOrNumber, optional, optionalText } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";

const NAME_LENGTH = 120;

/** Adds the list of the log, newest first. */
export function registerAuditRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/audit",
    permission: "audit.view",
    query: {
      actor: optionalText(NAME_LENGTH),
      subject: optional(digitsOrNumber(16)),
      type: optionalText(NAME_LENGTH),
      after: optional(digitsOrNumber(16)),
      limit: pageLimit(),
    },
    handler: async ({ db, merchant, query }) => {
      const limit = limitOf(query);
      const before = query.after === null ? null : BigInt(query.after);
      const subjectId = query.subject === null ? null : BigInt(query.subject);
      const filter = { actor: query.actor, subjectId, type: query.type };
      const found = await listAuditEntries(db, merchant, filter, before, limit);
      return {
        entries: found.map((entry) => ({
          event_no: String(entry.eventNo),
          at: formatTimestamp(entry.at, merchant.timeZone),
          actor: entry.actor,
          address: entry.address ?? "",
          type: entry.type,
          subject_id: String(entry.subjectId),
          before: entry.before,
          after: entry.after,
        })),
        next: found.length === limit ? String(found.at(-1)!.eventNo) : null,
      };
    },
  });
}
