// The options of `nodal credit-note create` and `refund`: what is credited, and where money goes back to.
// What belongs here: reading and checking them. What is done with them is in credit-note.ts.
import { checkPayee, type CreditNoteRequest, type NamedPayee } from "../invoices/index.ts";
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
    if (given["refund"] === true) checkGivenPayee(given, true, errors);
    else if (hasPayee(given)) fail(errors, "--refund", "required", "is missing: nothing is paid out without it.");
  },
);

const readRefund = optionsOf(
  { merchant: merchantId(), creditNote: digitsOrNumber(16), ...PAYEE_FIELDS },
  (given, errors) => checkGivenPayee(given, false, errors),
);

export type CreateOptions = MerchantOption &
  Omit<CreditNoteRequest, "refundTo"> & { readonly payee: NamedPayee | null; readonly isRefunded: boolean };

export type RefundOptions = MerchantOption & { readonly creditNoteId: bigint; readonly payee: NamedPayee | null };

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

const PAYEE_NAMES = { accountNumber: "--account", ifsc: "--ifsc", upi: "--upi" };

function checkGivenPayee({ account, ifsc: code, upi, name }: GivenOptions, isNeeded: boolean, errors: FieldError[]) {
  const isGiven = (value: unknown): boolean => value !== undefined;
  const given = { accountNumber: isGiven(account), ifsc: isGiven(code), upi: isGiven(upi), name: isGiven(name) };
  checkPayee(given, PAYEE_NAMES, isNeeded, errors);
}

function hasPayee({ account, ifsc: code, upi, name }: GivenOptions): boolean {
  return [account, code, upi, name].some((value) => value !== undefined);
}

function payeeOf(values: {
  account: string | null;
  ifsc: string | null;
  upi: string | null;
  name: string | null;
}): NamedPayee | null {
  if (values.account === null && values.upi === null) return null;
  return { name: values.name, accountNumber: values.account, ifsc: values.ifsc, upi: values.upi };
}
