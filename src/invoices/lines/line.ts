// The members of an invoice line, listed once: types, API, files, templates, subscriptions, stored JSON, documents and the
// dashboard's form and tables follow from this list. The dashboard imports this file, so it must run in a browser.
import type { TaxTreatment } from "../../platform/gst.ts";

/** The kinds of members' values, with their types: line-kinds.ts validates, stores and prints each. */
export type LineValues = {
  readonly text: string;
  /** An HSN or SAC code. */
  readonly code: string;
  /** Thousandths of a percent: 18 % is 18000n, so that half of any GST rate is still a whole number. */
  readonly rate: bigint;
  /** Paise. */
  readonly amount: bigint;
  /** Thousandths. */
  readonly quantity: bigint;
  /** A unit quantity code. */
  readonly unit: string;
  /** Paise of one unit. */
  readonly price: bigint;
  /** Such as `50.00` or `10%`. */
  readonly discount: string;
  readonly treatment: TaxTreatment;
  readonly flag: boolean;
};
export type LineKind = keyof LineValues;

export type LineMember<Kind extends LineKind = LineKind> = {
  /** In the API, in files and in templates. */
  readonly name: string;
  /** In the code and in stored JSON. */
  readonly property: string;
  readonly kind: Kind;
  /** In characters, for text. */
  readonly maxLength?: number;
  /**
   * A line without it lacks the property, in the code, in stored JSON and in answers. Other members have an empty value then, such
   * as an empty text.
   */
  readonly isOptional?: true;
  /** The heading on documents. */
  readonly label: string;
  /**
   * When a document has a column for it: always, if a line has a value, if a line has one and the document charges GST, or never,
   * if another column shows it.
   */
  readonly shown: "always" | "if-given" | "if-taxed" | "never";
  /** Shown below this member, in its column. */
  readonly below?: string;
  /** Left out of forms with tax lines entered by the merchant. */
  readonly isTax?: true;
};

/** In the order of the API. */
export const LINE_MEMBERS = [
  {
    name: "item",
    property: "item",
    kind: "text",
    maxLength: 200,
    label: "Item",
    shown: "always",
  },
  { name: "sac_code", property: "sacCode", kind: "code", label: "HSN/SAC", shown: "if-given" },
  {
    name: "description",
    property: "description",
    kind: "text",
    maxLength: 2000,
    label: "Description",
    shown: "always",
    below: "item",
  },
  {
    name: "quantity",
    property: "quantityThousandths",
    kind: "quantity",
    isOptional: true,
    label: "Qty",
    shown: "if-given",
  },
  { name: "unit", property: "unit", kind: "unit", isOptional: true, label: "Unit", shown: "if-given" },
  {
    name: "unit_price",
    property: "unitPricePaise",
    kind: "price",
    isOptional: true,
    label: "Rate (₹)",
    shown: "if-given",
  },
  {
    name: "discount",
    property: "discount",
    kind: "discount",
    isOptional: true,
    label: "Discount",
    shown: "if-given",
  },
  {
    name: "tax_treatment",
    property: "taxTreatment",
    kind: "treatment",
    isOptional: true,
    label: "Tax",
    shown: "never",
    isTax: true,
  },
  {
    name: "gst",
    property: "gstThousandths",
    kind: "rate",
    label: "GST",
    shown: "if-taxed",
    isTax: true,
  },
  {
    name: "cess_percentage",
    property: "cessThousandths",
    kind: "rate",
    isOptional: true,
    label: "Cess",
    shown: "if-taxed",
    isTax: true,
  },
  {
    name: "price_includes_tax",
    property: "priceIncludesTax",
    kind: "flag",
    isOptional: true,
    label: "With tax",
    shown: "never",
    isTax: true,
  },
  { name: "total_amount", property: "amountPaise", kind: "amount", label: "Amount (₹)", shown: "always" },
] as const satisfies readonly LineMember[];

type Listed = (typeof LINE_MEMBERS)[number];
type Optional = Extract<Listed, { readonly isOptional: true }>;
type Plain = Exclude<Listed, Optional>;
export type LineName = Listed["name"];
type ValueOf<Member extends Listed> = LineValues[Member["kind"]];

/** A line of an invoice. Its amount is its taxable value: after the discount, without tax. */
export type Row = { readonly [Member in Plain as Member["property"]]: ValueOf<Member> } & {
  readonly [Member in Optional as Member["property"]]?: ValueOf<Member>;
} & {
  /** If the price includes tax: the line's amount including tax, in paise, as sent. */
  readonly includedPaise?: bigint;
};
/** A line in the API's spelling: every member is text. */
export type WireLine = { readonly [Member in Plain as Member["name"]]: string } & {
  readonly [Member in Optional as Member["name"]]?: string;
};
/** A text for every member. */
export type LineTexts = Readonly<Record<LineName, string>>;
/** A line of a request, decoded: `null` for missing members. */
export type SentLine = { [Member in Listed as Member["name"]]: ValueOf<Member> | null };

/** A line for samples of templates without lines: an invoice needs one. */
export const SAMPLE_ROW: WireLine = {
  item: "Consulting",
  sac_code: "998311",
  description: "Management consulting",
  gst: "18.00",
  total_amount: "1000.00",
};

/** The members with columns of their own, each with the member below it. */
export const LINE_COLUMNS: readonly Listed[] = LINE_MEMBERS.filter((member) => !("below" in member));

/** In the order of forms: a member follows the one that it is shown below. */
export const FORM_MEMBERS: readonly Listed[] = LINE_COLUMNS.flatMap((column) => [
  column,
  ...LINE_MEMBERS.filter((member) => "below" in member && member.below === column.name),
]);

/** Builds a line's texts, member by member. */
export function lineTexts(read: (member: Listed) => string): LineTexts {
  return Object.fromEntries(LINE_MEMBERS.map((member) => [member.name, read(member)])) as LineTexts;
}
