// SQL of the chain over the seals of all merchants: its head, its links, and the seals that each covers.
// What belongs here: reading and adding. What a link says is in seal.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";

/** The last link of the chain; number 0 and an empty head where there is none. */
export type Head = { readonly linkNo: bigint; readonly head: Buffer };

/** Reads the head; `hold` keeps everybody else from adding a link until the transaction ends. */
export async function readHead(db: Queryable, hold = false): Promise<Head> {
  const { rows } = await db.query<{ link_no: bigint; head: Buffer }>(
    `select link_no, head from seal_head${hold ? " for update" : ""}`,
  );
  return { linkNo: rows[0]?.link_no ?? 0n, head: rows[0]?.head ?? Buffer.alloc(0) };
}

/** Adds a link. The caller holds the head. */
export async function insertLink(connection: Connection, { linkNo, head }: Head): Promise<void> {
  await connection.query({
    name: "insert-link",
    text: `with link as (insert into seal_link (link_no, head, made_at) values ($1, $2, now()))
      update seal_head set link_no = $1, head = $2`,
    values: [linkNo, head],
  });
}

/** The next links after a number, in order. */
export async function listLinks(db: Queryable, after: bigint, limit: number): Promise<Head[]> {
  const { rows } = await db.query<{ link_no: bigint; head: Buffer }>(
    "select link_no, head from seal_link where link_no > $1 order by link_no limit $2",
    [after, limit],
  );
  return rows.map((row) => ({ linkNo: row.link_no, head: row.head }));
}

/** What a link covers of a seal. */
export type LinkedSeal = MerchantKey & { readonly linkNo: bigint; readonly sealNo: bigint; readonly seal: Buffer };

/** The next seals in the order of links and of their keys, after the given one. */
export async function listLinkedSeals(db: Queryable, after: LinkedSeal | null, limit: number): Promise<LinkedSeal[]> {
  const { rows } = await db.query<{
    link_no: bigint;
    bucket: number;
    merchant_id: bigint;
    seal_no: bigint;
    seal: Buffer;
  }>(
    `select link_no, bucket, merchant_id, seal_no, seal from journal_seal
     where (link_no, bucket, merchant_id, seal_no) > ($1::bigint, $2::smallint, $3::bigint, $4::bigint)
     order by link_no, bucket, merchant_id, seal_no limit $5`,
    [after?.linkNo ?? -1n, after?.bucket ?? -1, after?.merchantId ?? 0n, after?.sealNo ?? 0n, limit],
  );
  return rows.map((row) => ({
    linkNo: row.link_no,
    bucket: row.bucket,
    merchantId: row.merchant_id,
    sealNo: row.seal_no,
    seal: row.seal,
  }));
}
