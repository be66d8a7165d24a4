// Routes of customer groups, custom columns, the customer picker, and files of customers.
import {
  changeGroup,
  COLUMN_TYPES,
  customerFileHeadings,
  findColumns,
  findCustomerIds,
  findCustomers,
  gstinField,
  listColumns,
  listGroups,
  MAX_FILE_LINES,
  MAX_GROUPS_OF_MERCHANT,
  newCustomerList,
  readCustomerFile,
  readNewCustomer,
  saveColumn,
  saveCustomers,
  saveGroup,
} from "../customers/index.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { digitsOrNumber, oneOf, optionalText, requiredText } from "../platform/http/fields.ts";
import { dateOrderQuery, fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { markReplayed } from "./once.ts";
import { csvFile } from "../platform/csv.ts";
import { type FieldError, validationError } from "../platform/errors.ts";

const NAME_LENGTH = 100;

/** Adds the routes that list, create and rename groups, and that list and add columns. */
export function registerCustomerGroupRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /customer-groups",
      summary: "List customer groups",
      permission: "customers.view",
      handler: async ({ db, merchant }) => ({
        groups: (await listGroups(db, merchant, MAX_GROUPS_OF_MERCHANT)).map(({ groupId, name, members }) => ({
          group_id: String(groupId),
          name,
          customers: Number(members),
        })),
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /customer-groups",
      summary: "Create a customer group",
      permission: "customers.manage",
      body: { name: requiredText(NAME_LENGTH) },
      handler: async ({ db, merchant, body }) => ({
        group_id: String(await saveGroup({ pool: db, ids, merchant }, body)),
      }),
    }),
    dashboardRoute(scope, {
      route: "PUT /customer-groups/:group_id",
      summary: "Rename a customer group",
      permission: "customers.manage",
      params: { group_id: digitsOrNumber(16) },
      body: { name: requiredText(NAME_LENGTH) },
      handler: async ({ db, merchant, params, body }) => {
        await changeGroup({ pool: db, merchant }, { groupId: BigInt(params.group_id), name: body.name });
        return { group_id: params.group_id };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /customer-columns",
      summary: "List the custom columns of customers",
      permission: "customers.view",
      narrowsToFranchise: true,
      handler: async ({ db, merchant }) => ({
        columns: (await listColumns(db, merchant)).map(({ columnId, name, type }) => {
          return { column_id: String(columnId), name, type };
        }),
        types: COLUMN_TYPES,
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /customer-columns",
      summary: "Create a custom column of customers",
      permission: "customers.manage",
      body: { name: requiredText(NAME_LENGTH), type: oneOf(COLUMN_TYPES) },
      handler: async ({ db, merchant, body }) => ({
        column_id: String((await saveColumn({ pool: db, ids, merchant }, body)).columnId),
      }),
    }),
  ];
}

const OFFERED = 12;

/** Adds the choices of the customer form, and the search of the customer picker. */
export function registerCustomerChoiceRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /session/customers/form",
      summary: "List what a customer's form offers",
      permission: "customers.manage",
      handler: async ({ db, merchant }) => {
        const columns = await listColumns(db, merchant);
        return {
          columns: columns.map(({ columnId, name, type }) => ({ column_id: String(columnId), name, type })),
          gstin_field_id: gstinField([], columns).id,
        };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /session/customer-choices",
      summary: "Find customers for a form",
      permission: "customers.view",
      query: { search: optionalText(100) },
      handler: async ({ db, merchant, query }) => {
        const ids = await findCustomerIds(db, merchant, query.search ?? "", OFFERED);
        const found = await findCustomers(db, merchant, ids);
        return {
          customers: ids.flatMap((id) => {
            const customer = found.get(id);
            if (!customer) return [];
            const { customerCode, customerName, email, city, state } = customer;
            const names = { customer_code: customerCode, customer_name: customerName };
            return [{ customer_id: String(id), ...names, email, city, state }];
          }),
        };
      },
    }),
  ];
}

const BATCH_LIMIT_BYTES = 4 * 1024 * 1024;
/** The most errors to show; all are counted. */
const MAX_ERRORS = 1000;
const permission = "customers.manage";

/** Adds the routes of files of customers. */
export function registerCustomerFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /customer-files/sample",
      summary: "Download a sample file of customers",
      permission,
      handler: async ({ db, merchant, reply }) => {
        const headings = csvFile([customerFileHeadings(await listColumns(db, merchant))]);
        reply.header("content-disposition", 'attachment; filename="customers-to-import.csv"');
        return reply.type("text/csv; charset=utf-8").send(headings);
      },
    }),
    dashboardRoute(scope, {
      route: "POST /customer-files/preview",
      summary: "Check a file of customers",
      once: "changes_nothing",
      permission,
      query: dateOrderQuery,
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, query, request }) => {
        const file = { bytes: fileOf(request.body), dateOrder: query.date_order };
        const { lines, good, errors, ignored } = await readCustomerFile({ pool: db, merchant }, file);
        return {
          lines,
          good,
          bad_lines: lines - good.length,
          errors: errors.slice(0, MAX_ERRORS),
          more_errors: Math.max(0, errors.length - MAX_ERRORS),
          ignored,
          most_lines: MAX_FILE_LINES,
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /customers/batch",
      summary: "Save many customers, all or none",
      permission,
      body: { customer: newCustomerList() },
      once: "by_use_case",
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      handler: async ({ db, merchant, body, reply, idempotency }) => {
        const columns = await findColumns(db, merchant, body.customer);
        const errors: FieldError[] = [];
        const customers = body.customer.map((wire, index) =>
          readNewCustomer(wire, `customer[${index}]`, columns, errors),
        );
        if (errors.length > 0) throw validationError(errors);
        const { ids } = scope.parts;
        const { answer, replayed } = await saveCustomers({ pool: db, ids, merchant, idempotency }, customers);
        markReplayed(reply, replayed);
        return { saved: answer.length };
      },
    }),
  ];
}
