// Routes of customers: the list, one with its account, new ones and changes.
// Groups, columns and files of customers are customer-group-routes.ts.
import {
  changeCustomers,
  CUSTOMER_SORTS,
  customerChangeFields,
  customerRecord,
  DUES_HEADINGS,
  findColumns,
  findCustomers,
  gstinField,
  gstinHeadings,
  gstinOf,
  listColumns,
  newCustomerFields,
  pageCustomers,
  readCustomerChange,
  readGroupNames,
  readNewCustomer,
  saveCustomers,
  withGstin,
  type Customer,
  type CustomerFilter,
} from "../customers/index.ts";
import {
  duesFilter,
  CUSTOMER_DUES,
  formatInvoiceId,
  listCustomerPayments,
  listInvoices,
  readCustomerAccount,
  readDuesOf,
  readInvoiceFilter,
  shownStatus,
  toRecord,
} from "../invoices/index.ts";
import { franchiseOf, todayOf, type Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { fieldsRefusal, NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { digitsOrNumber, gstin, ifSent, oneOf, optional, optionalText, type Decoded } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { markReplayed } from "./once.ts";
import { cutPage, listFileRoute, listRoute, unknownPosition, placeField } from "./list-routes.ts";
import { showTo } from "./shown.ts";
import { registerSupplyRoute } from "./supply-routes.ts";

const EXPORT_PAGE = 1000;
/** The latest invoices and payments of a customer to show. */
const SHOWN_OF_ACCOUNT = 10;
/** The longest value that can be searched for: an e-mail address. */
const KEYWORD_LENGTH = 254;

const FILTER_FIELDS = {
  search: optionalText(KEYWORD_LENGTH),
  group: optionalText(100),
  dues: optional(oneOf(CUSTOMER_DUES)),
  sort: optional(oneOf(CUSTOMER_SORTS)),
};
type Filters = Values<typeof FILTER_FIELDS>;

/** Left out if a custom field has it. */
const gstinOfForm = () => ifSent(optional(gstin()));

/** An id or a code, as in `next`. */
const pageKey = placeField(45);
const customerParams = { customer_id: digitsOrNumber(16) };
const { customer_id: _id, ...changeFields } = customerChangeFields;

const list = {
  url: "/customers",
  summary: "List customers",
  permission: "customers.view",
  narrowsToFranchise: true,
  filters: FILTER_FIELDS,
} as const;

/** Adds the routes of customers. */
export function registerCustomerRoutes(scope: DashboardScope) {
  return [
    ...registerListRoutes(scope),
    ...registerReadRoute(scope),
    ...registerWriteRoutes(scope),
    registerSupplyRoute(scope, "customers"),
  ];
}

function registerListRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      paging: { after: pageKey },
      rowsIn: "customers",
      read: async ({ db, merchant, caller, query }, asked) => {
        const filter = readFilter(query, merchant, caller);
        const page = { after: readAfter(filter, asked.after), limit: asked.limit + 1 };
        const found = await readPage(db, merchant, await pageCustomers(db, merchant, filter, page));
        const { rows, next } = cutPage(found, asked, ({ customer }) => afterOf(filter, customer));
        const dues = await duesOf({ db, merchant, caller }, rows);
        return {
          rows: rows.map(({ customer, groups }) => ({
            ...describe(customer, groups, merchant, mask),
            ...dues(customer.customerId),
          })),
          next,
        };
      },
    }),
    listFileRoute(scope, {
      ...list,
      read: async (call) => {
        const columns = await listColumns(call.db, call.merchant);
        const filter = readFilter(call.query, call.merchant, call.caller);
        const cells: Record<string, (row: OwedRow) => string> = {
          ...customerRecord.cells(({ customer }: Row) => customer),
          customer_group: ({ groups }) => groups.join(","),
        };
        for (const heading of DUES_HEADINGS) cells[heading] = ({ dues }) => dues[heading] ?? "";
        for (const heading of gstinHeadings(columns)) cells[heading] = ({ customer }) => gstinOf(customer.customFields);
        for (const { columnId, name, type } of columns) {
          const id = String(columnId);
          // A GSTIN in a custom field gets no separate heading if its column has that name.
          const other = (fields: Customer["customFields"]): string =>
            type === "gst" && gstinHeadings(columns).length === 0 ? gstinOf(fields) : "";
          cells[name] = ({ customer: { customFields } }) =>
            customFields.find((field) => field.id === id)?.value || other(customFields);
        }
        return { columns: cells, rows: exportRows(call, filter) };
      },
    }),
  ];
}

function registerReadRoute(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /customers/:customer_id",
      summary: "Read a customer with the last invoices and payments",
      permission: "customers.view",
      narrowsToFranchise: true,
      params: customerParams,
      handler: async (call) => {
        const { db, merchant, params, caller } = call;
        const customerId = BigInt(params.customer_id);
        const franchiseId = franchiseOf(call.caller);
        const [found] = await readPage(db, merchant, [customerId]);
        const owner = { bucket: merchant.bucket, merchantId: merchant.merchantId, customerId, franchiseId };
        const account = await readCustomerAccount(db, owner, todayOf(merchant));
        // A franchise only sees customers of its own invoices.
        if (!found || (franchiseId !== null && account.invoices === 0n)) throw notFound();
        const maySeeInvoices = caller.permissions.has("invoices.view");
        return {
          customer: describe(found.customer, found.groups, merchant, showTo(caller)),
          /** Id of the custom field that holds the GSTIN. */
          gstin_field_id: gstinField(found.customer.customFields, await listColumns(db, merchant)).id,
          account: {
            invoices: Number(account.invoices),
            billed: formatPaise(account.billedPaise),
            due: formatPaise(account.duePaise),
            overdue: formatPaise(account.overduePaise),
            /** Whether the customer has an opening balance that is not cancelled. */
            has_opening_balance: account.hasOpeningBalance,
          },
          invoices: maySeeInvoices ? await lastInvoices(call, customerId) : [],
          payments: maySeeInvoices
            ? (await listCustomerPayments(db, owner, SHOWN_OF_ACCOUNT)).map((payment) => ({
                settlement_id: String(payment.settlementId),
                invoice_id: formatInvoiceId(payment.invoiceId),
                invoice_number: payment.invoiceNumber,
                paid_date: payment.paidDate.toString(),
                mode: payment.mode,
                amount: formatPaise(payment.amountPaise),
                reversed: payment.isReversed,
              }))
            : [],
        };
      },
    }),
  ];
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /customers",
      summary: "Save a customer",
      permission: "customers.manage",
      body: { gstin: gstinOfForm(), ...newCustomerFields },
      once: "by_use_case",
      handler: async (call) => {
        const { db, merchant, body, idempotency } = call;
        const wire = { ...body, custom_fields: (await customFieldsIn(call, body, [])) ?? null };
        const columns = await findColumns(db, merchant, [wire]);
        const customer = checked((errors) => readNewCustomer(wire, "customer", columns, errors));
        const { answer, replayed } = await namingFields(() =>
          saveCustomers({ pool: db, ids, merchant, idempotency }, [customer]),
        );
        markReplayed(call.reply, replayed);
        return { customer_id: String(answer[0]!.customerId) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /customers/:customer_id",
      summary: "Change a customer",
      permission: "customers.manage",
      params: customerParams,
      body: { ...changeFields, gstin: gstinOfForm() },
      handler: async (call) => {
        const { db, merchant, params, body } = call;
        const customerId = BigInt(params.customer_id);
        const known = (await findCustomers(db, merchant, [customerId])).get(customerId);
        const custom_fields = await customFieldsIn(call, body, known?.customFields ?? []);
        const wire = { ...body, custom_fields, customer_id: params.customer_id };
        const columns = await findColumns(db, merchant, [wire]);
        const change = checked((errors) => readCustomerChange(wire, "customer", columns, errors));
        const { answer } = await namingFields(() =>
          changeCustomers({ pool: db, ids, merchant, idempotency: null }, [change]),
        );
        return { customer_id: String(answer[0]!.customerId) };
      },
    }),
  ];
}

type SentFields = Decoded<(typeof newCustomerFields)["custom_fields"]> | undefined;

/** The custom fields of a form, including the GSTIN, which has a separate field there. `known` are the saved fields. */
async function customFieldsIn(
  { db, merchant }: Pick<MerchantCall, "db" | "merchant">,
  sent: { readonly gstin: string | null | undefined; readonly custom_fields: SentFields },
  known: Customer["customFields"],
): Promise<SentFields> {
  if (sent.gstin === undefined) return sent.custom_fields;
  const field = gstinField(known, await listColumns(db, merchant));
  return withGstin(sent.custom_fields ?? known, field, sent.gstin ?? "");
}

/** Runs checks beyond single fields, and throws their errors. */
function checked<T>(read: (errors: FieldError[]) => T): T {
  const errors: FieldError[] = [];
  const value = read(errors);
  if (errors.length > 0) throw validationError(errors.map(withoutPrefix));
  return value;
}

/** Removes the path of a list from field names: the use cases take lists of customers, but here there is one. */
async function namingFields<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof NodalError) || error.errors.length === 0) throw error;
    throw fieldsRefusal(error.code, error.errors.map(withoutPrefix));
  }
}

function withoutPrefix(error: FieldError): FieldError {
  return { ...error, field: error.field.replace(/^customer\./, "") };
}

/** @throws NodalError `access_denied` for a filter by dues, without the permission to see invoices */
function readFilter({ dues, ...query }: Filters, merchant: Merchant, caller: MerchantCall["caller"]): CustomerFilter {
  if (dues !== null && !caller.permissions.has("invoices.view")) {
    throw new NodalError("access_denied", "Your role can't see what customers owe. List them without the filter.");
  }
  const search = { by: "anywhere", keyword: query.search } as const;
  const narrowed = dues && duesFilter(dues, todayOf(merchant));
  const franchiseId = franchiseOf(caller);
  return { search, group: query.group, franchiseId, sort: query.sort ?? "-created_at", narrowed };
}

function readAfter({ sort }: CustomerFilter, after: string | null): string | null {
  if (after === null || sort.endsWith("customer_code") || /^[0-9]{1,16}$/.test(after)) return after;
  throw unknownPosition();
}

function afterOf({ sort }: CustomerFilter, { customerCode, customerId }: Customer): string {
  return sort.endsWith("customer_code") ? customerCode : String(customerId);
}

/** What customers owe and have in advance, for callers who may see invoices. */
async function duesOf(
  { db, merchant, caller }: Pick<MerchantCall, "db" | "merchant" | "caller">,
  rows: readonly Row[],
) {
  const customerIds = rows.map(({ customer }) => customer.customerId);
  const maySee = caller.permissions.has("invoices.view");
  const franchiseId = franchiseOf(caller);
  const owed = maySee ? await readDuesOf(db, merchant, { customerIds, franchiseId }, todayOf(merchant)) : null;
  return (customerId: bigint) => {
    const dues = owed?.(customerId);
    return {
      /** What is due on the customer's invoices, in rupees; `null` for callers who may not see invoices. */
      due_amount: dues ? formatPaise(dues.duePaise) : null,
      /** The part of it that is overdue. */
      overdue_amount: dues ? formatPaise(dues.overduePaise) : null,
      /** The unused rest of the customer's receipts, in rupees; `null` for a franchise. */
      advance_amount: dues && franchiseId === null ? formatPaise(dues.advancePaise) : null,
    };
  };
}

type Row = { readonly customer: Customer; readonly groups: readonly string[] };
type Dues = ReturnType<Awaited<ReturnType<typeof duesOf>>>;
type OwedRow = Row & { readonly dues: Dues };

async function readPage(db: Queryable, merchant: Merchant, ids: readonly bigint[]): Promise<Row[]> {
  const customers = await findCustomers(db, merchant, ids);
  const groups = await readGroupNames(db, merchant, ids);
  return ids.flatMap((id) => {
    const customer = customers.get(id);
    return customer ? [{ customer, groups: groups.get(id) ?? [] }] : [];
  });
}

async function* exportRows(call: MerchantCall, filter: CustomerFilter): AsyncGenerator<OwedRow> {
  const { db, merchant } = call;
  let after: string | null = null;
  for (;;) {
    const rows: Row[] = await readPage(
      db,
      merchant,
      await pageCustomers(db, merchant, filter, { after, limit: EXPORT_PAGE }),
    );
    const dues = await duesOf(call, rows);
    for (const row of rows) yield { ...row, dues: dues(row.customer.customerId) };
    const last = rows.at(-1);
    if (!last || rows.length < EXPORT_PAGE) return;
    after = afterOf(filter, last.customer);
  }
}

async function lastInvoices(call: MerchantCall, customerId: bigint) {
  const { db, merchant } = call;
  const asked = await readInvoiceFilter(
    { pool: db, merchant },
    { franchiseId: franchiseOf(call.caller)?.toString() ?? null },
  );
  const filter = { ...asked, customerId };
  const { records } = await listInvoices(db, merchant, filter, { offset: 0, limit: SHOWN_OF_ACCOUNT });
  return records.map((record) => {
    const wire = toRecord(record, merchant, filter.today);
    const { invoice_id, invoice_number, bill_date, due_date, amount, due_amount, due, status } = wire;
    return {
      invoice_id,
      invoice_number,
      is_opening_balance: record.is_opening_balance,
      bill_date,
      due_date,
      amount,
      due_amount,
      status: shownStatus(status, due),
    };
  });
}

function describe(
  customer: Customer,
  groups: readonly string[],
  { timeZone }: Merchant,
  show: (text: string) => string,
) {
  return {
    customer_id: String(customer.customerId),
    ...customerRecord.describe(customer, show),
    groups,
    gstin: gstinOf(customer.customFields),
    custom_fields: customer.customFields,
    created_at: formatInstant(customer.createdAt, timeZone),
    updated_at: formatInstant(customer.updatedAt, timeZone),
  };
}

function notFound(): NodalError {
  return new NodalError("customer_not_found", "Customer not found. Look for it in the customer list.");
}
