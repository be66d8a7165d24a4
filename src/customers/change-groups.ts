// Two use cases: a merchant makes a group of customers, or gives one another name.
// What belongs here: what must hold of names. Who is in a group is said with each customer.
import { recordEvents } from "../ledger/index.ts";
import { lockMerchant, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { findGroup, findGroups, insertGroups, renameGroup } from "./customer-group-store.ts";
import { GROUP_OF_ALL } from "./customer-fields.ts";
import { nameKey } from "./customer.ts";

/** So many can be shown and chosen from in one list. */
export const MAX_GROUPS_OF_MERCHANT = 1000;

/**
 * Makes an empty group and answers its id.
 * @throws NodalError `group_exists`, or `validation_failed` for a name that stands for all customers
 */
export async function createGroup(pool: Pool, ids: IdSource, merchant: MerchantKey, name: string): Promise<bigint> {
  const groupId = await ids.next();
  return inTransaction(pool, async (connection) => {
    await takeName(connection, merchant, groupId, name);
    await insertGroups(connection, merchant, [{ groupId, name, nameKey: nameKey(name) }]);
    await recordEvents(connection, merchant, [{ type: "customer_group.created", subjectId: groupId, after: { name } }]);
    return groupId;
  });
}

/**
 * Gives a group another name; its customers stay in it.
 * @throws NodalError `group_not_found`, `group_exists`, or `validation_failed` for a name that stands for all customers
 */
export async function changeGroupName(pool: Pool, merchant: MerchantKey, groupId: bigint, name: string): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await takeName(connection, merchant, groupId, name);
    const earlier = await findGroup(connection, merchant, groupId);
    if (earlier === null) {
      throw new NodalError("group_not_found", "There is no such group of customers: choose one from the list.");
    }
    if (earlier === name) return;
    await renameGroup(connection, merchant, { groupId, name, nameKey: nameKey(name) });
    const change = { before: { name: earlier }, after: { name } };
    await recordEvents(connection, merchant, [{ type: "customer_group.renamed", subjectId: groupId, ...change }]);
  });
}

/** Holds the merchant's lock from then on, so that the name stays free. */
async function takeName(connection: Connection, merchant: MerchantKey, groupId: bigint, name: string): Promise<void> {
  if (nameKey(name) === nameKey(GROUP_OF_ALL) || name.includes(",")) {
    const problem = name.includes(",")
      ? "must not contain a comma."
      : `must not be ${name}: it stands for all customers.`;
    throw validationError([{ field: "name", code: "not_allowed", message: `name ${problem}` }]);
  }
  await lockMerchant(connection, merchant);
  const holder = (await findGroups(connection, merchant, [nameKey(name)])).get(nameKey(name));
  if (holder === undefined || holder === groupId) return;
  throw new NodalError("group_exists", `There is a group named ${name} already: use it, or choose another name.`);
}
