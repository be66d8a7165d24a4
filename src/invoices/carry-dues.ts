// Dues that move from earlier invoices onto a later one, and payments of the later one that settle them.
// What belongs here: decisions.md, "Subscriptions": `carry_forword_dues`. The caller holds the later invoice; the earlier
// ones are held from here on, newest first.
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { dueOf, statusOf, type Invoice } from "./invoice.ts";
import { lockCarriedInvoices, updateInvoice, updateInvoices } from "./invoice-store.ts";
import {
  insertSettlement,
  lastPaidDate,
  listPassedOn,
  listSettlements,
  markReversed,
  type Settlement,
} from "./settlement-store.ts";

/** A change of an invoice that followed from another one's. `subjectId` is the settlement behind it, where there is one. */
export type InvoiceChange = { readonly before: Invoice; readonly after: Invoice; readonly subjectId: bigint };

/** What is due on all of these invoices together. */
export function duesOf(invoices: readonly Invoice[]): bigint {
  return invoices.reduce((sum, invoice) => sum + dueOf(invoice), 0n);
}

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
    return { before, wantedPaise, hadPaise: parts.standingOn(before) };
  });
  const reversed = new Map<bigint, Settlement[]>();
  // First what stands too much, so that there is something to give to the older ones.
  for (const { before, wantedPaise } of wanted) reversed.set(before.invoiceId, parts.trim(before, wantedPaise));
  for (const { before, wantedPaise, hadPaise } of wanted) {
    const added = await parts.fill(before, wantedPaise, ids);
    const gone = reversed.get(before.invoiceId)!;
    if (added.length === 0 && gone.length === 0) continue;
    for (const part of gone) await markReversed(connection, part, "The payment was reversed", Temporal.Now.instant());
    for (const part of added) await insertSettlement(connection, part, Temporal.Now.instant());
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
  #standing: readonly Settlement[];

  constructor(payments: readonly Settlement[], standing: readonly Settlement[]) {
    this.#payments = payments;
    this.#standing = standing;
  }

  standingOn({ invoiceId }: Invoice): bigint {
    return sumOf(this.#standing.filter((part) => part.invoiceId === invoiceId));
  }

  /** Takes off an invoice what does not stand any more, and all of it where it is too much. Answers what was taken. */
  trim(invoice: Invoice, wantedPaise: bigint): Settlement[] {
    const { invoiceId } = invoice;
    const isReversed = (part: Settlement): boolean =>
      this.#payments.some(
        ({ settlementId, reversedAt }) => settlementId === part.viaSettlementId && reversedAt !== null,
      );
    const gone = this.#take((part) => part.invoiceId === invoiceId && isReversed(part));
    return this.standingOn(invoice) > wantedPaise
      ? [...gone, ...this.#take((part) => part.invoiceId === invoiceId)]
      : gone;
  }

  /** Gives an invoice what it lacks, from the oldest payment that has something left. Answers the new settlements. */
  async fill(invoice: Invoice, wantedPaise: bigint, ids: IdSource): Promise<Settlement[]> {
    const added: Settlement[] = [];
    let lacksPaise = wantedPaise - this.standingOn(invoice);
    for (const payment of this.#payments) {
      const givenPaise = sumOf(this.#standing.filter((part) => part.viaSettlementId === payment.settlementId));
      const freePaise = payment.reversedAt === null ? payment.amountPaise - givenPaise : 0n;
      const amountPaise = lacksPaise < freePaise ? lacksPaise : freePaise;
      if (amountPaise === 0n) continue;
      const settlementId = await ids.next();
      const { invoiceId } = invoice;
      const part = { ...payment, settlementId, invoiceId, amountPaise, viaSettlementId: payment.settlementId };
      added.push(part);
      this.#standing = [...this.#standing, part];
      lacksPaise -= amountPaise;
    }
    return added;
  }

  #take(isTaken: (part: Settlement) => boolean): Settlement[] {
    const taken = this.#standing.filter(isTaken);
    this.#standing = this.#standing.filter((part) => !isTaken(part));
    return taken;
  }
}

function sumOf(settlements: readonly Settlement[]): bigint {
  return settlements.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
}
