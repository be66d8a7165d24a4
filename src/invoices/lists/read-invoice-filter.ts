// Use cases: reads an invoice filter from the API, the dashboard or the command line; and interprets the search text of a list:
// anything its rows show, and its customers' contact details.
import {
  findCustomerIds,
  findCustomersByCode,
  findGroupMembers,
  GROUP_OF_ALL,
  nameKey,
} from "../../customers/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../../merchants/index.ts";
import { typedPaise } from "../../platform/as-typed.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { parseInvoiceId } from "../invoice.ts";
import { listCounters } from "../numbers/number-counter-store.ts";
import { numbersEnding } from "../numbers/number-series.ts";
import {
  findIdsByNumbers,
  yearsSearched,
  type Found,
  type GroupFilter,
  type InvoiceFilter,
} from "./invoice-list-store.ts";

/** Absent or `null` members don't filter. */
type AsItIs = "filterBy" | "from" | "to" | "status" | "amountFromPaise" | "amountToPaise";
export type FilterQuery = Partial<Nullable<Pick<InvoiceFilter, AsItIs>>> & {
  readonly customerCode?: string | null;
  /** Its name, in any case. */
  readonly group?: string | null;
  /** Digits, or a number. */
  readonly franchiseId?: string | bigint | null;
  /** Digits. */
  readonly templateId?: string | null;
  /** A text in an invoice or its customer: see `searchInvoices`. */
  readonly search?: string | null;
};
type Nullable<T> = { readonly [Name in keyof T]: T[Name] | null };

/** Looks up the codes and texts of a filter. An unknown code finds nothing. */
export async function readInvoiceFilter(
  { pool, merchant }: ReadContext<Merchant>,
  { customerCode = null, group = null, franchiseId = null, templateId = null, search = null, ...asked }: FilterQuery,
): Promise<InvoiceFilter> {
  const today = todayOf(merchant);
  const customers = customerCode === null ? null : await findCustomersByCode(pool, merchant, [customerCode]);
  return {
    filterBy: asked.filterBy ?? "bill_date",
    from: asked.from ?? null,
    to: asked.to ?? null,
    status: asked.status ?? null,
    today,
    franchiseId: franchiseId === null ? null : BigInt(franchiseId),
    // No customer has the id 0.
    customerId: customers && (customers.get(customerCode!)?.customerId ?? 0n),
    templateId: templateId === null ? null : BigInt(templateId),
    group: group === null ? null : await readGroup(pool, merchant, group),
    amountFromPaise: asked.amountFromPaise ?? null,
    amountToPaise: asked.amountToPaise ?? null,
    found: search === null ? null : await searchInvoices({ pool, merchant }, search),
  };
}

/** A group of more customers has many of a merchant's invoices. */
const FEW_MEMBERS = 100;

async function readGroup(db: Queryable, merchant: Merchant, name: string): Promise<GroupFilter | null> {
  // Every customer is in the group of all.
  if (nameKey(name) === nameKey(GROUP_OF_ALL)) return null;
  const group = await findGroupMembers(db, merchant, nameKey(name), FEW_MEMBERS + 1);
  // An unknown group is empty.
  const { groupId, customerIds } = group ?? { groupId: 0n, customerIds: [] };
  return { groupId, memberIds: customerIds.length > FEW_MEMBERS ? null : customerIds };
}

/** The most customers whose invoices a search reads. */
const CUSTOMERS_FOUND = 100;
/** A shorter text is part of too many numbers. */
export const SHORTEST_PART = 3;
/** For series with many years. */
const MAX_COUNTERS = 100;

/**
 * Finds by an invoice's id or whole number alone, if one matches; else by the end or a part of the number, and by the amount as
 * people write it. Finds customers by the whole code, or a part of the name, the phone or the e-mail address.
 */
export async function searchInvoices({ pool, merchant }: ReadContext<Merchant>, text: string): Promise<Found> {
  const today = todayOf(merchant);
  const invoiceId = parseInvoiceId(text.toUpperCase());
  const exact = [
    ...(invoiceId === null ? [] : [invoiceId]),
    ...(await findIdsByNumbers(pool, merchant, [text], today)),
  ];
  const customerIds = await findCustomerIds(pool, merchant, text, CUSTOMERS_FOUND + 1);
  const customers = { customerIds: customerIds.slice(0, CUSTOMERS_FOUND), isCut: customerIds.length > CUSTOMERS_FOUND };
  // Names have no digits, so they need no search.
  if (exact.length > 0 || !/[0-9]/.test(text)) {
    return { ...customers, invoiceIds: exact, part: null, amountPaise: null };
  }
  const endings = await listEndings(pool, merchant, text, yearsSearched(today));
  return {
    ...customers,
    invoiceIds: endings.length === 0 ? [] : await findIdsByNumbers(pool, merchant, endings, today),
    part: text.length < SHORTEST_PART ? null : text,
    amountPaise: typedPaise(text),
  };
}

/** The numbers of the merchant's series that end with the text. */
export async function listEndings(db: Queryable, merchant: Merchant, text: string, years: readonly number[]) {
  const counters = await listCounters(db, merchant, MAX_COUNTERS);
  return [...new Set(counters.flatMap((counter) => numbersEnding(counter, text, years)))];
}
