// SQL that reads the audit log: a merchant's entries, newest first, filtered by actor, type and subject.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { JsonObject } from "../platform/json.ts";

/** An entry of the log. */
export type AuditEntry = {
  readonly entryNo: bigint;
  readonly at: Temporal.Instant;
  readonly actor: string;
  readonly address: string | null;
  readonly type: string;
  readonly subjectId: bigint;
  /** Members as JSON, with secrets masked; `null` if the posting or the row shows everything. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
};

const ENTRIES = table<AuditEntry, Pick<AuditEntry, "entryNo">>("journal", ["entryNo"], {
  entryNo: "bigint",
  at: "created_at timestamptz",
  actor: "text",
  address: "text",
  type: "text",
  subjectId: "bigint",
  before: "jsonb",
  after: "jsonb",
});

/** A filter of entries. Members that are `null` don't restrict it. */
export type AuditFilter = {
  /** An actor such as `user:1000002`, or a prefix: `job:`. */
  readonly actor: string | null;
  readonly subjectId: bigint | null;
  /** A type such as `merchant.changed`, or a pattern: `merchant.*`. */
  readonly type: string | null;
};

/** A range of entry numbers: from `from`, up to before `before`. */
export type AuditRange = { readonly from: bigint; readonly before: bigint };

/** Is the actor a person, whose entries are all in an index? */
export function isPerson(actor: string): boolean {
  return !actor.endsWith(":") && !/^(key:|job:|bank$)/.test(actor);
}

/** The exact condition of the index of people's entries, so that PostgreSQL uses it. */
const BY_PERSON = "and actor not like 'key:%' and actor not like 'job:%' and actor <> 'bank'";
/** The same for the index by subject, which leaves out the postings of transfers. */
const BY_SUBJECT = "and (type not like 'transfer.%' or kind is null)";

/**
 * A merchant's entries of a range, newest first. With a subject, the postings of transfers are left out. Subjects and
 * people are found by an index; any other filter may scan the whole range.
 */
export async function listAuditEntries(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { actor, subjectId, type }: AuditFilter,
  { from, before }: AuditRange,
  limit: number,
): Promise<AuditEntry[]> {
  const conditions = [
    actor !== null && isPerson(actor) ? BY_PERSON : "",
    subjectId === null ? "" : BY_SUBJECT,
    actor?.endsWith(":") ? "and starts_with(actor, $5)" : "and ($5::text is null or actor = $5)",
    type?.endsWith(".*") ? "and starts_with(type, $7)" : "and ($7::text is null or type = $7)",
  ];
  return ENTRIES.select(
    db,
    `select ${ENTRIES.columns} from journal
     where bucket = $1 and merchant_id = $2 and entry_no >= $3 and entry_no < $4
       and ($6::bigint is null or subject_id = $6) ${conditions.join(" ")}
     order by entry_no desc limit $8`,
    [bucket, merchantId, from, before, actor, subjectId, type?.replace(/\*$/, "") ?? null, limit],
  );
}

/**
 * The entries with changes to these subjects, newest first, before the number `before` if given. Without entries of
 * transfers, which are in no index.
 */
export async function listEntriesAbout(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subjectIds: readonly bigint[],
  before: bigint | null,
  limit: number,
): Promise<AuditEntry[]> {
  return ENTRIES.select(db, {
    name: "list-entries-about",
    text: `select entry.*
      from unnest($3::bigint[]) as wanted (subject_id)
      cross join lateral (
        select ${ENTRIES.columns} from journal
        where bucket = $1 and merchant_id = $2 and journal.subject_id = wanted.subject_id
          and type not like 'transfer.%' and (before is not null or after is not null)
          and entry_no < coalesce($4::bigint, 9223372036854775807)
        order by entry_no desc limit $5
      ) as entry
      order by entry_no desc limit $5`,
    values: [bucket, merchantId, subjectIds, before, limit],
  });
}
