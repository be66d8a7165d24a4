// Dues that move from earlier invoices onto a later one, and payments of the later one that settle them:
// docs/rules/subscriptions.md#carried-dues. The caller has locked the later invoice; the earlier ones are locked from here
// on, newest first. Where what is due on an earlier one changes later, the later ones follow, so that everything is due on
// the last of them, and nowhere else.
import type { MerchantKey } from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { findInvoice, insertRevision, lockCarriedInvoices, updateInvoice, updateInvoices } from "../invoice-store.ts";
import { dueOf, invoiceNotFound, statusOf, type Invoice } from "../invoice.ts";
import {
  insertSettlements,
  lastPaidDate,
  listPassedOn,
  listSettlements,
  markReversed,
  type Settlement,
} from "../settlement-store.ts";

/** A change of an invoice that followed from another one's. `subjectId` is the settlement behind it, where there is one. */
export type InvoiceChange = { readonly before: Invoice; readonly after: Invoice; readonly subjectId: bigint };

/** Of what is paid on an invoice: what settles the earlier dues that it carries, which come before its own. */
export function passedOnOf({ paidPaise, carriedPaise }: Pick<Invoice, "paidPaise" | "carriedPaise">): bigint {
  return paidPaise < carriedPaise ? paidPaise : carriedPaise;
}

/** Hands what is due on earlier invoices on to later ones, which count it among their previous dues. */
export async function carryDues(
  connection: Connection,
  carriers: readonly { readonly earlier: readonly Invoice[]; readonly later: Invoice }[],
): Promise<InvoiceChange[]> {
  const changes = carriers.flatMap(({ earlier, later }) =>
    earlier.map((before) => {
      const moved = { ...before, carriedTo: later.invoiceId, carriedDuePaise: dueOf(before) };
      return { before, after: { ...moved, status: statusOf(moved) }, subjectId: later.invoiceId };
    }),
  );
  if (changes.length > 0) await updateInvoices(connection, changes);
  return changes;
}

/** Takes the hand-over back, for when the later invoice is cancelled: the earlier ones are due again by themselves. */
export async function releaseDues(connection: Connection, later: Invoice): Promise<InvoiceChange[]> {
  const changes: InvoiceChange[] = [];
  for (const before of await lockCarriedInvoices(connection, later)) {
    const released = { ...before, carriedTo: null, carriedDuePaise: 0n };
    const after = { ...released, status: statusOf(released) };
    await updateInvoice(connection, before, after);
    changes.push({ before, after, subjectId: later.invoiceId });
  }
  return changes;
}

/**
 * Brings the earlier invoices to what is paid on the later one: the oldest dues are settled first, each by settlements of
 * its own that name the payment they are a part of. What an earlier invoice carries itself follows.
 */
export async function passOn(connection: Connection, ids: IdSource, later: Invoice): Promise<InvoiceChange[]> {
  if (later.carriedPaise === 0n) return [];
  const earlier = oldestFirst(await lockCarriedInvoices(connection, later));
  const payments = await listSettlements(connection, later);
  const parts = new PassedParts(payments, await listPassedOn(connection, later, payments));
  const changes: InvoiceChange[] = [];
  let leftPaise = passedOnOf(later);
  const wanted = earlier.map((before) => {
    const wantedPaise = leftPaise < before.carriedDuePaise ? leftPaise : before.carriedDuePaise;
    leftPaise -= wantedPaise;
    return { before, wantedPaise, hadPaise: parts.carriedOn(before) };
  });
  const reversed = new Map<bigint, Settlement[]>();
  // First what stands too much, so that there is something to give to the older ones.
  for (const { before, wantedPaise } of wanted) reversed.set(before.invoiceId, parts.trim(before, wantedPaise));
  for (const { before, wantedPaise, hadPaise } of wanted) {
    const added = await parts.fill(before, wantedPaise, ids);
    const gone = reversed.get(before.invoiceId)!;
    if (added.length === 0 && gone.length === 0) continue;
    for (const part of gone) await markReversed(connection, part, "The payment was reversed", Temporal.Now.instant());
    await insertSettlements(connection, added, Temporal.Now.instant());
    const paid = { ...before, paidPaise: before.paidPaise + wantedPaise - hadPaise };
    const after = { ...paid, status: statusOf(paid), paidDate: await lastPaidDate(connection, before) };
    await updateInvoice(connection, before, after);
    changes.push({ before, after, subjectId: (added.at(-1) ?? gone[0]!).settlementId });
  }
  const further: InvoiceChange[] = [];
  for (const { after } of changes) further.push(...(await passOn(connection, ids, after)));
  return [...changes, ...further];
}

/** By their bill dates, and by their ids where those are the same: they come with the latest id first. */
function oldestFirst(invoices: readonly Invoice[]): Invoice[] {
  return invoices.toReversed().sort((a, b) => Temporal.PlainDate.compare(a.billDate, b.billDate));
}

/** The payments of a later invoice, and the parts of them that stand on earlier ones. */
class PassedParts {
  readonly #payments: readonly Settlement[];
  #passed: readonly Settlement[];

  constructor(payments: readonly Settlement[], passed: readonly Settlement[]) {
    this.#payments = payments;
    this.#passed = passed;
  }

  carriedOn({ invoiceId }: Invoice): bigint {
    return sumOf(this.#passed.filter((part) => part.invoiceId === invoiceId));
  }

  /** Takes off an invoice what does not stand any more, and all of it where it is too much. Answers what was taken. */
  trim(invoice: Invoice, wantedPaise: bigint): Settlement[] {
    const { invoiceId } = invoice;
    const isReversed = (part: Settlement): boolean =>
      this.#payments.some(
        ({ settlementId, reversedAt }) => settlementId === part.viaSettlementId && reversedAt !== null,
      );
    const gone = this.#take((part) => part.invoiceId === invoiceId && isReversed(part));
    return this.carriedOn(invoice) > wantedPaise
      ? [...gone, ...this.#take((part) => part.invoiceId === invoiceId)]
      : gone;
  }

  /** Gives an invoice what it lacks, from the oldest payment that has something left. Answers the new settlements. */
  async fill(invoice: Invoice, wantedPaise: bigint, ids: IdSource): Promise<Settlement[]> {
    const added: Settlement[] = [];
    let lacksPaise = wantedPaise - this.carriedOn(invoice);
    for (const payment of this.#payments) {
      const givenPaise = sumOf(this.#passed.filter((part) => part.viaSettlementId === payment.settlementId));
      const freePaise = payment.reversedAt === null ? payment.amountPaise - givenPaise : 0n;
      const amountPaise = lacksPaise < freePaise ? lacksPaise : freePaise;
      if (amountPaise === 0n) continue;
      const settlementId = await ids.next();
      const { invoiceId } = invoice;
      const part = { ...payment, settlementId, invoiceId, amountPaise, viaSettlementId: payment.settlementId };
      added.push(part);
      this.#passed = [...this.#passed, part];
      lacksPaise -= amountPaise;
    }
    return added;
  }

  #take(isTaken: (part: Settlement) => boolean): Settlement[] {
    const taken = this.#passed.filter(isTaken);
    this.#passed = this.#passed.filter((part) => !isTaken(part));
    return taken;
  }
}

function sumOf(settlements: readonly Settlement[]): bigint {
  return settlements.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
}

/**
 * Holds an invoice and those that its dues moved on to, one after the other, and answers them in this order. Newest
 * first, as whoever holds several invoices does; one that came meanwhile is held after the others.
 * @throws NodalError `invoice_not_found`
 */
export async function lockWithLater(
  connection: Connection,
  merchant: MerchantKey,
  invoiceId: bigint,
): Promise<[Invoice, ...Invoice[]]> {
  const held = new Map<bigint, Invoice>();
  for (;;) {
    const [first, ...later] = await followDues(connection, merchant, invoiceId);
    const all = [first, ...later] as const;
    const missing = all.filter((invoice) => !held.has(invoice.invoiceId));
    if (missing.length === 0) return [first, ...later];
    for (const invoice of missing.toSorted((a, b) => (a.invoiceId < b.invoiceId ? 1 : -1))) {
      held.set(invoice.invoiceId, (await findInvoice(connection, invoice, true))!);
    }
  }
}

async function followDues(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  invoiceId: bigint,
): Promise<[Invoice, ...Invoice[]]> {
  const first = await findInvoice(connection, { bucket, merchantId, invoiceId });
  if (!first) throw invoiceNotFound();
  const found: [Invoice, ...Invoice[]] = [first];
  for (let last = first; last.carriedTo !== null;) {
    last = (await findInvoice(connection, { bucket, merchantId, invoiceId: last.carriedTo }))!;
    found.push(last);
  }
  return found;
}

/** An invoice as it is written, and every other change that this brought about. */
type Written = { readonly invoice: Invoice; readonly changes: InvoiceChange[] };

/**
 * Writes an invoice of which `deltaPaise` more (below 0: less) is due than before. Where its dues were carried forward,
 * the later invoices follow: each carries so much more, and passes on what is paid of it. All are held.
 */
export async function writeDues(
  connection: Connection,
  ids: IdSource,
  change: { readonly before: Invoice; readonly after: Invoice },
  later: readonly Invoice[],
  deltaPaise: bigint,
): Promise<Written> {
  if (later.length > 0) return shiftDues(connection, ids, change, later, deltaPaise);
  await updateInvoice(connection, change.before, change.after);
  return { invoice: change.after, changes: [] };
}

async function shiftDues(
  connection: Connection,
  ids: IdSource,
  change: { readonly before: Invoice; readonly after: Invoice },
  later: readonly Invoice[],
  deltaPaise: bigint,
): Promise<Written> {
  const invoice = withMoved(change.after, deltaPaise);
  await updateInvoice(connection, change.before, invoice);
  const changes: InvoiceChange[] = [];
  for (const before of later) {
    const carrying = {
      ...before,
      carriedPaise: before.carriedPaise + deltaPaise,
      previousDuesPaise: before.previousDuesPaise + deltaPaise,
      amountPaise: before.amountPaise + deltaPaise,
      revision: before.revision + 1,
    };
    const after = before.carriedTo === null ? withStatus(carrying) : withMoved(carrying, deltaPaise);
    await insertRevision(connection, before, Temporal.Now.instant());
    await updateInvoice(connection, before, after);
    // What this takes from the commission on it is posted under an id of its own.
    changes.push({ before, after, subjectId: await ids.next() });
  }
  // Newest first: what is paid on it reaches an invoice before that shares out its own, so that no part is taken back
  // only to be given again.
  for (const each of later.toReversed()) {
    changes.push(...(await passOn(connection, ids, (await findInvoice(connection, each))!)));
  }
  return { invoice: (await findInvoice(connection, invoice))!, changes };
}

/** So much more of an invoice's dues has moved on. Where nothing is left that moved, it points to no other any more. */
function withMoved(invoice: Invoice, deltaPaise: bigint): Invoice {
  const carriedDuePaise = invoice.carriedDuePaise + deltaPaise;
  return withStatus({ ...invoice, carriedDuePaise, carriedTo: carriedDuePaise === 0n ? null : invoice.carriedTo });
}

function withStatus(invoice: Invoice): Invoice {
  return { ...invoice, status: statusOf(invoice) };
}
