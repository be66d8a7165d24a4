// The members of an invoice line, listed once: types, API, files, templates, subscriptions, stored JSON, documents and the
// dashboard's form and tables follow from this list. The dashboard imports this file, so it must run in a browser.

/** What kind of value a member has, with its type: line-kinds.ts says how each is checked, kept and printed. */
export type LineValues = {
  readonly text: string;
  /** An HSN or SAC code. */
  readonly code: string;
  /** Thousandths of a percent: 18 % is 18000n, so that half of any GST rate is still a whole number. */
  readonly rate: bigint;
  /** Paise. */
  readonly amount: bigint;
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
  /** In the API and in files: any other member may be left out. */
  readonly isRequired?: true;
  /** The heading on documents. */
  readonly label: string;
  /** When a document has a column for it: always, if a line has a value, or if a line has one and the document charges GST. */
  readonly shown: "always" | "if-given" | "if-taxed";
  /** Shown below this member, in its column. */
  readonly below?: string;
  /** Left out of forms where the merchant enters tax lines instead. */
  readonly isTax?: true;
  /** The column's width in the dashboard's form, in CSS. */
  readonly width: string;
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
    width: "minmax(0, 1.2fr)",
  },
  { name: "sac_code", property: "sacCode", kind: "code", label: "HSN/SAC", shown: "if-given", width: "6rem" },
  {
    name: "description",
    property: "description",
    kind: "text",
    maxLength: 2000,
    label: "Description",
    shown: "always",
    below: "item",
    width: "minmax(0, 1fr)",
  },
  {
    name: "gst",
    property: "gstThousandths",
    kind: "rate",
    label: "GST",
    shown: "if-taxed",
    isTax: true,
    width: "4.25rem",
  },
  {
    name: "total_amount",
    property: "amountPaise",
    kind: "amount",
    isRequired: true,
    label: "Amount (₹)",
    shown: "always",
    width: "8.5rem",
  },
] as const satisfies readonly LineMember[];

type Listed = (typeof LINE_MEMBERS)[number];
export type LineName = Listed["name"];
type ValueOf<Member extends Listed> = LineValues[Member["kind"]];

/** A line of an invoice. */
export type Row = { readonly [Member in Listed as Member["property"]]: ValueOf<Member> };
/** A line in the API's spelling: every member is text. */
export type WireLine = { readonly [Name in LineName]: string };
/** A line as a request sends it, once its fields have decoded it. */
export type SentLine = {
  [Member in Listed as Member["name"]]: Member extends { readonly isRequired: true }
    ? ValueOf<Member>
    : ValueOf<Member> | null;
};

/** A line for samples, where a template has none of its own: an invoice needs one. */
export const SAMPLE_ROW: WireLine = {
  item: "Consulting",
  sac_code: "998311",
  description: "Management consulting",
  gst: "18.00",
  total_amount: "1000.00",
};

/** The members with columns of their own, each with the member below it. */
export const LINE_COLUMNS: readonly Listed[] = LINE_MEMBERS.filter((member) => !("below" in member));

/** In the order of forms: a member comes after the one that it is shown below. */
export const FORM_MEMBERS: readonly Listed[] = LINE_COLUMNS.flatMap((column) => [
  column,
  ...LINE_MEMBERS.filter((member) => "below" in member && member.below === column.name),
]);

/** Builds a line's texts, member by member. */
export function lineTexts(read: (member: Listed) => string): WireLine {
  return Object.fromEntries(LINE_MEMBERS.map((member) => [member.name, read(member)])) as WireLine;
}
