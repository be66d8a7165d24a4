// SQL of merchant_notice: the installation's notices about merchants. The change of the merchant writes one, and a server moves it
// to the installation's journal: a merchant's own transaction can't write there.
import { findOnNodes } from "../platform/database/citus/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { MerchantKey } from "./merchant.ts";

/** The types of notices about a merchant, without the prefix of their kind. */
export const MERCHANT_NOTICES = ["created", "live", "profile_changed", "kyc_changed", "suspended", "resumed"] as const;
export type MerchantNoticeType = (typeof MERCHANT_NOTICES)[number];

type NoticeKey = MerchantKey & { readonly notedAt: Temporal.Instant; readonly type: MerchantNoticeType };

/** A notice with the actor who changed the merchant, and the address. */
export type MerchantNotice = NoticeKey & { readonly actor: string; readonly address: string | null };

const NOTICES = table<MerchantNotice, NoticeKey>("merchant_notice", ["bucket", "merchantId", "notedAt", "type"], {
  bucket: "smallint",
  merchantId: "bigint",
  notedAt: "timestamptz",
  type: "text",
  actor: "text",
  address: "text",
});

/** Adds a notice about a merchant, in the name of the transaction's actor. */
export async function noteMerchants(
  connection: Connection,
  merchants: readonly MerchantKey[],
  types: readonly MerchantNoticeType[],
): Promise<void> {
  if (merchants.length === 0 || types.length === 0) return;
  const { rows } = await connection.query<{ actor: string; address: string | null }>({
    name: "read-actor-of-notices",
    text: "select nodal_actor() as actor, nodal_address() as address",
  });
  const notedAt = Temporal.Now.instant();
  const notices = merchants.flatMap(({ bucket, merchantId }) =>
    types.map((type) => ({ bucket, merchantId, notedAt, type, ...rows[0]! })),
  );
  await NOTICES.insertAll(connection, notices);
}

/** Merchants of one bucket with notices. */
export type NotedMerchants = { readonly bucket: number; readonly merchantIds: readonly bigint[] };

/** Finds merchants with notices, at most `limit`, by bucket. */
export async function findNotedMerchants(db: Queryable, limit: number): Promise<NotedMerchants[]> {
  const found = await findOnNodes(db, { table: "merchant_notice", condition: "true", limit }, async (part, share) => {
    const { rows } = await part.query<{ bucket: number; merchant_id: bigint }>({
      name: "find-noted-merchants",
      text: "select bucket, merchant_id from merchant_notice group by bucket, merchant_id limit $1",
      values: [share],
    });
    return rows;
  });
  return [...Map.groupBy(found, ({ bucket }) => bucket)].map(([bucket, rows]) => ({
    bucket,
    merchantIds: rows.map(({ merchant_id }) => merchant_id),
  }));
}

/** Deletes and returns the notices about these merchants, the oldest first. */
export async function takeNotices(
  connection: Connection,
  { bucket, merchantIds }: NotedMerchants,
): Promise<MerchantNotice[]> {
  const notices = await NOTICES.select(
    connection,
    "delete from merchant_notice where bucket = $1 and merchant_id = any ($2) returning *",
    [bucket, merchantIds],
  );
  // Within one transaction, "created" comes before "live".
  return notices.toSorted(
    (one, other) =>
      Temporal.Instant.compare(one.notedAt, other.notedAt) ||
      MERCHANT_NOTICES.indexOf(one.type) - MERCHANT_NOTICES.indexOf(other.type),
  );
}
