// SQL of group commits: it locks the books of many merchants in key order, or adds to those with enough money.
import type { Parameters, RowColumn } from "../platform/database/parameters.ts";
import type { Item } from "../platform/database/table.ts";
import type pg from "pg";
import { together, type Connection } from "../platform/database/pool.ts";
import { byBucket } from "../platform/database/buckets.ts";
import { isSpread, type BucketPin } from "../platform/database/citus/index.ts";
import { CHART, type Account, type HotAccount } from "./chart.ts";
import {
  addTo,
  noMovement,
  rowMovements,
  ruleOf,
  settlementAfter,
  sidesOf,
  type Money,
  type Movement,
  type RowMovement,
} from "./posting-rules.ts";

type BookKey = { readonly bucket: number; readonly merchantId: bigint };

/** The order in which several books are locked. */
export function inBookOrder(one: BookKey, other: BookKey): number {
  return one.bucket - other.bucket || Number(one.merchantId - other.merchantId);
}

/** The merchants of a batch, once each, in key order (the order of locking), and each item's place among them. */
export function slotsOf(items: readonly BookKey[]): { merchants: BookKey[]; slots: number[] } {
  const merchants = [...new Map(items.map((item) => [item.merchantId, item])).values()].sort(inBookOrder);
  const slotOf = new Map(merchants.map((merchant, index) => [merchant.merchantId, index + 1]));
  return {
    merchants: merchants.map(({ bucket, merchantId }) => ({ bucket, merchantId })),
    slots: items.map((item) => slotOf.get(item.merchantId)!),
  };
}

/** A merchant's book as it was read: its last number, the available balance and the debt, in paise. */
export type BookState = {
  readonly lastEntryNo: bigint;
  readonly availablePaise: bigint;
  readonly owedPaise: bigint;
  /** Changes with every entry that may decide on payouts: `changesTerms`. */
  readonly termsVersion: bigint;
};

/**
 * Locks the books of merchants, given in key order, until the transaction ends. @throws Error if a merchant has none
 */
export async function lockBooks(connection: Connection, merchants: readonly BookKey[]): Promise<BookState[]> {
  const buckets = byBucket(merchants);
  const lock = buckets.length === 1 || isSpread(connection) ? lockByBucket(buckets) : [lockOfAll(merchants)];
  const answers = await together(connection, ...lock.map((statement) => () => connection.query<BookRow>(statement)));
  const rows = answers.flatMap((answer) => answer.rows);
  if (rows.length !== merchants.length) throw new Error("a merchant has no book");
  return rows.map((row) => ({
    lastEntryNo: row.last_entry_no,
    availablePaise: row.available_paise,
    owedPaise: row.owed_paise,
    termsVersion: row.terms_version,
  }));
}

type BookRow = { last_entry_no: bigint; available_paise: bigint; owed_paise: bigint; terms_version: bigint };

function lockByBucket(buckets: readonly [number, readonly BookKey[]][]): pg.QueryConfig[] {
  return buckets.map(([bucket, merchants]) => ({
    name: "lock-books-of-bucket",
    text: `select last_entry_no, available_paise, -owed_by_merchant_paise as owed_paise, terms_version
      from ledger_book
      where bucket = $1 and merchant_id = any ($2)
      order by merchant_id
      for update`,
    values: [bucket, merchants.map(({ merchantId }) => merchantId)],
  }));
}

function lockOfAll(merchants: readonly BookKey[]): pg.QueryConfig {
  return {
    name: "lock-books",
    text: `select last_entry_no, available_paise, -owed_by_merchant_paise as owed_paise, terms_version
      from unnest($1::smallint[], $2::bigint[]) with ordinality as wanted (bucket, merchant_id, place)
      join ledger_book using (bucket, merchant_id)
      order by wanted.place
      for update of ledger_book`,
    values: [merchants.map(({ bucket }) => bucket), merchants.map(({ merchantId }) => merchantId)],
  };
}

/** An entry that a batch adds to a book. */
export type BatchEntry = {
  /** The place of its merchant among those of the batch, from 1. */
  readonly slot: number;
  /** Its place among the entries that the batch adds to this book, from 1. */
  readonly place: number;
  readonly type: string;
  readonly subjectId: bigint;
  readonly money: Money;
  /** The requester and its address; `null` for the transaction's actor. */
  readonly actor: string | null;
  readonly address: string | null;
};

/** A merchant's book in a batch: as it was read, and the batch's additions. */
export class BatchBook {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly slot: number;
  readonly termsVersion: bigint;
  readonly movement: Movement = noMovement();
  readonly entries: BatchEntry[] = [];
  readonly #opening: BookState;
  #lowestPaise = 0n;

  constructor({ bucket, merchantId }: BookKey, slot: number, opening: BookState) {
    this.bucket = bucket;
    this.merchantId = merchantId;
    this.slot = slot;
    this.termsVersion = opening.termsVersion;
    this.#opening = opening;
  }

  /** The available balance after the entries so far, in paise. */
  get availablePaise(): bigint {
    return this.#opening.availablePaise + this.movement.available;
  }

  /** The merchant's debt after the entries so far, in paise. */
  get owedPaise(): bigint {
    return this.#opening.owedPaise - this.movement.owed_by_merchant;
  }

  /** The lowest change of the available balance after any of the entries: zero or less, in paise. */
  get lowestPaise(): bigint {
    return this.#lowestPaise;
  }

  /**
   * Adds an entry, then settles the merchant's debt from the available balance.
   * @throws Error if its posting has a change number, or moves an account that a batch does not move
   */
  add(entry: Pick<BatchEntry, "type" | "subjectId" | "money" | "actor" | "address">): void {
    this.#push(entry);
    const settlement = settlementAfter(this.#opening.lastEntryNo + BigInt(this.entries.length), this);
    if (settlement) this.#push({ ...settlement, actor: entry.actor, address: entry.address });
  }

  #push(entry: Pick<BatchEntry, "type" | "subjectId" | "money" | "actor" | "address">): void {
    const unmoved = ruleOf(entry.money.kind).find((account) => !MOVED_IN_BATCHES.has(account));
    if (unmoved) throw new Error(`a batch does not move ${unmoved}: post ${entry.money.kind} with recordEvents`);
    if (entry.money.changeNo)
      throw new Error(`a batch writes no change number: post ${entry.money.kind} with recordEvents`);
    addTo(this.movement, entry.money);
    if (this.movement.available < this.#lowestPaise) this.#lowestPaise = this.movement.available;
    this.entries.push({ ...entry, slot: this.slot, place: this.entries.length + 1 });
  }
}

/** SQL: does the row's `slot` belong to a merchant whose book was changed? */
export const IS_OK = "slot = any ((select slots from ok)::integer[])";

/** SQL of `changed_at`, to be written with each new last number of a book. */
export const CHANGED_AT = "date_bin('10 s', now(), 'epoch')";

/** The columns of the book that `moveBooks` changes. */
const MOVED: readonly HotAccount[] = ["available", "held", "payout_clearing", "owed_by_merchant", "fee_expense"];

/** All accounts that a batch moves: those columns, and the accounts that have owners. */
const MOVED_IN_BATCHES: ReadonlySet<Account> = new Set([
  ...MOVED,
  ...CHART.filter(({ owned }) => owned).map(({ name }) => name),
]);

/**
 * The parts `moved` and `ok` of a `with`: they change the books, and the database numbers the entries. `ok` has the
 * slots of the changed books (`slots`), and by slot the last number before (`earlier`) and the available balance now.
 *
 * With `isHeld` the transaction has locked the books, and all are changed. Otherwise only those books are changed that
 * have enough money for each entry in order, owe nothing, and still have the terms that the entries were decided by.
 * Everything else that the statement writes must depend on `ok`. Money that others move at the same time is no
 * conflict. Books are locked in key order, so that two servers can't deadlock.
 */
export function moveBooks(
  parameters: Parameters,
  pin: BucketPin,
  books: readonly BatchBook[],
  isHeld: boolean,
): string {
  const [moved, still] = [
    books.filter(({ entries }) => entries.length > 0),
    books.filter((book) => book.entries.length === 0),
  ];
  if (!isHeld && still.length > 0) throw new Error("a book that nothing is added to must be held");
  const column = (type: string, read: (book: BatchBook) => Item): string => parameters.add(type, moved.map(read));
  const moves = `unnest(
        ${column("smallint[]", ({ bucket }) => bucket)}, ${column("bigint[]", ({ merchantId }) => merchantId)},
        ${column("integer[]", ({ slot }) => slot)}, ${column("bigint[]", ({ entries }) => entries.length)},
        ${MOVED.map((account) => column("bigint[]", ({ movement }) => movement[account])).join(", ")}`;
  const columns = `bucket, merchant_id, slot, entries, ${MOVED.join(", ")}`;
  const isSame = `book.bucket = move.bucket and book.merchant_id = move.merchant_id${pin.of("book")}`;
  const fitting = (): string => `fitting as materialized (
      select move.*
      from ${moves}, ${column("bigint[]", ({ lowestPaise }) => lowestPaise)},
        ${column("bigint[]", ({ termsVersion }) => termsVersion)}) as move (${columns}, lowest, terms)
      join ledger_book book on ${isSame}
      where book.available_paise + move.lowest >= 0 and book.owed_by_merchant_paise = 0 and book.terms_version = move.terms
      order by move.slot
      for no key update of book
    ), `;
  return `${isHeld ? "" : fitting()}moved as (
      update ledger_book book
      set
        last_entry_no = book.last_entry_no + move.entries, changed_at = ${CHANGED_AT},
        ${MOVED.map((account) => `${account}_paise = book.${account}_paise + move.${account}`).join(", ")}
      from ${isHeld ? `${moves}) as move (${columns})` : "fitting as move"}
      where ${isSame}
      returning move.slot, book.last_entry_no - move.entries as earlier, book.available_paise as available
    ), ok as materialized (
      select
        coalesce(array_agg(moved.slot) filter (where moved.slot is not null), '{}') || ${parameters.add(
          "integer[]",
          still.map(({ slot }) => slot),
        )} as slots,
        array_agg(moved.earlier order by place) as earlier, array_agg(moved.available order by place) as available
      from generate_series(1, ${parameters.add("integer", books.length)}) as place
      left join moved on moved.slot = place
    )`;
}

const ENTRY_COLUMNS: readonly RowColumn<BatchEntry & ReturnType<typeof sidesOf>>[] = [
  ["slot", "integer", ({ slot }) => slot],
  ["place", "integer", ({ place }) => place],
  ["type", "text", ({ type }) => type],
  ["subject_id", "bigint", ({ subjectId }) => subjectId],
  ["actor", "text", ({ actor }) => actor],
  ["address", "text", ({ address }) => address],
  ["kind", "text", ({ money }) => money.kind],
  ["debit_kind", "text", ({ debitKind }) => debitKind],
  ["debit_owner_id", "bigint", ({ debitOwnerId }) => debitOwnerId],
  ["credit_kind", "text", ({ creditKind }) => creditKind],
  ["credit_owner_id", "bigint", ({ creditOwnerId }) => creditOwnerId],
  ["amount_paise", "bigint", ({ money }) => money.amountPaise],
];

/** A part of a `with` that adds the books' entries to the journal. `keys` names the merchants of the slots. */
export function addEntries(
  parameters: Parameters,
  books: readonly BatchBook[],
  keys: { readonly buckets: string; readonly merchantIds: string },
  createdAt: string,
): string {
  const entries = books.flatMap((book) => book.entries).map((entry) => ({ ...entry, ...sidesOf(entry.money) }));
  const { arrays, names } = parameters.addRows(ENTRY_COLUMNS, entries);
  return `entered as (
      insert into journal (
        bucket, merchant_id, entry_no, type, subject_id, created_at, actor, address, kind, debit_kind, debit_owner_id,
        credit_kind, credit_owner_id, amount_paise)
      select
        (${keys.buckets})[slot], (${keys.merchantIds})[slot], ((select earlier from ok)::bigint[])[slot] + place, type,
        subject_id, ${createdAt},
        coalesce(entry.actor, nodal_actor()), case when entry.actor is null then nodal_address() else entry.address end,
        kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise
      from ${arrays} as entry (${names})
      where ${IS_OK}
      returning 1
    )`;
}

/**
 * The parts of a `with` that move accounts with owners; `null` if no entry moves one. Also returns SQL for the number
 * of moved rows, and the slots of the merchants, one for each row that must be found.
 */
export function moveOwned(
  parameters: Parameters,
  pin: BucketPin,
  books: readonly BatchBook[],
): { readonly text: string; readonly count: string; readonly slots: number[] } | null {
  const moved = books.flatMap(({ bucket, merchantId, slot, entries }) =>
    rowMovements(entries.map(({ money }) => ({ bucket, merchantId, money }))).map((movement) => ({
      ...movement,
      slot,
    })),
  );
  if (moved.length === 0) return null;
  return { ...moveRows(parameters, pin, moved, IS_OK), slots: moved.map(({ slot }) => slot) };
}

const MOVEMENT_COLUMNS: readonly RowColumn<RowMovement & { readonly slot?: number }>[] = [
  ["slot", "integer", ({ slot }) => slot],
  ["bucket", "smallint", ({ bucket }) => bucket],
  ["merchant_id", "bigint", ({ merchantId }) => merchantId],
  ["kind", "text", ({ kind }) => kind],
  ["owner_id", "bigint", ({ ownerId }) => ownerId],
  ["paise", "bigint", ({ paise }) => paise],
];

/**
 * The parts of a `with` that move the accounts in rows for movements that meet `condition`, and SQL that counts the
 * moved rows. The first movement opens an account without an owner. An account with an owner must exist: otherwise the
 * count is too small.
 */
export function moveRows(
  parameters: Parameters,
  pin: BucketPin,
  moved: readonly (RowMovement & { readonly slot?: number })[],
  condition = "true",
): { readonly text: string; readonly count: string } {
  const { arrays, names } = parameters.addRows(MOVEMENT_COLUMNS, moved);
  const isSame = `account.bucket = movement.bucket and account.merchant_id = movement.merchant_id
        and account.kind = movement.kind and account.owner_id = movement.owner_id${pin.of("account")}`;
  const add = `movement as (
      select * from ${arrays} as movement (${names}) where ${condition}
    ), added as (
      update ledger_account account
      set balance = account.balance + movement.paise
      from movement
      where ${isSame}
      returning 1
    )`;
  if (moved.every(({ ownerId }) => ownerId !== 0n)) return { text: add, count: "(select count(*) from added)" };
  // A row that another transaction has just opened is not in the snapshot: the insert meets it as a conflict.
  const open = `opened as (
      insert into ledger_account (bucket, merchant_id, kind, owner_id, balance)
      select bucket, merchant_id, kind, owner_id, paise from movement
      where owner_id = 0 and not exists (select from ledger_account account where ${isSame})
      on conflict (bucket, merchant_id, kind, owner_id) do update set balance = ledger_account.balance + excluded.balance
      returning 1
    )`;
  return {
    text: `${add}, ${open}`,
    count: "((select count(*) from added) + (select count(*) from opened))",
  };
}
