// Routes of several invoices at once: importing a file, sending, reminding customers, and their PDFs in one file.
import { makeZip } from "client-zip";
import { buildDocument, readSources, renderInvoicePdf } from "../documents/index.ts";
import {
  checkUpload,
  findTemplate,
  type Invoice,
  invoiceFields,
  invoiceIdField,
  sampleUpload,
  saveUpload,
  sendInvoice,
  templateNotFound,
  toSaved,
} from "../invoices/index.ts";
import { remindCustomer } from "../notifications/index.ts";
import { type CsvCell, csvFile } from "../platform/csv.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { eachOutcome } from "../platform/database/each-outcome.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { fileNameOf } from "../platform/file-name.ts";
import { digitsOrNumber, list, object, optional, text, wholeNumber } from "../platform/http/fields.ts";
import { dateOrderQuery, fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { keyOf, markReplayed, requestKey } from "./once.ts";
import { MAX_INVOICES, readInputs, refuseNewCustomer, requireInvoice } from "./invoice-routes.ts";
import { sendFile } from "./list-routes.ts";
import { todayOf } from "../merchants/index.ts";

/** Twice a page of the list. */
const MAX_CHOSEN = 100;

/** Each has a separate key: a request that is repeated after a lost answer continues where it was interrupted. */
const chosen = () => list(object({ invoice_id: invoiceIdField(), request_key: requestKey() }), MAX_CHOSEN);
const chosenIds = () =>
  text({
    hint: `1 to ${MAX_CHOSEN} invoice_ids with commas between them`,
    maxLength: MAX_CHOSEN * 18,
    pattern: new RegExp(`^R[0-9]{9,16}(,R[0-9]{9,16}){0,${MAX_CHOSEN - 1}}$`),
  });

/** Adds the routes of several invoices. */
export function registerManyInvoicesRoutes(scope: DashboardScope) {
  const { ids, renderer, reports } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /invoices/send",
      summary: "Send many invoices to their customers",
      permission: "invoices.manage",
      body: { invoices: chosen() },
      handler: async (call) => ({
        outcomes: await tellEach(call.body.invoices, async ({ invoice_id, request_key }) => {
          const { invoiceId } = await requireInvoice(call, invoice_id);
          const idempotency = keyOf("send", { invoice_id, request_key });
          await sendInvoice({ pool: call.db, ids, merchant: call.merchant, idempotency }, { invoiceId, sendTo: null });
        }),
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /invoices/remind",
      summary: "Remind the customers of many invoices",
      permission: "invoices.manage",
      body: { invoices: chosen() },
      handler: async (call) => ({
        outcomes: await tellEach(call.body.invoices, async ({ invoice_id, request_key }) => {
          const { invoiceId } = await requireInvoice(call, invoice_id);
          const idempotency = keyOf("remind", { invoice_id, request_key });
          await remindCustomer({ pool: call.db, ids, merchant: call.merchant, idempotency }, invoiceId);
        }),
      }),
    }),
    dashboardRoute(scope, {
      route: "GET /invoices/pdfs.zip",
      summary: "Download the PDFs of many invoices",
      permission: "invoices.view",
      narrowsToFranchise: true,
      query: { invoices: chosenIds() },
      handler: (call) => {
        const asked = { ...call, db: reports.of(call.merchant) };
        const make = async (invoice: Invoice): Promise<Uint8Array> => {
          const document = buildDocument(await readSources(asked.db, invoice, scope.parts.links));
          return renderInvoicePdf(renderer, call.merchant, document);
        };
        const invoiceIds = [...new Set(call.query.invoices.split(","))];
        const pieces = makeZip(papersOf(asked, invoiceIds, make));
        return sendFile(call.reply, { name: "invoices.zip", type: "application/zip", pieces });
      },
    }),
  ];
}

async function tellEach<Choice extends { readonly invoice_id: string }>(
  invoices: readonly Choice[],
  work: (asked: Choice) => Promise<void>,
) {
  const outcomes = await eachOutcome(invoices, work);
  return outcomes.map(({ item: { invoice_id }, outcome }) => ({
    invoice_id,
    error: outcome instanceof NodalError ? outcome.message : null,
  }));
}

const HEADINGS = ["invoice_id", "invoice_number", "file", "problem"];

type Make = (invoice: Invoice) => Promise<Uint8Array>;

/**
 * One PDF after the other, each made after the one before was sent, so that a caller only takes one place in the
 * renderer. At the end comes a list of all, with the missing ones and the reasons.
 */
async function* papersOf(call: MerchantCall, invoiceIds: readonly string[], make: Make) {
  const lines: CsvCell[][] = [HEADINGS];
  const taken = new Set<string>();
  for (const invoiceId of invoiceIds) {
    const { number, pdf, problem } = await paperOf(call, invoiceId, make);
    if (!pdf) {
      lines.push([invoiceId, number, "", problem]);
      continue;
    }
    const plain = fileNameOf(number);
    // Different numbers may give the same file name.
    const name = `${taken.has(plain) ? `${plain}-${invoiceId}` : plain}.pdf`;
    taken.add(plain);
    lines.push([invoiceId, number, name, ""]);
    yield { name, input: pdf, lastModified: new Date() };
  }
  yield { name: "invoices.csv", input: csvFile(lines), lastModified: new Date() };
}

async function paperOf(call: MerchantCall, invoiceId: string, make: Make) {
  let number = "";
  try {
    const invoice = await requireInvoice(call, invoiceId);
    number = invoice.invoiceNumber;
    return { number, pdf: await make(invoice), problem: "" };
  } catch (error) {
    if (!(error instanceof NodalError)) throw error;
    return { number, pdf: null, problem: error.message };
  }
}

/** The largest line number of a file: it has no more bytes. */
const LAST_LINE = MAX_FILE_BYTES;
/** The API's limit for as many invoices. */
const UPLOAD_LIMIT_BYTES = 8 * 1024 * 1024;
const permission = "invoices.manage";

/** Adds the check of a file of invoices. */
export function registerInvoiceUploadRoutes(scope: DashboardScope) {
  return [...registerFileRoutes(scope), registerSaveRoute(scope)];
}

function registerSaveRoute(scope: DashboardScope) {
  const { saves, links } = scope.parts;
  return dashboardRoute(scope, {
    route: "POST /invoice-files",
    summary: "Save the invoices of a checked file",
    permission,
    body: {
      template_id: optional(digitsOrNumber(16)),
      lines: list(wholeNumber(1, LAST_LINE), MAX_INVOICES),
      invoice: list(invoiceFields, MAX_INVOICES),
    },
    bodyLimitBytes: UPLOAD_LIMIT_BYTES,
    once: "by_use_case",
    handler: async (call) => {
      const { db, merchant, origin, caller, body, idempotency } = call;
      checkLines(body.lines, body.invoice.length);
      const templateId = body.template_id === null ? null : BigInt(body.template_id);
      const invoices = await readInputs(call, body.invoice, templateId);
      const { answer, replayed } = await saveUpload(
        { db, saves, merchant, origin, idempotency },
        { templateId, invoices, lines: body.lines },
        (input) => refuseNewCustomer(caller, input),
      );
      const warnings = answer.flatMap((saved, index) =>
        (saved.warnings ?? []).map(({ field, message }) => ({ line: body.lines[index]!, field, message })),
      );
      markReplayed(call.reply, replayed);
      return { invoices: answer.map((saved) => toSaved(saved, merchant, links)), replayed, warnings };
    },
  });
}

/** @throws NodalError `validation_failed` unless each invoice has a separate line */
function checkLines(lines: readonly number[], invoices: number): void {
  if (lines.length === invoices && new Set(lines).size === invoices) return;
  const problem =
    lines.length === invoices
      ? "must not repeat a line: send the first line of each invoice."
      : "must have one entry per invoice: send the first line of each.";
  throw validationError([{ field: "lines", code: "invalid", problem }]);
}

function registerFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /invoice-files/sample",
      summary: "Download a sample file of invoices",
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
      route: "POST /invoice-files/preview",
      summary: "Check a file of invoices",
      once: "changes_nothing",
      permission,
      query: { template_id: optional(digitsOrNumber(16)), ...dateOrderQuery },
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, caller, query, request }) => {
        const checked = await checkUpload(
          { pool: db, merchant },
          {
            templateId: query.template_id === null ? null : BigInt(query.template_id),
            bytes: fileOf(request.body),
            dateOrder: query.date_order,
            mayAddCustomers: caller.permissions.has("customers.manage"),
          },
        );
        const { furtherProblems, furtherWarnings, badLines, newCustomers, alike, ...rest } = checked;
        return {
          ...rest,
          new_customers: newCustomers,
          further_problems: furtherProblems,
          further_warnings: furtherWarnings,
          bad_lines: badLines,
          alike: { rest_total: alike.restTotal, invoices: alike.invoices },
        };
      },
    }),
  ];
}
