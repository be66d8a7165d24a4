// All SQL of customers' groups: the groups themselves, and who is in them.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";

type Group = { readonly groupId: bigint; readonly name: string; readonly nameKey: string };

/** The ids of groups by their name keys; what there is none of is left out. */
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

/** Makes groups that do not exist yet. */
export async function insertGroups(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  groups: readonly Group[],
): Promise<void> {
  await connection.query(
    `insert into customer_group (bucket, merchant_id, group_id, name, name_key)
     select $1::smallint, $2::bigint, * from unnest($3::bigint[], $4::text[], $5::text[])`,
    [
      bucket,
      merchantId,
      groups.map((group) => group.groupId),
      groups.map((group) => group.name),
      groups.map((group) => group.nameKey),
    ],
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

/** Puts customers into groups, one for each pair; `place` is where a group stands among its customer's. */
export async function joinGroups(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  members: readonly { readonly customerId: bigint; readonly groupId: bigint; readonly place: number }[],
): Promise<void> {
  await connection.query(
    `insert into customer_group_member (bucket, merchant_id, customer_id, group_id, place)
     select $1::smallint, $2::bigint, * from unnest($3::bigint[], $4::bigint[], $5::smallint[])`,
    [
      bucket,
      merchantId,
      members.map((member) => member.customerId),
      members.map((member) => member.groupId),
      members.map((member) => member.place),
    ],
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

/** A group as lists show it. */
export type GroupSize = { readonly groupId: bigint; readonly name: string; readonly members: bigint };

/** A merchant's groups by name, at most `limit`, each with how many customers are in it. */
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
  const { rows } = await db.query<{ name: string }>(
    "select name from customer_group where bucket = $1 and merchant_id = $2 and group_id = $3",
    [bucket, merchantId, groupId],
  );
  return rows[0]?.name ?? null;
}

/** Gives a group another name, which is free. */
export async function renameGroup(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { groupId, name, nameKey }: Group,
): Promise<void> {
  await connection.query(
    "update customer_group set name = $4, name_key = $5 where bucket = $1 and merchant_id = $2 and group_id = $3",
    [bucket, merchantId, groupId, name, nameKey],
  );
}
