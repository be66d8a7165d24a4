// SQL that reads the audit log: entries of a merchant, newest first, by who, what and about what.
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
  /** Members as JSON, with what is secret masked; `null` where the posting or the row says it all. */
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

/** Which entries: each member narrows them down, `null` does not. */
export type AuditFilter = {
  /** An actor such as `user:1000002`, or the beginning of several: `job:`. */
  readonly actor: string | null;
  readonly subjectId: bigint | null;
  /** A type such as `merchant.changed`, or all of a kind: `merchant.*`. */
  readonly type: string | null;
};

/** Which numbers of entries: `from` and those after it, before `before`. */
export type AuditRange = { readonly from: bigint; readonly before: bigint };

/** Whether the actor is somebody of whom an index holds all that he did. */
export function isPerson(actor: string): boolean {
  return !actor.endsWith(":") && !/^(key:|job:|bank$)/.test(actor);
}

/** The condition of the index of people's entries, word for word: only so is it used. */
const BY_PERSON = "and actor not like 'key:%' and actor not like 'job:%' and actor <> 'bank'";
/** The same for the index of what entries are about, which leaves transfers out. */
const NOT_OF_TRANSFER = "and type not like 'transfer.%'";

/**
 * A merchant's entries of a range, newest first. Where a subject is given, those of transfers are left out. By a subject
 * or a person they are found in an index; by anything else the whole range may be gone through.
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
    subjectId === null ? "" : NOT_OF_TRANSFER,
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
