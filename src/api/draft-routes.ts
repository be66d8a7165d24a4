// Routes of drafts of invoices: the list, one draft, saving, deleting, and issuing the invoice.
import { findCustomerIds, findCustomers, findCustomersByCode } from "../customers/index.ts";
import {
  createDraft,
  deleteDraft,
  draftFields,
  draftNotFound,
  findDraft,
  issueDraft,
  pageDrafts,
  readDraft,
  readInvoice,
  replaceDraft,
  type InvoiceDraft,
  type KeptTexts,
  type NameOf,
} from "../drafts/index.ts";
import { formatInvoiceId, toSaved, warningsOfSaved } from "../invoices/index.ts";
import { describeActor, readActorNames, type ActorNames } from "../merchants/index.ts";
import { listed } from "../platform/errors.ts";
import { digitsOrNumber, optional, optionalText, flag, wholeNumber } from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { cutPage, listRoute, numberIn } from "./list-routes.ts";
import { refuseNewCustomer } from "./invoice-routes.ts";
import { markReplayed } from "./once.ts";

const BODY_LIMIT_BYTES = 512 * 1024;
const MAX_VERSIONS = 2 ** 31 - 1;
const CUSTOMERS_FOUND = 100;
const view = "invoices.view";
const manage = "invoices.manage";
const params = { draft_id: digitsOrNumber(16) };
const version = wholeNumber(1, MAX_VERSIONS);
const FILTER_FIELDS = { search: optionalText(100), issued: optional(flag()) };

/** Adds the routes of drafts. */
export function registerDraftRoutes(scope: DashboardScope) {
  return [...registerReadRoutes(scope), ...registerWriteRoutes(scope), registerIssueRoute(scope)];
}

function registerReadRoutes(scope: DashboardScope) {
  const { pool } = scope.parts;
  return [
    listRoute(scope, {
      url: "/invoice-drafts",
      summary: "List drafts of invoices, the newest first",
      permission: view,
      filters: FILTER_FIELDS,
      rowsIn: "drafts",
      read: async (call, { after, limit }) => {
        const { db, merchant } = call;
        const page = { after: numberIn(after), limit: limit + 1 };
        const found = await pageDrafts(db, merchant, await readFilter(call, call.query), page);
        const { rows, next } = cutPage(found, { limit }, ({ draftId }) => draftId);
        const names = await readNames({ db, pool }, call, rows);
        const customers = await findCustomersByCode(db, merchant, codesOf(rows));
        const shown = rows.map((draft) => {
          const name = customers.get(draft.customerCode)?.customerName;
          return describe(draft, { ...call, names, customerName: name ?? newNameOf(draft) });
        });
        return { rows: shown, next };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /invoice-drafts/:draft_id",
      summary: "Read a draft of an invoice, and what is still missing",
      permission: view,
      params,
      handler: async (call) => {
        const draft = await findDraft(call.db, { ...call.merchant, draftId: BigInt(call.params.draft_id) });
        if (!draft) throw draftNotFound();
        return { draft: await describeOne(scope, call, draft) };
      },
    }),
  ];
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /invoice-drafts",
      summary: "Save a draft of an invoice",
      permission: manage,
      body: draftFields,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async (call) => {
        const { db, merchant, body } = call;
        const draft = await createDraft({ pool: db, ids, merchant }, readDraft(body));
        return { draft: await describeOne(scope, call, draft) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /invoice-drafts/:draft_id",
      summary: "Replace a draft of an invoice",
      permission: manage,
      params,
      body: { ...draftFields, version },
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async (call) => {
        const { db, merchant, body } = call;
        const change = { draftId: BigInt(call.params.draft_id), version: body.version, content: readDraft(body) };
        const draft = await replaceDraft({ pool: db, merchant }, change, namesFor(scope, call));
        return { draft: await describeOne(scope, call, draft) };
      },
    }),
    dashboardRoute(scope, {
      route: "DELETE /invoice-drafts/:draft_id",
      summary: "Delete a draft of an invoice",
      permission: manage,
      params,
      query: { version: optional(version) },
      handler: async (call) => {
        const { db, merchant, query } = call;
        const named = { draftId: BigInt(call.params.draft_id), version: query.version };
        await deleteDraft({ pool: db, merchant }, named, namesFor(scope, call));
        return {};
      },
    }),
  ];
}

function registerIssueRoute(scope: DashboardScope) {
  const { ids, saves, links } = scope.parts;
  return dashboardRoute(scope, {
    route: "POST /invoice-drafts/:draft_id/issue",
    summary: "Make the invoice of a draft",
    permission: manage,
    params,
    body: { version: optional(version) },
    once: "by_use_case",
    handler: async (call) => {
      const { db, merchant, body, idempotency, caller } = call;
      const context = {
        pool: db,
        ids,
        merchant,
        idempotency,
        inTurn: saves.inTurn,
        nameOf: namesFor(scope, call),
        mayMake: refuseNewCustomer.bind(null, caller),
      };
      const named = { draftId: BigInt(call.params.draft_id), version: body.version };
      const { answer, replayed } = await issueDraft(context, named);
      markReplayed(call.reply, replayed);
      return { invoice: toSaved(answer, merchant, links), ...warn(warningsOfSaved([answer], () => "invoice")) };
    },
  });
}

/** A search covers titles, codes, and the customers of drafts. */
async function readFilter({ db, merchant }: MerchantCall, { search, issued }: Values<typeof FILTER_FIELDS>) {
  const isIssued = issued ?? false;
  if (search === null) return { isIssued, search: "", customerCodes: [] };
  const found = await findCustomers(db, merchant, await findCustomerIds(db, merchant, search, CUSTOMERS_FOUND));
  return { isIssued, search, customerCodes: [...found.values()].map(({ customerCode }) => customerCode) };
}

const codesOf = (drafts: readonly InvoiceDraft[]): string[] => [
  ...new Set(drafts.map(({ customerCode }) => customerCode).filter((code) => code !== "")),
];

/** The name of the new customer in a draft. */
function newNameOf({ invoice }: InvoiceDraft): string {
  return (invoice["new_customer"] as KeptTexts | undefined)?.["customer_name"] ?? "";
}

function readNames(
  pools: Parameters<typeof readActorNames>[0],
  { merchant }: MerchantCall,
  drafts: readonly InvoiceDraft[],
): Promise<ActorNames> {
  const actors = drafts.flatMap(({ createdBy, updatedBy }) => [createdBy, updatedBy]);
  return readActorNames(pools, merchant, actors);
}

function namesFor(scope: DashboardScope, { db, merchant }: MerchantCall): NameOf {
  const { pool } = scope.parts;
  return async (actor) => (await readActorNames({ db, pool }, merchant, [actor])).get(actor) ?? describeActor(actor);
}

/** One draft with its request, and the errors that issuing it now would give. */
async function describeOne(scope: DashboardScope, call: MerchantCall, draft: InvoiceDraft) {
  const { db, merchant } = call;
  const { pool } = scope.parts;
  const isOpen = draft.invoiceId === null;
  const [names, customers, { errors }] = await Promise.all([
    readNames({ db, pool }, call, [draft]),
    findCustomersByCode(db, merchant, codesOf([draft])),
    isOpen ? readInvoice(db, merchant, draft) : { errors: [] },
  ]);
  const customerName = customers.get(draft.customerCode)?.customerName ?? newNameOf(draft);
  return {
    ...describe(draft, { ...call, names, customerName }),
    invoice: draft.invoice,
    problems: errors.map(listed).map(({ field: path, code, message }) => ({ path, code, message })),
  };
}

type Around = MerchantCall & { readonly names: ActorNames; readonly customerName: string };

function describe(draft: InvoiceDraft, { merchant: { timeZone }, names, customerName }: Around) {
  return {
    draft_id: String(draft.draftId),
    title: draft.title,
    /** Empty for the default one. */
    template_id: draft.templateId === null ? "" : String(draft.templateId),
    customer_code: draft.customerCode,
    customer_name: customerName,
    /** Empty where it can't be worked out. */
    amount: draft.amountPaise === null ? "" : formatPaise(draft.amountPaise),
    version: draft.version,
    /** Empty while the draft is open. */
    invoice_id: draft.invoiceId === null ? "" : formatInvoiceId(draft.invoiceId),
    created_by: draft.createdBy,
    created_by_name: names.get(draft.createdBy) ?? null,
    created_at: formatInstant(draft.createdAt, timeZone),
    updated_by: draft.updatedBy,
    updated_by_name: names.get(draft.updatedBy) ?? null,
    updated_at: formatInstant(draft.updatedAt, timeZone),
  };
}
