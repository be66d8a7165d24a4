// The members of an item of the catalogue, listed once: types, API, files, columns of the database and the dashboard's form follow from
// this list. The dashboard imports this file, so it must run in a browser.

import type { TaxTreatment } from "../platform/gst.ts";

/** The kinds of members' values, with their types: item-kinds.ts validates, stores and prints each. */
export type ItemValues = {
  /** Text, or a whole number as its digits. */
  readonly code: string;
  readonly text: string;
  /** An HSN or SAC code. */
  readonly hsn: string;
  /** A unit quantity code. */
  readonly unit: string;
  /** Paise; `null` for none. */
  readonly amount: bigint | null;
  /** Thousandths of a percent. */
  readonly rate: bigint;
  readonly flag: boolean;
  readonly treatment: TaxTreatment;
};
export type ItemKind = keyof ItemValues;

export type ItemMember<Kind extends ItemKind = ItemKind> = {
  /** In requests, answers and files. */
  readonly name: string;
  /** In the code; in snake case, the column of the database. */
  readonly property: string;
  readonly kind: Kind;
  /** In characters, for texts. */
  readonly maxLength?: number;
  /** Other members are optional. */
  readonly isRequired?: true;
};

/** In the order of the API. */
export const ITEM_MEMBERS = [
  { name: "item_code", property: "itemCode", kind: "code", maxLength: 45, isRequired: true },
  { name: "name", property: "name", kind: "text", maxLength: 200, isRequired: true },
  { name: "description", property: "description", kind: "text", maxLength: 2000 },
  { name: "sac_code", property: "sacCode", kind: "hsn" },
  { name: "unit", property: "unit", kind: "unit" },
  { name: "unit_price", property: "unitPricePaise", kind: "amount" },
  { name: "price_includes_tax", property: "priceIncludesTax", kind: "flag" },
  { name: "gst", property: "gstThousandths", kind: "rate" },
  { name: "cess_percentage", property: "cessThousandths", kind: "rate" },
  { name: "tax_treatment", property: "taxTreatment", kind: "treatment" },
] as const satisfies readonly ItemMember[];

type Listed = (typeof ITEM_MEMBERS)[number];
export type ItemName = Listed["name"];

/** An item's saved values. Missing texts are empty. */
export type ItemDetails = { readonly [Member in Listed as Member["property"]]: ItemValues[Member["kind"]] };
/** An item in the API's spelling: every member is text. */
export type ItemTexts = { readonly [Name in ItemName]: string };

/** A member of a request that was decoded; `null` for an optional one that was sent empty. */
type SentValue<Member extends Listed> = Member extends { readonly isRequired: true }
  ? ItemValues[Member["kind"]]
  : ItemValues[Member["kind"]] | null;
/** An item of a request, decoded: what is `undefined` was not sent. */
export type SentItem = { readonly [Member in Listed as Member["name"]]?: SentValue<Member> | undefined };

/** A text for each member, by its name. */
export function itemTexts(read: (name: ItemName) => string): ItemTexts {
  return Object.fromEntries(ITEM_MEMBERS.map(({ name }) => [name, read(name)])) as ItemTexts;
}
