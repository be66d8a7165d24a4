// SQL that reads what the audit log says of a few things, newest first.
// What belongs here: the look-up by subject. The log as a whole is in audit-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { AuditEntry } from "./audit-store.ts";

/**
 * The entries about these things that say what changed, newest first: those before the number `before`, or the newest.
 * Entries of transfers are not among them: they are in no index.
 */
export async function listEntriesAbout(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subjectIds: readonly bigint[],
  before: bigint | null,
  limit: number,
): Promise<AuditEntry[]> {
  const { rows } = await db.query<{
    entry_no: bigint;
    created_at: Temporal.Instant;
    actor: string;
    address: string | null;
    type: string;
    subject_id: bigint;
    before: Readonly<Record<string, unknown>> | null;
    after: Readonly<Record<string, unknown>> | null;
  }>({
    name: "list-entries-about",
    text: `select entry.*
      from unnest($3::bigint[]) as wanted (subject_id)
      cross join lateral (
        select entry_no, created_at, actor, address, type, subject_id, before, after from journal
        where bucket = $1 and merchant_id = $2 and journal.subject_id = wanted.subject_id
          and type not like 'transfer.%' and (before is not null or after is not null)
          and entry_no < coalesce($4::bigint, 9223372036854775807)
        order by entry_no desc limit $5
      ) as entry
      order by entry_no desc limit $5`,
    values: [bucket, merchantId, subjectIds, before, limit],
  });
  return rows.map((row) => ({
    entryNo: row.entry_no,
    at: row.created_at,
    actor: row.actor,
    address: row.address,
    type: row.type,
    subjectId: row.subject_id,
    before: row.before,
    after: row.after,
  }));
}
