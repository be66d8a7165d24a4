// Two use cases: create customers, and change customers, each as a whole batch or not at all. customer-routes.ts has the API.
import { recordEvents } from "../ledger/index.ts";
import {
  lockMerchant,
  runIdempotently,
  type Answered,
  type Context,
  type TransactionContext,
  type MerchantKey,
} from "../merchants/index.ts";
import { fieldsRefusal, validationError, type FieldError } from "../platform/errors.ts";
import { assignGroups } from "./save-group.ts";
import {
  checkPan,
  customerEvent,
  describeSaved,
  type Customer,
  type NewCustomer,
  type SavedCustomer,
  applyChange,
  type CustomerChange,
} from "./customer.ts";
import { findCustomersByCode, insertCustomers, findCustomers, parkCodes, updateCustomers } from "./customer-store.ts";
import type { Connection } from "../platform/database/pool.ts";

/**
 * Saves a batch of customers in one transaction.
 * @throws NodalError `customer_code_exists`, naming every one whose code is taken
 */
export async function saveCustomers(
  { pool, ids, merchant, idempotency }: Context,
  customers: readonly NewCustomer[],
): Promise<Answered<SavedCustomer[]>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const saved = await saveCustomersWithin({ connection, ids, merchant }, customers);
    const events = saved.map((customer, index) => customerEvent(null, customer, customers[index]!.groups));
    await recordEvents(connection, merchant, events);
    return saved.map(describeSaved);
  });
}

/**
 * Creates customers inside the caller's transaction, which holds the merchant's lock from then on (`lockMerchant`). The caller
 * records them (`customerEvent`), last of all.
 * @throws NodalError `customer_code_exists`, naming every one whose code is taken, by its `path`
 */
export async function saveCustomersWithin(
  context: TransactionContext,
  customers: readonly NewCustomer[],
): Promise<Customer[]> {
  const taken = await holdCodes(context, customers);
  const drafted = await draftCustomers(context, { customers, taken });
  await writeCustomers(context, { customers, drafted });
  return drafted;
}

/** Takes the merchant's lock, so that free codes stay free. Returns those that are taken. */
export async function holdCodes(
  { connection, merchant }: Pick<TransactionContext, "connection" | "merchant">,
  customers: readonly NewCustomer[],
): Promise<ReadonlySet<string>> {
  await lockMerchant(connection, merchant);
  const codes = customers.map((customer) => customer.customerCode);
  return new Set((await findCustomersByCode(connection, merchant, codes)).keys());
}

type DraftCustomers = { readonly customers: readonly NewCustomer[]; readonly taken: ReadonlySet<string> };

/**
 * The new customers, if `taken` from `holdCodes` are all their codes that are taken.
 * @throws NodalError `customer_code_exists`
 */
export async function draftCustomers(
  { ids, merchant: { bucket, merchantId } }: Pick<TransactionContext, "ids" | "merchant">,
  { customers, taken }: DraftCustomers,
): Promise<Customer[]> {
  const codes = customers.map((customer) => customer.customerCode);
  refuseTakenCodes(customers, (customer, index) => {
    if (taken.has(customer.customerCode)) return "already belongs to a customer";
    return codes.indexOf(customer.customerCode) < index ? "is twice in this request" : null;
  });
  const now = Temporal.Now.instant();
  const drafted: Customer[] = [];
  for (const { groups: _groups, path: _path, ...details } of customers) {
    drafted.push({ ...details, bucket, merchantId, customerId: await ids.next(), createdAt: now, updatedAt: now });
  }
  return drafted;
}

type WriteCustomers = { readonly customers: readonly NewCustomer[]; readonly drafted: readonly Customer[] };

/** Saves the result of `draftCustomers` for these customers, with their groups. */
export async function writeCustomers(
  context: TransactionContext,
  { customers, drafted }: WriteCustomers,
): Promise<void> {
  await insertCustomers(context.connection, drafted);
  const memberships = customers.map(({ groups }, index) => ({ customerId: drafted[index]!.customerId, groups }));
  await assignGroups(context, { memberships, areNew: true });
}

/**
 * Refuses a batch with taken codes; `reasonOf` returns why one is, or `null`.
 * @throws NodalError `customer_code_exists`
 */
function refuseTakenCodes<T extends { readonly path: string; readonly customerCode?: string | undefined }>(
  customers: readonly T[],
  reasonOf: (customer: T, index: number) => string | null,
): void {
  const errors: FieldError[] = [];
  for (const [index, customer] of customers.entries()) {
    const reason = reasonOf(customer, index);
    const field = `${customer.path}.customer_code`;
    const problem = `: ${customer.customerCode} ${reason}. Send another code, or update that customer.`;
    if (reason !== null) errors.push({ field, code: "customer_code_exists", problem });
  }
  if (errors.length === 0) return;
  throw fieldsRefusal("customer_code_exists", errors);
}

/**
 * Changes the sent members of each customer only, in one transaction. The changes name each customer once.
 * @throws NodalError `customer_not_found` or `customer_code_exists`, naming every one at fault
 */
export async function changeCustomers(
  { pool, ids, merchant, idempotency }: Context,
  changes: readonly CustomerChange[],
): Promise<Answered<SavedCustomer[]>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    // With this lock, the rows don't change, and a free code stays free.
    await lockMerchant(connection, merchant);
    const known = await findCustomers(
      connection,
      merchant,
      changes.map((change) => change.customerId),
    );
    refuseUnknown(changes, known);
    const now = Temporal.Now.instant();
    const changed = changes.map((change) => applyChange(known.get(change.customerId)!, change, now));
    refuseOtherPans(changes, changed);
    await freeCodes(connection, merchant, changes, known, changed);
    await updateCustomers(connection, changed);
    const memberships = changes.flatMap(({ customerId, groups }) => (groups ? [{ customerId, groups }] : []));
    await assignGroups({ connection, ids, merchant }, { memberships, areNew: false });
    await recordEvents(
      connection,
      merchant,
      changed.map((after, index) => customerEvent(known.get(after.customerId)!, after, changes[index]!.groups)),
    );
    return changed.map(describeSaved);
  });
}

function refuseUnknown(changes: readonly CustomerChange[], known: ReadonlyMap<bigint, Customer>): void {
  const unknown = changes.filter((change) => !known.has(change.customerId));
  if (unknown.length === 0) return;
  const errors = unknown.map(({ path, customerId }) => ({
    field: `${path}.customer_id`,
    code: "customer_not_found",
    problem: `: customer ${customerId} does not exist. Send an id that customer/save returned.`,
  }));
  throw fieldsRefusal("customer_not_found", errors);
}

/** @throws NodalError `validation_failed` if a PAN does not match the GSTIN, either of which may be a saved one */
function refuseOtherPans(changes: readonly CustomerChange[], changed: readonly Customer[]): void {
  const errors: FieldError[] = [];
  for (const [index, customer] of changed.entries()) checkPan(customer, changes[index]!.path, errors);
  if (errors.length > 0) throw validationError(errors);
}

/** Makes sure that every code is unique after the update, and that none conflicts during it. */
async function freeCodes(
  connection: Connection,
  merchant: MerchantKey,
  changes: readonly CustomerChange[],
  known: ReadonlyMap<bigint, Customer>,
  changed: readonly Customer[],
): Promise<void> {
  const isRecoded = changed.map((customer) => customer.customerCode !== known.get(customer.customerId)!.customerCode);
  const recoded = changed.filter((_, index) => isRecoded[index]);
  if (recoded.length === 0) return;
  const holders = await findCustomersByCode(
    connection,
    merchant,
    recoded.map((customer) => customer.customerCode),
  );
  const codes = changed.map((customer) => customer.customerCode);
  refuseTakenCodes(changes, (_change, index) => {
    if (!isRecoded[index]) return null;
    const code = codes[index]!;
    const holder = holders.get(code);
    if (holder && !known.has(holder.customerId)) return "belongs to another customer";
    return codes.indexOf(code) === index && codes.lastIndexOf(code) === index ? null : "is given to two customers";
  });
  const passedOn = [...holders.values()].map((holder) => holder.customerId);
  if (passedOn.length > 0) await parkCodes(connection, merchant, passedOn);
}
