// Use case: searches a merchant's payouts, page by page. Nothing here skips over rows:
// docs/payouts.md.
import { findFirstEntry } from "../../ledger/index.ts";
import type { Merchant, ReadContext } from "../../merchants/index.ts";
import { typedPaise } from "../../platform/as-typed.ts";
import type { Pool } from "../../platform/database/pool.ts";
import { findByAccountText, findByPartOfAccount } from "../beneficiaries/list-beneficiaries.ts";
import { tagKey } from "../tags/tag-fields.ts";
import { findTags } from "../tags/tag-store.ts";
import {
  findAmongNewest,
  findBeyondTagWalk,
  findNearestPayout,
  findPostedAt,
  walkBook,
  walkKind,
  walkTag,
  type Step,
  type TransferFilter,
  type Walk,
} from "./transfer-list-store.ts";
import { findTransfersByReferences, findTransfers } from "../transfer-store.ts";
import { wireStatus, type Transfer, type TransferKind, type TransferState, type WireStatus } from "../transfer.ts";

/** The most postings, or payouts of a tag, that one request searches; the next page continues there. */
const LONGEST_WALK = 20_000n;
const LAST_PLACE = 9_000_000_000_000_000_000n;

/** The statuses of the API, and a separate one for payouts that wait for approval. */
export type ListedStatus = WireStatus | "PENDING_APPROVAL";
/** A status to filter by, or all payouts whose money came back from the provider. */
export type StatusFilter = ListedStatus | "FAILED_OR_REVERSED";

const STATES: Readonly<Record<StatusFilter, readonly TransferState[]>> = {
  PENDING_APPROVAL: ["AWAITING_APPROVAL"],
  PENDING: ["RESERVED", "SUBMITTING", "UNKNOWN", "PENDING"],
  SUCCESS: ["SUCCESS"],
  FAILED: ["FAILED"],
  REJECTED: ["REJECTED"],
  REVERSED: ["REVERSED"],
  FAILED_OR_REVERSED: ["FAILED", "REVERSED"],
};
const CAME_BACK: ReadonlySet<StatusFilter> = new Set(["FAILED", "REJECTED", "REVERSED", "FAILED_OR_REVERSED"]);

export const STATUS_FILTERS = Object.keys(STATES) as StatusFilter[];

/** The status of a transfer in a list. */
export function listedStatus(state: TransferState): ListedStatus {
  return state === "AWAITING_APPROVAL" ? "PENDING_APPROVAL" : wireStatus(state);
}

/** The search for payouts; `null` means any. Days are in the merchant's time zone, both included. */
export type TransferSearch = {
  readonly kind: TransferKind | null;
  readonly status: StatusFilter | null;
  /** A reference, an id or a UTR, or part of one; the payee's name, UPI handle, account number and IFSC, one of them, or end of the account; an amount. */
  readonly text: string | null;
  readonly beneficiaryId: bigint | null;
  /** A tag, in any case. */
  readonly tag: string | null;
  readonly amountFromPaise: bigint | null;
  readonly amountToPaise: bigint | null;
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
};

/** The part of a list to read: after which payout, in which order, and how many. */
export type TransferPage = { readonly after: bigint | null; readonly oldestFirst: boolean; readonly limit: number };

export type ListTransfers = { readonly search: TransferSearch; readonly page: TransferPage };

/** A payout in a list, with its tags. */
export type ListedTransfer = Transfer & { readonly tags: readonly string[] };

export type TransferPageAnswer = {
  readonly transfers: readonly ListedTransfer[];
  /** `after` for the next page; `null` at the end. */
  readonly next: bigint | null;
  /** How far the search came if it found less than a page and is not finished. */
  readonly searchedTo: Temporal.Instant | null;
};

/** Finds a page of payouts, the newest or the oldest first. */
export async function listTransfers(
  { pool: db, merchant }: ReadContext<Merchant>,
  { search, page }: ListTransfers,
): Promise<TransferPageAnswer> {
  const exact = search.text === null ? [] : await findExactly(db, merchant, search.text);
  const isMeant = (transfer: Transfer): boolean => search.kind === null || transfer.kind === search.kind;
  if (exact.some(isMeant)) {
    return { transfers: await withTags(db, merchant, exact.filter(isMeant)), next: null, searchedTo: null };
  }
  const filter = await filterOf(db, merchant, search);
  const { kind } = search;
  const found =
    search.tag !== null
      ? await pageOfTag(db, merchant, tagKey(search.tag), filter, page)
      : kind === "withdrawal" || kind === "commission"
        ? await pageOfKind(db, merchant, { ...filter, kind }, page)
        : await pageOfBook(db, merchant, search, filter, page);
  const { steps, next, searchedTo } = found;
  const byId = new Map(
    (
      await findTransfers(
        db,
        merchant,
        steps.map(({ transferId }) => transferId),
      )
    ).map((each) => [each.transferId, each]),
  );
  const listed = steps.flatMap(({ transferId }) => byId.get(transferId) ?? []);
  return { transfers: await withTags(db, merchant, listed), next, searchedTo };
}

async function withTags(db: Pool, merchant: Merchant, transfers: readonly Transfer[]): Promise<ListedTransfer[]> {
  const tags = await findTags(
    db,
    merchant,
    transfers.map(({ transferId }) => transferId),
  );
  return transfers.map((transfer) => ({ ...transfer, tags: tags.get(transfer.transferId) ?? [] }));
}

/** How many of the newest payouts a quick search covers. */
const QUICK_STEPS = 5_000;
/** A shorter text is part of too many references. */
const SHORTEST_PART = 3;

/**
 * A quick search for a few payouts: first those with the text as their reference or id, however old; then those of the newest that
 * contain it in their reference or UTR, or match it by amount or account. `listTransfers` searches all of them.
 */
export async function lookUpTransfers(
  { pool: db, merchant }: ReadContext<Merchant>,
  { text, amountPaise, limit }: { readonly text: string; readonly amountPaise: bigint | null; readonly limit: number },
): Promise<Transfer[]> {
  const exact = await findExactly(db, merchant, text);
  if (text.length < SHORTEST_PART && amountPaise === null) return exact;
  const steps = { steps: QUICK_STEPS, limit };
  const byAccount = await findByAccountText(db, merchant, text);
  const payeeIds = byAccount ? [byAccount.beneficiaryId] : await findByPartOfAccount(db, merchant, text);
  const ids = await findAmongNewest(db, merchant, { text, amountPaise, payeeIds }, steps);
  const known = new Set(exact.map(({ transferId }) => transferId));
  const others = await findTransfers(
    db,
    merchant,
    ids.filter((id) => !known.has(id)),
  );
  return [...exact, ...others.toSorted((a, b) => Number(b.transferId - a.transferId))].slice(0, limit);
}

/** All payouts that a search finds, for an export, read page by page. */
export async function* streamTransfers(
  context: ReadContext<Merchant>,
  search: TransferSearch,
): AsyncGenerator<ListedTransfer> {
  let after: bigint | null = null;
  do {
    const page: TransferPageAnswer = await listTransfers(context, {
      search,
      page: {
        after,
        oldestFirst: false,
        limit: EXPORT_PAGE,
      },
    });
    yield* page.transfers;
    after = page.next;
  } while (after !== null);
}

const EXPORT_PAGE = 1000;

/** The payouts whose reference or id is exactly this text. */
async function findExactly(db: Pool, merchant: Merchant, text: string): Promise<Transfer[]> {
  const [byReference] = await findTransfersByReferences(db, [{ ...merchant, referenceId: text }]);
  if (byReference) return [byReference];
  return /^[0-9]{1,16}$/.test(text) ? findTransfers(db, merchant, [BigInt(text)]) : [];
}

async function filterOf(db: Pool, merchant: Merchant, search: TransferSearch): Promise<TransferFilter> {
  const { text, beneficiaryId } = search;
  const byAccount = text === null ? null : await findByAccountText(db, merchant, text);
  const startOf = (day: Temporal.PlainDate): Temporal.Instant => day.toZonedDateTime(merchant.timeZone).toInstant();
  return {
    kind: search.kind,
    states: search.status && STATES[search.status],
    amountFromPaise: search.amountFromPaise,
    amountToPaise: search.amountToPaise,
    beneficiaryIds: beneficiaryId === null ? byAccount && [byAccount.beneficiaryId] : [beneficiaryId],
    text: byAccount ? null : text,
    textPaise: text === null ? null : typedPaise(text),
    textPayees: text === null || byAccount ? [] : await findByPartOfAccount(db, merchant, text),
    addedFrom: search.from && startOf(search.from),
    addedUntil: search.to && startOf(search.to.add({ days: 1 })),
  };
}

type Found = Pick<TransferPageAnswer, "next" | "searchedTo"> & { readonly steps: readonly Step[] };

async function pageOfKind(
  db: Pool,
  merchant: Merchant,
  filter: Parameters<typeof walkKind>[3],
  { after, oldestFirst, limit }: TransferPage,
): Promise<Found> {
  const first = oldestFirst && after !== null ? after + 1n : 0n;
  const end = !oldestFirst && after !== null ? after : LAST_PLACE;
  const steps = await walkKind(db, merchant, { first, end, oldestFirst, limit }, filter);
  return { steps, next: steps.length === limit ? steps.at(-1)!.place : null, searchedTo: null };
}

async function pageOfTag(
  db: Pool,
  merchant: Merchant,
  key: string,
  filter: TransferFilter,
  { after, oldestFirst, limit }: TransferPage,
): Promise<Found> {
  const first = oldestFirst && after !== null ? after + 1n : 0n;
  const end = !oldestFirst && after !== null ? after : LAST_PLACE;
  const beyond = await findBeyondTagWalk(db, merchant, key, { first, end, oldestFirst }, LONGEST_WALK);
  const walk = beyond === null ? { first, end } : oldestFirst ? { first, end: beyond } : { first: beyond + 1n, end };
  const steps = await walkTag(db, merchant, key, { ...walk, oldestFirst, limit }, filter);
  if (steps.length === limit) return { steps, next: steps.at(-1)!.place, searchedTo: null };
  if (beyond === null) return { steps, next: null, searchedTo: null };
  const [reached] = await findTransfers(db, merchant, [beyond]);
  return { steps, next: oldestFirst ? beyond - 1n : beyond + 1n, searchedTo: reached?.addedAt ?? null };
}

async function pageOfBook(
  db: Pool,
  merchant: Merchant,
  { status }: TransferSearch,
  filter: TransferFilter,
  { after, oldestFirst, limit }: TransferPage,
): Promise<Found> {
  const cameBack = status !== null && CAME_BACK.has(status);
  // A payout may come back long after it was accepted, so only the start of the period also limits the walk.
  const until = cameBack ? null : filter.addedUntil;
  const whole = {
    first: filter.addedFrom ? await findFirstEntry(db, merchant, filter.addedFrom) : 1n,
    end: await findFirstEntry(db, merchant, until ?? Temporal.Now.instant().add({ hours: 24 })),
  };
  const rest = oldestFirst
    ? { first: after === null ? whole.first : after + 1n, end: whole.end }
    : { first: whole.first, end: after === null || after > whole.end ? whole.end : after };
  const walk = cameBack
    ? { ...rest, oldestFirst, limit }
    : await shorten(db, merchant, { ...rest, oldestFirst, limit });
  const steps = await walkBook(db, merchant, cameBack ? "given back" : "accepted", walk, filter);
  if (steps.length === limit) return { steps, next: steps.at(-1)!.place, searchedTo: null };
  const isDone = oldestFirst ? walk.end >= rest.end : walk.first <= rest.first;
  if (isDone) return { steps, next: null, searchedTo: null };
  const stop = oldestFirst ? walk.end - 1n : walk.first;
  return { steps, next: stop, searchedTo: await findPostedAt(db, merchant, stop) };
}

/** The first part of a walk that is too long for one request: it starts at the first payout, however far that is. */
async function shorten(db: Pool, merchant: Merchant, walk: Walk): Promise<Walk> {
  const { first, end, oldestFirst } = walk;
  if (end - first <= LONGEST_WALK) return walk;
  const nearest = await findNearestPayout(db, merchant, walk, LONGEST_WALK);
  if (oldestFirst) {
    const begin = nearest ?? first;
    return { ...walk, first: begin, end: begin + LONGEST_WALK < end ? begin + LONGEST_WALK : end };
  }
  const stop = nearest === null ? end : nearest + 1n;
  return { ...walk, first: stop - LONGEST_WALK > first ? stop - LONGEST_WALK : first, end: stop };
}
