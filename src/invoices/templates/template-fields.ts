// The fields of a template: validation and decoding; header fields also of an invoice (docs/rules/invoicing.md#header-fields).
// save-template.ts checks what depends on the database.
import { companyRecord } from "../../merchants/index.ts";
import type { FieldError } from "../../platform/errors.ts";
import { decoderOf, encoderOf, fail, requiredField, type Decode, type Field } from "../../platform/http/field.ts";
import {
  digitsOrNumber,
  flag,
  ifSent,
  list,
  money,
  object,
  oneOf,
  optional,
  optionalText,
  requiredLines,
  requiredText,
  text,
  upiHandle,
  wholeNumber,
  type Decoded,
} from "../../platform/http/fields.ts";
import { taxPercentage } from "../../platform/http/tax-fields.ts";
import { formatPaise } from "../../platform/money.ts";
import { lineField, toTemplateLine } from "../lines/line-forms.ts";
import { namesInvoiceNumber } from "../numbers/number-series.ts";
import { LOGO_MAX_BYTES, readLogo } from "./template-logo.ts";
import {
  applyChange,
  DEFAULT_ACCENT_COLOUR,
  DEFAULT_WIDTH,
  EMPTY_CONTENT,
  fitsNumber,
  HEADER_FIELD_TYPES,
  type ChangedHeaderField,
  type DefaultTax,
  type GivenLogo,
  type TemplateChange,
  type TemplateContent,
  type TemplateDraft,
} from "./template.ts";

const MAX_ROWS = 100;
const MAX_TAXES = 50;
const MAX_TERMS_LENGTH = 2000;
const MAX_WIDTH = 12;
export const MAX_HEADER_FIELDS = 50;
const MAX_VALUE_LENGTH = 500;

const tax = object({ name: requiredText(50), percentage: taxPercentage(), applicable_on: money({ allowZero: true }) });
const headerMembers = {
  id: optional(digitsOrNumber(9)),
  name: requiredText(100),
  type: oneOf(HEADER_FIELD_TYPES),
  value: optional(headerValue()),
};

/** The numbering of a template, which can't change. */
export const seriesFields = {
  prefix: seriesPrefix(),
  width: optional(wholeNumber(1, MAX_WIDTH)),
  creditPrefix: optional(seriesPrefix()),
  debitPrefix: optional(seriesPrefix()),
  estimatePrefix: optional(seriesPrefix()),
};

type Entry<T> = {
  readonly property: keyof TemplateContent;
  /** In requests; a missing optional one is `null`. */
  readonly field: Field<T>;
  /** The stored value. */
  readonly read: (value: T) => unknown;
};

function entry<T, Property extends keyof TemplateContent>(
  property: Property,
  field: Field<T>,
  read: (value: T) => TemplateChange[Property],
): Entry<T> {
  return { property, field, read };
}

/** The changeable members of a template, by their names in requests. */
const CONTENT = {
  name: entry("name", requiredText(100), (name) => name),
  header_fields: entry("headerFields", optional(list(headerField(), MAX_HEADER_FIELDS, 0)), (fields) =>
    (fields ?? []).map(toHeaderField),
  ),
  particular_rows: entry("defaultRows", optional(list(lineField, MAX_ROWS, 0)), (rows) =>
    (rows ?? []).map(toTemplateLine),
  ),
  tax_rows: entry("defaultTaxes", optional(list(tax, MAX_TAXES, 0)), (taxes) => (taxes ?? []).map(toDefaultTax)),
  terms: entry("terms", optional(requiredLines(MAX_TERMS_LENGTH)), (terms) => terms ?? ""),
  signatory: entry("signatory", optionalText(100), (signatory) => signatory ?? ""),
  colour: entry("accentColour", optional(colour()), (given) => given ?? DEFAULT_ACCENT_COLOUR),
  upi: entry("upiHandle", optional(upiHandle()), (handle) => handle),
  print_bank_account: entry("printsBankAccount", optional(flag()), (given) => given ?? false),
};
type ContentName = keyof typeof CONTENT;
const NAMES = Object.keys(CONTENT) as ContentName[];

/** The fields of a new template. */
export const templateFields = Object.fromEntries(NAMES.map((name) => [name, CONTENT[name].field])) as {
  readonly [Name in ContentName]: (typeof CONTENT)[Name]["field"];
};

/** The fields of a change, with the company's details and the logo: missing ones don't change. */
export const templateChanges = {
  ...(Object.fromEntries(NAMES.map((name) => [name, ifSent(CONTENT[name].field as Field<unknown>)])) as {
    readonly [Name in ContentName]: Field<Decoded<(typeof templateFields)[Name]> | undefined>;
  }),
  company: ifSent(object(companyRecord.changes)),
  logo: ifSent(optional(logoText())),
};

type SeriesFields = typeof seriesFields;
/** Decoded entries of a change; `undefined` ones were not sent. */
type ChangeValues = { readonly [Name in ContentName]?: Decoded<(typeof templateFields)[Name]> | undefined } & Pick<
  TemplateChange,
  "company" | "logo"
>;
type TemplateValues = ChangeValues &
  Pick<TemplateDraft, "name" | "yearly" | "makeDefault"> & {
    readonly [Name in keyof SeriesFields]: Decoded<SeriesFields[Name]>;
  };

/** Turns decoded entries into the template to create, with defaults for missing ones. */
export function toTemplateDraft(values: TemplateValues): TemplateDraft {
  return {
    ...applyChange(EMPTY_CONTENT, toTemplateChange(values)),
    name: values.name,
    prefix: values.prefix,
    width: values.width ?? DEFAULT_WIDTH,
    yearly: values.yearly,
    creditPrefix: values.creditPrefix,
    debitPrefix: values.debitPrefix,
    estimatePrefix: values.estimatePrefix,
    logo: values.logo ?? null,
    makeDefault: values.makeDefault,
  };
}

/** Turns decoded entries into a change. */
export function toTemplateChange(values: ChangeValues): TemplateChange {
  const sent = NAMES.filter((name) => values[name] !== undefined);
  const content = sent.map((name) => {
    const { property, read } = CONTENT[name] as Entry<unknown>;
    return [property, read(values[name])];
  });
  return { ...(Object.fromEntries(content) as TemplateChange), company: values.company, logo: values.logo };
}

function toHeaderField({ id, name, type, value }: Decoded<ReturnType<typeof headerField>>): ChangedHeaderField {
  return { id, name, type, value: value ?? "" };
}

function toDefaultTax(given: Decoded<typeof tax>): DefaultTax {
  return {
    name: given.name,
    percentage: given.percentage,
    applicable_on: formatPaise(given.applicable_on),
  };
}

/** A header field. It has an id if the template already has it. */
function headerField() {
  const members = object(headerMembers);
  const decodeMembers = decoderOf(members);
  const decode: Decode<Decoded<typeof members>> = (given, path, errors) => {
    const decoded = decodeMembers(given, path, errors);
    checkHeaderLines({ type: decoded.type, value: decoded.value ?? "" }, path, errors);
    if (namesInvoiceNumber(decoded.name ?? "") && decoded.value) {
      const problem = "must be empty: as a default, every invoice would get the same number.";
      fail(errors, `${path}.value`, "not_allowed", problem);
    }
    return decoded;
  };
  return requiredField({ ...members }, "an object", decode, { encode: encoderOf(members) });
}

/** A logo as base64. */
export function logoText(): Field<GivenLogo> {
  const pattern = /^[A-Za-z0-9+/]*={0,2}$/;
  const maxLength = Math.ceil(LOGO_MAX_BYTES / 3) * 4;
  const schema = { type: "string", contentEncoding: "base64", pattern: pattern.source, maxLength };
  const decode: Decode<GivenLogo> = (given, path, errors) => {
    const isText = typeof given === "string" && pattern.test(given);
    const logo = isText ? readLogo(Buffer.from(given, "base64")) : "be an image in base64.";
    if (typeof logo !== "string") return logo;
    fail(errors, path, "invalid", `must ${logo}`);
    return { mimeType: "image/png", bytes: new Uint8Array() };
  };
  const encode = ({ bytes }: GivenLogo): string => Buffer.from(bytes).toString("base64");
  return requiredField(schema, "an image in base64", decode, { encode });
}

/** The prefix of a number series. It doesn't end in a digit, so that the counter is the last digits of every number. */
function seriesPrefix(): Field<string> {
  const hint =
    "1 to 15 letters, digits, - and / that do not end in a digit, where {FY} stands for the 4 digits of a financial year";
  const pattern = /^(?:[A-Za-z0-9/-]|\{FY\})*[A-Za-z/-]$/;
  return requiredField({ type: "string", pattern: pattern.source, maxLength: 15 }, hint, (value, path, errors) => {
    const prefix = typeof value === "string" ? value.trim() : "";
    if (pattern.test(prefix) && fitsNumber(prefix, 1)) return prefix;
    fail(errors, path, "invalid", `must be ${hint}.`);
    return "";
  });
}

/** A colour, in either case. */
function colour(): Field<string> {
  const hint = "a colour of the form #rrggbb, such as #1f5fae";
  const pattern = /^#[0-9A-Fa-f]{6}$/;
  return requiredField({ type: "string", pattern: pattern.source, maxLength: 7 }, hint, (value, path, errors) => {
    const text = typeof value === "string" ? value.trim() : "";
    if (pattern.test(text)) return text.toLowerCase();
    fail(errors, path, "invalid", `must be ${hint}.`);
    return "";
  });
}

/** A value before its field's type is checked: text that may have line breaks, or a whole number as its digits. */
export function headerValue(): Field<string> {
  const hint = `text of 1 to ${MAX_VALUE_LENGTH} characters`;
  return text({ hint, maxLength: MAX_VALUE_LENGTH, takesNumber: true, takesLines: true });
}

/** Adds an error for several lines in a field whose type has one. `path` is the field's. */
export function checkHeaderLines(
  { type, value }: { readonly type: string; readonly value: string },
  path: string,
  errors: FieldError[],
): void {
  if (type === "textarea" || !value.includes("\n")) return;
  const message = "must be one line of text, unless the field's type is textarea; remove its line breaks.";
  fail(errors, `${path}.value`, "invalid", message);
}
