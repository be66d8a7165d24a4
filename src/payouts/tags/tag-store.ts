// All SQL of the tags of payouts. Statements that look up by transfer are not prepared: a plan made while the table was
// small could use the index of tags, and would then read all of a merchant's tags.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table } from "../../platform/database/table.ts";
import type { TransferIdentity } from "../transfer.ts";
import { tagKey } from "./tag-fields.ts";

type TagKey = TransferIdentity & { readonly tagKey: string };
type TagRow = TagKey & { readonly tag: string; readonly place: number };

const TAGS = table<TagRow, TagKey>("transfer_tag", ["bucket", "merchantId", "transferId", "tagKey"], {
  bucket: "smallint",
  merchantId: "bigint",
  transferId: "bigint",
  tagKey: "text",
  tag: "text",
  place: "smallint",
});

/** The tags of payouts, by id; payouts without tags are left out. */
export async function findTags(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, readonly string[]>> {
  if (transferIds.length === 0) return new Map();
  const { rows } = await db.query<{ transfer_id: bigint; tag: string }>(
    `select transfer_id, tag from transfer_tag
     where bucket = $1 and merchant_id = $2 and transfer_id = any ($3)
     order by transfer_id, place`,
    [bucket, merchantId, transferIds],
  );
  const found = new Map<bigint, string[]>();
  for (const { transfer_id: id, tag } of rows) found.getOrInsert(id, []).push(tag);
  return found;
}

/** Gives a payout exactly these tags, in this order. */
export async function replaceTags(
  connection: Connection,
  { bucket, merchantId, transferId }: TransferIdentity,
  tags: readonly string[],
): Promise<void> {
  await connection.query("delete from transfer_tag where bucket = $1 and merchant_id = $2 and transfer_id = $3", [
    bucket,
    merchantId,
    transferId,
  ]);
  const rows = tags.map((tag, place) => ({ bucket, merchantId, transferId, tagKey: tagKey(tag), tag, place }));
  if (rows.length > 0) await TAGS.insertAll(connection, rows);
}

/**
 * A merchant's tags that begin with a text, ignoring case, in order, at most `limit`. Each is one look-up in the index,
 * however many payouts have it, and is spelt as on its newest payout.
 */
export async function listTags(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  start: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ tag: string }>(
    `with recursive known (tag_key) as (
       select min(tag_key) from transfer_tag
       where bucket = $1 and merchant_id = $2 and tag_key >= $3 and starts_with(tag_key, $3)
       union all
       select (
         select min(next.tag_key) from transfer_tag next
         where next.bucket = $1 and next.merchant_id = $2 and next.tag_key > known.tag_key
           and starts_with(next.tag_key, $3)
       )
       from known
       where known.tag_key is not null
     ), listed as (
       select tag_key from known where tag_key is not null limit $4
     )
     select (
       select newest.tag from transfer_tag newest
       where newest.bucket = $1 and newest.merchant_id = $2 and newest.tag_key = listed.tag_key
       order by newest.transfer_id desc limit 1
     ) as tag
     from listed
     order by tag_key`,
    [bucket, merchantId, tagKey(start), limit],
  );
  return rows.map(({ tag }) => tag);
}
