// Use cases: save opening balances, one or many, and change one. Payments, reminders and cancelling work as for invoices.
import { findCustomersByCode, type Customer } from "../../customers/index.ts";
import { findBookSetting, isLocked, lockedDayError } from "../../books/index.ts";
import { auditChange } from "../../ledger/index.ts";
import { lockMerchant, type Merchant, type ReadContext, type WriteContext } from "../../merchants/index.ts";
import { Nonces } from "../../platform/bytes.ts";
import { inTransaction, together, type Queryable } from "../../platform/database/pool.ts";
import { fieldsRefusal, NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { changeWrites, InvoiceChanges } from "../change-store.ts";
import { contentToJson } from "../content-codec.ts";
import { requireTemplate } from "../invoice-references.ts";
import { findInvoice, insertInvoices, insertRevision } from "../invoice-store.ts";
import { formatInvoiceId, refuseIfTouched, type Invoice } from "../invoice.ts";
import { findOpeningBalancesOf, type KnownOpeningBalance } from "./opening-balance-store.ts";
import {
  changedOpeningBalance,
  checkOpeningBalance,
  newOpeningBalance,
  openingBalanceOf,
  readOpeningBalanceChange,
  type OpeningBalanceToSave,
} from "./opening-balance.ts";

/** Secrets of public links. */
const tokens = new Nonces(16);

/**
 * Saves opening balances in one transaction, all or none, and returns them in order.
 * @throws NodalError `customer_not_found`, `opening_balance_exists` for a customer that has one, or `validation_failed`, naming
 * each one at fault
 */
export async function saveOpeningBalances(
  { pool, ids, merchant }: WriteContext<Merchant>,
  openings: readonly OpeningBalanceToSave[],
): Promise<Invoice[]> {
  return inTransaction(pool, async (connection) => {
    // With the lock, a customer without an opening balance stays without one.
    await lockMerchant(connection, merchant);
    const errors: FieldError[] = [];
    const customers = await planOpeningBalances(connection, merchant, openings, errors);
    if (errors.length > 0) throw refusalOf(errors);
    const template = await requireTemplate(connection, merchant, null);
    const invoices: Invoice[] = [];
    for (const opening of openings) {
      const customer = customers.get(opening.customerCode)!;
      const sources = { merchant, customer, template, invoiceId: await ids.next() };
      invoices.push(newOpeningBalance(opening, { ...sources, publicToken: tokens.next().toString("base64url") }));
    }
    const insert = insertInvoices(
      invoices,
      invoices.map(({ content }) => contentToJson(content)),
    );
    const changes = invoices.map((after) => {
      const subject = { kind: "revision", id: after.invoiceId, no: after.revision, dateField: "date" } as const;
      return { before: null, after, subject };
    });
    const { bucket, merchantId } = merchant;
    const writes = await changeWrites(connection, [insert], [{ bucket, merchantId, events: [], changes }]);
    await together(connection, ...writes);
    return invoices;
  });
}

/** A refusal has the code of its errors if all have the same. */
function refusalOf(errors: readonly FieldError[]): NodalError {
  for (const code of ["customer_not_found", "opening_balance_exists", "period_locked"] as const) {
    if (errors.every((error) => error.code === code)) return fieldsRefusal(code, errors);
  }
  return validationError(errors);
}

/** The customers of new opening balances by code. Adds their errors to `errors`. */
export async function planOpeningBalances(
  db: Queryable,
  merchant: Merchant,
  openings: readonly OpeningBalanceToSave[],
  errors: FieldError[],
): Promise<ReadonlyMap<string, Customer>> {
  const codes = [...new Set(openings.map(({ customerCode }) => customerCode))];
  const customers = await findCustomersByCode(db, merchant, codes);
  const customerIds = [...customers.values()].map(({ customerId }) => customerId);
  const known = await findOpeningBalancesOf(db, merchant, customerIds);
  const { lockedUntil } = await findBookSetting(db, merchant);
  const places = new Map<string, string>();
  for (const opening of openings) {
    const { customerCode, path } = opening;
    const refuse = (code: FieldError["code"], problem: string): void => {
      errors.push({ field: [path, "customer_code"].filter(Boolean).join("."), code, problem });
    };
    checkOpeningBalance(opening, merchant, path, errors);
    if (isLocked(lockedUntil, opening.date))
      errors.push(lockedDayError([path, "date"].filter(Boolean).join("."), lockedUntil!));
    const first = places.getOrInsert(customerCode, path);
    if (first !== path)
      refuse("not_allowed", `: ${customerCode} is that of ${first} too: a customer has one opening balance.`);
    const customer = customers.get(customerCode);
    const existing = customer && known.get(customer.customerId);
    if (!customer) refuse("customer_not_found", ": no customer has this code. Save the customer first.");
    if (existing) refuse("opening_balance_exists", existsProblem(customerCode, existing));
  }
  return customers;
}

function existsProblem(customerCode: string, { invoiceId, date, amountPaise }: KnownOpeningBalance): string {
  const which = `${formatInvoiceId(invoiceId)} of ${formatRupees(amountPaise)}, dated ${date.toString()}`;
  return `: ${customerCode} already has the opening balance ${which}. Change that one, or cancel it first.`;
}

export type ChangeOpeningBalance = {
  readonly invoiceId: bigint;
  readonly change: Parameters<typeof readOpeningBalanceChange>[0];
};

/**
 * Changes the members sent of an opening balance without payments, saves the previous one as a revision, and returns the new one.
 * @throws NodalError `opening_balance_not_found`, `invoice_already_paid`, `invoice_cancelled`, `invoice_carried_forward` or
 * `validation_failed`
 */
export async function changeOpeningBalance(
  { pool, merchant }: ReadContext<Merchant>,
  { invoiceId, change }: ChangeOpeningBalance,
): Promise<Invoice> {
  return inTransaction(pool, async (connection) => {
    const before = await findInvoice(connection, { ...merchant, invoiceId }, true);
    if (!before?.isOpeningBalance) throw openingBalanceNotFound();
    refuseIfTouched(before, false);
    const opening = openingBalanceOf(before);
    const wanted = readOpeningBalanceChange(change, opening);
    const errors: FieldError[] = [];
    checkOpeningBalance(wanted, merchant, "", errors);
    if (errors.length > 0) throw validationError(errors);
    if (isSame(opening, wanted)) return before;
    const after = changedOpeningBalance(before, wanted);
    await insertRevision(connection, before, Temporal.Now.instant());
    const changes = new InvoiceChanges(connection, {
      kind: "revision",
      id: invoiceId,
      no: after.revision,
      dateField: "date",
    });
    const event = { type: "invoice.updated", subjectId: invoiceId, ...auditChange(before, after) };
    await changes.update(before, after, { event });
    await changes.record(after, []);
    return after;
  });
}

function isSame(one: ReturnType<typeof openingBalanceOf>, other: ReturnType<typeof openingBalanceOf>): boolean {
  return (
    one.date.equals(other.date) &&
    one.dueDate.equals(other.dueDate) &&
    one.amountPaise === other.amountPaise &&
    one.note === other.note &&
    one.reference === other.reference
  );
}

/**
 * An opening balance of a merchant.
 * @throws NodalError `opening_balance_not_found`, also for an invoice
 */
export async function requireOpeningBalance(db: Queryable, merchant: Merchant, invoiceId: bigint): Promise<Invoice> {
  const { bucket, merchantId } = merchant;
  const invoice = await findInvoice(db, { bucket, merchantId, invoiceId });
  if (!invoice?.isOpeningBalance) throw openingBalanceNotFound();
  return invoice;
}

function openingBalanceNotFound(): NodalError {
  return new NodalError(
    "opening_balance_not_found",
    "Opening balance not found: use an opening_balance_id from the list of opening balances.",
  );
}
