// What may stand in a template: how each entry is checked and decoded; a header field also in an invoice
// (docs/rules/invoicing.md#header-fields). What only the database knows is in save-template.ts.
import type { FieldError } from "../../platform/errors.ts";
import { decoderOf, encoderOf, fail, requiredField, type Decode, type Field } from "../../platform/http/field.ts";
import {
  digitsOrNumber,
  flag,
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
  type TemplateDraft,
} from "./template.ts";

const MAX_ROWS = 100;
const MAX_TAXES = 50;
const MAX_TERMS_LENGTH = 2000;
const MAX_WIDTH = 12;
export const MAX_HEADER_FIELDS = 50;
/** Of a header field. */
const MAX_VALUE_LENGTH = 500;

const tax = object({ name: requiredText(50), percentage: taxPercentage(), applicable_on: money({ allowZero: true }) });
const headerMembers = {
  id: optional(digitsOrNumber(9)),
  name: requiredText(100),
  type: oneOf(HEADER_FIELD_TYPES),
  value: optional(headerValue()),
};

/** How a template is numbered, which stays. */
export const seriesFields = {
  prefix: seriesPrefix(),
  width: optional(wholeNumber(1, MAX_WIDTH)),
  creditPrefix: optional(seriesPrefix()),
};

/** The entries of a template that may change; the optional ones are `null` where nothing is given. */
export const templateFields = {
  name: requiredText(100),
  headerFields: optional(list(headerField(), MAX_HEADER_FIELDS, 0)),
  defaultRows: optional(list(lineField, MAX_ROWS, 0)),
  defaultTaxes: optional(list(tax, MAX_TAXES, 0)),
  terms: optional(requiredLines(MAX_TERMS_LENGTH)),
  signatory: optionalText(100),
  colour: optional(colour()),
  upi: optional(upiHandle()),
  printBankAccount: optional(flag()),
};

type ContentFields = typeof templateFields;
type SeriesFields = typeof seriesFields;
/** Decoded entries of a change; what is `undefined` was not sent. */
type ChangeValues = { readonly [Name in keyof ContentFields]?: Decoded<ContentFields[Name]> | undefined } & Pick<
  TemplateChange,
  "company" | "logo"
>;
type TemplateValues = ChangeValues &
  Pick<TemplateDraft, "name" | "yearly" | "makeDefault"> & {
    readonly [Name in keyof SeriesFields]: Decoded<SeriesFields[Name]>;
  };

/** Turns decoded entries into the template to create, with what is usual where nothing is given. */
export function toTemplateDraft(values: TemplateValues): TemplateDraft {
  return {
    ...applyChange(EMPTY_CONTENT, toTemplateChange(values)),
    name: values.name,
    prefix: values.prefix,
    width: values.width ?? DEFAULT_WIDTH,
    yearly: values.yearly,
    creditPrefix: values.creditPrefix,
    logo: values.logo ?? null,
    makeDefault: values.makeDefault,
  };
}

/** Turns decoded entries into the change that they ask for. */
export function toTemplateChange(values: ChangeValues): TemplateChange {
  return {
    name: values.name,
    headerFields: ifGiven(values.headerFields, (fields) => (fields ?? []).map(toHeaderField)),
    defaultRows: ifGiven(values.defaultRows, (rows) => (rows ?? []).map(toTemplateLine)),
    defaultTaxes: ifGiven(values.defaultTaxes, (taxes) => (taxes ?? []).map(toDefaultTax)),
    company: values.company,
    terms: ifGiven(values.terms, (terms) => terms ?? ""),
    signatory: ifGiven(values.signatory, (signatory) => signatory ?? ""),
    accentColour: ifGiven(values.colour, (given) => given ?? DEFAULT_ACCENT_COLOUR),
    upiHandle: values.upi,
    printsBankAccount: ifGiven(values.printBankAccount, (given) => given ?? false),
    logo: values.logo,
  };
}

function ifGiven<T, U>(value: T | undefined, turn: (value: T) => U): U | undefined {
  return value === undefined ? undefined : turn(value);
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

/** A field of the head. It bears an id where it is one that the template has. */
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

/** A logo as the text of its bytes in base64. */
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

/** The prefix of a number series. It ends in no digit, so that the counter is the last digits of every number. */
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

/** A colour, taken in either case. */
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

/** A value before its field's type is looked at: text that may have line breaks, or a whole number as its digits. */
export function headerValue(): Field<string> {
  const hint = `text of 1 to ${MAX_VALUE_LENGTH} characters`;
  return text({ hint, maxLength: MAX_VALUE_LENGTH, takesNumber: true, takesLines: true });
}

/** Adds to `errors` that a field has several lines whose type has one. `path` is the field's. */
export function checkHeaderLines(
  { type, value }: { readonly type: string; readonly value: string },
  path: string,
  errors: FieldError[],
): void {
  if (type === "textarea" || !value.includes("\n")) return;
  const message = "must be one line of text, unless the field's type is textarea; remove its line breaks.";
  fail(errors, `${path}.value`, "invalid", message);
}
