// The book of a stand-in's payouts: what it was asked for, what it really paid, and what came back. It is a file, so that a
// stand-in that is killed goes on where it was.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { RailMode } from "../src/payouts/rails/rail.ts";

/** What has become of a payment, in no provider's words. The payee has the money while it is `PAID`; `QUEUED` waits for balance. */
export type BookState = "QUEUED" | "PENDING" | "PAID" | "FAILED" | "REJECTED" | "REVERSED";

/** A later change. `reason` is one that providers give, for people and programs: `CODE: sentence`. */
export type Step = { readonly afterMs: number; readonly state: BookState; readonly reason: string | null };

export type NewPayment = {
  /** The provider's own id. */
  readonly providerId: string;
  /** The caller's id, under which it is paid once. */
  readonly clientId: string;
  readonly referenceId: string;
  readonly amountPaise: bigint;
  readonly mode: RailMode;
  /** The provider's id of whom it goes to. */
  readonly payeeId: string;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
  readonly narrative: string;
  readonly utr: string;
  readonly feePaise: bigint;
  readonly taxPaise: bigint;
  /** The caller's fund source that it leaves from, where the provider has several. */
  readonly source?: string | null;
  /** What else the provider keeps of the request, as JSON. */
  readonly extra?: string | null;
};

export type Payment = NewPayment & {
  readonly state: BookState;
  readonly reason: string | null;
  readonly createdMs: bigint;
  readonly updatedMs: bigint;
};

/** Money that really moved: to the payee, or back from there. */
export type Movement = {
  readonly atMs: bigint;
  readonly clientId: string;
  readonly providerId: string;
  readonly kind: "paid" | "returned";
  readonly amountPaise: bigint;
  readonly utr: string;
};

/** Whom a provider knows; what was sent of it. */
export type Payee = { readonly payeeId: string; readonly fields: Readonly<Record<string, string>> };

/** A notice to the caller, kept until it is taken. */
export type Notice = { readonly noticeId: bigint; readonly body: string; readonly attempts: bigint };

const SCHEMA = `
  create table if not exists payment (
    provider_id text primary key, client_id text not null unique, reference_id text not null, amount_paise integer not null,
    mode text not null, payee_id text not null, account_number text, ifsc text, upi text, narrative text not null,
    utr text not null, fee_paise integer not null, tax_paise integer not null, source text, extra text,
    state text not null, reason text, created_ms integer not null, updated_ms integer not null) strict;
  create table if not exists step (
    provider_id text not null, place integer not null, due_ms integer not null, state text not null, reason text,
    primary key (provider_id, place)) strict;
  create table if not exists movement (
    at_ms integer not null, client_id text not null, provider_id text not null, kind text not null,
    amount_paise integer not null, utr text not null) strict;
  create table if not exists payee (payee_id text primary key, match_key text not null unique, fields text not null) strict;
  create table if not exists notice (
    notice_id integer primary key, due_ms integer not null, body text not null, attempts integer not null) strict;
  create table if not exists funding (amount_paise integer not null, at_ms integer not null) strict;
  create table if not exists counter (name text primary key, value integer not null) strict`;

/** The first parameter is 1 where fees come back with a payment. */
const BALANCE = `select coalesce((select sum(amount_paise) from funding), 0)
  - coalesce((select sum(case when state in ('PENDING', 'PAID') then amount_paise else 0 end
      + case when state = 'PAID' or (state = 'REVERSED' and ? = 0) then fee_paise + tax_paise else 0 end) from payment), 0)
  as paise`;

export class PayoutBook {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #hasNewFunds = false;
  /** When the first of these is due: nobody else writes the file. Not known where it is not there. */
  readonly #firstDueMs = new Map<"step" | "notice", number>();

  /** Whether the provider gives its fee and the tax on it back with a payment that is reversed. */
  readonly #returnsFees: boolean;

  /** @param file `:memory:` for one that is gone with the process */
  constructor(file: string, returnsFees: boolean) {
    this.#returnsFees = returnsFees;
    this.#db = new DatabaseSync(file);
    this.#db.exec("pragma journal_mode = wal; pragma synchronous = normal");
    this.#db.exec(SCHEMA);
  }

  close(): void {
    this.#db.close();
  }

  fund(amountPaise: bigint, atMs = Date.now()): void {
    this.#run("insert into funding values (?, ?)", amountPaise, atMs);
    this.#hasNewFunds = true;
  }

  /** Whether money has come in since this was asked last. */
  takeNewFunds(): boolean {
    const had = this.#hasNewFunds;
    this.#hasNewFunds = false;
    return had;
  }

  /** What came in, in order. */
  listFundings(): { readonly amountPaise: bigint; readonly atMs: bigint }[] {
    return this.#all("select amount_paise as amountPaise, at_ms as atMs from funding order by rowid");
  }

  /** What the caller can still spend, in paise. */
  balancePaise(): bigint {
    return this.#all<{ paise: bigint }>(BALANCE, this.#returnsFees ? 1 : 0)[0]!.paise;
  }

  /** What the provider has taken for a payment by now, its fee and the tax on it, in paise. */
  chargedPaise({ state, feePaise, taxPaise }: Payment): bigint {
    const isCharged = state === "PAID" || (state === "REVERSED" && !this.#returnsFees);
    return isCharged ? feePaise + taxPaise : 0n;
  }

  /** A number that is never given twice. */
  nextNumber(name: string): bigint {
    return this.#all<{ value: bigint }>(
      "insert into counter values (?, 1) on conflict do update set value = value + 1 returning value",
      name,
    )[0]!.value;
  }

  /** Books a payment, which is `state` now, and what becomes of it later. */
  book(payment: NewPayment, state: "PENDING" | "QUEUED", steps: readonly Step[], nowMs: number): Payment {
    return this.#together(() => {
      const { providerId, clientId, referenceId, amountPaise, mode, payeeId } = payment;
      this.#run(
        `insert into payment values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, ?, ?)`,
        providerId,
        clientId,
        referenceId,
        amountPaise,
        mode,
        payeeId,
        payment.accountNumber,
        payment.ifsc,
        payment.upi,
        payment.narrative,
        payment.utr,
        payment.feePaise,
        payment.taxPaise,
        payment.source ?? null,
        payment.extra ?? null,
        state,
        nowMs,
        nowMs,
      );
      this.#plan(providerId, steps, nowMs);
      return this.findByProviderId(providerId)!;
    });
  }

  /** The payments that wait for balance, the oldest first. */
  listQueued(): Payment[] {
    return this.#payments("where state = 'QUEUED' order by created_ms, provider_id");
  }

  /** Lets a payment go on that waited for balance; `steps` is what becomes of it instead. */
  release(providerId: string, steps: readonly Step[], nowMs: number): void {
    this.#together(() => {
      this.#run("delete from step where provider_id = ?", providerId);
      this.#move(this.findByProviderId(providerId)!, "PENDING", null, BigInt(nowMs));
      this.#plan(providerId, steps, nowMs);
    });
  }

  findByClientId(clientId: string): Payment | null {
    return this.#payments("where client_id = ?", clientId)[0] ?? null;
  }

  findByProviderId(providerId: string): Payment | null {
    return this.#payments("where provider_id = ?", providerId)[0] ?? null;
  }

  listByReference(referenceId: string): Payment[] {
    return this.#payments("where reference_id = ? order by created_ms desc", referenceId);
  }

  /** Those that were asked for in a time, the newest first, a page of them. */
  listMade(fromMs: number, toMs: number, count: number, skip: number): Payment[] {
    return this.#payments(
      "where created_ms between ? and ? order by created_ms desc, provider_id limit ? offset ?",
      fromMs,
      toMs,
      count,
      skip,
    );
  }

  listPayments(): Payment[] {
    return this.#payments("order by created_ms, provider_id");
  }

  listMovements(): Movement[] {
    return this.#all<Movement>(
      `select at_ms as atMs, client_id as clientId, provider_id as providerId, kind, amount_paise as amountPaise, utr
       from movement order by rowid`,
    );
  }

  /** Takes the steps that are due, in order of time. Returns the payments as each step left them. */
  takeDueSteps(nowMs: number): Payment[] {
    if (!this.#isDue("step", nowMs)) return [];
    return this.#together(() => {
      const due = this.#all<{
        provider_id: string;
        place: bigint;
        state: BookState;
        reason: string | null;
        due_ms: bigint;
      }>("select * from step where due_ms <= ? order by due_ms, provider_id, place", nowMs);
      return due.map(({ provider_id, place, state, reason, due_ms }) => {
        this.#run("delete from step where provider_id = ? and place = ?", provider_id, place);
        return this.#move(this.findByProviderId(provider_id)!, state, reason, due_ms);
      });
    });
  }

  /** Lets the bank do something at once, whatever was planned. */
  move(providerId: string, state: BookState, reason: string | null, nowMs: number): Payment | null {
    const payment = this.findByProviderId(providerId);
    if (payment === null) return null;
    return this.#together(() => {
      this.#run("delete from step where provider_id = ?", providerId);
      return this.#move(payment, state, reason, BigInt(nowMs));
    });
  }

  /** Saves a payee under a key by which equal ones are found. Returns the earlier one where there is one. */
  savePayee(payee: Payee, matchKey: string): Payee {
    this.#run("insert or ignore into payee values (?, ?, ?)", payee.payeeId, matchKey, JSON.stringify(payee.fields));
    return this.#payees("where match_key = ?", matchKey)[0] ?? this.findPayee(payee.payeeId)!;
  }

  findPayee(payeeId: string): Payee | null {
    return this.#payees("where payee_id = ?", payeeId)[0] ?? null;
  }

  findPayeeLike(matchKey: string): Payee | null {
    return this.#payees("where match_key = ?", matchKey)[0] ?? null;
  }

  /** Those whose ids begin so, the newest first. */
  listPayees(prefix: string): Payee[] {
    return this.#payees("where payee_id like ? || '%' order by rowid desc", prefix);
  }

  changePayee({ payeeId, fields }: Payee): void {
    this.#run("update payee set fields = ? where payee_id = ?", JSON.stringify(fields), payeeId);
  }

  removePayee(payeeId: string): boolean {
    return this.#run("delete from payee where payee_id = ?", payeeId) > 0;
  }

  addNotice(body: string, dueMs: number): void {
    this.#run("insert into notice (due_ms, body, attempts) values (?, ?, 0)", dueMs, body);
  }

  listDueNotices(nowMs: number): Notice[] {
    if (!this.#isDue("notice", nowMs)) return [];
    return this.#all<Notice>(
      "select notice_id as noticeId, body, attempts from notice where due_ms <= ? order by due_ms, notice_id limit 100",
      nowMs,
    );
  }

  removeNotice(noticeId: bigint): void {
    this.#run("delete from notice where notice_id = ?", noticeId);
  }

  putOffNotice(noticeId: bigint, dueMs: number): void {
    this.#run("update notice set attempts = attempts + 1, due_ms = ? where notice_id = ?", dueMs, noticeId);
  }

  #plan(providerId: string, steps: readonly Step[], nowMs: number): void {
    for (const [place, { afterMs, state, reason }] of steps.entries())
      this.#run("insert into step values (?, ?, ?, ?, ?)", providerId, place, nowMs + afterMs, state, reason);
  }

  #move(payment: Payment, state: BookState, reason: string | null, atMs: bigint): Payment {
    const { providerId, clientId, amountPaise, utr } = payment;
    this.#run(
      "update payment set state = ?, reason = ?, updated_ms = ? where provider_id = ?",
      state,
      reason,
      atMs,
      providerId,
    );
    const kind = state === "PAID" ? "paid" : payment.state === "PAID" ? "returned" : null;
    if (kind !== null && state !== payment.state)
      this.#run("insert into movement values (?, ?, ?, ?, ?, ?)", atMs, clientId, providerId, kind, amountPaise, utr);
    return this.findByProviderId(providerId)!;
  }

  /** Whether there is one that is due. It is looked for again and again, so that mostly the table need not be read. */
  #isDue(table: "step" | "notice", nowMs: number): boolean {
    const known = this.#firstDueMs.get(table);
    if (known !== undefined) return known <= nowMs;
    const first = this.#all<{ dueMs: bigint | null }>(`select min(due_ms) as dueMs from ${table}`)[0]!.dueMs;
    this.#firstDueMs.set(table, first === null ? Infinity : Number(first));
    return this.#isDue(table, nowMs);
  }

  #payments(where: string, ...values: (string | number)[]): Payment[] {
    return this.#all<Payment>(
      `select provider_id as providerId, client_id as clientId, reference_id as referenceId, amount_paise as amountPaise, mode,
         payee_id as payeeId, account_number as accountNumber, ifsc, upi, narrative, utr, fee_paise as feePaise,
         tax_paise as taxPaise, source, extra, state, reason, created_ms as createdMs, updated_ms as updatedMs
       from payment ${where}`,
      ...values,
    );
  }

  #payees(where: string, value: string): Payee[] {
    const rows = this.#all<{ payeeId: string; fields: string }>(
      `select payee_id as payeeId, fields from payee ${where}`,
      value,
    );
    return rows.map(({ payeeId, fields }) => ({ payeeId, fields: JSON.parse(fields) as Record<string, string> }));
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    statement.setReadBigInts(true);
    this.#statements.set(sql, statement);
    return statement;
  }

  #all<Row>(sql: string, ...values: (string | number | bigint | null)[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  #run(sql: string, ...values: (string | number | bigint | null)[]): number {
    this.#firstDueMs.clear();
    return Number(this.#prepare(sql).run(...values).changes);
  }

  #together<T>(work: () => T): T {
    this.#db.exec("begin immediate");
    try {
      const result = work();
      this.#db.exec("commit");
      return result;
    } catch (error) {
      this.#db.exec("rollback");
      throw error;
    }
  }
}
