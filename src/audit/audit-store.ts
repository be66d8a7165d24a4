// SQL that reads the audit log: a page of a merchant's entries, newest first, by who, what and about what.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";

/** An entry of the log. */
export type AuditEntry = {
  readonly eventNo: bigint;
  readonly at: Temporal.Instant;
  readonly actor: string;
  readonly address: string | null;
  readonly type: string;
  readonly subjectId: bigint;
  /** Members as JSON, with what is secret masked; `null` where the posting or the row says it all. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
};

/** Which entries: each member narrows them down, `null` does not. */
export type AuditFilter = {
  readonly actor: string | null;
  readonly subjectId: bigint | null;
  /** A type such as `merchant.changed`. */
  readonly type: string | null;
};

/** A page of a merchant's log, newest first: entries before the number `before`, or the newest ones. */
export async function listAuditEntries(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { actor, subjectId, type }: AuditFilter,
  before: bigint | null,
  limit: number,
): Promise<AuditEntry[]> {
  const { rows } = await db.query<{
    event_no: bigint;
    created_at: Temporal.Instant;
    actor: string;
    address: string | null;
    type: string;
    subject_id: bigint;
    before: Readonly<Record<string, unknown>> | null;
    after: Readonly<Record<string, unknown>> | null;
  }>(
    `select event_no, created_at, actor, address, type, subject_id, before, after from event
     where bucket = $1 and merchant_id = $2 and ($3::bigint is null or event_no < $3)
       and ($4::text is null or actor = $4) and ($5::bigint is null or subject_id = $5)
       and ($6::text is null or type = $6)
     order by event_no desc limit $7`,
    [bucket, merchantId, before, actor, subjectId, type, limit],
  );
  return rows.map((row) => ({
    eventNo: row.event_no,
    at: row.created_at,
    actor: row.actor,
    address: row.address,
    type: row.type,
    subjectId: row.subject_id,
    before: row.before,
    after: row.after,
  }));
}
