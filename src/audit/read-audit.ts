// The audit log as people read it: a page at a time, newest first, by days, who, what and about what.
import { findEvents, findEventsAt, findFirstEntry, listPostingsOf, readLastEntryNo } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { isPerson, listAuditEntries, type AuditEntry, type AuditFilter, type AuditRange } from "./audit-store.ts";

/** Entries that one statement goes through, where no index finds those that are asked for. */
const STEP = 20_000n;
/** How many such statements one page takes. */
const STEPS_AT_ONCE = 10;
const EXPORT_PAGE = 500;

/** A filter with the days, in the merchant's time zone, on which entries were written; `null` for any. */
export type AuditSearch = AuditFilter & {
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
};

export type AuditPage = {
  readonly entries: readonly AuditEntry[];
  /** The number before which the next page goes on; `null` where there is nothing further. */
  readonly next: bigint | null;
  /** Where the look ended before the page was full: when the last entry that was looked at was written. */
  readonly lookedBackTo: Temporal.Instant | null;
};

type Log = Pick<Merchant, "bucket" | "merchantId" | "timeZone">;

/**
 * One page of a merchant's log, newest first, of the entries before the given one. By a subject or a person they are
 * found in an index; otherwise one page looks at no more than 200,000 entries, and says how far it came.
 */
export async function readAuditPage(
  db: Queryable,
  log: Log,
  search: AuditSearch,
  { before, limit }: { readonly before: bigint | null; readonly limit: number },
): Promise<AuditPage> {
  const range = await rangeOf(db, log, search, before);
  if (search.subjectId !== null) return pageOf(await listOfSubject(db, log, search, range, limit), limit);
  if (search.actor !== null && isPerson(search.actor)) {
    return pageOf(await listAuditEntries(db, log, search, range, limit), limit);
  }
  const entries: AuditEntry[] = [];
  let end = range.before;
  for (let step = 0; step < STEPS_AT_ONCE && end > range.from && entries.length < limit; step += 1) {
    const begin = end - STEP > range.from ? end - STEP : range.from;
    const left = limit - entries.length;
    entries.push(...(await listAuditEntries(db, log, search, { from: begin, before: end }, left)));
    end = begin;
  }
  if (entries.length === limit) return pageOf(entries, limit);
  const isOver = end <= range.from;
  const [last] = isOver ? [] : await findEvents(db, log, [end]);
  return { entries, next: isOver ? null : end, lookedBackTo: last?.createdAt ?? null };
}

/** All entries that a search finds, newest first, or those before the given one. */
export async function* streamAudit(
  db: Queryable,
  log: Log,
  search: AuditSearch,
  before: bigint | null = null,
): AsyncGenerator<AuditEntry> {
  for (let end: bigint | null = before; ;) {
    const page: AuditPage = await readAuditPage(db, log, search, { before: end, limit: EXPORT_PAGE });
    yield* page.entries;
    if (page.next === null) return;
    end = page.next;
  }
}

function pageOf(entries: readonly AuditEntry[], limit: number): AuditPage {
  return { entries, next: entries.length === limit ? entries.at(-1)!.entryNo : null, lookedBackTo: null };
}

async function rangeOf(db: Queryable, log: Log, search: AuditSearch, before: bigint | null): Promise<AuditRange> {
  const startOf = (day: Temporal.PlainDate): Temporal.Instant => day.toZonedDateTime(log.timeZone).toInstant();
  const from = search.from === null ? 1n : await findFirstEntry(db, log, startOf(search.from));
  const end = search.to === null ? null : await findFirstEntry(db, log, startOf(search.to.add({ days: 1 })));
  const last = [before, end].filter((number) => number !== null).toSorted((a, b) => (a < b ? -1 : 1))[0];
  return { from, before: last ?? (await readLastEntryNo(db, log)) + 1n };
}

/** What is about one thing: in the index, or, for a transfer, where its postings are, which say when. */
async function listOfSubject(
  db: Queryable,
  log: Log,
  search: AuditSearch,
  range: AuditRange,
  limit: number,
): Promise<AuditEntry[]> {
  const subjectId = search.subjectId!;
  const found = new Map<bigint, AuditEntry>();
  for (const { postedAt } of await listPostingsOf(db, log, [subjectId])) {
    for (const { createdAt: at, ...event } of await findEventsAt(db, log, subjectId, postedAt)) {
      const entry = { ...event, at, subjectId, before: null, after: null };
      if (isFound(entry, search, range)) found.set(entry.entryNo, entry);
    }
  }
  for (const entry of await listAuditEntries(db, log, search, range, limit)) found.set(entry.entryNo, entry);
  return [...found.values()].toSorted((a, b) => Number(b.entryNo - a.entryNo)).slice(0, limit);
}

function isFound({ entryNo, actor, type }: AuditEntry, search: AuditFilter, { from, before }: AuditRange): boolean {
  const fits = (text: string, wanted: string | null, more: string): boolean =>
    wanted === null || (wanted.endsWith(more) ? text.startsWith(wanted.replace(/\*$/, "")) : text === wanted);
  return entryNo >= from && entryNo < before && fits(actor, search.actor, ":") && fits(type, search.type, ".*");
}
