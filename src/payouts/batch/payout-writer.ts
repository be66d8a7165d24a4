// The writer of payouts: requests and bank reports that arrive together are written in one group commit. batch-draft.ts
// decides, the stores write.
import { BatchBook, findFreeBooks, slotsOf } from "../../ledger/index.ts";
import type { Pool } from "../../platform/database/pool.ts";
import { findInEachPart, placeOf } from "../../platform/database/citus/index.ts";
import { isConflict, isLockTimeout, isConnectionLost } from "../../platform/database/failure.ts";
import { Batcher, runBatch } from "../../platform/batcher.ts";
import type { Logger } from "../../platform/log.ts";
import { LRUCache } from "lru-cache";
import { secretsOf } from "../../platform/secrets/index.ts";
import { toMicrosecond } from "../../platform/time.ts";
import type { Claim, ClaimedTransfer } from "../claim-store.ts";
import {
  isRefused,
  type AcceptOutcome,
  type RequestedTransfer,
  type NewTransfer,
  type Report,
  type TransferStatus,
} from "../transfer-store.ts";
import { payoutRefusal } from "../make-payout.ts";
import type { TransferIdentity } from "../transfer.ts";
import { BatchDraft, type Payer, type Request } from "./batch-draft.ts";
import type { ReportedTransfer } from "./facts-store.ts";
import { makeWriteDraft } from "./write-store.ts";
import { writePayouts } from "./write-payouts.ts";

const MAX_BATCH = 500;
/** docs/scale.md#several-servers-behind-a-proxy. */
const GATHER = { forMs: 12, upTo: MAX_BATCH };
const DATABASE_PATIENCE_MS = 5000;
/** Transfers that this process has accepted and claimed, with no report yet. */
const OPEN_REMEMBERED = 50_000;
const BOOKS_REMEMBERED = 20_000;
/** Cool-down after a duplicate reference, which would fail the whole batch. */
const REST_REPEATED_MS = 10_000;

/** The terms of a merchant's payouts, valid for this version of its book, and its last known available balance. */
type KnownBook = Pick<Payer, "status" | "live" | "feesPaidBy"> & {
  readonly termsVersion: bigint;
  readonly availablePaise: bigint;
};

/**
 * Cached books of merchants that owe nothing, so that a batch can be decided without reading them first. The statement that writes
 * the batch checks the version and the balance, since others may have moved money meanwhile.
 */
class KnownBooks {
  readonly #books = new LRUCache<bigint, KnownBook | { readonly restsUntilMs: number }>({ max: BOOKS_REMEMBERED });

  get(merchantId: bigint): KnownBook | null {
    const book = this.#books.get(merchantId);
    return book && "termsVersion" in book ? book : null;
  }

  /** Caches a merchant's book after a batch. A merchant with a policy is read each time, since its day may be over. */
  keep({ book, terms, status, live, feesPaidBy }: Payer, availablePaise: bigint): void {
    const { merchantId, termsVersion } = book;
    const earlier = this.#books.get(merchantId);
    if (earlier && "restsUntilMs" in earlier && earlier.restsUntilMs > performance.now()) return;
    if (terms !== null || book.owedPaise > 0n) this.#books.delete(merchantId);
    else this.#books.set(merchantId, { status, live, feesPaidBy, termsVersion, availablePaise });
  }

  /** Drops the book, so that it is read first the next time. */
  forget(merchantId: bigint): void {
    this.#books.delete(merchantId);
  }

  /** Has the book read first for a while, after a duplicate reference. */
  rest(merchantId: bigint): void {
    this.#books.set(merchantId, { restsUntilMs: performance.now() + REST_REPEATED_MS });
  }
}

/** What the writer needs of its process's lease: the current term, and a claim for each write. */
export type WriterLease = {
  readonly term: number;
  readonly claims: {
    use<T>(write: (claim: Claim) => Promise<T>): Promise<T>;
    add(claimId: bigint, transfer: Pick<ClaimedTransfer, "bucket" | "transferId">): void;
  };
};

export type PayoutWriterOptions = {
  readonly pool: Pool;
  readonly lease: WriterLease;
  /** How many batches may be written at once, each for merchants of its own; on Citus one for each group of shards. */
  readonly lanes: number;
  /** How long an item waits for its merchant's book while something else holds it. */
  readonly heldMs: number;
  /** Those transfers that this process has room to start at once. */
  readonly findRoom: (transfers: readonly NewTransfer[]) => ReadonlySet<NewTransfer>;
  readonly logger: Logger;
};

/**
 * The outcome of a request, and the claim and lease term under which this process has just started the transfer, if it has. A transfer
 * that is found again after a broken connection counts as not started: another process may have claimed it by now, or the merchant may
 * be suspended.
 */
export type Written = { readonly outcome: AcceptOutcome; readonly claimId: bigint | null; readonly term: number };

type Item =
  | { readonly transfer: RequestedTransfer; readonly report: null }
  | { readonly transfer: null; readonly report: Report };
type Result = Written | TransferStatus | null;

/** A conflict with another transaction, or a database outage: nothing to investigate. */
function isExpected(error: unknown): boolean {
  return isConflict(error) || isLockTimeout(error) || isConnectionLost(error);
}

const keyOf = (item: Item) => item.transfer ?? item.report;

export class PayoutWriter {
  readonly #options: PayoutWriterOptions;
  readonly #batches: Batcher<Item, Result>;
  readonly #books = new KnownBooks();
  readonly #open = new LRUCache<bigint, ReportedTransfer>({ max: OPEN_REMEMBERED });

  constructor(options: PayoutWriterOptions) {
    this.#options = options;
    const groupOf = placeOf(options.pool);
    this.#batches = new Batcher({
      run: (items) => this.#write(items),
      maxBatch: MAX_BATCH,
      gather: GATHER,
      lanes: 1,
      placeOf: (item) => groupOf(keyOf(item)) || keyOf(item).bucket % options.lanes,
      ownerOf: (item) => String(keyOf(item).merchantId),
      locked: {
        findFree: (items) => findFreeBooks(options.pool, items.map(keyOf)),
        waitMs: options.heldMs,
      },
      // Requests with the same idempotency key take turns, so that the later one finds the earlier one's result. So do reports.
      apartKey: ({ transfer, report }) => {
        if (report) return String(report.transferId);
        return transfer.idempotency ? `${transfer.merchantId} ${transfer.idempotency.key}` : null;
      },
    });
  }

  /** Writes a request: durable when this resolves. Rejects with `unavailable` if the database is down or the book stays locked. */
  async request(transfer: RequestedTransfer): Promise<Written> {
    return (await this.#batches.add({ transfer, report: null })) as Written;
  }

  /** Writes a report. Returns the transfer's new status; `null` if its merchant has no such transfer. */
  async report(report: Report): Promise<TransferStatus | null> {
    return (await this.#batches.add({ transfer: null, report })) as TransferStatus | null;
  }

  /** Forgets transfers that are put back into the queue, so that they are read before the next report on them. */
  forget(transfers: readonly TransferIdentity[]): void {
    for (const { transferId } of transfers) this.#open.delete(transferId);
  }

  /** Resolves when nothing is waiting or under way. */
  drain(): Promise<void> {
    return this.#batches.drain();
  }

  /** Writes a batch: as one of all merchants, or on Citus one for each group of shards. */
  #write(items: readonly Item[]): Promise<readonly (Result | Error)[]> {
    const placed = items.map((item) => ({ item, bucket: keyOf(item).bucket }));
    return findInEachPart(this.#options.pool, placed, (pool, some) =>
      this.#writeTogether(
        pool,
        some.map(({ item }) => item),
      ),
    );
  }

  async #writeTogether(pool: Pool, items: readonly Item[]): Promise<readonly (Result | Error)[]> {
    const { lease, findRoom } = this.#options;
    const { term } = lease;
    const room = findRoom(items.flatMap(({ transfer }) => (transfer && !isRefused(transfer) ? [transfer] : [])));
    const batch = new Batch(pool, items, room, term);
    await this.#writeKnown(batch);
    const left = items.filter((item) => !batch.results.has(item));
    if (left.length > 0) {
      const written = await runBatch(left, (some) => this.#writeRead(batch, some), DATABASE_PATIENCE_MS);
      left.forEach((item, index) => batch.results.set(item, written[index]!));
    }
    return items.map((item) => batch.results.get(item)!);
  }

  /**
   * Writes the items of merchants whose books are cached, in one statement and without reading. Items that can't be decided this way, or
   * whose book has changed, are left.
   */
  async #writeKnown(batch: Batch): Promise<void> {
    const known = this.#findKnown(batch.items);
    if (known.length === 0) return;
    const { pool } = batch;
    const { logger } = this.#options;
    const now = toMicrosecond(Temporal.Now.instant());
    const payers = slotsOf(known.map(keyOf)).merchants.map((merchant, index) => {
      const book = this.#books.get(merchant.merchantId)!;
      // The entry number is needed only for a merchant that owes something.
      const opening = { ...book, owedPaise: 0n, lastEntryNo: 0n };
      return { ...book, terms: null, book: new BatchBook(merchant, index + 1, opening) };
    });
    const draft = new BatchDraft(now, payers);
    const results = known.map((item): AcceptOutcome | TransferStatus => {
      if (item.transfer) return draft.accept(batch.requestOf(item.transfer), null);
      return draft.report(item.report, this.#open.get(item.report.transferId)!);
    });
    const takesOn = draft.accepted.some(({ state }) => state === "SUBMITTING");
    try {
      await this.#claiming(takesOn, async (claim) => {
        const available = await makeWriteDraft(pool, await secretsOf(pool), now, claim, draft, false)();
        this.#keep(payers, available);
        const merchantIds = payers.filter(({ book }) => available.has(book.slot)).map(({ book }) => book.merchantId);
        const written = new Set(merchantIds);
        known.forEach((item, index) => {
          if (written.has(keyOf(item).merchantId)) this.#note(batch, item, results[index]!, true, claim);
        });
      });
    } catch (error) {
      // Waiting again would block the lane for as long: check first which books are free.
      if (isLockTimeout(error)) for (const item of known) batch.results.set(item, error);
      // Reading first shows whether it was written. Duplicate references end here.
      if (!isExpected(error))
        logger.warn({ err: error }, "a batch of payouts was refused; reading its books before the retry");
    }
  }

  /** Writes under a new claim if a transfer may be started. */
  #claiming<T>(takesOn: boolean, write: (claim: Claim | null) => Promise<T>): Promise<T> {
    return takesOn ? this.#options.lease.claims.use(write) : write(null);
  }

  /** Caches the books that were written; the others are read before the next try. */
  #keep(payers: readonly Payer[], available: ReadonlyMap<number, bigint | null>): void {
    for (const payer of payers) {
      const { slot, merchantId } = payer.book;
      if (available.has(slot)) this.#books.keep(payer, available.get(slot) ?? payer.book.availablePaise);
      else this.#books.forget(merchantId);
    }
  }

  /** The items of merchants whose whole part of the batch can be decided without reading. */
  #findKnown(items: readonly Item[]): Item[] {
    const known: Item[] = [];
    for (const [merchantId, some] of Map.groupBy(items, (item) => keyOf(item).merchantId)) {
      const book = this.#books.get(merchantId);
      if (book && this.#isPlain(book, some)) known.push(...some);
    }
    return known;
  }

  #isPlain(book: KnownBook, items: readonly Item[]): boolean {
    let wantedPaise = 0n;
    const references = new Set<string>();
    for (const { transfer, report } of items) {
      if (report) {
        const isLast = report.status === "SUCCESS" || report.status === "FAILED" || report.status === "REJECTED";
        if (!isLast || !this.#open.get(report.transferId)) return false;
        // An uncovered fee would become a debt.
        if (report.fee && book.feesPaidBy !== "platform") wantedPaise += report.fee.feePaise + report.fee.taxPaise;
        continue;
      }
      if (isRefused(transfer)) return false;
      const { referenceId } = transfer;
      if (referenceId === null || references.has(referenceId) || payoutRefusal(book, transfer.rail)) return false;
      references.add(referenceId);
      wantedPaise += transfer.amountPaise;
    }
    return wantedPaise <= book.availablePaise;
  }

  /** Writes items after locking their books and reading all facts. */
  async #writeRead(batch: Batch, items: readonly Item[]): Promise<(Result | Error)[]> {
    const { pool } = batch;
    const requests = items.filter((item) => item.transfer !== null);
    const reports = items.filter((item) => item.report !== null);
    const asked = {
      requests: requests.map(({ transfer }) => batch.requestOf(transfer)),
      reports: reports.map(({ report }) => report),
    };
    const takesOn = asked.requests.some(({ claim }) => claim);
    await this.#claiming(takesOn, async (claim) => {
      const { outcomes, statuses, payers } = await writePayouts(pool, Temporal.Now.instant(), claim, asked);
      for (const payer of payers) this.#books.keep(payer, payer.book.availablePaise);
      const unlimited = new Set(payers.filter(({ terms }) => terms === null).map(({ book }) => book.merchantId));
      requests.forEach((item, index) =>
        this.#note(batch, item, outcomes[index]!, unlimited.has(item.transfer.merchantId), claim),
      );
      reports.forEach((item, index) => this.#note(batch, item, statuses[index]!, false, claim));
    });
    return items.map((item) => batch.results.get(item)!);
  }

  #note(
    batch: Batch,
    item: Item,
    result: AcceptOutcome | TransferStatus | null,
    isUnlimited: boolean,
    claim: Claim | null,
  ): void {
    if (item.report) {
      this.#open.delete(item.report.transferId);
      batch.results.set(item, result as TransferStatus | null);
      return;
    }
    const outcome = result as AcceptOutcome;
    if (
      outcome.outcome === "existing" ||
      outcome.outcome === "replayed" ||
      outcome.outcome === "reference_conflict" ||
      outcome.outcome === "idempotency_conflict"
    ) {
      this.#books.rest(item.transfer.merchantId);
    }
    const { bucket, transferId, kind, amountPaise } = item.transfer;
    const isTaken = outcome.outcome === "created" && batch.requestOf(item.transfer).claim;
    const claimId = isTaken ? claim!.claimId : null;
    if (claimId !== null) {
      this.#options.lease.claims.add(claimId, { bucket, transferId });
      const plain = {
        franchiseId: null,
        isSound: true,
        utr: null,
        reason: null,
        countedOn: null,
        isResolved: false,
        fee: null,
        sentProof: null,
      };
      if (isUnlimited && kind !== "commission")
        this.#open.set(transferId, { transferId, kind, amountPaise, state: "SUBMITTING", claimId, ...plain });
    }
    batch.results.set(item, { outcome, claimId, term: batch.term });
  }
}

/** A batch, with the results so far. */
class Batch {
  readonly pool: Pool;
  readonly items: readonly Item[];
  readonly results = new Map<Item, Result | Error>();
  readonly term: number;
  readonly #room: ReadonlySet<RequestedTransfer>;

  constructor(pool: Pool, items: readonly Item[], room: ReadonlySet<NewTransfer>, term: number) {
    this.pool = pool;
    this.items = items;
    this.term = term;
    this.#room = room;
  }

  requestOf(transfer: RequestedTransfer): Request {
    return { transfer, claim: this.#room.has(transfer) };
  }
}
