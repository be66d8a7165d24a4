// All SQL of customers' groups: the groups themselves, and their members.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";

type Group = { readonly groupId: bigint; readonly name: string; readonly nameKey: string };
type GroupKey = MerchantKey & Pick<Group, "groupId">;
type Member = { readonly customerId: bigint; readonly groupId: bigint; readonly place: number };
type MemberKey = MerchantKey & Pick<Member, "customerId" | "groupId">;

const GROUPS = table<MerchantKey & Group, GroupKey>("customer_group", ["bucket", "merchantId", "groupId"], {
  bucket: "smallint",
  merchantId: "bigint",
  groupId: "bigint",
  name: "text",
  nameKey: "text",
});
const MEMBERS = table<MerchantKey & Member, MemberKey>(
  "customer_group_member",
  ["bucket", "merchantId", "customerId", "groupId"],
  { bucket: "smallint", merchantId: "bigint", customerId: "bigint", groupId: "bigint", place: "smallint" },
);

/** The ids of groups by their name keys; missing ones are left out. */
export async function findGroups(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  nameKeys: readonly string[],
): Promise<Map<string, bigint>> {
  const { rows } = await connection.query<{ name_key: string; group_id: bigint }>({
    name: "find-customer-groups",
    text: "select name_key, group_id from customer_group where bucket = $1 and merchant_id = $2 and name_key = any($3)",
    values: [bucket, merchantId, nameKeys],
  });
  return new Map(rows.map((row) => [row.name_key, row.group_id]));
}

/** A group with the ids of its customers, in order, at most `limit`; `null` if no group has that name key. */
export async function findGroupMembers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  nameKey: string,
  limit: number,
): Promise<{ readonly groupId: bigint; readonly customerIds: readonly bigint[] } | null> {
  const { rows } = await db.query<{ group_id: bigint; customer_ids: bigint[] }>({
    name: "find-customer-group-members",
    text: `select group_id, array(
        select customer_id from customer_group_member member
        where member.bucket = $1 and member.merchant_id = $2 and member.group_id = customer_group.group_id
        order by customer_id limit $4
      ) as customer_ids
      from customer_group where bucket = $1 and merchant_id = $2 and name_key = $3`,
    values: [bucket, merchantId, nameKey, limit],
  });
  return rows[0] ? { groupId: rows[0].group_id, customerIds: rows[0].customer_ids } : null;
}

/** Creates groups that don't exist yet. */
export async function insertGroups(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  groups: readonly Group[],
): Promise<void> {
  await GROUPS.insertAll(
    connection,
    groups.map((group) => ({ ...group, bucket, merchantId })),
  );
}

/** Takes customers out of all their groups. */
export async function leaveGroups(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  customerIds: readonly bigint[],
): Promise<void> {
  await connection.query(
    "delete from customer_group_member where bucket = $1 and merchant_id = $2 and customer_id = any($3)",
    [bucket, merchantId, customerIds],
  );
}

/** Puts customers into groups, one row for each pair; `place` is the group's position among its customer's. */
export async function joinGroups(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  members: readonly Member[],
): Promise<void> {
  await MEMBERS.insertAll(
    connection,
    members.map((member) => ({ ...member, bucket, merchantId })),
  );
}

/** The names of a merchant's groups, in order, at most `limit`. */
export async function listGroupNames(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    "select name from customer_group where bucket = $1 and merchant_id = $2 order by name_key limit $3",
    [bucket, merchantId, limit],
  );
  return rows.map(({ name }) => name);
}

/** A group in lists. */
export type GroupSize = { readonly groupId: bigint; readonly name: string; readonly members: bigint };

/** A merchant's groups by name, at most `limit`, each with its number of customers. */
export async function listGroups(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  limit: number,
): Promise<GroupSize[]> {
  const { rows } = await db.query<{ group_id: bigint; name: string; members: bigint }>({
    name: "list-customer-groups",
    text: `select group_id, name, (
        select count(*) from customer_group_member member
        where member.bucket = $1 and member.merchant_id = $2 and member.group_id = customer_group.group_id) as members
      from customer_group
      where bucket = $1 and merchant_id = $2 order by name_key limit $3`,
    values: [bucket, merchantId, limit],
  });
  return rows.map((row) => ({ groupId: row.group_id, name: row.name, members: row.members }));
}

/** The name of a group; `null` where there is none. */
export async function findGroup(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  groupId: bigint,
): Promise<string | null> {
  return (await GROUPS.find(db, { bucket, merchantId, groupId }))?.name ?? null;
}

/** Renames a group; the name is free. */
export async function renameGroup(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  group: Group,
): Promise<void> {
  await GROUPS.update(connection, { ...group, bucket, merchantId });
}
