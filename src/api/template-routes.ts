// Routes of invoice templates: the list, one with a preview, new ones, and changes. A template's rows and taxes have
// the names of an invoice's.
import {
  nextNumberOf,
  previewTemplate,
  readSeriesPosition,
  renderInvoicePage,
  unprintableIn,
  type InvoiceDocument,
  type SeriesPosition,
} from "../documents/index.ts";
import {
  changeTemplate,
  createTemplate,
  findTemplate,
  listTemplates,
  makeDefaultTemplate,
  seriesFields,
  templateChanges,
  templateFields,
  templateNotFound,
  toTemplateChange,
  toTemplateDraft,
  type Template,
} from "../invoices/index.ts";
import { companyRecord, ownBankAccount, todayOf, type ApiCaller, type Merchant } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import { digitsOrNumber, flag, optional } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { showTo } from "./shown.ts";

/** Enough for the longest texts with three bytes per character, and the largest logo in base64. */
const BODY_LIMIT_BYTES = 2 * 1024 * 1024;

const templateParams = { template_id: digitsOrNumber(16) };
const { prefix, width, creditPrefix, debitPrefix, estimatePrefix } = seriesFields;
/** Adds the routes of templates. */
export function registerTemplateRoutes(scope: DashboardScope) {
  return [...registerReadRoutes(scope), ...registerFormRoutes(scope), ...registerWriteRoutes(scope)];
}

function registerReadRoutes(scope: DashboardScope) {
  const { renderer } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /templates",
      summary: "List invoice templates",
      permission: "templates.view",
      handler: async ({ db, merchant }) => {
        const position = await readSeriesPosition(db, merchant, todayOf(merchant));
        return { templates: (await listTemplates(db, merchant)).map((template) => describe(template, position)) };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /templates/:template_id",
      summary: "Read an invoice template",
      permission: "templates.view",
      params: templateParams,
      handler: async ({ db, merchant, caller, params }) => {
        const templateId = BigInt(params.template_id);
        const template = await findTemplate(db, merchant, templateId);
        if (!template) throw templateNotFound();
        return {
          template: await describeWhole({ db, merchant, caller }, template),
          ...toPreview(
            await previewTemplate({ pool: db, merchant, renderer }, { templateId, series: null, change: {} }),
            merchant,
          ),
        };
      },
    }),
  ];
}

function registerFormRoutes(scope: DashboardScope) {
  const { renderer } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /session/templates/form",
      summary: "List what a template's form offers",
      permission: "templates.manage",
      handler: async ({ db, merchant, caller }) => {
        const position = await readSeriesPosition(db, merchant, todayOf(merchant));
        const standard = await findTemplate(db, merchant, null);
        return {
          has_bank_account: ownBankAccount(merchant) !== null,
          profile: companyRecord.describe(merchant, showTo(caller)),
          next_credit_number: standard ? nextNumberOf(standard.series.credit_note, position) : null,
          next_debit_number: standard ? nextNumberOf(standard.series.debit_note, position) : null,
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /templates/preview",
      summary: "Show a template with a sample invoice, in HTML",
      once: "changes_nothing",
      permission: "templates.manage",
      body: {
        ...templateChanges,
        template_id: optional(digitsOrNumber(16)),
        prefix: optional(prefix),
        width,
        yearly: optional(flag()),
      },
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async ({ db, merchant, caller, body }) => {
        refusePrintedAccount(caller, body);
        const { template_id: id, yearly } = body;
        const document = await previewTemplate(
          { pool: db, merchant, renderer },
          {
            templateId: id === null ? null : BigInt(id),
            series: body.prefix === null ? null : { prefix: body.prefix, width: body.width, yearly: yearly ?? true },
            change: toTemplateChange(body),
          },
        );
        return toPreview(document, merchant);
      },
    }),
  ];
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids, renderer } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /templates",
      summary: "Create an invoice template",
      permission: "templates.manage",
      body: {
        ...templateChanges,
        name: templateFields.name,
        prefix,
        width,
        yearly: flag(),
        credit_prefix: creditPrefix,
        debit_prefix: debitPrefix,
        estimate_prefix: estimatePrefix,
        make_default: optional(flag()),
      },
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async ({ db, merchant, caller, body }) => {
        refusePrintedAccount(caller, body);
        const draft = toTemplateDraft({
          ...body,
          creditPrefix: body.credit_prefix,
          debitPrefix: body.debit_prefix,
          estimatePrefix: body.estimate_prefix,
          makeDefault: body.make_default ?? false,
        });
        const context = { pool: db, ids, merchant, idempotency: null, renderer };
        const template = await createTemplate(context, draft);
        return { template_id: String(template.templateId) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /templates/:template_id",
      summary: "Change an invoice template",
      permission: "templates.manage",
      params: templateParams,
      body: templateChanges,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handler: async ({ body, ...call }) => {
        refusePrintedAccount(call.caller, body);
        const change = toTemplateChange(body);
        const { db: pool, merchant, params } = call;
        const templateId = BigInt(params.template_id);
        const template = await changeTemplate({ pool, merchant, renderer }, { templateId, change });
        return { template: await describeWhole(call, template) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /templates/:template_id/default",
      summary: "Use a template by default",
      permission: "templates.manage",
      params: templateParams,
      handler: async ({ db, merchant, params }) => {
        const template = await makeDefaultTemplate({ pool: db, merchant }, BigInt(params.template_id));
        return { template_id: String(template.templateId) };
      },
    }),
  ];
}

/** @throws NodalError `access_denied` for printing an account number that the caller may not see */
function refusePrintedAccount(
  { permissions }: ApiCaller,
  body: { readonly print_bank_account: boolean | null | undefined },
): void {
  if (body.print_bank_account !== true || permissions.has("personal_data.reveal")) return;
  throw new NodalError(
    "access_denied",
    "Your role can't print the bank account, because it can't see full account numbers.",
  );
}

/** The page, and its characters that a PDF can't print. */
function toPreview(document: InvoiceDocument, merchant: Merchant) {
  const { html } = renderInvoicePage(document, { pdfUrl: "#", today: todayOf(merchant) });
  return { html, unprintable: unprintableIn(document) };
}

/** The template as lists show it. */
function describe(template: Template, position: SeriesPosition) {
  return {
    template_id: String(template.templateId),
    name: template.name,
    is_default: template.isDefault,
    next_number: nextNumberOf(template.series.invoice, position) ?? "",
    next_credit_number: nextNumberOf(template.series.credit_note, position) ?? "",
    next_debit_number: nextNumberOf(template.series.debit_note, position) ?? "",
    rows: template.defaultRows.length,
    has_logo: template.logoType !== null,
  };
}

/** The template as its form shows it. */
async function describeWhole(
  { db, merchant, caller }: Pick<MerchantCall, "db" | "merchant" | "caller">,
  template: Template,
) {
  return {
    ...describe(template, await readSeriesPosition(db, merchant, todayOf(merchant))),
    header_fields: template.headerFields,
    particular_rows: template.defaultRows,
    tax_rows: template.defaultTaxes,
    company: companyRecord.describe(companyRecord.pick(template.company), showTo(caller)),
    terms: template.terms,
    signatory: template.signatory,
    colour: template.accentColour,
    upi: template.upiHandle ?? "",
    print_bank_account: template.printsBankAccount,
  };
}
