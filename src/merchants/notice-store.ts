// SQL of merchant_notice: what the installation is to be told of a merchant. The change of the merchant writes it, and
// a server moves it to the installation's journal: a merchant's own transaction can't write there.
import { findOnNodes } from "../platform/database/citus/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { MerchantKey } from "./merchant.ts";

/** What the installation is told of a merchant: the types of its events, without their kind. */
export const MERCHANT_NOTICES = ["created", "live", "profile_changed", "kyc_changed", "suspended", "resumed"] as const;
export type MerchantNoticeType = (typeof MERCHANT_NOTICES)[number];

type NoticeKey = MerchantKey & { readonly notedAt: Temporal.Instant; readonly type: MerchantNoticeType };

/** A notice with who changed the merchant, and from where. */
export type MerchantNotice = NoticeKey & { readonly actor: string; readonly address: string | null };

const NOTICES = table<MerchantNotice, NoticeKey>("merchant_notice", ["bucket", "merchantId", "notedAt", "type"], {
  bucket: "smallint",
  merchantId: "bigint",
  notedAt: "timestamptz",
  type: "text",
  actor: "text",
  address: "text",
});

/** Notes what happened to a merchant, in the name of the transaction's actor. */
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

/** Merchants of one bucket that the installation is to be told of. */
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

/** Takes the notices about these merchants, the oldest first. */
export async function takeNotices(
  connection: Connection,
  { bucket, merchantIds }: NotedMerchants,
): Promise<MerchantNotice[]> {
  const notices = await NOTICES.select(
    connection,
    "delete from merchant_notice where bucket = $1 and merchant_id = any ($2) returning *",
    [bucket, merchantIds],
  );
  // Of what one transaction notes, "created" comes before "live".
  return notices.toSorted(
    (one, other) =>
      Temporal.Instant.compare(one.notedAt, other.notedAt) ||
      MERCHANT_NOTICES.indexOf(one.type) - MERCHANT_NOTICES.indexOf(other.type),
  );
}
