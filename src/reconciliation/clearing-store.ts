// SQL of the items that statements must show. follow-journal-store.ts creates them from the journal.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { itemFor, table } from "../platform/database/table.ts";
import type { Item, ItemKind, OpenLine } from "./match-lines.ts";

export type ClearingItem = MerchantKey & Item & { readonly note: string | null; readonly proof: Uint8Array | null };

export const ITEMS = table<ClearingItem, MerchantKey & Pick<Item, "subjectId" | "kind">>(
  "clearing_item",
  ["bucket", "merchantId", "subjectId", "kind"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    subjectId: "bigint",
    kind: "text",
    amountPaise: "bigint",
    postedOn: "date",
    utrKey: "text",
    referenceKey: "text",
    matchId: "bigint",
    postingId: "bigint",
    note: "text",
    proof: "bytea",
  },
);

/** Locks the merchant's reconciliation until the transaction ends. Returns how far its journal has been followed. */
export async function lockReconciliation(connection: Connection, { bucket, merchantId }: MerchantKey): Promise<bigint> {
  await connection.query("insert into reconciliation (bucket, merchant_id) values ($1, $2) on conflict do nothing", [
    bucket,
    merchantId,
  ]);
  const { rows } = await connection.query<{ last_entry_no: bigint }>(
    "select last_entry_no from reconciliation where bucket = $1 and merchant_id = $2 for update",
    [bucket, merchantId],
  );
  return rows[0]!.last_entry_no;
}

/** The items with one of these references, or of one of these transfers. */
export function findItems(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  keys: readonly string[],
  subjectIds: readonly bigint[],
): Promise<ClearingItem[]> {
  return ITEMS.select(db, {
    name: "find-clearing-items",
    // The merchant is hidden from the planner, which would otherwise scan all of its items for each list of references.
    text: `select * from clearing_item where bucket + 0 = $1 and merchant_id + 0 = $2 and utr_key = any ($3)
      union select * from clearing_item where bucket + 0 = $1 and merchant_id + 0 = $2 and reference_key = any ($3)
      union select * from clearing_item where bucket = $1 and merchant_id = $2 and subject_id = any ($4)`,
    values: [bucket, merchantId, keys, subjectIds],
  });
}

export type ItemSearch = {
  readonly kinds: readonly ItemKind[];
  readonly from?: Temporal.PlainDate | null;
  readonly to?: Temporal.PlainDate | null;
  readonly limit: number;
};

/** Items that are neither matched nor set aside, the oldest first. */
export function listOpenItems(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { kinds, from = null, to = null, limit }: ItemSearch,
): Promise<ClearingItem[]> {
  const text = `select * from clearing_item
    where bucket = $1 and merchant_id = $2 and match_id is null and note is null and kind = any ($3)
      and ($4::date is null or posted_on >= $4) and ($5::date is null or posted_on <= $5)
    order by posted_on, subject_id limit $6`;
  return ITEMS.select(db, text, [bucket, merchantId, kinds, from?.toString() ?? null, to?.toString() ?? null, limit]);
}

/** The open item of the same amount and side that is nearest to each line, within this many days, by line. */
export async function findSuggestions(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  lines: readonly Pick<OpenLine, "lineId" | "side" | "amountPaise" | "bookedOn">[],
  days: number,
): Promise<Map<bigint, Pick<Item, "kind" | "subjectId">>> {
  const { rows } = await db.query<{ line_id: bigint; kind: ItemKind; subject_id: bigint }>(
    `select line.line_id, nearest.kind, nearest.subject_id
     from unnest($3::bigint[], $4::text[], $5::bigint[], $6::date[]) as line (line_id, side, amount_paise, booked_on)
     cross join lateral (
       select kind, subject_id from clearing_item
       where bucket = $1 and merchant_id = $2 and match_id is null and note is null
         and clearing_item.amount_paise = line.amount_paise
         and posted_on between line.booked_on - $7::integer and line.booked_on + $7::integer
         and kind = any (case line.side when 'in' then array['returned', 'fee_returned', 'funding'] else array['paid', 'fee'] end)
       order by abs(posted_on - line.booked_on), subject_id limit 1
     ) as nearest`,
    [
      bucket,
      merchantId,
      lines.map(({ lineId }) => lineId),
      lines.map(({ side }) => side),
      lines.map(({ amountPaise }) => amountPaise),
      lines.map(({ bookedOn }) => bookedOn.toString()),
      days,
    ],
  );
  return new Map(rows.map((row) => [row.line_id, { kind: row.kind, subjectId: row.subject_id }]));
}

/** The number and sum of such items. */
export async function sumOpenItems(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  to: Temporal.PlainDate,
): Promise<{ readonly count: number; readonly paise: bigint }> {
  const { rows } = await db.query<{ count: bigint; paise: bigint }>(
    `select count(*) as count, coalesce(sum(amount_paise), 0)::bigint as paise from clearing_item
     where bucket = $1 and merchant_id = $2 and match_id is null and note is null and kind <> 'failed' and posted_on <= $3`,
    [bucket, merchantId, to.toString()],
  );
  return { count: Number(rows[0]!.count), paise: rows[0]!.paise };
}

/** Matches items, each with its match. */
export async function markItemsMatched(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  marks: readonly { readonly item: Pick<Item, "subjectId" | "kind">; readonly matchId: bigint }[],
): Promise<void> {
  for (const [kind, some] of Map.groupBy(marks, ({ item }) => item.kind)) {
    await connection.query({
      name: "match-clearing-items",
      text: `update clearing_item set match_id = ${itemFor("subject_id", "$4::bigint[]", "$5::bigint[]")}
        where bucket = $1 and merchant_id = $2 and kind = $3 and subject_id = any ($4)`,
      values: [bucket, merchantId, kind, some.map(({ item }) => item.subjectId), some.map(({ matchId }) => matchId)],
    });
  }
}

/** The items of these matches. */
export function findItemsOfMatches(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  matchIds: readonly bigint[],
): Promise<ClearingItem[]> {
  const text = "select * from clearing_item where bucket = $1 and merchant_id = $2 and match_id = any ($3)";
  return ITEMS.select(db, text, [bucket, merchantId, matchIds]);
}

/** The late fees of these matches, by match. */
export async function findLateFeesOfMatches(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  matchIds: readonly bigint[],
): Promise<Map<bigint, bigint>> {
  if (matchIds.length === 0) return new Map();
  const { rows } = await db.query<{ match_id: bigint; fee_id: bigint }>(
    `select item.match_id, late.fee_id from clearing_item item
     join late_fee late on late.bucket = $1 and late.merchant_id = $2 and late.fee_id = item.subject_id
     where item.bucket = $1 and item.merchant_id = $2 and item.kind = 'fee' and item.match_id = any ($3)`,
    [bucket, merchantId, matchIds],
  );
  return new Map(rows.map((row) => [row.match_id, row.fee_id]));
}

/** Takes items out of their matches, each with the subject for the postings of a later match. */
export async function markItemsUnmatched(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  marks: readonly { readonly item: Pick<Item, "subjectId" | "kind">; readonly postingId: bigint }[],
): Promise<void> {
  for (const [kind, some] of Map.groupBy(marks, ({ item }) => item.kind)) {
    await connection.query(
      `update clearing_item set match_id = null, posting_id = ${itemFor("subject_id", "$4::bigint[]", "$5::bigint[]")}
       where bucket = $1 and merchant_id = $2 and kind = $3 and subject_id = any ($4)`,
      [bucket, merchantId, kind, some.map(({ item }) => item.subjectId), some.map(({ postingId }) => postingId)],
    );
  }
}

/** How many fees of an account are compared with another payment's fee. */
const COMPARED_FEES = 1000;

/** The largest fee, with its tax, that a provider reported for one of the merchant's last payments over an account; `null` for none. */
export async function findLargestFee(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  rail: string,
): Promise<bigint | null> {
  const { rows } = await db.query<{ largest: bigint | null }>(
    `select max(amount_paise) as largest from (
       select item.amount_paise from clearing_item item
       join transfer
         on transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = item.subject_id
       where item.bucket = $1 and item.merchant_id = $2 and item.kind = 'fee' and transfer.rail = $3
       order by item.subject_id desc limit $4
     ) as recent`,
    [bucket, merchantId, rail, COMPARED_FEES],
  );
  return rows[0]!.largest;
}

/** Sets an item aside with a note, or reopens it (`null`). Returns whether it existed and was not matched. */
export async function noteItem(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { subjectId, kind }: Pick<Item, "subjectId" | "kind">,
  note: string | null,
): Promise<boolean> {
  return ITEMS.update(connection, { bucket, merchantId, subjectId, kind, note }, "match_id is null");
}
