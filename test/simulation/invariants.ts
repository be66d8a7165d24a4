// What must be true of the money at any time, and at the end: Nodal's books beside those of the banks. It is the banks'
// own books that say what was really paid.
import { COMMISSION_CHECKS } from "../../src/franchises/index.ts";
import { verify } from "../../src/payouts/verify/verify.ts";
import type { BookState, Payment } from "../../stand-ins/payout-book.ts";
import { versionOfAll } from "./changes.ts";
import type { Requests } from "./requests.ts";
import type { World } from "./world.ts";

/** Something that must never be. */
class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
}

type TransferRow = {
  readonly merchant_id: bigint;
  readonly transfer_id: bigint;
  readonly reference_id: string | null;
  readonly state: string;
  readonly amount_paise: bigint;
  readonly kinds: string | null;
};
type BookRow = {
  readonly merchant_id: bigint;
  readonly held_paise: bigint;
  readonly available_paise: bigint;
  readonly last_entry_no: bigint;
  readonly open_paise: bigint;
  readonly posted_held_paise: bigint;
  readonly posted_available_paise: bigint;
  readonly entries: bigint;
};

type Found = {
  readonly version: number;
  readonly books: readonly BookRow[];
  readonly transfers: readonly TransferRow[];
};

/** What is read of the database. */
const TABLES = ["ledger_book", "journal", "transfer"];

/** Checks that compare with the clock of the database, which is not the simulated one. */
const BY_DATABASE_CLOCK = new Set(["dispatch_due", "payment_review_due"]);

const ENDED: Readonly<Record<BookState, string>> = {
  QUEUED: "PENDING",
  PENDING: "PENDING",
  PAID: "SUCCESS",
  FAILED: "FAILED",
  REJECTED: "REJECTED",
  REVERSED: "REVERSED",
};

const BOOKS = `
  select book.merchant_id, held_paise, available_paise, last_entry_no,
    (select coalesce(sum(amount_paise), 0)::bigint from transfer
     where transfer.bucket = book.bucket and transfer.merchant_id = book.merchant_id
       and state in ('AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')) as open_paise,
    posted.*
  from ledger_book book
  cross join lateral (
    select
      coalesce(sum(case when credit_kind = 'held' then amount_paise when debit_kind = 'held' then -amount_paise end), 0)::bigint
        as posted_held_paise,
      coalesce(sum(case when credit_kind = 'available' then amount_paise when debit_kind = 'available' then -amount_paise end),
        0)::bigint as posted_available_paise,
      count(*) as entries
    from journal where journal.bucket = book.bucket and journal.merchant_id = book.merchant_id
  ) as posted
  where book.bucket = any ($1) and book.merchant_id = any ($2)`;

const TRANSFERS = `
  select merchant_id, transfer_id, reference_id, state, amount_paise,
    (select string_agg(kind, ' ' order by entry_no) from journal
     where journal.bucket = transfer.bucket and journal.merchant_id = transfer.merchant_id
       and subject_id = transfer_id and kind is not null) as kinds
  from transfer where bucket = any ($1) and merchant_id = any ($2)
  order by transfer_id`;

export class Invariants {
  readonly #world: World;
  readonly #requests: Requests;
  #found: Found | null = null;

  constructor(world: World, requests: Requests) {
    this.#world = world;
    this.#requests = requests;
  }

  /**
   * What holds at any time, whatever is under way.
   * @throws BrokenInvariant
   */
  async check(): Promise<void> {
    const { books, transfers } = await this.#read();
    for (const row of books) checkBook(row);
    const [refusal] = this.#world.refusedWrites;
    if (refusal !== undefined) broken(`the database refused what a process wrote: ${refusal}`);
    this.#checkAnswers(transfers);
    const payments = this.#payments(transfers);
    for (const transfer of transfers) checkTransfer(transfer, payments.get(transfer.transfer_id) ?? null);
  }

  /**
   * What holds once everything has ended: each transfer as its bank has it.
   * @throws BrokenInvariant
   */
  async checkEnd(): Promise<void> {
    await this.check();
    const { transfers } = await this.#read();
    const payments = this.#payments(transfers);
    for (const { transfer_id: id, state } of transfers) {
      const payment = payments.get(id);
      if (!isAsBooked(state, payment))
        broken(
          `transfer ${id} has ended as ${state}, and its bank ${payment ? `has it ${payment.state}` : "never made it"}`,
        );
    }
    for (const { merchant } of this.#world.merchants) {
      const { violations } = await verify(this.#world.owner, merchant, COMMISSION_CHECKS);
      for (const found of violations.filter(({ check }) => !BY_DATABASE_CLOCK.has(check)))
        broken(`verify: ${found.check}: ${found.what} of ${found.subjectId}: ${found.expected}, found ${found.found}`);
    }
  }

  /** Whether every transfer has ended, as far as its bank has. */
  async hasEnded(): Promise<boolean> {
    const { transfers } = await this.#read();
    const payments = this.#payments(transfers);
    return transfers.every(({ transfer_id: id, state }) => {
      const payment = payments.get(id);
      return isAsBooked(state, payment) && !isOpenAtBank(payment);
    });
  }

  /** What the database has; it is asked again once it has something else. */
  async #read(): Promise<Found> {
    const version = versionOfAll(TABLES);
    if (this.#found?.version === version) return this.#found;
    const keys = this.#world.merchants.map(({ merchant }) => merchant);
    const values = [keys.map(({ bucket }) => bucket), keys.map(({ merchantId }) => merchantId)];
    const { owner } = this.#world;
    const [books, transfers] = await Promise.all([
      owner.query<BookRow>(BOOKS, values),
      owner.query<TransferRow>(TRANSFERS, values),
    ]);
    this.#found = { version, books: books.rows, transfers: transfers.rows };
    return this.#found;
  }

  /** What was answered is there, and stays the same however often it is asked for. */
  #checkAnswers(transfers: readonly TransferRow[]): void {
    const byId = new Map(transfers.map((transfer) => [transfer.transfer_id, transfer]));
    const references = new Set(transfers.map(({ reference_id: reference }) => reference));
    for (const { number, amountPaise, transferIds, asked, refused, forbidden } of this.#requests.payoutRequests) {
      if (forbidden !== null) broken(`W${number} was accepted, and ${forbidden}`);
      if (transferIds.size > 1)
        broken(`W${number} was answered with several transfers: ${[...transferIds].join(", ")}`);
      for (const id of transferIds) {
        const transfer = byId.get(id);
        if (!transfer) broken(`transfer ${id} was acknowledged for W${number}, and is not there`);
        else if (transfer.amount_paise !== amountPaise || transfer.reference_id !== `w${number}`)
          broken(`transfer ${id} is not what W${number} asked for`);
      }
      if (asked === refused && references.has(`w${number}`)) broken(`W${number} was refused, and there is a transfer`);
    }
  }

  /** The banks' payments by the transfers that asked for them: each once, and none that nothing asked for. */
  #payments(transfers: readonly TransferRow[]): Map<bigint, Payment> {
    const byId = new Map(transfers.map((transfer) => [transfer.transfer_id, transfer]));
    const found = new Map<bigint, Payment>();
    const narratives = new Set<string>();
    for (const { desk } of this.#world.banks) {
      const balance = new Map<string, number>();
      for (const { clientId, kind } of desk.book.listMovements())
        balance.set(clientId, (balance.get(clientId) ?? 0) + (kind === "paid" ? 1 : -1));
      for (const payment of desk.book.listPayments()) {
        const { clientId, narrative, amountPaise, state } = payment;
        const id = transferOf(clientId);
        const transfer = byId.get(id);
        if (narratives.has(narrative)) broken(`the bank was asked for ${narrative} twice`);
        narratives.add(narrative);
        if (!transfer) broken(`the bank has a payment ${id} (${narrative}) that no transfer asked for`);
        else if (transfer.amount_paise !== amountPaise) broken(`the bank has another amount of transfer ${id}`);
        const net = balance.get(clientId) ?? 0;
        if (net !== (state === "PAID" ? 1 : 0)) broken(`transfer ${id} was paid ${net} times and is ${state}`);
        found.set(id, payment);
      }
    }
    return found;
  }
}

/** What came back before it was heard that it was paid after all is not paid, by either name. */
function isAsBooked(state: string, payment: Payment | undefined): boolean {
  if (!payment) return state === "FAILED";
  return state === ENDED[payment.state] || (payment.state === "REVERSED" && state === "FAILED");
}

function transferOf(clientId: string): bigint {
  let value = 0n;
  for (const digit of clientId.split("_").at(-1)!) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value;
}

function checkBook(book: BookRow): void {
  const { merchant_id: id } = book;
  if (book.held_paise !== book.open_paise)
    broken(`merchant ${id} holds ${book.held_paise} for open ${book.open_paise}`);
  if (book.held_paise !== book.posted_held_paise)
    broken(`merchant ${id} holds ${book.held_paise}, and its postings come to ${book.posted_held_paise}`);
  if (book.available_paise !== book.posted_available_paise)
    broken(`merchant ${id} has ${book.available_paise}, and its postings come to ${book.posted_available_paise}`);
  if (book.available_paise < 0n) broken(`merchant ${id} has less than nothing: ${book.available_paise}`);
  if (book.entries !== book.last_entry_no)
    broken(`merchant ${id} has ${book.entries} entries of ${book.last_entry_no}`);
}

/** What the ledger says was paid or failed, the bank has said so. */
function checkTransfer({ transfer_id: id, state, kinds }: TransferRow, payment: Payment | null): void {
  const posted = (kinds ?? "").split(" ");
  if (new Set(posted).size < posted.length) broken(`transfer ${id} has a posting twice: ${kinds}`);
  const wasPaid = payment?.state === "PAID" || payment?.state === "REVERSED";
  if (state === "SUCCESS" && !wasPaid)
    broken(`transfer ${id} is a SUCCESS, and its bank has ${payment?.state ?? "nothing"}`);
  if (state === "REVERSED" && payment?.state !== "REVERSED")
    broken(`transfer ${id} is REVERSED, and its bank has ${payment?.state ?? "nothing"}`);
  if ((state === "FAILED" || state === "REJECTED") && isOpenAtBank(payment))
    broken(`transfer ${id} is ${state}, and its bank is still at it`);
  if ((state === "RESERVED" || state === "AWAITING_APPROVAL") && payment)
    broken(`transfer ${id} is ${state}, and its bank has it`);
}

function isOpenAtBank(payment: Payment | null | undefined): boolean {
  return payment?.state === "PENDING" || payment?.state === "QUEUED";
}

function broken(what: string): never {
  throw new BrokenInvariant(what);
}
