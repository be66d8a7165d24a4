// The options of `nodal template create`: what commander hands over, as a draft of a template.
// What belongs here: reading options and the files that they name. The rules are in invoices/.
import { readFileSync, statSync } from "node:fs";
import {
  checkTemplateDraft,
  companyFields,
  LOGO_MAX_BYTES,
  readLogo,
  seriesFields,
  templateFields,
  toTemplateDraft,
  type GivenLogo,
  type TemplateDraft,
} from "../invoices/index.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { decoderOf, fail, requiredField } from "../platform/http/field.ts";
import { optional, type Field } from "../platform/http/fields.ts";
import { merchantId, optionsOf, type GivenOptions, type MerchantOption } from "./options.ts";

/** Far more than the largest rows that a template takes. */
const JSON_MAX_BYTES = 1024 * 1024;

const { headerFields, defaultRows, defaultTaxes, ...plainFields } = templateFields;

const readOptions = optionsOf({
  merchant: merchantId(),
  ...plainFields,
  ...seriesFields,
  headerField: fromText(headerFields, readHeaderFields),
  defaultRows: fromText(defaultRows, readJsonFile),
  defaultTaxes: fromText(defaultTaxes, readJsonFile),
  logo: optional(logoFile()),
  companyName: companyFields.name,
  companyEmail: companyFields.email,
  companyMobile: companyFields.mobile,
  companyAddress: companyFields.address,
  companyCity: companyFields.city,
  companyState: companyFields.state,
  companyZipcode: companyFields.zipcode,
  companyGstin: companyFields.gstin,
  companyPan: companyFields.pan,
});

/** Several values of one option, which commander hands over one by one, as lines of one text. */
export function collectLines(value: string, before?: string): string {
  return before === undefined ? value : `${before}\n${value}`;
}

/**
 * Reads and checks the options of a new template.
 * @throws NodalError `validation_failed` with every failing option, named by its flag
 */
export function readTemplateOptions(given: GivenOptions): MerchantOption & { readonly draft: TemplateDraft } {
  const values = readOptions(given);
  const draft = toTemplateDraft({
    ...values,
    headerFields: values.headerField,
    yearly: given["yearly"] === true,
    makeDefault: given["default"] === true,
    company: {
      name: values.companyName,
      email: values.companyEmail,
      mobile: values.companyMobile,
      address: values.companyAddress,
      city: values.companyCity,
      state: values.companyState,
      zipcode: values.companyZipcode,
      gstin: values.companyGstin,
      pan: values.companyPan,
    },
  });
  try {
    checkTemplateDraft(draft);
  } catch (error) {
    throw namedByFlag(error);
  }
  return { merchant: values.merchant, draft };
}

/** An error of the use case, whose fields are named as in JSON, with the fields named by their flags. */
export function namedByFlag(error: unknown): unknown {
  if (!(error instanceof NodalError) || error.code !== "validation_failed") return error;
  return validationError(
    error.errors.map(({ field, code, message }): FieldError => {
      const flag = `--${field.replaceAll("_", "-")}`;
      return { field: flag, code, message: `${flag}${message.slice(field.length)}` };
    }),
  );
}

/** A value, or what an option must be instead. */
type Reading<T> = { readonly value: T } | { readonly mustBe: string };

/** A field whose value is read from an option's text. */
function fromText<T>(field: Field<T | null>, read: (text: string) => Reading<unknown>): Field<T | null> {
  const decode = decoderOf(field);
  const decodeText = requiredField<T | null>({ type: "string" }, "text", (text, path, errors) => {
    const reading = read(String(text));
    if ("value" in reading) return decode(reading.value, path, errors);
    fail(errors, path, "invalid", `must be ${reading.mustBe}.`);
    return null;
  });
  return optional(decodeText);
}

/** Header fields, one a line: `PO date:date`. A name may hold a colon, a type holds none. */
function readHeaderFields(text: string): Reading<unknown> {
  const parts = text.split("\n").map((line) => /^(?<name>.*):(?<type>[^:]*)$/.exec(line)?.groups);
  if (parts.every((part) => part !== undefined)) return { value: parts };
  return { mustBe: 'of the form "Name:type", such as "PO date:date"' };
}

/** The JSON value in a file. */
function readJsonFile(path: string): Reading<unknown> {
  const file = readSmallFile(path, JSON_MAX_BYTES);
  if ("mustBe" in file) return file;
  try {
    return { value: JSON.parse(file.value.toString("utf8")) as unknown };
  } catch {
    return { mustBe: `the path of a JSON file, and ${path} is none` };
  }
}

function logoFile(): Field<GivenLogo> {
  return requiredField({ type: "string" }, "the path of an image", (path, name, errors) => {
    const file = readSmallFile(String(path), LOGO_MAX_BYTES);
    const logo = "value" in file ? readLogo(file.value) : `be ${file.mustBe}.`;
    if (typeof logo !== "string") return logo;
    fail(errors, name, "invalid", `must ${logo}`);
    return { mimeType: "image/png", bytes: new Uint8Array() };
  });
}

/** The bytes of a file. Its size is looked at first: anything may be named by mistake. */
function readSmallFile(path: string, maxBytes: number): Reading<Buffer> {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { mustBe: `the path of a file, and ${path} is none` };
    if (found.size > maxBytes) return { mustBe: `a file of at most ${maxBytes / 1024} KiB` };
    return { value: readFileSync(path) };
  } catch (error) {
    return { mustBe: `the path of a file that can be read: ${(error as Error).message}` };
  }
}
