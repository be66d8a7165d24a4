import { auditChange, auditValues, type NewEvent } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Columns } from "../platform/database/table.ts";
import type { FieldError } from "../platform/errors.ts";
import { checkTreatment, isKnownRate } from "../platform/gst.ts";
import { fail } from "../platform/http/field.ts";
import { ifSent, list, object, optional, type Field } from "../platform/http/fields.ts";
import {
  ITEM_MEMBERS,
  itemTexts,
  type ItemMember,
  type ItemDetails,
  type ItemName,
  type ItemTexts,
  type SentItem,
} from "./item-members.ts";
import { kindOf } from "./item-kinds.ts";

/** docs/rules/values-and-errors.md#batches. */
export const MAX_ITEMS = 500;

export type Item = MerchantKey &
  ItemDetails & {
    readonly itemId: bigint;
    /** `null` while the item can be used. */
    readonly archivedAt: Temporal.Instant | null;
    readonly createdAt: Temporal.Instant;
    readonly updatedAt: Temporal.Instant;
  };

/** Members of an item that a request sends, by their names in the code. */
export type ItemChange = Partial<ItemDetails>;

/** An item to save, new or known by its code. `path` is its place in the request, such as `item[3]`. */
export type ItemToSave = { readonly change: ItemChange & Pick<ItemDetails, "itemCode">; readonly path: string };

type FieldsOf = { readonly [Name in ItemName]: Field<NonNullable<SentItem[Name]>> };
type OptionalOf = { readonly [Name in ItemName]: Field<SentItem[Name]> };

const fieldsBy = (make: (member: (typeof ITEM_MEMBERS)[number]) => Field<unknown>) =>
  Object.fromEntries(ITEM_MEMBERS.map((member) => [member.name, make(member)]));
const given = (member: (typeof ITEM_MEMBERS)[number]): Field<unknown> => {
  const field = kindOf(member).field(member as ItemMember) as Field<unknown>;
  return "isRequired" in member ? field : optional(field);
};

/** The fields of a new item. */
export const itemFields = fieldsBy(given) as Pick<FieldsOf, "item_code" | "name"> &
  Omit<OptionalOf, "item_code" | "name">;

/** The fields of a change. Missing members don't change. */
export const itemChanges = fieldsBy((member) => ifSent(given(member))) as OptionalOf;

/** An item of a batch or a file, known by its code. */
export const savedItemFields = { ...itemChanges, item_code: itemFields.item_code };

/** The `item` array of a batch. */
export const itemList = () => list(object(savedItemFields), MAX_ITEMS);

/** The columns of the table, for `table`. */
export const ITEM_COLUMNS = Object.fromEntries(
  ITEM_MEMBERS.map((member) => [member.property, kindOf(member).column]),
) as Columns<ItemDetails>;

/** The members of an item in a request. An empty one is cleared. */
export function readItem(sent: SentItem): ItemChange {
  const members = ITEM_MEMBERS.filter(({ name }) => sent[name] !== undefined);
  return Object.fromEntries(members.map((member) => [member.property, sent[member.name] ?? kindOf(member).none]));
}

const NONE = Object.fromEntries(ITEM_MEMBERS.map((member) => [member.property, kindOf(member).none])) as ItemDetails;

/** The members of an item, without the rest of it. */
function detailsOf(item: ItemDetails): ItemDetails {
  return Object.fromEntries(ITEM_MEMBERS.map(({ property }) => [property, item[property]])) as ItemDetails;
}

/** An item after a change; `null` for a new one. */
export function withChange(before: ItemDetails | null, change: ItemChange): ItemDetails {
  return { ...(before ? detailsOf(before) : NONE), ...change };
}

export function isSameItem(one: ItemDetails, other: ItemDetails): boolean {
  return ITEM_MEMBERS.every(({ property }) => one[property] === other[property]);
}

/** An item in the API's spelling: every member is text. */
export function describeItem(item: ItemDetails): ItemTexts {
  const members = new Map(ITEM_MEMBERS.map((member) => [member.name, member]));
  return itemTexts((name) => {
    const member = members.get(name)!;
    return kindOf(member).write(item[member.property]);
  });
}

/** The spelling in which codes are compared, without case and in one Unicode composition. */
export function codeKey(code: string): string {
  return code.normalize("NFC").toUpperCase();
}

/**
 * Adds errors between the members of an item to `errors`. `prefix` precedes their names: "" or `item[3].`.
 * docs/rules/items.md#members
 */
export function checkItem(item: ItemDetails, prefix: string, errors: FieldError[]): void {
  const refuse = (name: ItemName, code: "required" | "not_allowed", problem: string): void =>
    fail(errors, prefix + name, code, problem);
  if (item.name === "")
    refuse("name", "required", "is required for a new item: it must be text of 1 to 200 characters.");
  if (!isKnownRate(item.gstThousandths)) {
    refuse(
      "gst",
      "not_allowed",
      "must be a rate of GST that exists: 0, 0.1, 0.25, 1, 1.5, 3, 5, 6, 7.5, 12, 18, 28 or 40.",
    );
  }
  const rates = { gst: item.gstThousandths, cess_percentage: item.cessThousandths };
  checkTreatment({ tax_treatment: item.taxTreatment, ...rates }, (name, problem) =>
    refuse(name, "not_allowed", problem),
  );
  if (item.priceIncludesTax && item.unitPricePaise === null) {
    refuse("unit_price", "required", "is required where price_includes_tax is 1.");
  }
}

/** The audit log's entry about a new item, or a changed one. */
export function itemEvent(itemId: bigint, before: ItemDetails | null, after: ItemDetails): NewEvent {
  const details = detailsOf(after);
  return before
    ? { type: "item.changed", subjectId: itemId, ...auditChange(detailsOf(before), details) }
    : { type: "item.created", subjectId: itemId, after: auditValues(details) };
}
