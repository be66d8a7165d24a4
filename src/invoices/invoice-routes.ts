// The API of invoices: save, update, cancel, detail, list. invoice-wire.ts has the shapes of answers.
import { Type } from "typebox";
import { merchantRoute } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import type { ErrorCode } from "../platform/errors.ts";
import { checkRange } from "../platform/http/field.ts";
import {
  date,
  digitsOrNumber,
  list,
  oneOf,
  optional,
  optionalText,
  textOrNumber,
  wholeNumber,
} from "../platform/http/fields.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { invoiceDetail, readDetail } from "./invoice-detail.ts";
import {
  checkInvoice,
  invoiceFields,
  invoiceIdField,
  invoiceUpdateFields,
  readInvoiceSettings,
  membersKept,
  toInvoiceInput,
  type SentInvoice,
} from "./invoice-fields.ts";
import { warningsOfKept } from "./invoice-warnings.ts";
import type { InvoiceInput } from "./invoice.ts";
import { registerCustomerReadRoutes } from "./lists/customer-read-routes.ts";
import { FILTER_DATES } from "./lists/invoice-day-store.ts";
import { listInvoices } from "./lists/invoice-list-store.ts";
import { readInvoiceFilter } from "./lists/read-invoice-filter.ts";
import { invoiceRecord, savedInvoice, toRecord, toSaved, warningsOfSaved, type Links } from "./invoice-wire.ts";
import { parseInvoiceId, SHOWN_STATUSES } from "./invoice.ts";
import type { InvoiceSaves } from "./saves/invoice-saves.ts";
import { cancelInvoice, changeInvoice } from "./saves/update-invoice.ts";
import type { InvoiceSettlements } from "./settlements/invoice-settlements.ts";
import { registerSettlementRoutes } from "./settlements/settlement-routes.ts";

export type InvoiceRoutesOptions = {
  readonly tenants: TenantDatabase;
  readonly ids: IdSource;
  readonly saves: InvoiceSaves;
  readonly settlements: InvoiceSettlements;
  readonly links: Links;
};

/** docs/rules/values-and-errors.md#batches. */
const MAX_INVOICES = 500;
/** docs/rules/values-and-errors.md#lists. */
const MAX_LIMIT = 1000;
const MAX_PAGE = 1_000_000;
/** 500 invoices with rows exceed the server's own limit. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const TAG = "Invoicing";

const SAVE_ERRORS: ErrorCode[] = [
  "template_not_found",
  "customer_not_found",
  "franchise_not_found",
  "customer_code_exists",
  "invoice_number_exists",
  "invoice_number_reserved",
];
const CLOSED_ERRORS: ErrorCode[] = [
  "invoice_not_found",
  "invoice_already_paid",
  "invoice_cancelled",
  "invoice_carried_forward",
];

/** Adds the merchants' invoicing routes to a part of the server made by `registerBodyKeyRoutes`. */
export function registerInvoicing(app: HttpServer, options: InvoiceRoutesOptions): void {
  registerCustomerReadRoutes(app, options);
  registerWriteRoutes(app, options);
  registerCancelRoute(app, options);
  registerReadRoutes(app, options);
  registerSettlementRoutes(app, options);
}

/** A further scope for saving invoices with a new customer. */
export function scopesOfInvoices(invoices: readonly InvoiceInput[]): readonly "customers.manage"[] {
  return invoices.some(({ newCustomer }) => newCustomer !== null) ? ["customers.manage"] : [];
}

function registerWriteRoutes(app: HttpServer, options: InvoiceRoutesOptions): void {
  const { tenants, ids, saves, links } = options;
  merchantRoute(app, {
    url: "/api/v3/merchant/invoice/save",
    summary: "Save new invoices, all or none",
    tag: TAG,
    kind: "write",
    scopes: ["invoices.manage"],
    body: { template_id: optional(digitsOrNumber(16)), invoice: list(invoiceFields, MAX_INVOICES) },
    bodyLimitBytes: BODY_LIMIT_BYTES,
    srvrsp: Type.Array(savedInvoice),
    errors: SAVE_ERRORS,
    check: async (body, { merchant, errors }) => {
      const invoices = (body?.invoice ?? []) as readonly SentInvoice[];
      const of = { templateId: body?.template_id ? BigInt(body.template_id) : null };
      const settings = await readInvoiceSettings(tenants.of(merchant), merchant, invoices, of);
      for (const [index, sent] of invoices.entries()) checkInvoice(sent, `invoice[${index}]`, settings, errors, true);
      return settings;
    },
    read: (body, { errors, found: settings }) => ({
      templateId: body.template_id === null ? null : BigInt(body.template_id),
      invoices: body.invoice.map((wire, index) => toInvoiceInput(wire, `invoice[${index}]`, settings, errors)),
    }),
    scopesOf: ({ invoices }) => scopesOfInvoices(invoices),
    handler: async ({ merchant, origin, request, idempotency }) => {
      const { answer, replayed } = await saves.save({ merchant, origin, idempotency }, request);
      const warnings = warningsOfSaved(answer, (index) => `invoice[${index}]`);
      return { srvrsp: answer.map((saved) => toSaved(saved, merchant, links)), replayed, warnings };
    },
  });

  merchantRoute(app, {
    url: "/api/v3/merchant/invoice/update",
    summary: "Replace fields of an invoice on which nothing is paid",
    tag: TAG,
    kind: "write",
    scopes: ["invoices.manage"],
    body: { invoice_id: invoiceIdField(), invoice: invoiceUpdateFields },
    bodyLimitBytes: BODY_LIMIT_BYTES,
    srvrsp: savedInvoice,
    errors: [...SAVE_ERRORS.filter((code) => code !== "template_not_found"), ...CLOSED_ERRORS],
    check: async (body, { merchant, errors }) => {
      const sent = (body?.invoice ?? {}) as SentInvoice;
      const of = { invoiceId: parseInvoiceId(body?.invoice_id ?? "") };
      const settings = await readInvoiceSettings(tenants.of(merchant), merchant, [sent], of);
      checkInvoice(sent, "invoice", settings, errors, false);
      return settings;
    },
    read: ({ invoice_id: invoiceId, invoice }, { errors, found: settings }) => ({
      invoiceId: parseInvoiceId(invoiceId) ?? 0n,
      input: toInvoiceInput(invoice, "invoice", settings, errors),
      kept: membersKept(invoice),
    }),
    handler: async ({ merchant, origin, request: { kept, ...change }, idempotency }) => {
      const context = { pool: tenants.of(merchant, origin), ids, merchant, idempotency };
      const { answer, replayed } = await changeInvoice(context, change);
      const warnings = [...warningsOfKept(kept, "invoice"), ...warningsOfSaved([answer], () => "invoice")];
      return { srvrsp: toSaved(answer, merchant, links), replayed, warnings };
    },
  });
}

function registerCancelRoute(app: HttpServer, options: InvoiceRoutesOptions): void {
  merchantRoute(app, {
    url: "/api/v3/merchant/invoice/deleteInvoice",
    summary: "Cancel an invoice on which nothing is paid; its number stays used",
    tag: TAG,
    kind: "write",
    scopes: ["invoices.cancel"],
    body: { invoice_id: invoiceIdField() },
    srvrsp: savedInvoice,
    errors: CLOSED_ERRORS,
    read: (body) => parseInvoiceId(body.invoice_id) ?? 0n,
    handler: async ({ merchant, origin, request, idempotency }) => {
      const context = { pool: options.tenants.of(merchant, origin), merchant, idempotency };
      const { answer, replayed } = await cancelInvoice(context, request);
      return { srvrsp: toSaved(answer, merchant, options.links), replayed };
    },
  });
}

function registerReadRoutes(app: HttpServer, { tenants, links }: InvoiceRoutesOptions): void {
  merchantRoute(app, {
    url: "/api/v1/merchant/invoice/detail",
    summary: "Read one invoice",
    tag: TAG,
    kind: "read",
    scopes: ["invoices.view"],
    body: { invoice_id: invoiceIdField() },
    srvrsp: invoiceDetail,
    errors: ["invoice_not_found"],
    read: (body) => parseInvoiceId(body.invoice_id) ?? 0n,
    handler: async ({ merchant, request: invoiceId }) => {
      return { srvrsp: await readDetail({ pool: tenants.of(merchant), merchant, links }, invoiceId) };
    },
  });

  merchantRoute(app, {
    url: "/api/v1/merchant/invoice/getlist",
    summary: "List invoices, newest first",
    tag: TAG,
    kind: "read",
    scopes: ["invoices.view"],
    body: {
      from_date: optional(date()),
      to_date: optional(date()),
      filter_by: optional(oneOf(FILTER_DATES)),
      invoice_status: optional(oneOf(SHOWN_STATUSES)),
      customer_code: optional(textOrNumber(45)),
      group: optionalText(100),
      franchise_id: optional(digitsOrNumber(16)),
      page: optional(wholeNumber(1, MAX_PAGE)),
      limit: optional(wholeNumber(1, MAX_LIMIT)),
    },
    srvrsp: Type.Array(invoiceRecord),
    check: (body, { errors }) => checkRange(body ?? {}, ["from_date", "to_date"], errors),
    read: (body) => body,
    handler: async ({ merchant, request }) => {
      const { from_date, to_date, filter_by, invoice_status, customer_code, group, franchise_id } = request;
      const [pool, limit] = [tenants.of(merchant), request.limit ?? MAX_LIMIT];
      const filter = await readInvoiceFilter(
        { pool, merchant },
        {
          filterBy: filter_by,
          from: from_date,
          to: to_date,
          status: invoice_status,
          customerCode: customer_code,
          franchiseId: franchise_id,
          group,
        },
      );
      const page = { offset: ((request.page ?? 1) - 1) * limit, limit };
      const { records, total } = await listInvoices(pool, merchant, filter, page);
      return { srvrsp: records.map((record) => toRecord(record, merchant, filter.today)), totalRecords: Number(total) };
    },
  });
}
