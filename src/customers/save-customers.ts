// One use case: a merchant's new customers, a batch of them or none.
// What belongs here: making them, also inside the transaction of another use case. The wire is in customer-routes.ts.
import { recordEvents } from "../ledger/index.ts";
import { lockMerchant, runIdempotently, type IdempotencyKey, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import { NodalError, type FieldError } from "../platform/errors.ts";
import { assignGroups } from "./assign-groups.ts";
import { customerEvent, describeSaved, type Customer, type NewCustomer, type SavedCustomer } from "./customer.ts";
import { findCustomersByCode, insertCustomers } from "./customer-store.ts";

/**
 * Saves a batch of customers in one transaction.
 * @throws NodalError `customer_code_exists`, naming every one whose code is taken
 */
export async function saveCustomers(
  pool: Pool,
  ids: IdSource,
  merchant: MerchantKey,
  customers: readonly NewCustomer[],
  idempotency: IdempotencyKey | null,
): Promise<{ answer: SavedCustomer[]; replayed: boolean }> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const saved = await createCustomers(connection, ids, merchant, customers);
    const happenings = saved.map((customer, index) => customerEvent(null, customer, customers[index]!.groups));
    await recordEvents(connection, merchant, happenings);
    return saved.map(describeSaved);
  });
}

/**
 * Makes customers inside the caller's transaction, which from then on holds the merchant's lock (`lockMerchant`). The
 * caller records them (`customerEvent`), last of all.
 * @throws NodalError `customer_code_exists`, naming every one whose code is taken, by its `path`
 */
export async function createCustomers(
  connection: Connection,
  ids: IdSource,
  merchant: MerchantKey,
  customers: readonly NewCustomer[],
): Promise<Customer[]> {
  const taken = await holdCodes(connection, merchant, customers);
  const created = await draftCustomers(ids, merchant, customers, taken);
  await writeCustomers(connection, ids, merchant, customers, created);
  return created;
}

/** Holds the merchant's lock: a code of these that is free then stays free. Answers those that are taken. */
export async function holdCodes(
  connection: Connection,
  merchant: MerchantKey,
  customers: readonly NewCustomer[],
): Promise<ReadonlySet<string>> {
  await lockMerchant(connection, merchant);
  const codes = customers.map((customer) => customer.customerCode);
  return new Set((await findCustomersByCode(connection, merchant, codes)).keys());
}

/**
 * New customers as they will be, where `holdCodes` says that `taken` are all that is taken of their codes.
 * @throws NodalError `customer_code_exists`
 */
export async function draftCustomers(
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  customers: readonly NewCustomer[],
  taken: ReadonlySet<string>,
): Promise<Customer[]> {
  const codes = customers.map((customer) => customer.customerCode);
  refuseTakenCodes(customers, (customer, index) => {
    if (taken.has(customer.customerCode)) return "is the code of a customer already";
    return codes.indexOf(customer.customerCode) < index ? "is in this request twice" : null;
  });
  const now = Temporal.Now.instant();
  const drafted: Customer[] = [];
  for (const { groups: _groups, path: _path, ...details } of customers) {
    drafted.push({ ...details, bucket, merchantId, customerId: await ids.next(), createdAt: now, updatedAt: now });
  }
  return drafted;
}

/** Writes what `draftCustomers` answered for these customers, with their groups. */
export async function writeCustomers(
  connection: Connection,
  ids: IdSource,
  merchant: MerchantKey,
  customers: readonly NewCustomer[],
  drafted: readonly Customer[],
): Promise<void> {
  await insertCustomers(connection, merchant, drafted);
  const memberships = customers.map(({ groups }, index) => ({ customerId: drafted[index]!.customerId, groups }));
  await assignGroups(connection, ids, merchant, memberships, true);
}

/**
 * Refuses a batch in which codes are taken; `reasonOf` says why one is, or `null`.
 * @throws NodalError `customer_code_exists`
 */
export function refuseTakenCodes<T extends { readonly path: string; readonly customerCode: string | undefined }>(
  customers: readonly T[],
  reasonOf: (customer: T, index: number) => string | null,
): void {
  const errors: FieldError[] = [];
  for (const [index, customer] of customers.entries()) {
    const reason = reasonOf(customer, index);
    const field = `${customer.path}.customer_code`;
    const message = `${field}: ${customer.customerCode} ${reason}. Send another code, or update that customer.`;
    if (reason !== null) errors.push({ field, code: "customer_code_exists", message });
  }
  if (errors.length === 0) return;
  throw new NodalError("customer_code_exists", errors[0]!.message, { errors });
}
