// Two use cases: create a group of customers, or rename one; and assign customers to groups.
import { recordEvents } from "../ledger/index.ts";
import {
  lockMerchant,
  type MerchantKey,
  type ReadContext,
  type WriteContext,
  type TransactionContext,
} from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { findGroup, findGroups, insertGroups, renameGroup, joinGroups, leaveGroups } from "./customer-group-store.ts";
import { GROUP_OF_ALL } from "./customer-fields.ts";
import { nameKey } from "./customer.ts";

/** The most that can be shown and chosen from in one list. */
export const MAX_GROUPS_OF_MERCHANT = 1000;

export type SaveGroup = { readonly name: string };
export type ChangeGroup = SaveGroup & { readonly groupId: bigint };

/**
 * Creates an empty group and returns its id.
 * @throws NodalError `group_exists`, or `validation_failed` for a name that means all customers
 */
export async function saveGroup({ pool, ids, merchant }: WriteContext, { name }: SaveGroup): Promise<bigint> {
  const groupId = await ids.next();
  return inTransaction(pool, async (connection) => {
    await takeName(connection, merchant, groupId, name);
    await insertGroups(connection, merchant, [{ groupId, name, nameKey: nameKey(name) }]);
    await recordEvents(connection, merchant, [{ type: "customer_group.created", subjectId: groupId, after: { name } }]);
    return groupId;
  });
}

/**
 * Renames a group; its customers stay in it.
 * @throws NodalError `group_not_found`, `group_exists`, or `validation_failed` for a name that means all customers
 */
export async function changeGroup({ pool, merchant }: ReadContext, { groupId, name }: ChangeGroup): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await takeName(connection, merchant, groupId, name);
    const earlier = await findGroup(connection, merchant, groupId);
    if (earlier === null) {
      throw new NodalError("group_not_found", "This customer group does not exist: choose one from the list.");
    }
    if (earlier === name) return;
    await renameGroup(connection, merchant, { groupId, name, nameKey: nameKey(name) });
    const change = { before: { name: earlier }, after: { name } };
    await recordEvents(connection, merchant, [{ type: "customer_group.renamed", subjectId: groupId, ...change }]);
  });
}

/** Takes the merchant's lock, so that the name stays free. */
async function takeName(connection: Connection, merchant: MerchantKey, groupId: bigint, name: string): Promise<void> {
  if (nameKey(name) === nameKey(GROUP_OF_ALL) || name.includes(",")) {
    const problem = name.includes(",")
      ? "must not contain a comma."
      : `must not be ${name}, which means all customers.`;
    throw validationError([{ field: "name", code: "not_allowed", problem }]);
  }
  await lockMerchant(connection, merchant);
  const holder = (await findGroups(connection, merchant, [nameKey(name)])).get(nameKey(name));
  if (holder === undefined || holder === groupId) return;
  throw new NodalError("group_exists", `A group named ${name} already exists: use it, or choose another name.`);
}

/** The names of a customer's groups, each at most once in any case; afterwards it is in these and no others. */
export type Membership = { readonly customerId: bigint; readonly groups: readonly string[] };

/** `areNew` skips removing the customers from groups first. */
type AssignGroups = { readonly memberships: readonly Membership[]; readonly areNew: boolean };

/** Puts customers into exactly the named groups. */
export async function assignGroups(
  { connection, ids, merchant }: TransactionContext,
  { memberships, areNew }: AssignGroups,
): Promise<void> {
  if (!areNew && memberships.length > 0) {
    await leaveGroups(
      connection,
      merchant,
      memberships.map(({ customerId }) => customerId),
    );
  }
  const names = new Map<string, string>();
  for (const name of memberships.flatMap(({ groups }) => groups)) {
    // The first spelling wins.
    if (!names.has(nameKey(name))) names.set(nameKey(name), name);
  }
  if (names.size === 0) return;
  const known = await findGroups(connection, merchant, [...names.keys()]);
  const missing: { groupId: bigint; name: string; nameKey: string }[] = [];
  for (const [key, name] of names) {
    if (!known.has(key)) missing.push({ groupId: await ids.next(), name, nameKey: key });
  }
  if (missing.length > 0) await insertGroups(connection, merchant, missing);
  for (const group of missing) known.set(group.nameKey, group.groupId);
  const members = memberships.flatMap(({ customerId, groups }) =>
    groups.map((name, place) => ({ customerId, groupId: known.get(nameKey(name))!, place })),
  );
  await joinGroups(connection, merchant, members);
}
