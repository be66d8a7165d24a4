// Books as this process last left them, so that a batch can be decided without reading them first.
// What belongs here: remembering. Whether a book is still so is checked by the statement that moves it on.
import { LRUCache } from "lru-cache";
import type { Payer } from "./batch-draft.ts";

const BOOKS_REMEMBERED = 20_000;
/** How long a book is read first after somebody else has moved it on: who did so once does it again. */
const REST_MOVED_MS = 250;
/** How long after a request that was there already: one more would refuse the statement for all merchants of a batch. */
const REST_REPEATED_MS = 10_000;

/** A book, and what of its merchant stays true for as long as the book has this number: each change is an entry. */
export type KnownBook = Pick<Payer, "status" | "live" | "feesPaidBy"> & {
  readonly lastEntryNo: bigint;
  readonly availablePaise: bigint;
  readonly owedPaise: bigint;
};

export class KnownBooks {
  readonly #books = new LRUCache<bigint, KnownBook | { readonly restsUntilMs: number }>({ max: BOOKS_REMEMBERED });

  /** The book of a merchant, where it is known. */
  get(merchantId: bigint): KnownBook | null {
    const book = this.#books.get(merchantId);
    return book && "lastEntryNo" in book ? book : null;
  }

  /** Remembers how a merchant stands after a batch. One with a policy is read each time: its day may be over. */
  keep({ book, terms, status, live, feesPaidBy }: Payer): void {
    const earlier = this.#books.get(book.merchantId);
    if (terms !== null || (earlier && "restsUntilMs" in earlier && earlier.restsUntilMs > performance.now())) return;
    const { lastEntryNo, availablePaise, owedPaise } = book;
    this.#books.set(book.merchantId, { status, live, feesPaidBy, lastEntryNo, availablePaise, owedPaise });
  }

  /** Lets the book be read first for a while. */
  rest(merchantId: bigint, after: "moved" | "repeated"): void {
    const restMs = after === "moved" ? REST_MOVED_MS : REST_REPEATED_MS;
    this.#books.set(merchantId, { restsUntilMs: performance.now() + restMs });
  }
}
