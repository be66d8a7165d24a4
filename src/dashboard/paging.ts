// How many rows a page of a list has, for all lists of the dashboard but the statement, whose rows are short.
// What belongs here: the number. Where a page begins is each list's.
import { optional, wholeNumber } from "../platform/http/fields.ts";

const PAGE_DEFAULT = 50;
const PAGE_MAXIMUM = 200;

/** The field of a query that asks for so many rows. */
export function pageLimit() {
  return optional(wholeNumber(1, PAGE_MAXIMUM));
}

/** How many rows a query gets. */
export function limitOf({ limit }: { readonly limit: number | null }): number {
  return limit ?? PAGE_DEFAULT;
}
