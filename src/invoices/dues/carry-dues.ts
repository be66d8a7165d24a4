// Dues that are carried from earlier invoices to a later one, and payments of the later one that settle them:
// docs/rules/subscriptions.md#carried-dues. The caller has locked the later invoice; the earlier ones are locked here, newest
// first. If the due amount of an earlier one changes later, the later ones follow, so that everything is due on the last of them,
// and nowhere else.
import type { MerchantKey } from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import type { Connection } from "../../platform/database/pool.ts";
import type { InvoiceChange, InvoiceChanges } from "../change-store.ts";
import { findInvoice, insertRevision, lockCarriedInvoices } from "../invoice-store.ts";
import type { PostingSubject } from "../posting.ts";
import { dueOf, invoiceNotFound, statusOf, type Invoice } from "../invoice.ts";
import {
  insertSettlements,
  lastPaidDate,
  listPassedOn,
  listSettlements,
  markReversed,
  type Settlement,
} from "../settlement-store.ts";

/** The part of an invoice's payments that settles the earlier dues that it carries, which come before its own. */
export function passedOnOf({ paidPaise, carriedPaise }: Pick<Invoice, "paidPaise" | "carriedPaise">): bigint {
  return paidPaise < carriedPaise ? paidPaise : carriedPaise;
}

/**
 * Carries the dues of earlier invoices to a new one, which includes them in its previous dues. Returns the earlier ones, to be
 * saved.
 */
export function carryDues(earlier: readonly Invoice[], { invoiceId, revision }: Invoice): InvoiceChange<Invoice>[] {
  const subject = { kind: "revision", id: invoiceId, no: revision } as const;
  return earlier.map((before) => {
    const moved = { ...before, carriedTo: invoiceId, carriedDuePaise: dueOf(before) };
    return { before, after: { ...moved, status: statusOf(moved) }, subject };
  });
}

/** Reverses this when the later invoice is cancelled: the earlier ones have their own due amounts again. */
export async function releaseDues(changes: InvoiceChanges, later: Invoice): Promise<void> {
  for (const before of await lockCarriedInvoices(changes.connection, later)) {
    const released = { ...before, carriedTo: null, carriedDuePaise: 0n };
    await changes.update(before, { ...released, status: statusOf(released) });
  }
}

/**
 * Adjusts the earlier invoices to the payments of the later one: the oldest dues are settled first, each by its own settlements
 * that name the payment they are part of. Invoices that an earlier one carries itself follow.
 */
export async function passOn(changes: InvoiceChanges, ids: IdSource, later: Invoice): Promise<void> {
  if (later.carriedPaise === 0n) return;
  const { connection } = changes;
  const earlier = oldestFirst(await lockCarriedInvoices(connection, later));
  const payments = await listSettlements(connection, later);
  const parts = new PassedParts(payments, await listPassedOn(connection, later, payments));
  const changed: Invoice[] = [];
  let leftPaise = passedOnOf(later);
  const wanted = earlier.map((before) => {
    const wantedPaise = leftPaise < before.carriedDuePaise ? leftPaise : before.carriedDuePaise;
    leftPaise -= wantedPaise;
    return { before, wantedPaise, hadPaise: parts.carriedOn(before) };
  });
  const reversed = new Map<bigint, Settlement[]>();
  // First the excess, so that there is something to give to the older ones.
  for (const { before, wantedPaise } of wanted) reversed.set(before.invoiceId, parts.trim(before, wantedPaise));
  for (const { before, wantedPaise, hadPaise } of wanted) {
    const added = await parts.fill(before, wantedPaise, ids);
    const gone = reversed.get(before.invoiceId)!;
    if (added.length === 0 && gone.length === 0) continue;
    for (const part of gone) await markReversed(connection, part, "The payment was reversed", Temporal.Now.instant());
    await insertSettlements(connection, added, Temporal.Now.instant());
    const paid = { ...before, paidPaise: before.paidPaise + wantedPaise - hadPaise };
    const after = { ...paid, status: statusOf(paid), paidDate: await lastPaidDate(connection, before) };
    const part = added.at(-1);
    const subject = part
      ? ({ kind: "settlement", id: part.settlementId, ...changes.date } as const)
      : ({ kind: "reversal", id: gone[0]!.settlementId, ...changes.date } as const);
    await changes.update(before, after, { subject });
    changed.push(after);
  }
  for (const after of changed) await passOn(changes, ids, after);
}

/** By their bill dates, and by their ids where those are the same: they come with the latest id first. */
function oldestFirst(invoices: readonly Invoice[]): Invoice[] {
  return invoices.toReversed().sort((a, b) => Temporal.PlainDate.compare(a.billDate, b.billDate));
}

/** The payments of a later invoice, and their parts on earlier ones. */
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

  /** Takes reversed payments' parts off an invoice, and the whole part if it is too large. Returns what was taken. */
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

  /** Gives an invoice what it lacks, from the oldest payment with a rest. Returns the new settlements. */
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
      // The tax deducted, and the receipt, stay with the whole payment.
      const ofPayment = { ...payment, tdsPaise: 0n, tdsCode: "", receiptId: null };
      const part = { ...ofPayment, settlementId, invoiceId, amountPaise, viaSettlementId: payment.settlementId };
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
 * Locks an invoice and those that its dues were carried to, and returns them in this order. Newest first, like every caller that
 * locks several invoices; one that was added meanwhile is locked after the others.
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

/**
 * Saves an invoice whose due amount changed by `deltaPaise`, because of `subject`. If its dues were carried forward, the later
 * invoices follow: each carries the difference, and passes on payments of it. All are locked.
 */
export async function writeDues(
  changes: InvoiceChanges,
  ids: IdSource,
  { before, after, ...of }: { readonly before: Invoice; readonly after: Invoice; readonly subject?: PostingSubject },
  later: readonly Invoice[],
  deltaPaise: bigint,
): Promise<void> {
  await changes.update(before, later.length > 0 ? withMoved(after, deltaPaise) : after, of);
  for (const before of later) {
    const carrying = {
      ...before,
      carriedPaise: before.carriedPaise + deltaPaise,
      previousDuesPaise: before.previousDuesPaise + deltaPaise,
      amountPaise: before.amountPaise + deltaPaise,
      revision: before.revision + 1,
    };
    const after = before.carriedTo === null ? withStatus(carrying) : withMoved(carrying, deltaPaise);
    await insertRevision(changes.connection, before, Temporal.Now.instant());
    // The reduction of its commission is posted under its own id.
    await changes.update(before, after, { subject: { kind: "shift", id: await ids.next(), ...changes.date } });
  }
  // Newest first: a payment reaches an invoice before it distributes its own, so that no part is taken back only to be given again.
  for (const each of later.toReversed()) {
    await passOn(changes, ids, changes.get(each.invoiceId));
  }
}

/** Changes the carried amount of an invoice by this much. If it is zero then, the invoice points to no other any more. */
function withMoved(invoice: Invoice, deltaPaise: bigint): Invoice {
  const carriedDuePaise = invoice.carriedDuePaise + deltaPaise;
  return withStatus({ ...invoice, carriedDuePaise, carriedTo: carriedDuePaise === 0n ? null : invoice.carriedTo });
}

function withStatus(invoice: Invoice): Invoice {
  return { ...invoice, status: statusOf(invoice) };
}
