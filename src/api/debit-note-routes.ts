// Routes of debit notes: the list, one, a new one, cancelling. Payments, reminders, the public page and the PDF use the
// routes of invoices, with the same id.
import { findCustomers } from "../customers/index.ts";
import {
  browseInvoices,
  cancelInvoice,
  debitLines,
  debitNoteNotFound,
  findInvoices,
  invoiceIdField,
  issueDebitNote,
  LISTED_STATUSES,
  parseInvoiceId,
  readInvoiceFilter,
  requireDebitNote,
  toChosenLines,
  toDebitNote,
  type Invoice,
} from "../invoices/index.ts";
import { franchiseOf } from "../merchants/index.ts";
import { validRange } from "../platform/http/field.ts";
import { date, oneOf, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { requireInvoice } from "./invoice-routes.ts";
import { dayPlaceField, dayPlaceIn, formatDayPlace, listRoute, RANGE_FIELDS } from "./list-routes.ts";

const REASON_LENGTH = 500;
const SEARCH_LENGTH = 100;
const params = { debit_note_id: invoiceIdField() };
const FILTER_FIELDS = {
  status: optional(oneOf(LISTED_STATUSES)),
  customer: optionalText(45),
  search: optionalText(SEARCH_LENGTH),
  ...RANGE_FIELDS,
  sort: optional(oneOf(["date", "-date"])),
};

/** Adds the routes of debit notes. */
export function registerDebitNoteRoutes(scope: DashboardScope) {
  return [...registerReadRoutes(scope), ...registerWriteRoutes(scope)];
}

function registerReadRoutes(scope: DashboardScope) {
  const view = viewer(scope);
  return [
    listRoute(scope, {
      url: "/debit-notes",
      summary: "List debit notes",
      permission: "invoices.view",
      narrowsToFranchise: true,
      filters: FILTER_FIELDS,
      paging: { after: dayPlaceField() },
      rowsIn: "debit_notes",
      read: async (call, asked) => {
        const { db, merchant, query, caller } = call;
        const {
          status,
          search,
          customer: customerCode,
          amount_from: amountFromPaise,
          amount_to: amountToPaise,
        } = query;
        const range = { ...validRange(query), status, search, customerCode, amountFromPaise, amountToPaise };
        const franchiseId = franchiseOf(caller);
        const narrowed = await readInvoiceFilter({ pool: db, merchant }, { ...range, franchiseId });
        const order = { by: "bill_date", descending: query.sort !== "date" } as const;
        const place = dayPlaceIn(asked.after);
        const after = place && { day: place.day, invoiceId: place.id };
        const filter = { ...narrowed, isDebitNote: true };
        const page = await browseInvoices(db, merchant, filter, order, after, asked.limit);
        const ids = page.records.map((record) => record.invoice_id);
        const rows = await view(call, ids.length === 0 ? [] : await findInvoices(db, merchant, ids));
        const more = { is_cut: filter.found?.isCut ?? false, searched_to: page.searchedTo?.toString() ?? null };
        return { rows, next: page.next && formatDayPlace({ day: page.next.day, id: page.next.invoiceId }), more };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /debit-notes/:debit_note_id",
      summary: "Read a debit note",
      permission: "invoices.view",
      narrowsToFranchise: true,
      params,
      handler: async (call) => ({ debit_note: await view.one(call, await found(call, call.params)) }),
    }),
  ];
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  const view = viewer(scope);
  return [
    dashboardRoute(scope, {
      route: "POST /debit-notes",
      summary: "Issue a debit note for lines of an invoice",
      permission: "invoices.manage",
      body: {
        invoice_id: invoiceIdField(),
        rows: debitLines,
        reason: requiredText(REASON_LENGTH),
        date: optional(date()),
      },
      handler: async (call) => {
        const { db, merchant, body } = call;
        const { invoiceId } = await requireInvoice(call, body.invoice_id);
        const request = { invoiceId, lines: toChosenLines(body.rows), reason: body.reason, date: body.date };
        const issued = await issueDebitNote({ pool: db, ids, merchant, idempotency: null }, request);
        return { debit_note: await view.one(call, issued) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /debit-notes/:debit_note_id/cancel",
      summary: "Cancel a debit note on which nothing is paid",
      permission: "invoices.cancel",
      params,
      handler: async (call) => {
        const { db, merchant } = call;
        const { invoiceId } = await found(call, call.params);
        await cancelInvoice({ pool: db, merchant, idempotency: null }, invoiceId);
        return { debit_note: await view.one(call, await found(call, call.params)) };
      },
    }),
  ];
}

/** @throws NodalError `debit_note_not_found`, also for one of another franchise */
async function found({ db, merchant, caller }: MerchantCall, named: { readonly debit_note_id: string }) {
  const note = await requireDebitNote(db, merchant, parseInvoiceId(named.debit_note_id) ?? 0n);
  const own = franchiseOf(caller);
  if (own !== null && note.franchiseId !== own) throw debitNoteNotFound();
  return note;
}

/** Describes debit notes as in the API. */
function viewer({ parts: { links } }: DashboardScope) {
  const view = async ({ db, merchant }: MerchantCall, notes: readonly Invoice[]) => {
    const customerIds = notes.map(({ customerId }) => customerId);
    const customers = await findCustomers(db, merchant, customerIds);
    return notes.map((note) => toDebitNote(note, customers.get(note.customerId)!, merchant, links));
  };
  return Object.assign(view, {
    one: async (call: MerchantCall, note: Invoice) => (await view(call, [note]))[0]!,
  });
}
