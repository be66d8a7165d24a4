// Routes of a merchant's audit log: actor, address, and values before and after each change; and the history of one
// subscription, or of one invoice with its payments and credit notes.
import { type AuditEntry, type AuditSearch, listEntriesAbout, readAuditPage, streamAudit } from "../audit/index.ts";
import { listAccessKeys, listLogins, type Merchant, readActorNames } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { validRange } from "../platform/http/field.ts";
import { digitsOrNumber, optional, optionalText } from "../platform/http/fields.ts";
import { formatInstant, formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { cutPage, DAY_FIELDS, listFileRoute, listRoute, numberIn, type PageRequest } from "./list-routes.ts";
import { invoiceIdField, listAllCreditNotesOf, listSettlements } from "../invoices/index.ts";
import { requireInvoice } from "./invoice-routes.ts";
import { requireSubscription } from "./subscription-routes.ts";

const NAME_LENGTH = 120;
const permission = "audit.view";
const SEARCH_FIELDS = {
  actor: optionalText(NAME_LENGTH),
  subject: optional(digitsOrNumber(16)),
  type: optionalText(NAME_LENGTH),
  ...DAY_FIELDS,
};
type SearchQuery = Values<typeof SEARCH_FIELDS>;

/** Adds the log as pages and as a file, newest first, and the list of actors to filter by. */
export function registerAuditRoutes(scope: DashboardScope) {
  const { pool } = scope.parts;
  return [
    listRoute(scope, {
      url: "/audit",
      summary: "List entries of the audit log, newest first",
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
          more: { looked_back_to: formatInstant(page.lookedBackTo, merchant.timeZone) },
        };
      },
    }),
    listFileRoute<"/audit", NamedEntry, typeof SEARCH_FIELDS>(scope, {
      url: "/audit",
      summary: "List entries of the audit log, newest first",
      permission,
      filters: SEARCH_FIELDS,
      read: ({ db, merchant, query }) => {
        return {
          rows: withNames({ db, pool }, merchant, streamAudit(db, merchant, searchOf(query))),
          columns: {
            number: ({ entryNo }) => String(entryNo),
            at: ({ at }) => formatTimestamp(at, merchant.timeZone),
            actor: ({ actor }) => actor,
            actor_name: ({ actorName }) => actorName,
            address: ({ address }) => address ?? "",
            type: ({ type }) => type,
            subject_id: ({ subjectId }) => String(subjectId),
            before: ({ before: values }) => (values ? JSON.stringify(values) : ""),
            after: ({ after: values }) => (values ? JSON.stringify(values) : ""),
          },
        };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /audit/actors",
      summary: "List who appears in the audit log",
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
  return { actor, subjectId: subject === null ? null : BigInt(subject), type, ...validRange({ from, to }) };
}

function describe({ entryNo, at, actor, address, type, subjectId }: AuditEntry, timeZone: string) {
  return {
    event_no: String(entryNo),
    at: formatInstant(at, timeZone),
    actor,
    address: address ?? "",
    type,
    subject_id: String(subjectId),
  };
}

/** Adds histories, newest first. They are not for franchises: they name the merchant's people. */
export function registerHistoryRoutes(scope: DashboardScope) {
  const { pool } = scope.parts;
  return [
    listRoute(scope, {
      url: "/invoices/:invoice_id/history",
      summary: "List the changes of an invoice",
      permission: "invoices.view",
      params: { invoice_id: invoiceIdField() },
      filters: {},
      rowsIn: "history",
      read: async (call, asked) => {
        const { db } = call;
        const invoice = await requireInvoice(call, call.params.invoice_id);
        const [settlements, notes] = await Promise.all([
          listSettlements(db, invoice),
          listAllCreditNotesOf(db, invoice),
        ]);
        const payments = settlements.map(({ settlementId }) => settlementId);
        const credits = notes.map(({ creditNoteId }) => creditNoteId);
        return readHistory(pool, call, asked, [invoice.invoiceId, ...payments, ...credits]);
      },
    }),
    listRoute(scope, {
      url: "/subscriptions/:subscription_id/history",
      summary: "List the changes of a subscription",
      permission: "subscriptions.view",
      params: { subscription_id: digitsOrNumber(16) },
      filters: {},
      rowsIn: "history",
      read: async (call, asked) => readHistory(pool, call, asked, [(await requireSubscription(call)).subscriptionId]),
    }),
  ];
}

async function readHistory(
  pool: Pool,
  { db, merchant, caller }: MerchantCall,
  asked: PageRequest,
  subjectIds: readonly bigint[],
) {
  const found = await listEntriesAbout(db, merchant, subjectIds, numberIn(asked.after), asked.limit + 1);
  const page = cutPage(found, asked, ({ entryNo }) => entryNo);
  const names = await readActorNames(
    { db, pool },
    merchant,
    page.rows.map(({ actor }) => actor),
  );
  // Only callers who may see the audit log see addresses.
  const maySeeAddresses = caller.permissions.has("audit.view");
  return {
    ...page,
    rows: page.rows.map((entry) => ({
      event_no: String(entry.entryNo),
      at: formatInstant(entry.at, merchant.timeZone),
      type: entry.type,
      actor: entry.actor,
      actor_name: names.get(entry.actor) ?? null,
      address: maySeeAddresses ? (entry.address ?? "") : "",
      ...detailsOf(entry),
    })),
  };
}

/** The member with an entry's amount, by type of entry. */
const AMOUNT_IN: Readonly<Record<string, string>> = {
  "invoice.created": "amount",
  "invoice.updated": "amount",
  "settlement.recorded": "amount",
  "settlement.reversed": "amount",
  "credit_note.issued": "amount",
  "credit_note.cancelled": "amount",
  "credit_note.taken_off_due": "amount",
  "debit_note.issued": "amount",
  "debit_note.cancelled": "amount",
};
/** The same for a note or a recipient. */
const NOTE_IN: Readonly<Record<string, string>> = {
  "settlement.reversed": "reversed_because",
  "credit_note.issued": "reason",
  "debit_note.issued": "reason",
  "debit_note.cancelled": "reason",
  "invoice.mail_queued": "send_to",
  "customer.statement_queued": "send_to",
  "subscription.parked": "reason",
};

function detailsOf({ type, before, after }: AuditEntry): { amount: string; note: string } {
  const read = (name: string | undefined): string => {
    const value = name === undefined ? undefined : (after?.[name] ?? before?.[name]);
    return typeof value === "string" ? value : "";
  };
  return { amount: read(AMOUNT_IN[type]), note: read(NOTE_IN[type]) };
}
