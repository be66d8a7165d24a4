// Routes of uploading many invoices: a sample of the file, what is wrong with which line, and saving a batch of it.
import {
  checkUpload,
  findTemplate,
  invoiceFields,
  sampleUpload,
  saveUpload,
  templateNotFound,
  toSaved,
} from "../invoices/index.ts";
import { todayOf } from "../merchants/index.ts";
import { validationError } from "../platform/errors.ts";
import { digitsOrNumber, list, optional, text, wholeNumber } from "../platform/http/fields.ts";
import { dashboardRoute, keyOf, requestKey, type DashboardScope } from "./guarded-routes.ts";
import {
  BODY_LIMIT_BYTES as INVOICES_LIMIT_BYTES,
  MAX_INVOICES,
  readInputs,
  refuseNewCustomer,
} from "./invoice-routes.ts";

const MAX_CHARACTERS = 6_000_000;
/** Each character may be three bytes. */
const BODY_LIMIT_BYTES = 3 * MAX_CHARACTERS;
const permission = "invoices.manage";

/** Adds what checks a file of invoices. */
export function registerInvoiceUploadRoutes(scope: DashboardScope) {
  return [...registerFileRoutes(scope), registerSaveRoute(scope)];
}

function registerSaveRoute(scope: DashboardScope) {
  const { saves, links } = scope.parts;
  return dashboardRoute(scope, {
    route: "POST /invoices/upload",
    permission,
    body: {
      request_key: requestKey(),
      template_id: optional(digitsOrNumber(16)),
      lines: list(wholeNumber(1, MAX_CHARACTERS), MAX_INVOICES),
      invoice: list(invoiceFields, MAX_INVOICES),
    },
    bodyLimitBytes: INVOICES_LIMIT_BYTES,
    handler: async (call) => {
      const { db, merchant, origin, session, body } = call;
      checkLines(body.lines, body.invoice.length);
      const templateId = body.template_id === null ? null : BigInt(body.template_id);
      const invoices = await readInputs(call, body.invoice, templateId);
      const { answer, replayed } = await saveUpload(
        { db, saves, merchant, origin, idempotency: keyOf("upload", body) },
        { templateId, invoices, lines: body.lines },
        (input) => refuseNewCustomer(session, input),
      );
      return { invoices: answer.map((saved) => toSaved(saved, merchant, links)), replayed };
    },
  });
}

/** @throws NodalError `validation_failed` where they do not name a line of its own for each invoice */
function checkLines(lines: readonly number[], invoices: number): void {
  if (lines.length === invoices && new Set(lines).size === invoices) return;
  const message =
    lines.length === invoices
      ? "lines must not name one twice: send for each invoice the line where it begins."
      : "lines must be as many as the invoices: send for each the line where it begins.";
  throw validationError([{ field: "lines", code: "invalid", message }]);
}

function registerFileRoutes(scope: DashboardScope) {
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
        const { furtherProblems, badLines, newCustomers, alike, ...rest } = checked;
        return {
          ...rest,
          new_customers: newCustomers,
          further_problems: furtherProblems,
          bad_lines: badLines,
          alike: { rest_total: alike.restTotal, invoices: alike.invoices },
        };
      },
    }),
  ];
}
