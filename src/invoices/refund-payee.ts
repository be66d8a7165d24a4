// Where a refund goes: what has to be said of it, and the customer's particulars that are kept with it.
// What belongs here: rules that commands and pages share. Paying is credit-note-refund.ts.
import { findCustomers } from "../customers/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { RefundPayee } from "../payouts/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { findInvoice } from "./invoice-store.ts";

/** An account with its IFSC, or a handle. Without a name, it is the customer's. */
export type NamedPayee = {
  readonly name: string | null;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
};

/** Whether each was given. */
type Given = { readonly [Name in keyof NamedPayee]: boolean };
/** What each is called where it was given: an option, or a field. */
type Names = { readonly [Name in Exclude<keyof NamedPayee, "name">]: string };

/** Adds to `errors` what is wrong: both or halves given, or nothing where it is needed. */
export function checkPayee(given: Given, names: Names, isNeeded: boolean, errors: FieldError[]): void {
  const hasAccount = given.accountNumber || given.ifsc;
  if (hasAccount && given.upi) {
    fail(errors, names.upi, "not_allowed", "can't be given together with a bank account: give one of them.");
  } else if (hasAccount && !(given.accountNumber && given.ifsc)) {
    const missing = given.accountNumber ? names.ifsc : names.accountNumber;
    fail(errors, missing, "required", "is missing: an account needs both.");
  } else if (!hasAccount && !given.upi && (isNeeded || given.name)) {
    const others = `and ${names.ifsc}, or ${names.upi}, say where the money goes: give one of them.`;
    fail(errors, names.accountNumber, "required", others);
  }
}

/** A payee with the contact details of an invoice's customer, and its name where none was given. */
export async function payeeOfInvoice(
  db: Queryable,
  merchant: Merchant,
  invoiceId: bigint,
  payee: NamedPayee,
): Promise<RefundPayee> {
  const invoice = await findInvoice(db, { bucket: merchant.bucket, merchantId: merchant.merchantId, invoiceId });
  const customer = invoice && (await findCustomers(db, merchant, [invoice.customerId])).get(invoice.customerId);
  return {
    ...payee,
    name: payee.name ?? customer?.customerName ?? "",
    emailId: customer?.email ?? "",
    mobile: customer?.mobile ?? "",
  };
}
