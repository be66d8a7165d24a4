// Routes for many customers at once: a file to fill in, what is wrong with a filled one, and saving its good lines.
// What belongs here: wire shapes, no logic.
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
import { csvLine } from "../platform/csv.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { CSV_TYPES, fileOf, withFileBodies } from "./file-body.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { keyOf, requestKey } from "./request-key.ts";

const FILE_LIMIT_BYTES = 16 * 1024 * 1024;
const BATCH_LIMIT_BYTES = 4 * 1024 * 1024;
/** So many errors are shown; all are counted. */
const MOST_ERRORS = 1000;
const permission = "customers.manage";

/** Adds the routes of files of customers. */
export function registerCustomerFileRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/customers/import/sample",
    permission,
    handler: async ({ db, merchant, reply }) => {
      const headings = csvLine(customerFileHeadings(await listColumns(db, merchant)));
      reply.header("content-disposition", 'attachment; filename="customers-to-import.csv"');
      // The mark tells spreadsheets that it is UTF-8.
      return reply.type("text/csv; charset=utf-8").send(`\uFEFF${headings}\r\n`);
    },
  });

  withFileBodies(scope, CSV_TYPES, (inner) => {
    dashboardRoute(inner, {
      method: "POST",
      url: "/customers/import/preview",
      permission,
      bodyLimitBytes: FILE_LIMIT_BYTES,
      handler: async ({ db, merchant, request }) => {
        const { lines, good, errors, ignored } = await readCustomerFile(db, merchant, fileOf(request.body));
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
    });
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/customers/batch",
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
      const { answer } = await saveCustomers(db, ids, merchant, customers, keyOf("customers", body));
      return { saved: answer.length };
    },
  });
}
