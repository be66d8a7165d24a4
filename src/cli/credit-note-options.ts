// The options of `nodal credit-note create` and `refund`: what is credited, and where money goes back to.
// What belongs here: reading and checking them. What is done with them is in credit-note.ts.
import type { CreditNoteRequest } from "../invoices/index.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import {
  bankAccount,
  date,
  digitsOrNumber,
  ifsc,
  money,
  optional,
  optionalText,
  requiredText,
  upiHandle,
} from "../platform/http/fields.ts";
import { invoiceId } from "./invoice-options.ts";
import { merchantId, optionsOf, type GivenOptions, type MerchantOption } from "./options.ts";

export const PAYEE_OPTIONS: readonly (readonly [string, string])[] = [
  ["--account <number>", "bank account number of the customer, with --ifsc"],
  ["--ifsc <code>", "IFSC of the account"],
  ["--upi <handle>", "UPI handle of the customer, instead of an account"],
  ["--name <text>", "whose account it is; default: the customer's name"],
];

const PAYEE_FIELDS = {
  account: optional(bankAccount()),
  ifsc: optional(ifsc()),
  upi: optional(upiHandle()),
  name: optionalText(100),
};

const readCreate = optionsOf(
  {
    merchant: merchantId(),
    invoice: invoiceId(),
    amount: optional(money()),
    reason: requiredText(500),
    date: optional(date()),
    ...PAYEE_FIELDS,
  },
  (given, errors) => {
    const isFull = given["full"] === true;
    if (isFull === (given["amount"] !== undefined)) {
      fail(errors, "--amount", "invalid", "or --full says how much is credited: give one of them.");
    }
    if (given["refund"] === true) checkPayee(given, errors, true);
    else if (hasPayee(given)) fail(errors, "--refund", "required", "is missing: nothing is paid out without it.");
  },
);

const readRefund = optionsOf(
  { merchant: merchantId(), creditNote: digitsOrNumber(16), ...PAYEE_FIELDS },
  (given, errors) => checkPayee(given, errors, false),
);

/** Where money goes back to; without a name, to the customer. */
export type PayeeOptions = {
  readonly name: string | null;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
};

export type CreateOptions = MerchantOption &
  Omit<CreditNoteRequest, "refundTo"> & { readonly payee: PayeeOptions | null; readonly isRefunded: boolean };

export type RefundOptions = MerchantOption & { readonly creditNoteId: bigint; readonly payee: PayeeOptions | null };

/** @throws NodalError `validation_failed`, naming every option at fault */
export function readCreateOptions(given: GivenOptions): CreateOptions {
  const values = readCreate(given);
  return {
    merchant: values.merchant,
    invoiceId: values.invoice,
    amountPaise: values.amount,
    reason: values.reason,
    noteDate: values.date,
    payee: payeeOf(values),
    isRefunded: given["refund"] === true,
  };
}

/** @throws NodalError `validation_failed`, naming every option at fault */
export function readRefundOptions(given: GivenOptions): RefundOptions {
  const values = readRefund(given);
  return { merchant: values.merchant, creditNoteId: BigInt(values.creditNote), payee: payeeOf(values) };
}

function hasPayee({ account, ifsc: code, upi, name }: GivenOptions): boolean {
  return [account, code, upi, name].some((value) => value !== undefined);
}

/** An account with its IFSC, or a handle: one of them, or none where none is needed. */
function checkPayee(given: GivenOptions, errors: FieldError[], isNeeded: boolean): void {
  const { account, ifsc: code, upi } = given;
  const hasAccount = account !== undefined || code !== undefined;
  if (hasAccount && upi !== undefined) {
    fail(errors, "--upi", "not_allowed", "can't be given together with a bank account: give one of them.");
  } else if (hasAccount && (account === undefined || code === undefined)) {
    fail(errors, account === undefined ? "--account" : "--ifsc", "required", "is missing: an account needs both.");
  } else if (!hasAccount && upi === undefined && (isNeeded || hasPayee(given))) {
    fail(errors, "--account", "required", "and --ifsc, or --upi, say where the money goes: give one of them.");
  }
}

function payeeOf(values: {
  account: string | null;
  ifsc: string | null;
  upi: string | null;
  name: string | null;
}): PayeeOptions | null {
  if (values.account === null && values.upi === null) return null;
  return { name: values.name, accountNumber: values.account, ifsc: values.ifsc, upi: values.upi };
}
