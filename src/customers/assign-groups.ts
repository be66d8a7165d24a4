// Which groups customers are in: groups are made as they are named.
// What belongs here: nothing more. The caller holds the merchant's lock, so that no name is made twice.
import type { MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { findGroups, insertGroups, joinGroups, leaveGroups } from "./customer-group-store.ts";
import { nameKey } from "./customer.ts";

/** The names of a customer's groups, each at most once whatever its case; in the end it is in these and no others. */
export type Membership = { readonly customerId: bigint; readonly groups: readonly string[] };

/** Puts customers into exactly the groups that are named. `areNew` spares taking them out of any first. */
export async function assignGroups(
  connection: Connection,
  ids: IdSource,
  merchant: MerchantKey,
  memberships: readonly Membership[],
  areNew: boolean,
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
    // The spelling that came first stays.
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
