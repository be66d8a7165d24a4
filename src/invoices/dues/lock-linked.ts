// Locks invoices for a caller that changes several of them: with all that their dues were carried to or from.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { listDuesLinks, lockInvoicesById } from "../invoice-store.ts";
import type { Invoice } from "../invoice.ts";

/**
 * Locks invoices of a merchant and all that are linked with them by carried dues, newest first, so that the effects of payments
 * lock no further one. Returns those of `invoiceIds` that exist, by id.
 */
export async function lockLinked(
  connection: Connection,
  merchant: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, Invoice>> {
  const held = new Map<bigint, Invoice>();
  for (;;) {
    const linked = await findLinked(connection, merchant, invoiceIds);
    const missing = linked.filter((invoiceId) => !held.has(invoiceId));
    if (missing.length === 0) break;
    for (const invoice of await lockInvoicesById(connection, merchant, missing)) held.set(invoice.invoiceId, invoice);
  }
  return new Map(invoiceIds.flatMap((id) => (held.has(id) ? [[id, held.get(id)!] as const] : [])));
}

async function findLinked(
  connection: Connection,
  merchant: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<readonly bigint[]> {
  const found = new Set<bigint>();
  const asked = new Set(invoiceIds);
  for (let next = [...asked]; next.length > 0;) {
    const links = await listDuesLinks(connection, merchant, next);
    next = [];
    for (const { invoiceId, carriedTo } of links) {
      found.add(invoiceId);
      for (const id of [invoiceId, carriedTo]) {
        if (id === null || asked.has(id)) continue;
        asked.add(id);
        next.push(id);
      }
    }
  }
  return [...found];
}
