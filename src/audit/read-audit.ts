// The audit log for people: in pages, newest first, filtered by days, actor, type and subject.
import { findEvents, findEventsAt, findFirstEntry, listPostingsOf, readLastEntryNo } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { isPerson, listAuditEntries, type AuditEntry, type AuditFilter, type AuditRange } from "./audit-store.ts";

/** Entries that one statement scans if no index helps. */
const STEP = 20_000n;
/** The most such statements per page. */
const STEPS_AT_ONCE = 10;
const EXPORT_PAGE = 500;

/** A filter with the days, in the merchant's time zone, on which entries were written; `null` for any. */
export type AuditSearch = AuditFilter & {
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
};

export type AuditPage = {
  readonly entries: readonly AuditEntry[];
  /** The next page has the entries before this number; `null` if there is none. */
  readonly next: bigint | null;
  /** If the scan ended before the page was full: the time of the last scanned entry. */
  readonly lookedBackTo: Temporal.Instant | null;
};

type Log = Pick<Merchant, "bucket" | "merchantId" | "timeZone">;

/**
 * One page of a merchant's log, newest first, before the given entry. Subjects and people are found by an index. Other
 * filters scan at most 200,000 entries per page, and report how far they came.
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

/** The entries of one subject: by the index, and those of a transfer's postings by their times. */
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
