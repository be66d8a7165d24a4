// `nodal template`: create, list, show.
// What belongs here: options and what is printed. The work is done in invoices/.
import type { Command } from "commander";
import {
  createTemplate,
  findTemplate,
  listTemplates,
  sampleInvoiceRequest,
  type NumberSeries,
  type Template,
  type TemplateDraft,
} from "../invoices/index.ts";
import { requireMerchant, todayOf } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import { digitsOrNumber, optional } from "../platform/http/fields.ts";
import { createPdfRenderer } from "../platform/pdf/renderer.ts";
import { formatTimestamp } from "../platform/time.ts";
import { createCommandLogger, onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type MerchantOption } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";
import { collectLines, namedByFlag, readTemplateOptions } from "./template-options.ts";

const SAVE_PATH = "/api/v3/merchant/invoice/save";

const CREATE_OPTIONS: readonly (readonly [string, string])[] = [
  ["--merchant <id>", "the merchant's id"],
  ["--name <text>", "name of the template"],
  ["--prefix <text>", "what invoice numbers begin with; {FY} becomes 2627 in the financial year 2026-27"],
  ["--width <n>", "least number of digits after the prefix; default: 5"],
  ["--no-yearly", "count on when a financial year ends, instead of beginning at 1"],
  ["--credit-prefix <text>", "the same for credit notes; default: the credit series of the default template"],
  ["--default-rows <file>", "JSON file with the particular_rows that an invoice begins with"],
  ["--default-taxes <file>", "JSON file with the tax_rows that an invoice begins with"],
  ["--terms <text>", "terms, printed below the invoice"],
  ["--signatory <text>", "who signs"],
  ["--upi <handle>", "UPI handle that customers can pay to"],
  ["--colour <#rrggbb>", "accent colour; default: #1f5fae"],
  ["--logo <file>", "PNG, JPEG or SVG file of at most 200 KiB and 3000 × 3000 pixels"],
  ["--company-name <text>", "printed instead of the name in the merchant's profile; likewise:"],
  ["--company-email <address>", "e-mail address"],
  ["--company-mobile <number>", "mobile number"],
  ["--company-address <text>", "street address"],
  ["--company-city <text>", "city"],
  ["--company-state <text>", "state"],
  ["--company-zipcode <digits>", "postal code"],
  ["--company-gstin <gstin>", "GSTIN"],
  ["--company-pan <pan>", "PAN"],
  ["--default", "use this template where an invoice names none"],
];

/** Adds `template` and its subcommands. */
export function registerTemplate(program: Command): void {
  const template = program.command("template").description("create, list and show a merchant's invoice templates");

  const create = template.command("create").description("create a template with a number series of its own");
  for (const [flags, description] of CREATE_OPTIONS) create.option(flags, description);
  create
    .option(
      "--header-field <name:type>",
      "field in the invoice's head, of type text, textarea, number or date; may be given several times",
      collectLines,
    )
    .addHelpText("after", example('nodal template create --merchant 1000001 --name Export --prefix "EX/{FY}/"'))
    .action(onInstallation(readTemplateOptions, createNew));

  template
    .command("list")
    .description("list a merchant's templates, the default one first")
    .option("--merchant <id>", "the merchant's id")
    .addHelpText("after", example("nodal template list --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), answerList));

  template
    .command("show")
    .description("show a template and a ready invoice/save request")
    .option("--merchant <id>", "the merchant's id")
    .option("--template <id>", "the template's id; default: the default template")
    .addHelpText("after", example("nodal template show --merchant 1000001 --json | jq .sample_request"))
    .action(onInstallation(optionsOf({ merchant: merchantId(), template: optional(digitsOrNumber(16)) }), show));
}

type CreateOptions = MerchantOption & { readonly draft: TemplateDraft };
type ShowOptions = MerchantOption & { readonly template: string | null };

async function createNew({ pool, ids, config }: Installation, options: CreateOptions): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const renderer = createPdfRenderer({ logger: createCommandLogger(config) });
  try {
    const template = await createTemplate({ pool, ids, renderer }, merchant, options.draft);
    const json = describe(template, merchant.timeZone);
    return { json, text: formatRecord(summarise(template)) };
  } catch (error) {
    throw namedByFlag(error);
  } finally {
    await renderer.close();
  }
}

async function answerList({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const templates = await listTemplates(pool, merchant);
  return {
    json: templates.map((template) => describe(template, merchant.timeZone)),
    text: formatTable(
      templates.map(summarise),
      "This merchant has no template: make one with `nodal template create`.",
    ),
  };
}

async function show({ pool }: Installation, options: ShowOptions): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const template = await findTemplate(pool, merchant, options.template === null ? null : BigInt(options.template));
  if (!template) {
    throw new NodalError(
      "not_found",
      `The merchant ${merchant.merchantId} has no such template: look its id up with \`nodal template list\`.`,
    );
  }
  const entries = describe(template, merchant.timeZone);
  const request = sampleInvoiceRequest(template, todayOf(merchant));
  return {
    json: { ...entries, sample_request: request },
    text: [
      formatRecord(Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, printable(value)]))),
      `Send this to ${SAVE_PATH}, with your keys and a customer's code filled in:`,
      JSON.stringify(request, null, 2),
    ].join("\n\n"),
  };
}

/** An entry on one line. */
function printable(value: object | string | boolean | null): string | boolean | null {
  if (typeof value === "string") return value.replaceAll("\n", " / ");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** What a list has room for. */
function summarise(template: Template) {
  return {
    template_id: String(template.templateId),
    name: template.name,
    default: template.isDefault,
    prefix: template.series.prefix,
    width: template.series.width,
    yearly: template.series.yearly,
    credit_prefix: template.creditSeries.prefix,
  };
}

function describe(template: Template, timeZone: string) {
  return {
    template_id: String(template.templateId),
    name: template.name,
    default: template.isDefault,
    series: describeSeries(template.series),
    credit_series: describeSeries(template.creditSeries),
    header_fields: template.headerFields,
    default_rows: template.defaultRows,
    default_taxes: template.defaultTaxes,
    company: template.company,
    terms: template.terms,
    signatory: template.signatory,
    accent_colour: template.accentColour,
    upi_handle: template.upiHandle,
    logo_type: template.logoType,
    created_at: formatTimestamp(template.createdAt, timeZone),
  };
}

function describeSeries({ seriesId, prefix, width, yearly }: NumberSeries) {
  return { series_id: String(seriesId), prefix, width, yearly };
}
