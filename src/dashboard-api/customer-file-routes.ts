// Routes for many customers at once: a file to fill in, what is wrong with a filled one, and saving its good lines.
import {
  customerFileHeadings,
  findColumns,
  listColumns,
  MAX_FILE_LINES,
  newCustomerList,
  readCustomerFile,
  readNewCustomer,
  saveCustomers,
} from "../customers/index.ts";
import { csvText } from "../platform/csv.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { CSV_TYPES, dashboardRoute, fileOf, keyOf, requestKey, type DashboardScope } from "./guarded-routes.ts";

const FILE_LIMIT_BYTES = 16 * 1024 * 1024;
const BATCH_LIMIT_BYTES = 4 * 1024 * 1024;
/** So many errors are shown; all are counted. */
const MOST_ERRORS = 1000;
const permission = "customers.manage";

/** Adds the routes of files of customers. */
export function registerCustomerFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /customers/import/sample",
      permission,
      handler: async ({ db, merchant, reply }) => {
        const headings = csvText([customerFileHeadings(await listColumns(db, merchant))]);
        reply.header("content-disposition", 'attachment; filename="customers-to-import.csv"');
        // The mark tells spreadsheets that it is UTF-8.
        return reply.type("text/csv; charset=utf-8").send(`\uFEFF${headings}`);
      },
    }),
    dashboardRoute(scope, {
      route: "POST /customers/import/preview",
      permission,
      fileTypes: CSV_TYPES,
      bodyLimitBytes: FILE_LIMIT_BYTES,
      handler: async ({ db, merchant, request }) => {
        const { lines, good, errors, ignored } = await readCustomerFile({ pool: db, merchant }, fileOf(request.body));
        return {
          lines,
          good,
          bad_lines: lines - good.length,
          errors: errors.slice(0, MOST_ERRORS),
          more_errors: Math.max(0, errors.length - MOST_ERRORS),
          ignored,
          most_lines: MAX_FILE_LINES,
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /customers/batch",
      permission,
      body: { request_key: requestKey(), customer: newCustomerList() },
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      handler: async ({ db, merchant, body }) => {
        const columns = await findColumns(db, merchant, body.customer);
        const errors: FieldError[] = [];
        const customers = body.customer.map((wire, index) =>
          readNewCustomer(wire, `customer[${index}]`, columns, errors),
        );
        if (errors.length > 0) throw validationError(errors);
        const { ids } = scope.parts;
        const { answer } = await saveCustomers(
          { pool: db, ids, merchant, idempotency: keyOf("customers", body) },
          customers,
        );
        return { saved: answer.length };
      },
    }),
  ];
}
