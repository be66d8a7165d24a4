// Use cases: which invoices somebody asks for, as the API, the dashboard and the command line say it; and what the search text
// of a list may mean: whatever its rows show, and how its customers are reached.
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

/** What is absent or `null` narrows nothing down. */
type AsItIs = "filterBy" | "from" | "to" | "status" | "amountFromPaise" | "amountToPaise";
export type FilterQuery = Partial<Nullable<Pick<InvoiceFilter, AsItIs>>> & {
  readonly customerCode?: string | null;
  /** Its name, in any case. */
  readonly group?: string | null;
  /** Digits, or the number that they are. */
  readonly franchiseId?: string | bigint | null;
  /** Digits. */
  readonly templateId?: string | null;
  /** Of an invoice or its customer: see `searchInvoices`. */
  readonly search?: string | null;
};
type Nullable<T> = { readonly [Name in keyof T]: T[Name] | null };

/** Looks up what is asked for by codes and texts. A code that nobody has finds nothing. */
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
  // A group that there is not has nobody in it.
  const { groupId, customerIds } = group ?? { groupId: 0n, customerIds: [] };
  return { groupId, memberIds: customerIds.length > FEW_MEMBERS ? null : customerIds };
}

/** A search looks at the invoices of so many customers. */
const CUSTOMERS_FOUND = 100;
/** A shorter text is a part of too many numbers. */
export const SHORTEST_PART = 3;
/** Of series with many years. */
const MAX_COUNTERS = 100;

/**
 * Finds by an invoice's id or whole number alone, where there is one; else by the end or a part of the number, and by the
 * amount as people write it. Customers by the whole code, or a part of the name, the phone or the e-mail address.
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
  // Names have no digits, and need not be gone through.
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
