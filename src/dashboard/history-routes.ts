// Routes of what was done to one thing, from the audit log: to an invoice with its payments and credit notes, and to a
// subscription. What belongs here: which entries those are, and what is said of each.
import { listEntriesAbout, type AuditEntry } from "../audit/index.ts";
import { invoiceIdField, listCreditNotesOf, listSettlements } from "../invoices/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { digitsOrNumber, optional } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { readActorNames } from "./actor-names.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { requireInvoice } from "./invoice-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";
import { requireSubscription } from "./subscription-routes.ts";

const paging = { after: optional(digitsOrNumber(16)), limit: pageLimit() };

/** Adds histories, newest first. They are not for franchises: they name the merchant's people. */
export function registerHistoryRoutes(scope: DashboardScope): void {
  const { pool } = scope.parts;
  dashboardRoute(scope, {
    method: "GET",
    url: "/invoices/:invoice_id/history",
    permission: "invoices.view",
    params: { invoice_id: invoiceIdField() },
    query: paging,
    handler: async (call) => {
      const { db } = call;
      const invoice = await requireInvoice(call, call.params.invoice_id);
      const [settlements, notes] = await Promise.all([listSettlements(db, invoice), listCreditNotesOf(db, invoice)]);
      const payments = settlements.map(({ settlementId }) => settlementId);
      const credits = notes.map(({ creditNoteId }) => creditNoteId);
      return readHistory(pool, call, [invoice.invoiceId, ...payments, ...credits]);
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/subscriptions/:subscription_id/history",
    permission: "subscriptions.view",
    params: { subscription_id: digitsOrNumber(16) },
    query: paging,
    handler: async (call) => readHistory(pool, call, [(await requireSubscription(call)).subscriptionId]),
  });
}

type Paged = MerchantCall & { readonly query: { readonly after: string | null; readonly limit: number | null } };

async function readHistory(pool: Pool, { db, merchant, session, query }: Paged, subjectIds: readonly bigint[]) {
  const limit = limitOf(query);
  const before = query.after === null ? null : BigInt(query.after);
  const found = await listEntriesAbout(db, merchant, subjectIds, before, limit + 1);
  const page = found.slice(0, limit);
  const names = await readActorNames(
    { db, pool },
    merchant,
    page.map(({ actor }) => actor),
  );
  // From where somebody did something is said by the audit log, to whoever may see it.
  const maySeeAddresses = session.permissions.has("audit.view");
  return {
    history: page.map((entry) => ({
      event_no: String(entry.entryNo),
      at: formatTimestamp(entry.at, merchant.timeZone),
      type: entry.type,
      actor: entry.actor,
      actor_name: names.get(entry.actor) ?? null,
      address: maySeeAddresses ? (entry.address ?? "") : "",
      ...detailsOf(entry),
    })),
    next: found.length > limit ? String(page.at(-1)!.entryNo) : null,
  };
}

/** The member of an entry that holds its amount, by the type of the entry. */
const AMOUNT_IN: Readonly<Record<string, string>> = {
  "invoice.created": "amount",
  "invoice.updated": "amount",
  "settlement.recorded": "amount",
  "settlement.reversed": "amount",
  "credit_note.issued": "amount",
  "credit_note.taken_off_due": "amount",
};
/** The same of what was said, or to whom it went. */
const NOTE_IN: Readonly<Record<string, string>> = {
  "settlement.reversed": "reversed_because",
  "credit_note.issued": "reason",
  "invoice.mail_queued": "send_to",
  "subscription.parked": "reason",
};

function detailsOf({ type, before, after }: AuditEntry): { amount: string; note: string } {
  const read = (name: string | undefined): string => {
    const value = name === undefined ? undefined : (after?.[name] ?? before?.[name]);
    return typeof value === "string" ? value : "";
  };
  return { amount: read(AMOUNT_IN[type]), note: read(NOTE_IN[type]) };
}
