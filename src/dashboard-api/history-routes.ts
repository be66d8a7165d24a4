// Routes of what was done to one thing, from the audit log: to an invoice with its payments and credit notes, and to a
// subscription. What belongs here: which entries those are, and what is said of each.
import { listEntriesAbout, type AuditEntry } from "../audit/index.ts";
import { invoiceIdField, listCreditNotesOf, listSettlements } from "../invoices/index.ts";
import { readActorNames } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { digitsOrNumber } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import type { DashboardScope, MerchantCall } from "./guarded-routes.ts";
import { requireInvoice } from "./invoice-routes.ts";
import { cutPage, listRoute, numberIn, type PageAsked } from "./list-routes.ts";
import { requireSubscription } from "./subscription-routes.ts";

/** Adds histories, newest first. They are not for franchises: they name the merchant's people. */
export function registerHistoryRoutes(scope: DashboardScope) {
  const { pool } = scope.parts;
  return [
    listRoute(scope, {
      url: "/invoices/:invoice_id/history",
      permission: "invoices.view",
      params: { invoice_id: invoiceIdField() },
      filters: {},
      rowsIn: "history",
      read: async (call, asked) => {
        const { db } = call;
        const invoice = await requireInvoice(call, call.params.invoice_id);
        const [settlements, notes] = await Promise.all([listSettlements(db, invoice), listCreditNotesOf(db, invoice)]);
        const payments = settlements.map(({ settlementId }) => settlementId);
        const credits = notes.map(({ creditNoteId }) => creditNoteId);
        return readHistory(pool, call, asked, [invoice.invoiceId, ...payments, ...credits]);
      },
    }),
    listRoute(scope, {
      url: "/subscriptions/:subscription_id/history",
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
  { db, merchant, session }: MerchantCall,
  asked: PageAsked,
  subjectIds: readonly bigint[],
) {
  const found = await listEntriesAbout(db, merchant, subjectIds, numberIn(asked.after), asked.limit + 1);
  const page = cutPage(found, asked, ({ entryNo }) => entryNo);
  const names = await readActorNames(
    { db, pool },
    merchant,
    page.rows.map(({ actor }) => actor),
  );
  // From where somebody did something is said by the audit log, to whoever may see it.
  const maySeeAddresses = session.permissions.has("audit.view");
  return {
    ...page,
    rows: page.rows.map((entry) => ({
      event_no: String(entry.entryNo),
      at: formatTimestamp(entry.at, merchant.timeZone),
      type: entry.type,
      actor: entry.actor,
      actor_name: names.get(entry.actor) ?? null,
      address: maySeeAddresses ? (entry.address ?? "") : "",
      ...detailsOf(entry),
    })),
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
