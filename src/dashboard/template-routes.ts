// Routes of invoice templates: the list, one with what an invoice from it looks like, new ones, and changes of looks.
// What belongs here: wire shapes, no logic.
import {
  changeLogo,
  changeTemplate,
  companyFields,
  createTemplate,
  DEFAULT_ACCENT_COLOUR,
  findTemplate,
  listTemplates,
  LOGO_MAX_BYTES,
  makeDefaultTemplate,
  nextNumberOf,
  previewInvoice,
  readLogo,
  readSeriesPosition,
  renderInvoicePage,
  sampleInput,
  templateFields,
  templateNotFound,
  toTemplateDraft,
  type SeriesPosition,
  type Template,
} from "../invoices/index.ts";
import { todayOf } from "../merchants/index.ts";
import { validationError } from "../platform/errors.ts";
import { digitsOrNumber, flag, optional } from "../platform/http/fields.ts";
import { fileOf, withFileBodies } from "./file-body.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/svg+xml", "application/octet-stream"];
const templateParams = { template_id: digitsOrNumber(16) };
const { name, prefix, width, terms, signatory, colour, upi } = templateFields;
/** All of it is as in the profile. */
const NO_COMPANY = Object.fromEntries(Object.keys(companyFields).map((member) => [member, null])) as Record<
  keyof typeof companyFields,
  null
>;
const LOOKS = { name, terms, signatory, colour, upi };

/** Adds the routes of templates. */
export function registerTemplateRoutes(scope: DashboardScope): void {
  registerReadRoutes(scope);
  registerWriteRoutes(scope);
  registerLogoRoutes(scope);
}

function registerReadRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/templates",
    permission: "templates.view",
    handler: async ({ db, merchant }) => {
      const position = await readSeriesPosition(db, merchant, todayOf(merchant));
      return { templates: (await listTemplates(db, merchant)).map((template) => describe(template, position)) };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/templates/:template_id",
    permission: "templates.view",
    params: templateParams,
    handler: async ({ db, merchant, params }) => {
      const template = await findTemplate(db, merchant, BigInt(params.template_id));
      if (!template) throw templateNotFound();
      const today = todayOf(merchant);
      const position = await readSeriesPosition(db, merchant, today);
      const input = sampleInput(template, today);
      const { document } = await previewInvoice(db, merchant, {
        templateId: template.templateId,
        invoiceId: null,
        input,
      });
      const number = nextNumberOf(template.series, position);
      return {
        template: describe(template, position),
        html: renderInvoicePage({ ...document, number }, { pdfUrl: "#", today }).html,
      };
    },
  });
}

function registerWriteRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "POST",
    url: "/templates",
    permission: "templates.manage",
    body: {
      ...LOOKS,
      prefix,
      width,
      yearly: flag(),
      credit_prefix: templateFields.creditPrefix,
      header_fields: templateFields.headerFields,
      default_rows: templateFields.defaultRows,
      default_taxes: templateFields.defaultTaxes,
      make_default: optional(flag()),
    },
    handler: async ({ db, merchant, body }) => {
      const draft = toTemplateDraft({
        ...body,
        creditPrefix: body.credit_prefix,
        headerFields: body.header_fields,
        defaultRows: body.default_rows,
        defaultTaxes: body.default_taxes,
        makeDefault: body.make_default ?? false,
        company: NO_COMPANY,
        logo: null,
      });
      const template = await createTemplate(db, scope.parts.ids, merchant, draft);
      return { template_id: String(template.templateId) };
    },
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/templates/:template_id",
    permission: "templates.manage",
    params: templateParams,
    body: LOOKS,
    handler: async ({ db, body, ...call }) => {
      const template = await changeTemplate(db, keyOf(call), {
        name: body.name,
        terms: body.terms ?? "",
        signatory: body.signatory ?? "",
        accentColour: body.colour ?? DEFAULT_ACCENT_COLOUR,
        upiHandle: body.upi,
      });
      return { template_id: String(template.templateId) };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/templates/:template_id/default",
    permission: "templates.manage",
    params: templateParams,
    handler: async ({ db, ...call }) => {
      const template = await makeDefaultTemplate(db, keyOf(call));
      return { template_id: String(template.templateId) };
    },
  });
}

function registerLogoRoutes(scope: DashboardScope): void {
  withFileBodies(scope, IMAGE_TYPES, (inner) => {
    dashboardRoute(inner, {
      method: "POST",
      url: "/templates/:template_id/logo",
      permission: "templates.manage",
      params: templateParams,
      bodyLimitBytes: LOGO_MAX_BYTES,
      handler: async ({ db, request, ...call }) => {
        const logo = readLogo(fileOf(request.body));
        if (typeof logo === "string") {
          throw validationError([{ field: "logo", code: "invalid", message: `logo must ${logo}` }]);
        }
        await changeLogo(db, keyOf(call), logo);
        return { done: true };
      },
    });
  });

  dashboardRoute(scope, {
    method: "DELETE",
    url: "/templates/:template_id/logo",
    permission: "templates.manage",
    params: templateParams,
    handler: async ({ db, ...call }) => {
      await changeLogo(db, keyOf(call), null);
      return { done: true };
    },
  });
}

function keyOf({ merchant, params }: Pick<MerchantCall, "merchant"> & { readonly params: { template_id: string } }) {
  return { bucket: merchant.bucket, merchantId: merchant.merchantId, templateId: BigInt(params.template_id) };
}

function describe(template: Template, position: SeriesPosition) {
  const { series, creditSeries } = template;
  return {
    template_id: String(template.templateId),
    name: template.name,
    is_default: template.isDefault,
    prefix: series.prefix,
    width: series.width,
    yearly: series.yearly,
    next_number: nextNumberOf(series, position) ?? "",
    next_credit_number: nextNumberOf(creditSeries, position) ?? "",
    header_fields: template.headerFields,
    rows: template.defaultRows.length,
    terms: template.terms,
    signatory: template.signatory,
    colour: template.accentColour,
    upi: template.upiHandle ?? "",
    has_logo: template.logoType !== null,
  };
}
