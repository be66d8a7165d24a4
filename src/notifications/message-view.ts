// The texts of a message for its subject, plain text and HTML. compose.ts has mail about approvals, message-html.ts the layout.
import { sumAccountStatement, type Fact } from "../documents/index.ts";
import { documentFacts, dueOf } from "../invoices/index.ts";
import { formatIndianDate, formatRupees } from "../platform/indian-format.ts";
import type { InvoiceKind } from "./notification.ts";
import type { InvoiceSubject, StatementSubject } from "./subject.ts";

export type MessageView = {
  readonly subject: string;
  /** The preview that a mailbox shows beside the subject. */
  readonly preview: string;
  readonly title: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  readonly headline: Fact & { readonly note: string; readonly isBad: boolean };
  readonly facts: readonly Fact[];
  /** The facts as a table, for HTML. */
  readonly table?: MessageTable;
  /** `null` if there is no page to open. */
  readonly button: { readonly label: string; readonly url: string } | null;
  readonly closing: readonly string[];
  readonly senderName: string;
  readonly senderLines: readonly string[];
  /** The whole message in a line or two, for a phone. */
  readonly short: string;
};

/** A text, and a quieter line below it. An amount stays on one line. */
export type MessageCell = { readonly text: string; readonly note: string; readonly isAmount?: boolean };

/** A table of a mail. */
export type MessageTable = {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly MessageCell[])[];
  /** Below the table; "" for nothing. */
  readonly note: string;
};

/** The texts that depend on the kind of message. */
type Wording = Pick<MessageView, "subject" | "title" | "paragraphs" | "headline" | "facts" | "closing"> & {
  /** The short message, without the sender and the address. */
  readonly gist: string;
};

/** The texts to the customer, with the status on the merchant's current day. */
export function messageView(subject: InvoiceSubject): MessageView {
  const { kind, document, customer } = subject;
  const { supplier } = document;
  const words = WORDING[kind](subject);
  const canPay = document.upi !== null && dueOf(subject.invoice) > 0n;
  const url = document.publicUrl;
  return {
    ...words,
    preview: words.paragraphs[0]!,
    greeting: `Dear ${customer.customerName},`,
    button: { label: canPay ? "View and pay" : `View ${nounOf(subject).toLowerCase()}`, url },
    closing: [...words.closing, ...(replyToOf(subject) === "" ? [] : ["Questions? Just reply to this e-mail."])],
    senderName: supplier.name,
    senderLines: [
      ...supplier.addressLines,
      [supplier.mobile, supplier.email].filter((part) => part !== "").join(" · "),
      supplier.gstin === null ? "" : `GSTIN ${supplier.gstin}`,
    ].filter((line) => line !== ""),
    short: `${supplier.name}: ${words.gist} ${url}`,
  };
}

/** The texts of a mail with a statement of account. */
export function statementView({ merchant, statement }: StatementSubject): MessageView {
  const { customer, from, to, openingPaise, closingPaise } = statement;
  const { name, email, mobile, gstin } = merchant;
  const { debitPaise, creditPaise } = sumAccountStatement(statement);
  const period = `${formatIndianDate(from)} to ${formatIndianDate(to)}`;
  const isOwed = closingPaise > 0n;
  const balance = formatRupees(closingPaise < 0n ? -closingPaise : closingPaise);
  const state = isOwed ? `${balance} due` : closingPaise < 0n ? `${balance} in your favour` : "nothing due";
  const sentence = `Your statement of account with ${name} from ${period} is attached.`;
  return {
    subject: `Statement of account from ${name}: ${state}, ${period}`,
    preview: sentence,
    title: "Statement of account",
    greeting: `Dear ${customer.customerName},`,
    paragraphs: [sentence],
    headline: {
      label: closingPaise < 0n ? "In your favour" : "Balance due",
      value: balance,
      note: `On ${formatIndianDate(to)}`,
      isBad: false,
    },
    facts: [
      { label: "Opening balance", value: formatRupees(openingPaise) },
      { label: "Charged", value: formatRupees(debitPaise) },
      { label: "Paid and credited", value: formatRupees(creditPaise) },
      { label: "Closing balance", value: formatRupees(closingPaise) },
    ],
    button: null,
    closing: [
      "Does it differ from your own books? Please let us know.",
      ...(email === "" ? [] : ["Questions? Just reply to this e-mail."]),
    ],
    senderName: name,
    senderLines: [[mobile, email].filter(Boolean).join(" · "), gstin === "" ? "" : `GSTIN ${gstin}`].filter(Boolean),
    short: sentence,
  };
}

/** The reply address of a message; "" for none. */
export function replyToOf({ document, merchant }: InvoiceSubject): string {
  return document.supplier.email || merchant.email;
}

const WORDING: Readonly<Record<InvoiceKind, (subject: InvoiceSubject) => Wording>> = {
  invoice: invoiceWording,
  receipt: receiptWording,
  reminder: reminderWording,
};

function invoiceWording(subject: InvoiceSubject): Wording {
  const { invoice, document } = subject;
  const noun = nounOf(subject);
  const { name } = document.supplier;
  const duePaise = dueOf(invoice);
  const amount = formatRupees(duePaise > 0n ? duePaise : invoice.amountPaise);
  const state = duePaise > 0n ? `due ${formatIndianDate(invoice.dueDate)}` : "paid";
  return {
    subject: `${noun} ${invoice.invoiceNumber} from ${name}: ${amount} ${state}`,
    title: `${noun} ${invoice.invoiceNumber}`,
    paragraphs: [`Your ${noun.toLowerCase()} of ${formatIndianDate(invoice.billDate)} from ${name} is attached.`],
    headline:
      duePaise > 0n
        ? dueHeadline(subject)
        : { label: "Amount", value: amount, note: "Paid in full. Thank you.", isBad: false },
    facts: invoiceFacts(subject),
    closing: ["Thank you for your business."],
    gist: `${noun.toLowerCase()} ${invoice.invoiceNumber} of ${amount}, ${state}.`,
  };
}

function reminderWording(subject: InvoiceSubject): Wording {
  const { invoice, document, today } = subject;
  const noun = nounOf(subject);
  const { name } = document.supplier;
  const amount = formatRupees(dueOf(invoice));
  const days = today.until(invoice.dueDate).days;
  const due = formatIndianDate(invoice.dueDate);
  const when = days > 0 ? `due in ${count(days)}` : days === 0 ? "due today" : `overdue by ${count(-days)}`;
  const sentence =
    days > 0
      ? `${noun} ${invoice.invoiceNumber} from ${name} is due in ${count(days)}, on ${due}.`
      : days === 0
        ? `${noun} ${invoice.invoiceNumber} from ${name} is due today, ${due}.`
        : `${noun} ${invoice.invoiceNumber} from ${name} was due on ${due}, and ${amount} is still due.`;
  return {
    subject: `Reminder: ${noun.toLowerCase()} ${invoice.invoiceNumber} from ${name}: ${amount} ${when}`,
    title: `Payment ${when}`,
    paragraphs: [`${sentence} A copy is attached.`],
    headline: dueHeadline(subject),
    facts: invoiceFacts(subject),
    closing: ["Already paid? Thank you. Please ignore this reminder."],
    gist: `${noun.toLowerCase()} ${invoice.invoiceNumber}, ${amount} ${when}.`,
  };
}

function receiptWording(subject: InvoiceSubject): Wording {
  const { invoice, document } = subject;
  const noun = nounOf(subject);
  const settlement = subject.settlement!;
  const amount = formatRupees(settlement.amountPaise);
  const duePaise = dueOf(invoice);
  const since = Temporal.PlainDate.compare(invoice.dueDate, subject.today) < 0 ? "since" : "by";
  const rest =
    duePaise > 0n
      ? `${formatRupees(duePaise)} remains due ${since} ${formatIndianDate(invoice.dueDate)}.`
      : `This ${noun.toLowerCase()} is paid in full.`;
  return {
    subject: `Payment of ${amount} received by ${document.supplier.name} for ${noun.toLowerCase()} ${invoice.invoiceNumber}`,
    title: "Payment received",
    paragraphs: [
      `${document.supplier.name} received your payment for ${noun.toLowerCase()} ${invoice.invoiceNumber}. Thank you!`,
    ],
    headline: { label: "Received", value: amount, note: rest, isBad: false },
    facts: present([
      { label: "Paid on", value: formatIndianDate(settlement.paidDate) },
      { label: "Payment mode", value: settlement.mode },
      { label: "Bank", value: settlement.bankName },
      { label: "Reference", value: settlement.bankRefNo },
      { label: "Cheque no.", value: settlement.chequeNo },
      { label: noun, value: invoice.invoiceNumber },
      { label: `${noun} total`, value: formatRupees(invoice.amountPaise) },
      { label: "Paid so far", value: formatRupees(invoice.paidPaise) },
      { label: "Still due", value: formatRupees(duePaise) },
    ]),
    closing: [],
    gist: `received ${amount} for ${noun.toLowerCase()} ${invoice.invoiceNumber}. ${rest}`,
  };
}

function dueHeadline({ invoice, today }: InvoiceSubject): MessageView["headline"] {
  const days = today.until(invoice.dueDate).days;
  const due = formatIndianDate(invoice.dueDate);
  const note =
    days > 0
      ? `Due on ${due}, in ${count(days)}`
      : days === 0
        ? `Due today, ${due}`
        : `Was due on ${due}, ${count(-days)} ago`;
  return { label: "Amount due", value: formatRupees(dueOf(invoice)), note, isBad: days < 0 };
}

/** The noun for the customer's document: "Invoice". */
function nounOf({ invoice }: InvoiceSubject): string {
  return documentFacts(invoice.content.kind).noun;
}

function invoiceFacts(subject: InvoiceSubject): Fact[] {
  const { invoice } = subject;
  const noun = nounOf(subject);
  // An opening balance consists only of previous dues.
  const hasDues = invoice.previousDuesPaise > 0n && !invoice.isOpeningBalance;
  const isOpened = invoice.paidPaise > 0n || invoice.creditedPaise > 0n;
  return present([
    { label: `${noun} no.`, value: invoice.invoiceNumber },
    { label: `${noun} date`, value: formatIndianDate(invoice.billDate) },
    { label: "Due date", value: formatIndianDate(invoice.dueDate) },
    { label: "Billing period", value: invoice.cycleName },
    { label: "Previous dues", value: hasDues ? formatRupees(invoice.previousDuesPaise) : "" },
    { label: `${noun} total`, value: isOpened ? formatRupees(invoice.amountPaise) : "" },
    { label: "Paid", value: invoice.paidPaise > 0n ? formatRupees(invoice.paidPaise) : "" },
    { label: "Credited", value: invoice.creditedPaise > 0n ? formatRupees(invoice.creditedPaise) : "" },
  ]);
}

function present(facts: readonly Fact[]): Fact[] {
  return facts.filter((fact) => fact.value.trim() !== "");
}

function count(days: number): string {
  return `${days} ${days === 1 ? "day" : "days"}`;
}
