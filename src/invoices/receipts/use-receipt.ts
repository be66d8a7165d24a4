// How invoices use a receipt: which of them, how much each, and the settlements for it. docs/rules/receipts.md#use
import type { Merchant, TransactionContext } from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../../platform/errors.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import type { Beside } from "../advances/issue-voucher.ts";
import { InvoiceChanges } from "../change-store.ts";
import { passOn } from "../dues/carry-dues.ts";
import { lockLinked } from "../dues/lock-linked.ts";
import { adjustChangedCommission } from "../invoice-changes.ts";
import { payableOf, type Invoice } from "../invoice.ts";
import { listDues } from "../invoice-store.ts";
import { queueNotifications } from "../notification-store.ts";
import { newSettlement, paidOn, recordedEvent } from "../settlements/settle-invoice.ts";
import { insertSettlements, type Settlement } from "../settlement-store.ts";
import { restOf, withUsed, type Receipt, type Rest } from "../receipt.ts";
import { shareInOrder } from "./share-in-order.ts";

/** The most invoices that can use a receipt at once. */
export const MAX_ALLOCATIONS = 200;

/** An invoice's use of a receipt. */
export type Allocation = {
  readonly invoiceId: bigint;
  /** Money, without TDS. */
  readonly moneyPaise: bigint;
  readonly tdsPaise: bigint;
};

/** The invoices that use a receipt, and the date. */
export type UseReceipt = {
  /** `null` for the customer's invoices, the earliest due first. */
  readonly allocations: readonly Allocation[] | null;
  /** Without allocations: only these invoices of the customer, in this order, up to their due amounts. */
  readonly among?: readonly bigint[] | null;
  readonly date: Temporal.PlainDate;
  /** The day of the posting; by default its date. */
  readonly postedOn?: Temporal.PlainDate;
  /** Whether the customer gets a message about each paid invoice. */
  readonly notify: boolean;
};

/** Saves a receipt that invoices have used. */
export type ReceiptWrites = {
  readonly write: (receipt: Receipt) => Promise<void>;
  readonly tax: (receipt: Receipt) => Promise<Beside>;
};

/** An invoice that uses a receipt, before and after. */
type Used = { readonly settlement: Settlement; readonly before: Invoice; readonly after: Invoice };

/**
 * Lets invoices use the rest of a receipt, and records it: the last step of a transaction, since it locks the merchant's book.
 * `write` saves the receipt's new state, and `tax` records its effect on the tax of the advance, once all invoices are locked.
 * Events in `beside` come before the settlements.
 * @throws NodalError `invoice_not_found`, `receipt_exceeded`, and the refusals of an invoice's payment, naming the allocation
 */
export async function useReceipt(
  { connection, ids, merchant }: TransactionContext<Merchant>,
  receipt: Receipt,
  request: UseReceipt,
  { write, tax }: ReceiptWrites,
  beside: Beside,
): Promise<Receipt> {
  const postedOn = request.postedOn ?? request.date;
  const used = await decideUse({ connection, ids, merchant }, receipt, request);
  const after = withUsed(
    receipt,
    used.map(({ settlement }) => settlement),
    1n,
  );
  await write(after);
  const settlements = used.map(({ settlement }) => settlement);
  const changes = new InvoiceChanges(connection, { kind: "receipt", id: receipt.receiptId, date: postedOn });
  if (used.length > 0) await insertSettlements(connection, settlements, Temporal.Now.instant());
  await changes.updateAll(
    used.map(({ settlement, before, after }) => {
      const subject = {
        kind: "settlement",
        id: settlement.settlementId,
        date: postedOn,
        dateField: "date",
      } as const;
      return { before, after, subject };
    }),
  );
  if (request.notify)
    await queueNotifications(
      connection,
      ids,
      "receipt",
      settlements.map((each) => toNotify(each, receipt)),
    );
  for (const { after: paid } of used) await passOn(changes, ids, paid);
  const taxed = await tax(after);
  await adjustChangedCommission(changes);
  const events = [...beside.events, ...taxed.events, ...settlements.map(recordedEvent)];
  await changes.record(receipt, events, [...beside.postings, ...taxed.postings]);
  return after;
}

function toNotify({ bucket, merchantId, settlementId: subjectId }: Settlement, { customerId }: Receipt) {
  return { bucket, merchantId, subjectId, customerId };
}

async function decideUse(
  { connection, ids, merchant }: TransactionContext<Merchant>,
  receipt: Receipt,
  { allocations, among, date }: UseReceipt,
): Promise<Used[]> {
  const rest = restOf(receipt);
  if (allocations !== null) refuseMoreThanRest(allocations, rest);
  const wanted =
    allocations ??
    (among ? await shareAmong(connection, receipt, rest, among) : await shareOldestFirst(connection, receipt, rest));
  const held = await lockLinked(
    connection,
    merchant,
    wanted.map(({ invoiceId }) => invoiceId),
  );
  const used: Used[] = [];
  for (const [place, { invoiceId, moneyPaise, tdsPaise }] of wanted.entries()) {
    const before = held.get(invoiceId);
    const field = `allocations[${place}]`;
    if (before?.customerId !== receipt.customerId) throw noInvoiceOfCustomer(`${field}.invoice_id`);
    const payment = { ...receipt, paidDate: date, amountPaise: moneyPaise + tdsPaise, tdsPaise };
    const request = { ...payment, invoiceId, tdsCode: tdsPaise > 0n ? receipt.tdsCode : "", notify: false };
    const after = namingField(field, () => paidOn(before, request));
    const settlement = {
      ...newSettlement(before, await ids.next(), settlementDetails(request)),
      receiptId: receipt.receiptId,
    };
    used.push({ settlement, before, after });
  }
  return used;
}

function settlementDetails(request: Parameters<typeof newSettlement>[2]): Parameters<typeof newSettlement>[2] {
  const { invoiceId, notify, paidDate, amountPaise, mode, bankName, bankRefNo, chequeNo, cashPaidTo } = request;
  const { tdsPaise, tdsCode } = request;
  return {
    invoiceId,
    notify,
    paidDate,
    amountPaise,
    mode,
    bankName,
    bankRefNo,
    chequeNo,
    cashPaidTo,
    tdsPaise,
    tdsCode,
  };
}

/** A refusal of an invoice's payment, with the path of the allocation. */
function namingField<T>(field: string, pay: () => T): T {
  try {
    return pay();
  } catch (error) {
    if (!(error instanceof NodalError)) throw error;
    const [wrong] = error.errors;
    const problem = wrong?.problem ?? error.message;
    throw fieldRefusal(error.code, `${field}.${wrong?.field ?? "invoice_id"}`, problem);
  }
}

/** @throws NodalError `receipt_exceeded` if allocations use more than the rest of the money or the TDS */
function refuseMoreThanRest(allocations: readonly Allocation[], { moneyPaise, tdsPaise }: Rest): void {
  let [money, tds] = [moneyPaise, tdsPaise];
  for (const [place, allocation] of allocations.entries()) {
    if (allocation.moneyPaise > money) throw exceeded(`allocations[${place}].amount`, money, "money");
    if (allocation.tdsPaise > tds) throw exceeded(`allocations[${place}].tds_amount`, tds, "TDS");
    money -= allocation.moneyPaise;
    tds -= allocation.tdsPaise;
  }
}

function exceeded(field: string, leftPaise: bigint, what: string): NodalError {
  const problem = `is more than is left: ${formatRupees(leftPaise)} of the receipt's ${what}. Use at most that much.`;
  return fieldRefusal("receipt_exceeded", field, problem);
}

/** Splits the rest of a receipt among the customer's invoices, the earliest due first. */
async function shareOldestFirst(
  connection: Connection,
  receipt: Receipt,
  { moneyPaise, tdsPaise }: Rest,
): Promise<Allocation[]> {
  const dues = await lockFirstDues(connection, receipt, moneyPaise + tdsPaise);
  const shares = shareInOrder(
    dues.map(({ duePaise }) => duePaise),
    { moneyPaise, tdsPaise },
  );
  return dues.map(({ invoiceId }, place) => ({ invoiceId, ...shares[place]! }));
}

/** Splits the rest of a receipt among these invoices, in their order, up to their due amounts. */
async function shareAmong(
  connection: Connection,
  receipt: Receipt,
  rest: Rest,
  among: readonly bigint[],
): Promise<Allocation[]> {
  const held = await lockLinked(connection, receipt, among);
  const dues = among.map((invoiceId, place) => {
    const invoice = held.get(invoiceId);
    if (invoice?.customerId !== receipt.customerId) throw noInvoiceOfCustomer(`invoice_ids[${place}]`);
    return payableOf(invoice);
  });
  const shares = shareInOrder(dues, rest);
  return among
    .map((invoiceId, place) => ({ invoiceId, ...shares[place]! }))
    .filter(({ moneyPaise, tdsPaise }) => moneyPaise + tdsPaise > 0n);
}

function noInvoiceOfCustomer(field: string): NodalError {
  const problem = ": there is no such invoice of this customer. Use an invoice_id from GET /api/v4/invoices.";
  return fieldRefusal("invoice_not_found", field, problem);
}

/** Locks as many invoices as are needed to use an amount, the earliest due first, and returns their due amounts. */
async function lockFirstDues(connection: Connection, receipt: Receipt, totalPaise: bigint) {
  const held = new Set<bigint>();
  for (;;) {
    let leftPaise = totalPaise;
    const dues = await listDues(connection, receipt, receipt.customerId, MAX_ALLOCATIONS);
    const first = dues.filter(({ duePaise }) => {
      const isNeeded = leftPaise > 0n;
      leftPaise -= min(duePaise, leftPaise);
      return isNeeded;
    });
    // One of them may be paid before it is locked: then the next one is used instead.
    const missing = first.map(({ invoiceId }) => invoiceId).filter((invoiceId) => !held.has(invoiceId));
    if (missing.length === 0) return first;
    await lockLinked(connection, receipt, missing);
    for (const invoiceId of missing) held.add(invoiceId);
  }
}

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
