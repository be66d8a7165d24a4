// Renders a notification for its channel: its text, its files, and a plain text version of the HTML. message-view.ts has the
// texts to customers; those of mail to approvers are here: docs/rules/access.md#mail-about-approvals.
import {
  renderAccountStatementPdf,
  renderInvoicePdf,
  type Fact,
  type InvoiceDocument,
  type PublicLinks,
} from "../documents/index.ts";
import type { ApprovalKind } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { fileNameOf } from "../platform/file-name.ts";
import { formatIndianDate, formatRupees } from "../platform/indian-format.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { MAX_COUNTED, type ApprovalSubject, type WaitingRequest } from "./approval-subject.ts";
import type { Message, MessageAttachment } from "./channel.ts";
import { messageIdOf } from "./mail-channel.ts";
import { LOGO_CONTENT_ID, messageHtml, type MessageLooks } from "./message-html.ts";
import { messageView, replyToOf, statementView, type MessageCell, type MessageView } from "./message-view.ts";
import type { Notification } from "./notification.ts";
import { notificationNotFound } from "./retry-notification.ts";
import { readSubject, type InvoiceSubject, type StatementSubject, type Subject } from "./subject.ts";

export type ComposeOptions = { readonly renderer: PdfRenderer; readonly mailFrom: string };

/** The message with its current text. Files are made on demand. */
export function composeMessage(
  notification: Notification,
  subject: Subject,
  { renderer, mailFrom }: ComposeOptions,
): Message {
  const { kind, channel } = notification;
  const isMail = channel === "mail";
  const { view, looks, recipientName, replyTo, attach } =
    subject.kind === "approval"
      ? partsForDecider(subject)
      : subject.kind === "statement"
        ? partsOfStatement(subject, renderer)
        : partsForCustomer(notification, subject, renderer);
  return {
    bucket: notification.bucket,
    merchantId: notification.merchantId,
    notificationId: notification.notificationId,
    kind,
    messageId: notification.messageId ?? messageIdOf(notification, mailFrom),
    recipient: subject.recipient,
    recipientName,
    senderName: view.senderName,
    replyTo,
    subject: view.subject,
    html: isMail ? messageHtml(view, looks) : null,
    body: isMail ? messageText(view) : view.short,
    attach,
  };
}

type Parts = Pick<Message, "recipientName" | "replyTo" | "attach"> & {
  readonly view: MessageView;
  readonly looks: MessageLooks;
};

function partsForCustomer(notification: Notification, subject: InvoiceSubject, renderer: PdfRenderer): Parts {
  const { document } = subject;
  return {
    view: messageView(subject),
    looks: { accentColour: document.accentColour, hasLogo: mailLogo(document) !== null },
    recipientName: subject.customer.customerName,
    replyTo: replyToOf(subject),
    attach: () => attachmentsOf(notification, document, renderer),
  };
}

function partsOfStatement(subject: StatementSubject, renderer: PdfRenderer): Parts {
  const { merchant, statement } = subject;
  const { customer, from, to } = statement;
  return {
    view: statementView(subject),
    looks: { accentColour: "", hasLogo: false },
    recipientName: customer.customerName,
    replyTo: merchant.email,
    attach: async () => [
      {
        fileName: `${fileNameOf(`statement ${from.toString()} to ${to.toString()}`)}.pdf`,
        mimeType: "application/pdf",
        bytes: await renderAccountStatementPdf(renderer, merchant, statement),
        contentId: null,
      },
    ],
  };
}

function partsForDecider(subject: ApprovalSubject): Parts {
  return {
    view: approvalView(subject),
    looks: { accentColour: "", hasLogo: false },
    recipientName: subject.login.name,
    // A reply decides nothing, and nobody would read it.
    replyTo: "",
    attach: () => Promise.resolve([]),
  };
}

/**
 * A message with the text of the last attempt, or else with its current text; its files are made again.
 * @throws NodalError `not_found` if its subject no longer exists
 */
export async function readMessage(
  { pool, links, ...options }: ComposeOptions & { readonly pool: Pool; readonly links: PublicLinks },
  notification: Notification,
): Promise<Message> {
  const subject = await readSubject(pool, links, notification);
  if (!subject) throw notificationNotFound();
  return { ...composeMessage(notification, subject, options), ...notification.wording };
}

/**
 * A message's HTML with its picture embedded, for a browser.
 * @throws NodalError `not_found` if it has no HTML
 */
export async function standaloneHtml(message: Message): Promise<string> {
  const { html } = message;
  if (html === null) throw new NodalError("not_found", "Only mail has HTML: this message went to a phone.");
  const picture = (await message.attach()).find(({ contentId }) => contentId !== null);
  if (!picture) return html;
  const source = `data:${picture.mimeType};base64,${Buffer.from(picture.bytes).toString("base64")}`;
  return html.replaceAll(`cid:${LOGO_CONTENT_ID}`, source);
}

async function attachmentsOf(
  notification: Notification,
  document: InvoiceDocument,
  renderer: PdfRenderer,
): Promise<MessageAttachment[]> {
  const { kind, channel } = notification;
  if (channel !== "mail") return [];
  const logo = mailLogo(document);
  return [...(logo ? [logo] : []), ...(kind === "receipt" ? [] : [await pdfOf(notification, document, renderer)])];
}

async function pdfOf(
  owner: Notification,
  document: InvoiceDocument,
  renderer: PdfRenderer,
): Promise<MessageAttachment> {
  return {
    fileName: `${fileNameOf(document.number ?? "invoice")}.pdf`,
    mimeType: "application/pdf",
    bytes: await renderInvoicePdf(renderer, owner, document),
    contentId: null,
  };
}

/** The logo for a mail; `null` for none. */
function mailLogo({ logo }: InvoiceDocument): MessageAttachment | null {
  return logo && { fileName: "logo.png", ...logo, contentId: LOGO_CONTENT_ID };
}

/** The text part of a mail. */
function messageText(view: MessageView): string {
  const { headline, button } = view;
  const width = Math.max(...view.facts.map((fact) => fact.label.length)) + 2;
  const paragraphs = [
    view.title,
    view.greeting,
    ...view.paragraphs,
    `${headline.label}: ${headline.value}\n${headline.note}`,
    view.facts.map((fact) => `${`${fact.label}:`.padEnd(width)}${fact.value}`).join("\n"),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...view.closing,
    // Two hyphens and a space begin a signature.
    ["-- ", view.senderName, ...view.senderLines].join("\n"),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

/** The same texts as on the dashboard's page of approvals. */
const KINDS: Readonly<Record<ApprovalKind, string>> = {
  transfer: "Transfer",
  withdrawal: "Withdrawal",
  commission: "Commission payout",
  beneficiary: "New beneficiary",
  franchise_account: "Franchise bank account",
  franchise_account_change: "New franchise account",
  transfer_resolution: "Stuck transfer",
  funding: "Deposit",
  bank_account: "New bank account",
  policy: "Relaxed payout rules",
  payout_batch: "Bulk payout",
};

/** The mail to a person who can approve, as of now. */
function approvalView(subject: ApprovalSubject): MessageView {
  const { merchant, login, count, named, approvalsUrl, signInUrl } = subject;
  const company = merchant.live ? merchant.name : `${merchant.name} (sandbox)`;
  const requests = inWords(count);
  const need = count === 1 ? "needs" : "need";
  const sentence = `${requests} at ${company} ${need} your approval.`;
  const left = count - named.length;
  const more = left === 0 ? "" : count < MAX_COUNTED ? `${left} not listed` : "others not listed";
  return {
    subject: `${requests} ${need} your approval: ${company}`,
    preview: sentence,
    title: "Waiting for your approval",
    greeting: `Dear ${login.name},`,
    paragraphs: [sentence],
    headline: { label: "Waiting for you", value: requests, note: firstExpiry(subject), isBad: false },
    facts: [
      ...named.map((request) => factOf(request, merchant.timeZone)),
      ...(more === "" ? [] : [{ label: "More", value: more }]),
    ],
    table: {
      headings: ["Request", "Amount", "Requested by"],
      rows: named.map((request) => cellsOf(request, merchant.timeZone)),
      note: more === "" ? "" : `More: ${more}`,
    },
    button: { label: "Open approvals", url: approvalsUrl },
    closing: [`Sign in at ${signInUrl}`, "Turn off these e-mails in Security."],
    senderName: company,
    senderLines: ["Sent by Nodal to people who can approve"],
    short: `${sentence} ${approvalsUrl}`,
  };
}

function inWords(count: number): string {
  if (count >= MAX_COUNTED) return `${MAX_COUNTED} or more requests`;
  return `${count} ${count === 1 ? "request" : "requests"}`;
}

function firstExpiry({ count, named, merchant: { timeZone } }: ApprovalSubject): string {
  const first = named[0]?.expiresAt ?? null;
  if (first === null) return count === 0 ? "Nothing left to decide" : "No expiry";
  return `${count === 1 ? "Expires on" : "The first expires on"} ${formatMoment(first, timeZone)}`;
}

function factOf(request: WaitingRequest, timeZone: string): Fact {
  const { kind, what, amount, by, requested, expires } = textsOf(request, timeZone);
  const parts = [amount, what, `requested by ${by} on ${requested}`, expires];
  return { label: kind, value: parts.filter((part) => part !== "").join("; ") };
}

/** The same as a row of the table. */
function cellsOf(request: WaitingRequest, timeZone: string): MessageCell[] {
  const { kind, what, amount, by, requested, expires } = textsOf(request, timeZone);
  return [
    what === "" ? { text: kind, note: "" } : { text: what, note: kind },
    { text: amount || "–", note: "", isAmount: true },
    { text: by, note: [requested, expires].filter((part) => part !== "").join("; ") },
  ];
}

/** A request in words; "" for what it lacks. */
function textsOf({ kind, what, amountPaise, by, requestedAt, expiresAt }: WaitingRequest, timeZone: string) {
  return {
    kind: KINDS[kind],
    what,
    amount: amountPaise === null ? "" : formatRupees(amountPaise),
    by,
    requested: formatMoment(requestedAt, timeZone),
    expires: expiresAt === null ? "" : `expires on ${formatMoment(expiresAt, timeZone)}`,
  };
}

/** `26 Nov 2026, 16:13`, in the merchant's time zone. */
function formatMoment(instant: Temporal.Instant, timeZone: string): string {
  const local = instant.toZonedDateTimeISO(timeZone);
  return `${formatIndianDate(local.toPlainDate())}, ${local.toPlainTime().toString({ smallestUnit: "minute" })}`;
}
