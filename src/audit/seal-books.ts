// One use case: whatever is new in the log is sealed, for every merchant.
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

/** The name of the schedule that seals. */
export const SEAL_SCHEDULE = "audit seals";

const LOOK_MS = 5000;
const PAGE_MERCHANTS = 200;
/** Of one merchant, in one seal. What a long pause has left is sealed one such part after the other. */
const SEAL_ENTRIES = 1000;

/** How often all books are looked at, and not only those that changed since the last look. */
const LOOK_AT_ALL_MS = 10 * 60_000;
/** The same where it was not done to its end. */
const LOOK_AT_ALL_AGAIN_MS = 60_000;
/** A book that was changed by a transaction which took longer than this is found by the next look at all. */
const TRANSACTION_MS = 60_000;

/**
 * The schedule that seals, a few seconds after something was written. What others sealed meanwhile counts as well, so that
 * each process remembers only its own looks.
 */
export function sealSchedule(): Schedule {
  let lookedAtMs = performance.now();
  let nextLookAtAllMs = -Infinity;
  const run: Schedule["run"] = async (pool, signal) => {
    const nowMs = performance.now();
    const isAll = nowMs >= nextLookAtAllMs;
    // Where a node is away, the others' books are not all gone through each time.
    if (isAll) nextLookAtAllMs = nowMs + LOOK_AT_ALL_AGAIN_MS;
    await sealBooks(pool, signal, isAll ? "all" : Math.ceil(nowMs - lookedAtMs + TRANSACTION_MS));
    if (signal.aborted) return;
    lookedAtMs = nowMs;
    if (isAll) nextLookAtAllMs = nowMs + LOOK_AT_ALL_MS;
  };
  return { name: SEAL_SCHEDULE, everyMs: LOOK_MS, run };
}

/**
 * Seals all that is new in the books of the scope, merchant by merchant in pages, or until the signal comes. Safe beside other processes that do
 * the same, which wait for one another, and at whatever point it is killed: the seals of a page, the marks of what
 * their entries are about and the link over them are one transaction. @throws where a node of Citus is away: what the others have
 * is sealed by then
 */
export async function sealBooks(
  pool: Pool,
  signal: AbortSignal = new AbortController().signal,
  scope: SealScope = "all",
): Promise<void> {
  const key = sealKey(await readInstallationSecret(pool));
  // Each merchant once, since under load there is always something new; again only for what was too long for one seal.
  // Nearly always there is nothing, which is found out without waiting for anybody.
  let isCut = true;
  while (isCut && !signal.aborted) {
    const { done: buckets, failure } = await listUnsealedBuckets(pool, scope);
    isCut = buckets.length > 0 && (await sealBuckets(pool, key, signal, scope, buckets));
    if (failure !== null && !isCut) throw failure;
  }
}

/** Seals each merchant there once. Returns whether one had too much for one seal. */
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

/** Seals the next merchants after one. Returns what was sealed. */
async function sealPage(
  pool: Pool,
  connection: Connection,
  key: KeyObject,
  after: MerchantKey | null,
  scope: SealScope,
  buckets: readonly number[],
): Promise<readonly SealedRange[]> {
  const before = await readHead(connection, true);
  // Only with the head held: what others have sealed meanwhile is seen.
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

/** What the log does not explain keeps the mark that it has: `nodal verify` then finds it. */
function mayBeMarked(key: KeyObject, { marked, of, words, ...thing }: TouchedThing): boolean {
  if (marked !== null && !isSame(markThing(key, { ...thing, ...marked }), marked.mark)) return false;
  return isExplained(key, of, thing, marked?.facts ?? null, words);
}
