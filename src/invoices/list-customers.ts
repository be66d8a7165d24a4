// One use case: what a merchant has of its customers, as one list: invoices, newest first, then customers without any.
import { findCustomers, readGroupNames, type Customer, type CustomerSearch } from "../customers/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { countCustomerRecords, listCustomerInvoices, listCustomersWithoutInvoice } from "./customer-read-store.ts";
import type { InvoiceRecord } from "./invoice-list-store.ts";
import type { Page } from "./invoice-page-store.ts";

/** A customer without invoices, with the names of its groups. */
export type BareCustomer = { readonly customer: Customer; readonly groups: readonly string[] };

export type CustomerRecords = {
  readonly invoices: readonly InvoiceRecord[];
  /** They follow the invoices. */
  readonly bareCustomers: readonly BareCustomer[];
  /** Of the whole list, not of the page. */
  readonly total: number;
};

/** One page of the records of the customers that match. */
export async function listCustomerRecords(
  db: Queryable,
  merchant: MerchantKey,
  search: CustomerSearch,
  { offset, limit }: Page,
): Promise<CustomerRecords> {
  const counted = await countCustomerRecords(db, merchant, search);
  const hasInvoices = offset < counted.invoices;
  const invoices = hasInvoices ? await listCustomerInvoices(db, merchant, search, { offset, limit }) : [];
  const bare = { offset: Math.max(0, offset - counted.invoices), limit: limit - invoices.length };
  const hasBare = bare.limit > 0 && bare.offset < counted.customers;
  const bareIds = hasBare ? await listCustomersWithoutInvoice(db, merchant, search, bare) : [];
  return {
    invoices,
    bareCustomers: await describeBare(db, merchant, bareIds),
    total: counted.invoices + counted.customers,
  };
}

async function describeBare(
  db: Queryable,
  merchant: MerchantKey,
  customerIds: readonly bigint[],
): Promise<BareCustomer[]> {
  if (customerIds.length === 0) return [];
  const customers = await findCustomers(db, merchant, customerIds);
  const groups = await readGroupNames(db, merchant, customerIds);
  return customerIds.flatMap((customerId) => {
    const customer = customers.get(customerId);
    return customer ? [{ customer, groups: groups.get(customerId) ?? [] }] : [];
  });
}
