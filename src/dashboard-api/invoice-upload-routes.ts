// Routes of uploading many invoices: a sample of the file, and what is wrong with which line. Each batch is then saved as
// invoices are.
import { checkUpload, findTemplate, sampleUpload, templateNotFound } from "../invoices/index.ts";
import { todayOf } from "../merchants/index.ts";
import { digitsOrNumber, optional, text } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const MAX_CHARACTERS = 6_000_000;
/** Each character may be three bytes. */
const BODY_LIMIT_BYTES = 3 * MAX_CHARACTERS;
const permission = "invoices.manage";

/** Adds what checks a file of invoices. */
export function registerInvoiceUploadRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /invoices/upload/sample",
      permission,
      query: { template_id: optional(digitsOrNumber(16)) },
      handler: async ({ db, merchant, query, reply }) => {
        const template = await findTemplate(
          db,
          merchant,
          query.template_id === null ? null : BigInt(query.template_id),
        );
        if (!template) throw templateNotFound();
        return reply
          .type("text/csv; charset=utf-8")
          .header("content-disposition", 'attachment; filename="invoices-sample.csv"')
          .send(sampleUpload(template, todayOf(merchant)));
      },
    }),
    dashboardRoute(scope, {
      route: "POST /invoices/upload/check",
      permission,
      body: {
        template_id: optional(digitsOrNumber(16)),
        csv: text({ hint: "the text of a CSV file", maxLength: MAX_CHARACTERS, takesLines: true }),
      },
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async ({ db, merchant, session, body }) => {
        const checked = await checkUpload(
          { pool: db, merchant },
          {
            templateId: body.template_id === null ? null : BigInt(body.template_id),
            csv: body.csv,
            mayAddCustomers: session.permissions.has("customers.manage"),
          },
        );
        const { furtherProblems, badLines, ...rest } = checked;
        return { ...rest, further_problems: furtherProblems, bad_lines: badLines };
      },
    }),
  ];
}
