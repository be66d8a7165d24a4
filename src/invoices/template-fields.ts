// What may stand in a template: how each entry is checked and decoded.
// What belongs here: forms and lengths. What only the database knows is in create-template.ts.
import { decoderOf, fail, requiredField } from "../platform/http/field.ts";
import {
  email,
  gstin,
  list,
  mobile,
  money,
  object,
  oneOf,
  optional,
  optionalText,
  pan,
  percentage,
  pincode,
  requiredLines,
  requiredText,
  textOrNumber,
  upiHandle,
  wholeNumber,
  type Decoded,
  type Field,
} from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { checkHeaderLines, headerValue, MAX_HEADER_FIELDS } from "./header-field.ts";
import {
  DEFAULT_ACCENT_COLOUR,
  DEFAULT_WIDTH,
  fitsNumber,
  HEADER_FIELD_TYPES,
  type Company,
  type DefaultRow,
  type DefaultTax,
  type HeaderField,
  type TemplateDraft,
} from "./template.ts";

const MAX_ROWS = 100;
const MAX_TAXES = 50;
const MAX_TERMS_LENGTH = 2000;
const MAX_WIDTH = 12;

/** As an invoice's own rows and taxes: merchant-api.md, section 2.7. */
const row = object({
  item: optionalText(200),
  sac_code: optional(textOrNumber(20)),
  description: optionalText(2000),
  gst: optional(percentage()),
  total_amount: money({ allowZero: true }),
});
const tax = object({ name: requiredText(50), percentage: percentage(), applicable_on: money({ allowZero: true }) });
const headerMembers = { name: requiredText(100), type: oneOf(HEADER_FIELD_TYPES), value: optional(headerValue()) };

/** The entries of a template; the optional ones are `null` where nothing is given. */
export const templateFields = {
  name: requiredText(100),
  prefix: seriesPrefix(),
  width: optional(wholeNumber(1, MAX_WIDTH)),
  creditPrefix: optional(seriesPrefix()),
  headerFields: optional(list(headerField(), MAX_HEADER_FIELDS)),
  defaultRows: optional(list(row, MAX_ROWS)),
  defaultTaxes: optional(list(tax, MAX_TAXES)),
  terms: optional(requiredLines(MAX_TERMS_LENGTH)),
  signatory: optionalText(100),
  colour: optional(colour()),
  upi: optional(upiHandle()),
};

/** The details of the merchant's profile that a template may replace. */
export const companyFields: { readonly [Name in keyof Company]-?: Field<string | null> } = {
  name: optionalText(100),
  email: optional(email()),
  mobile: optional(mobile()),
  address: optionalText(500),
  city: optionalText(100),
  state: optionalText(100),
  zipcode: optional(pincode()),
  gstin: optional(gstin()),
  pan: optional(pan()),
};

type TemplateValues = { readonly [Name in keyof typeof templateFields]: Decoded<(typeof templateFields)[Name]> };
/** What the fields above do not say. */
type FurtherValues = Pick<TemplateDraft, "yearly" | "logo" | "makeDefault"> & {
  readonly company: { readonly [Name in keyof Company]: string | null };
};

/** Turns decoded entries into the template to create, with what is usual where nothing is given. */
export function toTemplateDraft(values: TemplateValues & FurtherValues): TemplateDraft {
  return {
    name: values.name,
    prefix: values.prefix,
    width: values.width ?? DEFAULT_WIDTH,
    yearly: values.yearly,
    creditPrefix: values.creditPrefix,
    headerFields: (values.headerFields ?? []).map(toHeaderField),
    defaultRows: (values.defaultRows ?? []).map(toDefaultRow),
    defaultTaxes: (values.defaultTaxes ?? []).map(toDefaultTax),
    company: Object.fromEntries(Object.entries(values.company).filter(([, value]) => value !== null)),
    terms: values.terms ?? "",
    signatory: values.signatory ?? "",
    accentColour: values.colour ?? DEFAULT_ACCENT_COLOUR,
    upiHandle: values.upi,
    logo: values.logo,
    makeDefault: values.makeDefault,
  };
}

function toHeaderField({ name, type, value }: Decoded<ReturnType<typeof headerField>>, index: number): HeaderField {
  return { id: String(index + 1), name, type, value: value ?? "" };
}

function toDefaultRow(given: Decoded<typeof row>): DefaultRow {
  return {
    item: given.item ?? "",
    sac_code: given.sac_code ?? "",
    description: given.description ?? "",
    // Rates are hundredths of a percent, which are written as paise are.
    gst: formatPaise(given.gst ?? 0n),
    total_amount: formatPaise(given.total_amount),
  };
}

function toDefaultTax(given: Decoded<typeof tax>): DefaultTax {
  return {
    name: given.name,
    percentage: formatPaise(given.percentage),
    applicable_on: formatPaise(given.applicable_on),
  };
}

/** A field of the head. Its id comes from its place in the template. */
function headerField() {
  const members = object(headerMembers);
  const decodeMembers = decoderOf(members);
  return requiredField({ ...members }, "an object", (given, path, errors) => {
    const decoded = decodeMembers(given, path, errors);
    checkHeaderLines({ type: decoded.type, value: decoded.value ?? "" }, path, errors);
    return decoded;
  });
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
