// Invoice templates: an invoice's initial content, numbering and printed form. Saving an invoice reads its template, so templates
// may not import invoices; src/documents prints them.
import type { companyRecord, MerchantKey } from "../../merchants/index.ts";
import type { Picture, PictureType } from "../../platform/pdf/messages.ts";
import type { SeriesName } from "../document-kind.ts";
import type { WireLine } from "../lines/line.ts";
import { writeNumber, type NumberSeries } from "../numbers/number-series.ts";

/** The types of a header field that a template may have. */
export const HEADER_FIELD_TYPES = ["text", "textarea", "number", "date"] as const;

/** A field in an invoice's head, with its default value. */
export type HeaderField = {
  /** Unique in the template. */
  readonly id: string;
  readonly name: string;
  readonly type: (typeof HEADER_FIELD_TYPES)[number];
  readonly value: string;
};

/** A default tax of invoices, as in the API. */
export type DefaultTax = { readonly name: string; readonly percentage: string; readonly applicable_on: string };

/** Printed instead of the merchant's profile. Missing members are as in the profile. */
export type Company = Partial<typeof companyRecord.blank>;

/** A logo as sent: checked, not yet drawn. */
export type GivenLogo = Picture;
/** A logo as stored and shown: a bitmap of limited size, drawn by Nodal itself. */
export type Logo = { readonly mimeType: "image/png"; readonly bytes: Uint8Array };

/** A template without its logo's bytes, which only rendering needs. */
export type Template = MerchantKey & {
  readonly templateId: bigint;
  readonly name: string;
  readonly isDefault: boolean;
  /** The number series of its documents. Templates may share a series. */
  readonly series: Readonly<Record<SeriesName, NumberSeries>>;
  readonly headerFields: readonly HeaderField[];
  /** The initial rows of an invoice. */
  readonly defaultRows: readonly WireLine[];
  readonly defaultTaxes: readonly DefaultTax[];
  readonly company: Company;
  readonly terms: string;
  readonly signatory: string;
  /** `#rrggbb`. */
  readonly accentColour: string;
  /** The UPI handle for customers' payments; `null` for none. */
  readonly upiHandle: string | null;
  /** Whether the bank account of the merchant's profile is printed: docs/rules/invoicing.md#bank-details. */
  readonly printsBankAccount: boolean;
  readonly logoType: PictureType | null;
  readonly createdAt: Temporal.Instant;
  /** Set if SQL has changed where customers pay: then nothing is printed with it. */
  readonly isChanged?: true;
};

/** A template as it is saved. */
export type NewTemplate = Omit<Template, "logoType" | "isChanged"> & { readonly logo: Logo | null };

/** The changeable members of a template. Its number series can't change, so that numbers stay unique and without gaps. */
export type TemplateContent = Pick<
  Template,
  | "name"
  | "headerFields"
  | "defaultRows"
  | "defaultTaxes"
  | "company"
  | "terms"
  | "signatory"
  | "accentColour"
  | "upiHandle"
  | "printsBankAccount"
>;

/**
 * A template to create. Its series are new; without a prefix for credit or debit notes it shares the default template's series for
 * them.
 */
export type TemplateDraft = TemplateContent &
  Pick<NumberSeries, "prefix" | "width" | "yearly"> & {
    readonly creditPrefix: string | null;
    readonly debitPrefix: string | null;
    readonly estimatePrefix: string | null;
    readonly logo: GivenLogo | null;
    readonly makeDefault: boolean;
  };

/** A header field of a change. `id` is that of the existing field, and `null` for a new one. */
export type ChangedHeaderField = Omit<HeaderField, "id"> & { readonly id: string | null };

/** The changes; `undefined` members don't change. A company detail of `null` is as in the profile again. */
export type TemplateChange = {
  readonly [Name in keyof Omit<TemplateContent, "headerFields" | "company">]?: TemplateContent[Name] | undefined;
} & {
  readonly headerFields?: readonly ChangedHeaderField[] | undefined;
  readonly company?: { readonly [Name in keyof Company]?: string | null | undefined } | undefined;
  /** `null` for none. */
  readonly logo?: GivenLogo | null | undefined;
};

/** The defaults of a template. */
export const DEFAULT_WIDTH = 5;
export const DEFAULT_ACCENT_COLOUR = "#1f5fae";
export const EMPTY_CONTENT: TemplateContent = {
  name: "",
  headerFields: [],
  defaultRows: [],
  defaultTaxes: [],
  company: {},
  terms: "",
  signatory: "",
  accentColour: DEFAULT_ACCENT_COLOUR,
  upiHandle: null,
  printsBankAccount: false,
};

/** A template's content after a change. */
export function applyChange<T extends TemplateContent>(before: T, change: TemplateChange): T {
  const { headerFields, company = {}, logo: _logo, ...others } = change;
  const companyNow = Object.entries({ ...before.company, ...given(company) });
  return {
    ...before,
    ...given(others),
    headerFields: headerFields ? identify(headerFields, before.headerFields) : before.headerFields,
    company: Object.fromEntries(companyNow.filter(([, value]) => value !== null)),
  };
}

/** The members of a change that are not `undefined`. */
function given(change: object): object {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** A field keeps its id when it moves; a new one gets an id that no earlier field had. */
function identify(fields: readonly ChangedHeaderField[], before: readonly HeaderField[]): HeaderField[] {
  const known = new Set(before.map(({ id }) => id));
  let last = Math.max(0, ...before.map(({ id }) => Number(id)));
  return fields.map(({ id, ...field }) => ({
    id: id !== null && known.delete(id) ? id : String((last += 1)),
    ...field,
  }));
}

/** Whether a series' first number is short enough for GST. `width` is the minimum number of digits after the prefix. */
export function fitsNumber(prefix: string, width: number): boolean {
  return firstNumber(prefix, width, 0) !== null;
}

/**
 * Whether series with these prefixes could write the same number in one financial year: as `INV-2627-` and `INV-{FY}-`
 * do in 2026-27. The case of letters makes no difference, as it makes none to the tax authority.
 */
export function canCollide(one: string, other: string): boolean {
  const first = one.toUpperCase();
  const second = other.toUpperCase();
  const years = Array.from({ length: 100 }, (_, year) => year);
  return years.some((year) => firstNumber(first, 1, year) === firstNumber(second, 1, year));
}

/** The number of a series' first document in a financial year. */
function firstNumber(prefix: string, width: number, financialYear: number): string | null {
  return writeNumber({ seriesId: 0n, prefix, width, yearly: true }, financialYear, 1n);
}
