// One use case: which invoices somebody asks for, as the API, the dashboard and the command line say it.
import { findCustomersByCode, GROUP_OF_ALL, nameKey } from "../../customers/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../../merchants/index.ts";
import type { InvoiceFilter } from "./invoice-list-store.ts";
import { searchInvoices } from "./search-invoices.ts";

/** What is absent or `null` narrows nothing down. */
type AsItIs = "filterBy" | "from" | "to" | "status" | "group" | "amountFromPaise" | "amountToPaise";
export type AskedFilter = Partial<Nullable<Pick<InvoiceFilter, AsItIs>>> & {
  readonly customerCode?: string | null;
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
  { customerCode = null, franchiseId = null, templateId = null, search = null, ...asked }: AskedFilter,
): Promise<InvoiceFilter> {
  const today = todayOf(merchant);
  const customers = customerCode === null ? null : await findCustomersByCode(pool, merchant, [customerCode]);
  const group = asked.group ?? null;
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
    // Every customer is in the group of all.
    group: group !== null && nameKey(group) === nameKey(GROUP_OF_ALL) ? null : group,
    amountFromPaise: asked.amountFromPaise ?? null,
    amountToPaise: asked.amountToPaise ?? null,
    found: search === null ? null : await searchInvoices({ pool, merchant }, search),
  };
}
