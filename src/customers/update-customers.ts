// One use case: changes to a batch of a merchant's customers, all of them or none.
import { recordEvents } from "../ledger/index.ts";
import { lockMerchant, runIdempotently, type IdempotencyKey, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { assignGroups } from "./assign-groups.ts";
import {
  applyChange,
  customerEvent,
  describeSaved,
  type Customer,
  type CustomerChange,
  type SavedCustomer,
} from "./customer.ts";
import { findCustomers, findCustomersByCode, parkCodes, updateCustomers } from "./customer-store.ts";
import { refuseTakenCodes } from "./save-customers.ts";

/**
 * Changes what is sent of each customer and nothing else, in one transaction. The changes name each customer once.
 * @throws NodalError `customer_not_found` or `customer_code_exists`, naming every one that it holds for
 */
export async function changeCustomers(
  pool: Pool,
  ids: IdSource,
  merchant: MerchantKey,
  changes: readonly CustomerChange[],
  idempotency: IdempotencyKey | null,
): Promise<{ answer: SavedCustomer[]; replayed: boolean }> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    // With this held, what is read stays as it is, and a code that is free stays free.
    await lockMerchant(connection, merchant);
    const known = await findCustomers(
      connection,
      merchant,
      changes.map((change) => change.customerId),
    );
    refuseUnknown(changes, known);
    const now = Temporal.Now.instant();
    const changed = changes.map((change) => applyChange(known.get(change.customerId)!, change, now));
    await freeCodes(connection, merchant, changes, known, changed);
    await updateCustomers(connection, merchant, changed);
    const memberships = changes.flatMap(({ customerId, groups }) => (groups ? [{ customerId, groups }] : []));
    await assignGroups(connection, ids, merchant, memberships, false);
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
    message: `${path}.customer_id: there is no customer ${customerId}. Send an id that customer/save answered with.`,
  }));
  throw new NodalError("customer_not_found", errors[0]!.message, { errors });
}

/** Makes sure that every code is its customer's alone after the update, and that none is in its way during it. */
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
    if (holder && !known.has(holder.customerId)) return "is the code of another customer";
    return codes.indexOf(code) === index && codes.lastIndexOf(code) === index
      ? null
      : "would be the code of two customers";
  });
  const passedOn = [...holders.values()].map((holder) => holder.customerId);
  if (passedOn.length > 0) await parkCodes(connection, merchant, passedOn);
}
