// One use case: what the search text of a list of invoices may mean: whatever its rows show, and how its customers are reached.
// What belongs here: what the text may be. The list goes through invoices for what no index has.
import { findCustomerIds } from "../../customers/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../../merchants/index.ts";
import { typedPaise } from "../../platform/as-typed.ts";
import { parseInvoiceId } from "../invoice.ts";
import { findIdsByNumbers, yearsSearched, type Found } from "./invoice-list-store.ts";
import { listEndings } from "./look-up.ts";

/** A search looks at the invoices of so many customers. */
const CUSTOMERS_FOUND = 100;
/** A shorter text is a part of too many numbers. */
const SHORTEST_PART = 3;

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
