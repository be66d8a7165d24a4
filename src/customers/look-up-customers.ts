// Use case: find a few customers for the text of a global search.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { pageCustomers, searchesFor } from "./customer-search-store.ts";
import { findCustomers } from "./customer-store.ts";
import type { Customer } from "./customer.ts";

/** Finds by the whole code or GSTIN, and by a part of the name, the phone (however it is typed) or the e-mail address. */
export async function lookUpCustomers(
  db: Queryable,
  merchant: MerchantKey,
  { text, franchiseId, limit }: { readonly text: string; readonly franchiseId: bigint | null; readonly limit: number },
): Promise<Customer[]> {
  const found: bigint[] = [];
  for (const search of searchesFor(text)) {
    if (found.length >= limit) break;
    const filter = { search, group: null, franchiseId, sort: "-created_at" } as const;
    found.push(...(await pageCustomers(db, merchant, filter, { after: null, limit })));
  }
  const ids = [...new Set(found)].slice(0, limit);
  const customers = await findCustomers(db, merchant, ids);
  return ids.flatMap((id) => customers.get(id) ?? []);
}
