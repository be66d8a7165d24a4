// Invoices on the wire: save, update, cancel, detail, list. Source: merchant-api.md 4.5, decisions.md "Invoicing".
// What belongs here: requests, and which use case each one calls. Shapes of answers are in invoice-wire.ts.
import { Type } from "typebox";
import { findCustomersByCode, GROUP_OF_ALL, nameKey } from "../customers/index.ts";
import { merchantRoute, todayOf, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import type { ErrorCode } from "../platform/errors.ts";
import { fail, type Field } from "../platform/http/field.ts";
import {
  date,
  digitsOrNumber,
  list,
  oneOf,
  optional,
  optionalText,
  text,
  textOrNumber,
  wholeNumber,
} from "../platform/http/fields.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { readDetail } from "./invoice-detail.ts";
import { invoiceDetail } from "./invoice-detail-wire.ts";
import {
  checkInvoice,
  invoiceFields,
  invoiceUpdateFields,
  toInvoiceInput,
  type SentInvoice,
} from "./invoice-fields.ts";
import { readInvoiceSettings } from "./invoice-settings.ts";
import { listInvoices, type InvoiceFilter } from "./invoice-list-store.ts";
import { FILTER_DATES } from "./invoice-page-store.ts";
import { invoiceRecord, savedInvoice, toRecord, toSaved, type Links } from "./invoice-wire.ts";
import { INVOICE_STATUSES, parseInvoiceId } from "./invoice.ts";
import type { InvoiceSaves } from "./invoice-saves.ts";
import { cancelInvoice, changeInvoice } from "./update-invoice.ts";

export type InvoiceRoutesOptions = {
  readonly tenants: TenantDatabase;
  readonly ids: IdSource;
  readonly saves: InvoiceSaves;
  readonly links: Links;
};

/** Source: decisions.md, "Errors": batches are of up to 500 items. */
const MAX_INVOICES = 500;
const MAX_LIMIT = 1000;
const MAX_PAGE = 1_000_000;
/** 500 invoices with rows do not fit the server's own limit. */
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

/** The id of an invoice, such as `R000029148`. */
export function invoiceIdField(): Field<string> {
  return text({ hint: "an invoice_id, such as R000029148", maxLength: 17, pattern: /^R[0-9]{9,16}$/ });
}

/** Adds the routes of invoices to a part of the server made by `registerBodyKeyRoutes`. */
export function registerInvoiceRoutes(app: HttpServer, options: InvoiceRoutesOptions): void {
  registerWriteRoutes(app, options);
  registerCancelRoute(app, options);
  registerReadRoutes(app, options);
}

function registerWriteRoutes(app: HttpServer, options: InvoiceRoutesOptions): void {
  const { tenants, ids, saves, links } = options;
  merchantRoute(app, {
    url: "/api/v3/merchant/invoice/save",
    summary: "Save new invoices, all or none",
    tag: TAG,
    kind: "write",
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
    handler: async ({ merchant, origin, request, idempotency }) => {
      const { answer, replayed } = await saves.save(merchant, origin, request, idempotency);
      return { srvrsp: answer.map((saved) => toSaved(saved, merchant, links)), replayed };
    },
  });

  merchantRoute(app, {
    url: "/api/v3/merchant/invoice/update",
    summary: "Replace fields of an invoice on which nothing is paid",
    tag: TAG,
    kind: "write",
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
    }),
    handler: async ({ merchant, origin, request, idempotency }) => {
      const { answer, replayed } = await changeInvoice(
        tenants.of(merchant, origin),
        ids,
        merchant,
        request,
        idempotency,
      );
      return { srvrsp: toSaved(answer, merchant, links), replayed };
    },
  });
}

function registerCancelRoute(app: HttpServer, options: InvoiceRoutesOptions): void {
  merchantRoute(app, {
    url: "/api/v3/merchant/invoice/deleteInvoice",
    summary: "Cancel an invoice on which nothing is paid; its number stays used",
    tag: TAG,
    kind: "write",
    body: { invoice_id: invoiceIdField() },
    srvrsp: savedInvoice,
    errors: CLOSED_ERRORS,
    read: (body) => parseInvoiceId(body.invoice_id) ?? 0n,
    handler: async ({ merchant, origin, request, idempotency }) => {
      const { answer, replayed } = await cancelInvoice(
        options.tenants.of(merchant, origin),
        merchant,
        request,
        idempotency,
      );
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
    body: { invoice_id: invoiceIdField() },
    srvrsp: invoiceDetail,
    errors: ["invoice_not_found"],
    read: (body) => parseInvoiceId(body.invoice_id) ?? 0n,
    handler: async ({ merchant, request: invoiceId }) => {
      return { srvrsp: await readDetail(tenants.of(merchant), merchant, invoiceId, todayOf(merchant), links) };
    },
  });

  merchantRoute(app, {
    url: "/api/v1/merchant/invoice/getlist",
    summary: "List invoices, newest first",
    tag: TAG,
    kind: "read",
    body: {
      from_date: optional(date()),
      to_date: optional(date()),
      filter_by: optional(oneOf(FILTER_DATES)),
      invoice_status: optional(oneOf([...INVOICE_STATUSES, "Overdue"])),
      customer_code: optional(textOrNumber(45)),
      group: optionalText(100),
      franchise_id: optional(digitsOrNumber(16)),
      page: optional(wholeNumber(1, MAX_PAGE)),
      limit: optional(wholeNumber(1, MAX_LIMIT)),
    },
    srvrsp: Type.Array(invoiceRecord),
    check: (body, { errors }) => {
      const { from_date: from, to_date: to } = (body ?? {}) as Partial<Record<string, Temporal.PlainDate | null>>;
      const failed = errors.some(({ field }) => field === "from_date" || field === "to_date");
      if (!failed && from && to && Temporal.PlainDate.compare(from, to) > 0) {
        fail(errors, "to_date", "invalid", "must not be before from_date.");
      }
    },
    read: (body) => body,
    handler: async ({ merchant, request }) => {
      const today = todayOf(merchant);
      const limit = request.limit ?? MAX_LIMIT;
      const customerId = await customerIdOf(tenants.of(merchant), merchant, request.customer_code);
      const filter: InvoiceFilter = {
        filterBy: request.filter_by ?? "bill_date",
        from: request.from_date,
        to: request.to_date,
        status: request.invoice_status,
        today,
        franchiseId: request.franchise_id === null ? null : BigInt(request.franchise_id),
        customerId,
        // Every customer is in it.
        group: request.group !== null && nameKey(request.group) === nameKey(GROUP_OF_ALL) ? null : request.group,
      };
      const page = { offset: ((request.page ?? 1) - 1) * limit, limit };
      const { records, total } = await listInvoices(tenants.of(merchant), merchant, filter, page);
      return { srvrsp: records.map((record) => toRecord(record, merchant, today)), totalRecords: Number(total) };
    },
  });
}

/** No customer has the id 0: a code that nobody has finds nothing. */
async function customerIdOf(pool: Pool, merchant: MerchantKey, code: string | null): Promise<bigint | null> {
  if (code === null) return null;
  return (await findCustomersByCode(pool, merchant, [code])).get(code)?.customerId ?? 0n;
}
