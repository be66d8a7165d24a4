// `nodal template`: a merchant's invoice templates.
import { sampleInvoiceRequest } from "../documents/index.ts";
import {
  createTemplate,
  findTemplate,
  listTemplates,
  LOGO_MAX_BYTES,
  readLogo,
  seriesFields,
  templateFields,
  toTemplateDraft,
  type GivenLogo,
  type NumberSeries,
  type Template,
} from "../invoices/index.ts";
import { companyRecord, todayOf } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import { fail, readOnlyField } from "../platform/http/field.ts";
import { optional, type Field } from "../platform/http/fields.ts";
import { describeMember } from "../platform/json.ts";
import { findRepeatedMember } from "../platform/json-scan.ts";
import { formatTimestamp } from "../platform/time.ts";
import { flag, group, id, ifGiven, merchantCommand, option } from "./command.ts";
import { fromText, readGivenFile, type Reading } from "./given-file.ts";
import { withRenderer } from "./invoice-options.ts";
import { memberOptions, memberValues } from "./member-options.ts";
import { formatRecord, formatTable, paragraphs } from "./output.ts";

const SAVE_PATH = "/api/v3/merchant/invoice/save";
/** Far more than a template's largest rows. */
const JSON_MAX_BYTES = 1024 * 1024;

const OPTIONS = {
  name: option("<text>", "name of the template", templateFields.name),
  prefix: option(
    "<text>",
    "prefix of invoice numbers; {FY} becomes 2627 in the financial year 2026-27",
    seriesFields.prefix,
  ),
  width: option("<n>", "minimum digits after the prefix; default: 5", seriesFields.width),
  yearly: {
    description: "keep counting across financial years, instead of restarting at 1",
    field: readOnlyField<boolean>({ type: "boolean" }, "given or not", (value) => value === true),
    isNegated: true,
  },
  creditPrefix: option(
    "<text>",
    "prefix of credit note numbers; default: that of the default template",
    seriesFields.creditPrefix,
  ),
  debitPrefix: option(
    "<text>",
    "prefix of debit note numbers; default: that of the default template",
    seriesFields.debitPrefix,
  ),
  estimatePrefix: option(
    "<text>",
    "prefix of estimate numbers; default: that of the default template",
    seriesFields.estimatePrefix,
  ),
  defaultRows: option(
    "<file>",
    "JSON file with the default particular_rows of an invoice",
    fromText(templateFields.particular_rows, readJsonFile),
  ),
  defaultTaxes: option(
    "<file>",
    "JSON file with the default tax_rows of an invoice",
    fromText(templateFields.tax_rows, readJsonFile),
  ),
  terms: option("<text>", "terms, printed below the invoice", templateFields.terms),
  signatory: option("<text>", "name of the signatory", templateFields.signatory),
  colour: option("<#rrggbb>", "accent colour; default: #1f5fae", templateFields.colour),
  upi: option("<handle>", "UPI handle for customers' payments", templateFields.upi),
  printBankAccount: flag("print the merchant's bank account on unpaid invoices"),
  logo: option("<file>", "PNG, JPEG or SVG file of at most 200 KiB and 3000 × 3000 pixels", optional(logoFile())),
  ...memberOptions(
    companyRecord.members,
    companyRecord.fields,
    "company_",
    (help) => `printed instead of the profile's: ${help}`,
  ),
  default: flag("use this template if an invoice names none"),
  headerField: option(
    "<name:type>",
    "header field, of type text, textarea, number or date; can be repeated",
    fromText(templateFields.header_fields, readHeaderFields),
    { isRepeated: true },
  ),
} as const;

const create = merchantCommand({
  description: "create a template with its own number series",
  example: '--name Export --prefix "EX/{FY}/"',
  options: OPTIONS,
  async run(scope, { default: isDefault, ...values }) {
    const company = memberValues(companyRecord.members, values, "company_");
    const draft = toTemplateDraft({
      ...values,
      header_fields: values.headerField,
      particular_rows: values.defaultRows,
      tax_rows: values.defaultTaxes,
      print_bank_account: values.printBankAccount,
      makeDefault: isDefault ?? false,
      company,
    });
    const template = await withRenderer(scope.config, (renderer) => createTemplate({ ...scope, renderer }, draft));
    return { json: describe(template, scope.merchant.timeZone), text: formatRecord(summarise(template)) };
  },
});

const list = merchantCommand({
  description: "list a merchant's templates, the default one first",
  async run({ pool, merchant }) {
    const templates = await listTemplates(pool, merchant);
    const whenEmpty = "This merchant has no templates: create one with `nodal template create`.";
    return {
      json: templates.map((template) => describe(template, merchant.timeZone)),
      text: formatTable(templates.map(summarise), whenEmpty),
    };
  },
});

const show = merchantCommand({
  description: "show a template and a sample invoice/save request",
  example: "--json | jq .sample_request",
  options: {
    template: ifGiven(
      id("a template's id, which `nodal template list` shows"),
      "the template's id; default: the default template",
    ),
  },
  async run({ pool, merchant }, options) {
    const template = await findTemplate(pool, merchant, options.template);
    if (!template) {
      throw new NodalError(
        "not_found",
        `The merchant ${merchant.merchantId} has no such template: see \`nodal template list\`.`,
      );
    }
    const entries = describe(template, merchant.timeZone);
    const request = sampleInvoiceRequest(template, todayOf(merchant));
    return {
      json: { ...entries, sample_request: request },
      text: paragraphs(
        formatRecord(Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, printable(value)]))),
        `Send this to ${SAVE_PATH}, with your keys and a customer's code filled in:`,
        JSON.stringify(request, null, 2),
      ),
    };
  },
});

export const templateCommands = group("create, list and show a merchant's invoice templates", { create, list, show });

/** Header fields, one per line: `PO date:date`. A name may contain a colon, a type can't. */
function readHeaderFields(text: string): Reading<unknown> {
  const parts = text.split("\n").map((line) => /^(?<name>.*):(?<type>[^:]*)$/.exec(line)?.groups);
  if (parts.every((part) => part !== undefined)) return { value: parts };
  return { mustBe: 'of the form "Name:type", such as "PO date:date"' };
}

/** The JSON value in a file. */
function readJsonFile(path: string): Reading<unknown> {
  const file = readGivenFile(path, JSON_MAX_BYTES);
  if ("mustBe" in file) return file;
  try {
    const value = JSON.parse(file.value.toString("utf8")) as unknown;
    const repeated = findRepeatedMember(file.value);
    if (repeated === null) return { value };
    return { mustBe: `the path of a JSON file; ${path} has ${describeMember(repeated)} more than once in one object` };
  } catch {
    return { mustBe: `the path of a JSON file; ${path} is not one` };
  }
}

function logoFile(): Field<GivenLogo> {
  return readOnlyField({ type: "string" }, "the path of an image", (path, name, errors) => {
    const file = readGivenFile(String(path), LOGO_MAX_BYTES);
    const logo = "value" in file ? readLogo(file.value) : `be ${file.mustBe}.`;
    if (typeof logo !== "string") return logo;
    fail(errors, name, "invalid", `must ${logo}`);
    return { mimeType: "image/png", bytes: new Uint8Array() };
  });
}

/** An entry on one line. */
function printable(value: object | string | boolean | null): string | boolean | null {
  if (typeof value === "string") return value.replaceAll("\n", " / ");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** The columns of the list. */
function summarise(template: Template) {
  return {
    template_id: String(template.templateId),
    name: template.name,
    default: template.isDefault,
    prefix: template.series.invoice.prefix,
    width: template.series.invoice.width,
    yearly: template.series.invoice.yearly,
    credit_prefix: template.series.credit_note.prefix,
    debit_prefix: template.series.debit_note.prefix,
  };
}

function describe(template: Template, timeZone: string) {
  return {
    template_id: String(template.templateId),
    name: template.name,
    default: template.isDefault,
    series: describeSeries(template.series.invoice),
    credit_series: describeSeries(template.series.credit_note),
    header_fields: template.headerFields,
    default_rows: template.defaultRows,
    default_taxes: template.defaultTaxes,
    company: template.company,
    terms: template.terms,
    signatory: template.signatory,
    accent_colour: template.accentColour,
    upi_handle: template.upiHandle,
    prints_bank_account: template.printsBankAccount,
    logo_type: template.logoType,
    created_at: formatTimestamp(template.createdAt, timeZone),
  };
}

function describeSeries({ seriesId, prefix, width, yearly }: NumberSeries) {
  return { series_id: String(seriesId), prefix, width, yearly };
}
