// What the document of an invoice is put together from, read from the database.
// What belongs here: reading. What of it is printed is in build-document.ts.
import { findCustomers } from "../customers/index.ts";
import { findMerchantByKey, todayOf } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { DocumentSources } from "./build-document.ts";
import type { Invoice } from "./invoice.ts";
import type { Links } from "./invoice-wire.ts";
import { findLogo, findTemplate } from "./template-store.ts";

/** Reads what belongs to an invoice, as it is today. */
export async function readSources(pool: Pool, invoice: Invoice, links: Links): Promise<DocumentSources> {
  const [merchant, customers, template, logo] = await Promise.all([
    findMerchantByKey(pool, invoice),
    findCustomers(pool, invoice, [invoice.customerId]),
    findTemplate(pool, invoice, invoice.templateId),
    findLogo(pool, invoice, invoice.templateId),
  ]);
  return {
    invoice,
    merchant: merchant!,
    customerCode: customers.get(invoice.customerId)!.customerCode,
    template: template!,
    logo,
    publicUrl: links.shortUrl(invoice),
    today: todayOf(merchant!),
  };
}
