// Headings of banks' tables: the role of each, and which spellings are equal.
import { isForeignCurrency, namesForeignCurrency } from "./csv-currency.ts";
import type { ColumnRole, DateOrder } from "./statement.ts";

/**
 * Headings of HDFC, ICICI, SBI, Axis, Kotak, PNB, Bank of Baroda, Canara, Union, IndusInd, Federal, Cashfree and RazorpayX, as
 * lower-case letters and digits without the currency, the better ones first: a file may have a booking date and a value date.
 */
export const HEADINGS: Readonly<Record<ColumnRole, readonly string[]>> = {
  date: listOf(`txnposteddate transactionposteddate transactionposteddateandtime posteddate transactiondate txndate trandate
    transdate trndate date transactiondatetime transactiondateandtime txndatetime datetime dateandtime postdate postingdate
    bookingdate transactiontime eventtime createdat addedon valuedate valuedt valdate valdt`),
  narration:
    listOf(`narration transactionremarks description particulars particular transactiondescription transactionparticulars
    transactiondetails detailsoftransaction detailsoftransactions detailsofthetransaction transactionnarration paymentnarration
    paymentdetails paymentdescription narrative remarks remark details event eventtype type`),
  reference:
    listOf(`utr utrnumber utrno utrrrn rrn utrrrnnumber utrrrnno rrnutr rrnutrnumber rrnutrno rrnnumber rrnno utrref utrrefno
    utrreference bankreferencenumber bankreferenceno bankrefno bankreference bankref bankrefnumber chqrefno chqrefnumber refchqno
    refnochequeno refnochqno chequenorefno chqnorefno chequerefno chequereferenceno refno referenceno referencenumber reference
    ref refnumber refid referenceid transactionreference transactionreferenceno transactionreferencenumber transactionrefno
    transactionref txnrefno txnref txnreference tranrefno paymentreference paymentreferenceno paymentrefno paymentref transferid instrumentid instrumentno instchqno chequenumber chequeno chqno chqnumber cheque chequedetails chequenoreferenceno referencechequeno utrnochequeno neftrtgsutr transactionidchequeno refnoutr utrrefno customerrefno customerreferenceno instrumentnumber
    transactionid transactionno tranid txnid txnno`),
  debit:
    listOf(`debit dr withdrawalamt withdrawalamount withdrawal withdrawals withdrawl withdrawls withdraws withdrawaldr
    withdrawldr withdrawlamt withdrawlamount debitdr debitamount debitamt debits dramount dramt amountdebited paidout moneyout
    payment payments paid outflow outward out`),
  credit:
    listOf(`credit cr depositamt depositamount deposit deposits depositcr creditcr creditamount creditamt credits cramount
    cramt amountcredited depositsamt depositsamount paidin moneyin receipt receipts received inflow inward in`),
  amount:
    listOf(`amount transactionamount transactionamt tranamount transamount txnamount txnamt amt withdrawaldrdepositcr
    depositcrwithdrawaldr drcramount`),
  side: listOf(`drcr crdr debitcredit creditdebit drorcr crordr drcrindicator crdrindicator debitcreditindicator
    creditdebitindicator debitorcredit creditordebit saletype`),
  balance: listOf(`closingbalance closingbal balance bal runningbalance availablebalance accountbalance ledgerbalance
    balanceamount balanceamt`),
  fee: listOf("fees fee servicecharge charges"),
  tax: listOf("tax servicetax gst"),
};
export const MONEY_HEADINGS = (["debit", "credit", "amount", "fee", "tax"] as const).flatMap((role) => HEADINGS[role]);
export const CURRENCY_HEADINGS =
  listOf(`currency currencycode ccy cur curr txncurrency transactioncurrency tranccy txnccy accountcurrency
  accountccy acctcurrency amountcurrency accountcurrencycode transactioncurrencycode currencytype currencyiso`);
/** Headings of the statement's account. Any text below these is compared; below other headings, only numbers are. */
export const ACCOUNT_HEADINGS = listOf("accountno accountnumber accountnum acno acnumber acctno acctnumber account");
/** Headings of sides in some files, and of channels such as NEFT in others: the cells below decide. */
export const MAY_BE_SIDES =
  listOf(`type transactiontype txntype trantype entrytype flow cashflow moneyflow transactionflow direction inout
  outin movement nature transactionnature indicator sign plusminus`);
/** Headings of payees. */
export const PAYEE_NAME = /\b(?:ben|bene|beneficiary|payee|recipient|receiver|vendor)(?:['’]s)?[\s_]*name\b/i;
/** Headings below which a dash is a minus. */
export const SIGN_HEADINGS = listOf("sign plusminus");
/** Amounts below these headings name their own side: `1,000.00(Dr)`. */
export const NAMED_AMOUNTS = new Set(listOf("withdrawaldrdepositcr depositcrwithdrawaldr drcramount"));

const RUPEES_IN_HEADING = /[\s([]+(?:in\s+)?(?:inr|rs\.?|rupees|₹)\s*[)\]]?\s*$/i;
const CURRENCY_IN_HEADING = /[\s([]+(?:in\s+)?([A-Z]{3}|[$€£¥])\s*[)\]]?\s*$/;
/** `(dd/mm/yyyy)`, `DD-MMM-YY`, `[dd.mm.yyyy hh:mm:ss]`. */
const DATE_FORMAT =
  /[\s([]+((?:dd?|mmm?|yy(?:yy)?)(?:[-/. ]?(?:dd?|mmm?|yy(?:yy)?)){2})(?:[ ,t]*hh?:?mm(?::?ss)?(?: ?(?:am\/pm|tt|a))?)?\s*[)\]]?\s*$/i;

/** A longer text is not searched for a currency or a date format. */
const MAX_HEADING = 200;

/** "Chq./Ref.No." and "chq ref no" are the same heading; so are "Debit (INR)" and "DEBIT", and "Date (dd/mm/yyyy)" and "DATE". */
export function headingKey(text: string): string {
  if (text.length > MAX_HEADING) return plainKey(text);
  if (/^\(?\+ ?\/ ?[-−]\)?$/.test(text)) return "plusminus";
  return plainKey(text.replace(RUPEES_IN_HEADING, "").replace(DATE_FORMAT, ""));
}

/** A heading without a foreign currency: "Debit (USD)" is "debit". */
export function foreignKey(text: string): string {
  if (text.length > MAX_HEADING) return plainKey(text);
  const code = CURRENCY_IN_HEADING.exec(text)?.[1] ?? "";
  return headingKey(
    isForeignCurrency(code) || namesForeignCurrency(code) ? text.replace(CURRENCY_IN_HEADING, "") : text,
  );
}

/** The date order that a heading gives, as `(dd/mm/yyyy)` does; `null` if none. */
export function orderInHeading(heading: string): DateOrder | null {
  const first = DATE_FORMAT.exec(heading)?.[1]?.[0]?.toLowerCase();
  if (first === "d") return "day-first";
  return first === "m" ? "month-first" : null;
}

/** The letters and digits of a heading, in lower case. */
export function plainKey(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function listOf(words: string): readonly string[] {
  return words.split(/\s+/);
}
