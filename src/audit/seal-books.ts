// Use case: seal all new entries of the log, for every merchant.
import type { KeyObject } from "node:crypto";
import { inBookOrder } from "../ledger/index.ts";
import { readInstallationSecret, type MerchantKey } from "../merchants/index.ts";
import { readInEachPart } from "../platform/database/citus/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import { insertLink, readHead, findUnsealed, listUnsealedBuckets, insertSeals, type SealScope } from "./seal-store.ts";
import { isExplained } from "./explain-change.ts";
import { isSame } from "../platform/bytes.ts";
import { digestSeals, makeHead, makeSeal, markThing, sealKey, type SealedRange } from "./seal.ts";
import { findTouched, keepMarks, type TouchedThing } from "./thing-store.ts";

/** The name of the sealing job. */
export const SEAL_SCHEDULE = "audit seals";

const LOOK_MS = 5000;
const PAGE_MERCHANTS = 200;
/** The most entries in a seal. After a long pause, the rest is sealed in further parts. */
const SEAL_ENTRIES = 1000;

/** How often all books are checked, and not only those that changed since the last check. */
const LOOK_AT_ALL_MS = 10 * 60_000;
/** The same after an incomplete check. */
const LOOK_AT_ALL_AGAIN_MS = 60_000;
/** A book that was changed by a longer transaction is found by the next check of all books. */
const TRANSACTION_MS = 60_000;

/**
 * The sealing job, a few seconds after each write. Seals by other processes count too, so each process only remembers
 * its own checks.
 */
export function sealSchedule(): Schedule {
  let lookedAtMs = performance.now();
  let nextLookAtAllMs = -Infinity;
  const run: Schedule["run"] = async (pool, signal) => {
    const nowMs = performance.now();
    const isAll = nowMs >= nextLookAtAllMs;
    // While a node is down, the books of the others are not all scanned each time.
    if (isAll) nextLookAtAllMs = nowMs + LOOK_AT_ALL_AGAIN_MS;
    await sealBooks(pool, signal, isAll ? "all" : Math.ceil(nowMs - lookedAtMs + TRANSACTION_MS));
    if (signal.aborted) return;
    lookedAtMs = nowMs;
    if (isAll) nextLookAtAllMs = nowMs + LOOK_AT_ALL_MS;
  };
  return { name: SEAL_SCHEDULE, everyMs: LOOK_MS, run };
}

/**
 * Seals all new entries in the books of the scope, in pages of merchants, until done or aborted by the signal. Safe
 * with concurrent processes, which wait for each other, and if killed at any point: the seals of a page, the marks of
 * their subjects and the link over them are one transaction. @throws if a Citus node is down: the entries of the others
 * are sealed by then
 */
export async function sealBooks(
  pool: Pool,
  signal: AbortSignal = new AbortController().signal,
  scope: SealScope = "all",
): Promise<void> {
  const key = sealKey(await readInstallationSecret(pool));
  // Each merchant once, since under load there are always new entries; again only after more entries than one seal
  // takes. Usually there is nothing to do, which needs no lock to find out.
  let isCut = true;
  while (isCut && !signal.aborted) {
    const { done: buckets, failure } = await listUnsealedBuckets(pool, scope);
    isCut = buckets.length > 0 && (await sealBuckets(pool, key, signal, scope, buckets));
    if (failure !== null && !isCut) throw failure;
  }
}

/** Seals each merchant of these buckets once. Returns whether one had too many entries for one seal. */
async function sealBuckets(
  pool: Pool,
  key: KeyObject,
  signal: AbortSignal,
  scope: SealScope,
  buckets: readonly number[],
): Promise<boolean> {
  const inOrder = buckets.toSorted((one, other) => one - other);
  let isCut = false;
  let page: readonly SealedRange[] = [];
  let after: MerchantKey | null = null;
  do {
    page = await inTransaction(pool, (connection) => sealPage(pool, connection, key, after, scope, inOrder));
    isCut ||= page.some(({ firstEntryNo, lastEntryNo }) => lastEntryNo - firstEntryNo + 1n >= SEAL_ENTRIES);
    after = page.at(-1) ?? null;
  } while (page.length === PAGE_MERCHANTS && !signal.aborted);
  return isCut;
}

/** Seals the next merchants after a given one. Returns the result. */
async function sealPage(
  pool: Pool,
  connection: Connection,
  key: KeyObject,
  after: MerchantKey | null,
  scope: SealScope,
  buckets: readonly number[],
): Promise<readonly SealedRange[]> {
  const before = await readHead(connection, true);
  // Only with the head locked, so that seals of other processes are visible.
  const places = buckets.map((bucket) => ({ bucket }));
  const pages = await readInEachPart(pool, connection, places, (db) =>
    findUnsealed(db, after, PAGE_MERCHANTS, SEAL_ENTRIES, scope, buckets),
  );
  const unsealed = pages.toSorted(inBookOrder).slice(0, PAGE_MERCHANTS);
  if (unsealed.length === 0) return [];
  const found = await readInEachPart(pool, connection, unsealed, (db, some) => findTouched(db, key, some));
  const touched = found.filter((thing) => mayBeMarked(key, thing));
  const added = new Map<bigint, bigint>();
  for (const { merchantId } of touched.filter(({ marked }) => marked === null)) {
    added.set(merchantId, (added.get(merchantId) ?? 0n) + 1n);
  }
  const seals = unsealed.map((range) => {
    const counted = { ...range, things: range.things + (added.get(range.merchantId) ?? 0n) };
    return { ...counted, seal: makeSeal(key, counted, range.before) };
  });
  const linkNo = before.linkNo + 1n;
  await insertSeals(connection, linkNo, seals);
  await keepMarks(
    connection,
    touched.map((thing) => ({ ...thing, mark: markThing(key, thing) })),
  );
  await insertLink(connection, { linkNo, head: makeHead(key, linkNo, digestSeals(seals), before.head) });
  return seals;
}

/** Unexplained changes keep the old mark, so that `nodal verify` finds them. */
function mayBeMarked(key: KeyObject, { marked, of, words, ...thing }: TouchedThing): boolean {
  if (marked !== null && !isSame(markThing(key, { ...thing, ...marked }), marked.mark)) return false;
  return isExplained(key, of, thing, marked?.facts ?? null, words);
}
